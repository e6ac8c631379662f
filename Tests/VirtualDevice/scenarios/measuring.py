# SPDX-License-Identifier: Apache-2.0
"""`tactus test` measures real contacts, with and without the daemon, and hears the outputs."""

import contextlib
import json
import subprocess

from device import (
    expect,
    expect_between,
    gpio,
    program,
    scenario,
    sleep_ms,
    sound,
    start_daemon,
    tactus,
)
from faults import KNOB_A, KNOB_B, board_with, row
from fitted import this_board
from wiring import VOLUME_UP

# A press that bounces for 16 ms, and a release that bounces for 3 ms.
PRESS = [(0, 0), (2, 1), (16, 0), (120, 1), (121, 0), (123, 1)]


@contextlib.contextmanager
def measuring(*options, seconds=5):
    """`tactus test` beside what is done meanwhile; `.text` and `.code` are known afterwards."""
    command = [program("tactus"), "test", "--seconds", f"{seconds}", *options]
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    sleep_ms(1000)
    yield process
    process.text = process.communicate()[0].decode()
    process.code = process.returncode


def press_three_times():
    for _ in range(3):
        gpio.play_trace(VOLUME_UP, PRESS)
        sleep_ms(300)


def expect_measured(with_daemon):
    path = "/run/edges"
    options = ["--control", "volume-up", "--json", "--record", path]
    if not with_daemon:
        options += ["--board", this_board().name]
    with measuring(*options) as process:
        press_three_times()
    found = json.loads(process.text)[0]
    expect(found["presses"], 3, f"presses in {found}")
    expect(found["restsHigh"], True, "it rests high")
    expect_between(found["bounceMilliseconds"], 14, 19, "longest bounce")
    expect_between(found["gapMilliseconds"], 12, 16, "longest gap")
    expect(found["settings"], ["debounce: 20 ms"], "settings")
    expect(process.code, 1, "exit code, as a setting is wrong")
    with open(path) as file:
        head, *edges = file.read().splitlines()
    expect(head, f"tactus-edges 1 {this_board().name}", "head of the record")
    expect(len(edges), found["edges"], "recorded edges")
    fields = [edge.split() for edge in edges]
    expect({tuple(field[1:3]) for field in fields}, {("volume-up", "-")}, "control and line")
    expect([field[3] for field in fields][:6], list("010101"), "levels")
    times = [int(field[0]) for field in fields]
    expect(times, sorted(times), "times")


@scenario("virtual-device", roots=("host", "debian13"), time_travel=True)
def a_button_is_measured_through_the_daemon():
    """Bounce, polarity and the debounce time that suits, while the daemon has the lines."""
    start_daemon()
    sleep_ms(500)
    expect_measured(with_daemon=True)


@scenario("virtual-device", roots=("host", "debian13"), time_travel=True)
def a_button_is_measured_without_the_daemon():
    """The same from the lines themselves."""
    expect_measured(with_daemon=False)


@scenario("virtual-device", time_travel=True)
def what_was_recorded_is_tried_with_another_debounce_time():
    """F12 `--record`, then `replay`: with the time that `test` proposes, 3 presses are 3."""
    start_daemon()
    with measuring("--control", "volume-up", "--record", "/run/edges") as process:
        press_three_times()
    expect("debounce: 20 ms" in process.text, True, process.text)

    def presses(*options):
        text = tactus("replay", "/run/edges", *options).stdout
        return sum("volume-up pressed" in line for line in text.splitlines())

    expect_between(presses(), 4, 6, "presses with the board file's 10 ms")
    expect(presses("--debounce", "20"), 3, "presses with 20 ms")


@scenario("virtual-device", time_travel=True)
def a_good_button_needs_nothing():
    """A press without bounce: nothing to set, exit code 0; a button that nobody touches says so."""
    start_daemon()
    with measuring("--control", "volume-up") as process:
        this_board().press("volume-up")
    expect((process.code, "well as" in process.text), (0, True), f"{process.text}")
    with measuring("--control", "mute", seconds=2) as process:
        pass
    expect((process.code, "did not move" in process.text), (1, True), f"{process.text}")


@scenario("virtual-device", time_travel=True)
def a_reversed_knob_is_named():
    """F20 A knob whose lines are exchanged, turned clockwise as asked."""
    wires = "    a: {}\n    b: {}\n"
    path = board_with((wires.format(KNOB_A, KNOB_B), wires.format(KNOB_B, KNOB_A)))
    start_daemon("--board", path)
    with measuring("--control", "knob", "--board", path) as process:
        for _ in range(8):
            gpio.turn(KNOB_A, KNOB_B, 1)
            sleep_ms(250)
    expect("invert: true" in process.text, True, f"{process.text}")
    expect("transitions-per-detent" in process.text, False, f"{process.text}")
    expect(process.code, 1, "exit code")
    row("reversed knob", "test", " ".join(process.text.split()))


@scenario("virtual-device", time_travel=True)
def outputs_are_heard_and_silence_is_silence():
    """A tone at the volume as it is, then the mute, read back from the codec; all is as before."""
    daemon = start_daemon()
    sleep_ms(1000)
    before = daemon.status()["level"]
    with sound.Recording() as heard:
        done = tactus("test", "--sound")
    expect("speaker: a tone was played" in done.stdout, True, done.stdout)
    expect("silence is silence" in done.stdout, True, done.stdout)
    loudest = max(heard.levels())
    expect_between(loudest, -60, -19.5, "the loudest moment, dB")
    status = daemon.status()
    expect((status["level"], status["muted"]), (before, False), "level, muted")


@scenario("virtual-device", time_travel=True)
def only_the_group_sees_what_fingers_do():
    """Raw edges are for group tactus."""
    path = board_with()
    start_daemon()
    command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    done = subprocess.run(
        [*command, program("tactus"), "test", "--seconds", "1", "--board", path],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    expect((done.returncode, "join group tactus" in done.stderr), (69, True), done.stderr)
