# SPDX-License-Identifier: Apache-2.0
"""What is told of the past, and that who looks on disturbs nobody."""

import json
import os
import pty
import signal
import subprocess
import xml.etree.ElementTree

from device import expect, expect_between, program, scenario, sleep_ms, start_daemon, tactus
from device import wait_until
from fitted import start_with_sound, this_board


@scenario("virtual-device")
def what_happened_is_told_drawn_and_kept():
    """A press is one line with its rule and one bar of the picture, also of a kept trace."""
    board = this_board()
    daemon, _ = start_with_sound(board)
    board.press("volume-up")
    sleep_ms(300)
    told = [json.loads(line) for line in tactus("trace", "--json").stdout.splitlines()]
    pressed = [line for line in told if any("volume-up pressed" in i for i in line["inputs"])]
    expect(len(pressed), 1, "lines of the press")
    rules = [c["rule"] for line in told for c in line["changes"] if c["change"] == "volume"]
    expect(rules, ["VOL-1"], "rules of the volume")
    kept = "/tmp/kept.trace"
    tactus("record", kept)
    picture = tactus("trace", "plot", kept, "--svg", "-").stdout
    texts = [e.text for e in xml.etree.ElementTree.fromstring(picture).iter() if e.text]
    for name in ("volume-up", "speaker", "virtual-device"):
        expect(name in texts, True, f"{name} in the picture")
    replayed = tactus("replay", kept).stdout
    expect("the same effects in all" in replayed, True, f"replay of what is kept: {replayed}")
    other = tactus("replay", kept, "--board", "simulated").stdout
    expect("volume-up  " in other and "1 press" in other, True, f"the press elsewhere: {other}")
    # After a crash the trace is there.
    daemon.kill()
    told = tactus("trace", "/run/tactus/trace").stdout
    expect("volume-up pressed" in told, True, f"the press after a crash: {told}")


def changes_of(status):
    """How often the volume-up button was pressed or let go of."""
    return next(c["changes"] for c in status["controls"] if c["name"] == "volume-up")


@scenario("virtual-device")
def who_stalls_disturbs_nobody():
    """SSH stalls while tactus watch draws: buttons act as ever, and the view catches up."""
    board = this_board()
    daemon, _ = start_with_sound(board)
    before = daemon.status()
    master, terminal = pty.openpty()
    environment = dict(os.environ, TERM="xterm", LC_ALL="C.UTF-8")
    command = [program("tactus"), "watch"]
    watch = subprocess.Popen(
        command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment
    )
    os.close(terminal)
    os.set_blocking(master, False)
    drawn = b""

    def read():
        nonlocal drawn
        try:
            drawn += os.read(master, 65536)
        except OSError:
            # Nothing waits, or the program has left its terminal.
            pass
        return drawn

    wait_until("the view", lambda: b"Volume" in read(), 3000)
    # One stops reading, as a link that stalls does; then the program itself is stopped.
    for stop in (False, True):
        if stop:
            watch.send_signal(signal.SIGSTOP)
        for _ in range(25):
            board.press("volume-up")
            board.press("volume-down")
            sleep_ms(100)
        if stop:
            watch.send_signal(signal.SIGCONT)
    after = daemon.status()
    expect(changes_of(after) - changes_of(before), 100, "presses and releases that were taken")
    # Who waits for the reader would be late by thousands.
    expect_between(after["late"] - before["late"], 0, 200, "late ticks")
    tactus("set", "volume", "93%")
    wait_until("the view has caught up", lambda: b"93" in read(), 5000)
    os.write(master, b"q")
    wait_until("the view ends", lambda: (read(), watch.poll())[1] is not None, 3000)
    expect(watch.returncode, 0, "its exit code")


@scenario("virtual-device")
def a_fleet_is_counted():
    """tactus metrics has the counts of this board, and the file for node_exporter appears whole."""
    board = this_board()
    start_daemon()
    board.press("volume-up")
    sleep_ms(200)
    tactus("metrics", "--write", "/tmp/tactus.prom")
    text = open("/tmp/tactus.prom").read()
    for line in (
        "tactus_up 1",
        'tactus_control_changes_total{control="volume-up"} 2',
        'tactus_route{route="speaker"} 1',
        "# EOF",
    ):
        expect(line in text.splitlines(), True, f"{line} in {text}")
