#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Measures sessions inside the virtual device, for `deploy/bench`: what a player waits for, and how
long an ambient sound is still heard after the silent switch.

Arguments: the directory of the compiled helpers; `calls`, to be run in real time, or `ticks`, in
virtual time, where what is computed takes none: what is left is what Tactus and ALSA wait for.
"""

import os
import subprocess
import sys
import time

import dbus

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import device  # noqa: E402
import gpio  # noqa: E402
import sound  # noqa: E402

HELPERS, PART = sys.argv[1:]
CARD, SILENT_SWITCH = "Loopback", 22
ROUNDS, TOUCHES = 60, 15
TICK_MS, FADE_MS = 5, 50
BUFFER_MS = 4 * TICK_MS  # of the players' device
CALL_MS, PERMITTED_TICKS = 1, 2
EDGE_MS = FADE_MS + TICK_MS + BUFFER_MS
# Lets the helper's echo have its name on the bus of this device.
POLICY = """<busconfig><policy user="root">
  <allow own="benchmark.echo"/><allow send_destination="benchmark.echo"/>
</policy></busconfig>
"""


class Session:
    """A session that plays."""

    def __init__(self, name, category):
        self.bus = dbus.SystemBus()
        held, path = self.bus.call_blocking(
            "org.tactus1", "/org/tactus1", "org.tactus1.Manager", "OpenSession", "ssa{sv}",
            (name, category, {}))
        self.held = held.take()
        for member, signature, arguments in (("Activate", "", ()), ("SetPlaying", "b", (True,))):
            self.bus.call_blocking(
                "org.tactus1", path, "org.tactus1.Session", member, signature, arguments)


def row(name, times, unit, base=None, bound=None):
    """A line of figures; the bound is the median's."""
    text = f"{name:<30} {times[0]:8.2f} {unit:<5} {times[1]:8.2f} {unit:<5}"
    text += f" × {times[0] / base:5.2f}" if base else " " * 8
    if bound is not None:
        text += f"   at most {bound} {unit}: {'kept' if round(times[0], 2) <= bound else 'missed'}"
    print(text.rstrip(), flush=True)


def measured():
    """The helper's figures: {what: (median, 95th percentile)} in milliseconds."""
    done = subprocess.run(
        [f"{HELPERS}/sessions", CARD, str(ROUNDS)], stdout=subprocess.PIPE, text=True, check=True)
    lines = (line.split() for line in done.stdout.splitlines())
    return {name: (float(median) / 1e3, float(high) / 1e3) for name, median, high in lines}


def calls():
    """What a player waits for."""
    print(
        f"\nsessions, {ROUNDS} calls from rest\n"
        f"{'':<30} {'median':>11} {'95 %':>14}  {'ratio':>10}"
    )
    times = measured()
    base = times["echo"][0]
    row("D-Bus, bare sd-bus service", times["echo"], "ms", base)
    row("D-Bus, Ping of tactusd", times["ping"], "ms", base)
    row("D-Bus, Activate", times["activate"], "ms", base, CALL_MS)
    row("open, activate → permitted", times["permitted"], "ms", base)


def ticks():
    """What is waited for, when nothing takes time that is computed."""
    print(
        f"\nsessions, in virtual time: {ROUNDS} with nobody to silence, {TOUCHES} touches\n"
        f"{'':<30} {'median':>11} {'95 %':>14}"
    )
    permitted = measured()["permitted"]
    row("open, activate → permitted", [time / TICK_MS for time in permitted], "ticks", None,
        PERMITTED_TICKS)
    silence()


def last_heard(recording, edge):
    """Milliseconds from an edge to the end of the last window with sound in it."""
    heard = [moment for moment, level in recording.windows() if level > sound.SILENCE]
    return (heard[-1] - edge) / 1e6


def touch(number):
    """One touch of the silent switch, each at another part of a tick."""
    with sound.Recording() as recording:
        time.sleep(0.4 + number * TICK_MS / TOUCHES / 1000)
        edge = gpio.pull(SILENT_SWITCH, 0)
        time.sleep(0.4)
    gpio.pull(SILENT_SWITCH, 1)
    time.sleep(0.6)
    return last_heard(recording, edge)


def silence():
    """From the silent switch to silence, beside music that it spares: by the source's own gain."""
    sessions = [Session("music", "playback"), Session("game", "ambient")]
    with sound.Playing(pcm="tactus:game", decibels=-3, seconds=2 + 1.5 * TOUCHES) as tone:
        time.sleep(1)
        times = sorted(touch(number) for number in range(TOUCHES))
        tone.wait()
    median, high = times[TOUCHES // 2], times[TOUCHES * 95 // 100]
    row("silent switch → last sample", (median, high), "ms", None, EDGE_MS)
    for session in sessions:
        os.close(session.held)


def main():
    gpio.pull(SILENT_SWITCH, 1)
    os.makedirs("/etc/dbus-1/system.d", exist_ok=True)
    with open("/etc/dbus-1/system.d/benchmark.conf", "w") as file:
        file.write(POLICY)
    daemon = device.start_daemon("--boards", f"{device.repository}/boards")
    time.sleep(3)
    {"calls": calls, "ticks": ticks}[PART]()
    daemon.stop()


if __name__ == "__main__":
    main()
