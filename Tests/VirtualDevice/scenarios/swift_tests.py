# SPDX-License-Identifier: Apache-2.0
"""The Swift tests of TactusLinux on real lines and cards; elsewhere most of these are skipped.

build-tests makes what they run.
"""

import os
import subprocess

from device import expect, repository, scenario


PLAYERS = "PlayerTests"  # what is heard of players; a busy machine would make them stutter
BUS = "Bus"  # needs no device, and waits for real time
CHOICE = ("--filter", "TactusLinuxTests", "--skip", PLAYERS, "--skip", BUS)


def run_tests(build, libraries="", choice=CHOICE):
    """Runs the chosen tests of a build; all must pass, and none may be skipped."""
    tests = f"{build}/debug/tactusPackageTests.xctest"
    if not os.path.exists(tests):
        raise FileNotFoundError(f"{tests} is missing; Tests/VirtualDevice/build-tests")
    done = subprocess.run(
        [tests, "--testing-library", "swift-testing", *choice],
        env={**os.environ, "LD_LIBRARY_PATH": libraries}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    telling = [line for line in done.stdout.splitlines()
               if "started." not in line and " passed after " not in line]
    expect(done.returncode, 0, "\n".join(["exit code of the tests", *telling]))
    expect([line for line in telling if " skipped" in line], [], "tests skipped")


@scenario("virtual-device")
def with_libgpiod_1():
    """TactusLinux on real lines and cards, with libgpiod 1."""
    run_tests(f"{repository}/.build")


@scenario("virtual-device")
def with_libgpiod_2():
    """TactusLinux on real lines and cards, with libgpiod 2."""
    run_tests(f"{repository}/.build/libgpiod2", f"{repository}/.build/libgpiod2/lib")


@scenario("virtual-device", time_travel=True)
def with_players():
    """Players and the gains of their sources, heard through the card Loopback, in virtual time."""
    run_tests(f"{repository}/.build", choice=("--filter", PLAYERS))
