# SPDX-License-Identifier: Apache-2.0
"""The checking part of check-boards: reads YAML 1.2 as editors do, and compares verdicts."""

import pathlib
import re
import subprocess
import sys

import jsonschema
import referencing
import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "Tests/TactusLinuxTests/boards"
# folder: what the schema and what the loader must say of the files in it
VERDICTS = {"accepted": (True, True), "refused": (False, False), "refused-by-loader": (True, False)}


class Loader(yaml.SafeLoader):
    """YAML 1.2's core schema, so that `on` is text and `1:30` no number."""


Loader.yaml_implicit_resolvers = {}
for tag, pattern, first in [
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", r"[-+]?[0-9]+", "-+0123456789"),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", "-+.0123456789"),
    ("float", r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)", "-+."),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
]:
    Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{tag}", re.compile(f"^({pattern})$"), list(first)
    )
Loader.add_constructor("tag:yaml.org,2002:int", lambda loader, node: int(node.value))


def validator(name):
    def read(uri):
        contents = yaml.safe_load((ROOT / "boards" / uri).read_text())
        return referencing.Resource.from_contents(contents)

    registry = referencing.Registry(retrieve=read)
    schema = registry.get_or_retrieve(name).value.contents
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema, registry=registry)


BOARD, SETTINGS = validator("schema.json"), validator("settings.schema.json")


def schema_mistakes(path):
    schema = SETTINGS if path.name.startswith("tactus") else BOARD
    try:
        value = yaml.load(path.read_text(), Loader)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        return [str(error).replace("\n", " ")]
    return [f"{mistake.json_path}: {mistake.message}" for mistake in schema.iter_errors(value)]


def loader_mistakes(program, path):
    run = subprocess.run([program, "board", "check", path], capture_output=True, text=True)
    if run.returncode not in (0, 78):
        command = f"{program} board check {path}"
        sys.exit(f"check-boards: {command}: ended with {run.returncode}\n{run.stderr}")
    return (run.stderr + run.stdout).splitlines() if run.returncode else []


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / ".build/debug/tactus")
    failures = []

    def compare(path, who, mistakes, accepted):
        if (not mistakes) != accepted:
            what = "accepts" if not mistakes else f"refuses ({mistakes[0]})"
            failures.append(f"{path.relative_to(ROOT)}: {who} {what}, and must not")

    files = [(path, (True, True)) for path in sorted(ROOT.glob("boards/*/board.yaml"))]
    variants = sorted(ROOT.glob("Tests/VirtualDevice/boards/*/board.yaml"))
    files += [(path, (True, True)) for path in variants]
    for folder, verdict in VERDICTS.items():
        files += [(path, verdict) for path in sorted((EXAMPLES / folder).glob("*.yaml"))]
    for path, (by_schema, by_loader) in files:
        compare(path, "the schema", schema_mistakes(path), by_schema)
        # The command line checks boards; of settings the loader's verdict is in the Swift tests.
        if not path.name.startswith("tactus"):
            compare(path, "the loader", loader_mistakes(program, path), by_loader)
    for failure in failures:
        print(failure, file=sys.stderr)
    print(f"check-boards: {len(files)} files, {len(failures)} wrong")
    sys.exit(1 if failures else 0)


main()
