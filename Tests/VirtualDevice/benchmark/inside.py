#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Measures, inside the virtual device, what `deploy/bench` prints: tactusd beside the alternatives.

Each answers the same button with the same control of the same codec; each is measured by the same
program, from rest, in the same kernel. Argument: the directory of the compiled helpers.
"""

import os
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import device  # noqa: E402
import gpio  # noqa: E402

CARD, CONTROL, LINE = "VirtualDevice", "Speaker Playback Volume", 27
PRESSES, IDLE_S = 60, 20
HELPERS = sys.argv[1]

PYTHON = """
import gpiod, alsaaudio
mixer = alsaaudio.Mixer("Speaker", cardindex=alsaaudio.cards().index("@CARD@"))
line = gpiod.Chip("@CHIP@").get_line(@LINE@)
line.request(consumer="python", type=gpiod.LINE_REQ_EV_BOTH_EDGES,
             flags=gpiod.LINE_REQ_FLAG_ACTIVE_LOW | gpiod.LINE_REQ_FLAG_BIAS_PULL_UP)
volume = 0
while True:
    if line.event_wait(sec=3600) and line.event_read().type == gpiod.LineEvent.RISING_EDGE:
        volume = 0 if volume else 80
        mixer.setvolume(volume)
"""

SHELL = """
gpiomon --active-low --bias=pull-up --line-buffered --format=%e @CHIP@ @LINE@ | while read edge; do
  [ "$edge" = 1 ] || continue
  if [ "${volume:-0}" = 0 ]; then volume=100; else volume=0; fi
  amixer --quiet --card @CARD@ cset name='@CONTROL@' "$volume,$volume"
done
"""

# What a key runs: triggerhappy has no memory of its own.
TOGGLE = """#!/bin/sh
if amixer --card @CARD@ cget name='@CONTROL@' | grep -q ': values=0,0'; then v=100; else v=0; fi
exec amixer --quiet --card @CARD@ cset name='@CONTROL@' "$v,$v"
"""


def filled(text):
    """A program's text with the names of this device in it."""
    values = {"CARD": CARD, "CONTROL": CONTROL, "CHIP": gpio.chip_path(), "LINE": str(LINE)}
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    return text


def memory(pid):
    """Resident kilobytes of a process, and those that are its own: private and written."""
    with open(f"/proc/{pid}/smaps_rollup") as file:
        sizes = {line.split(":")[0]: line.split()[1] for line in file if ":" in line}
    return int(sizes["Rss"]), int(sizes["Private_Dirty"])


def wakeups(pid):
    """How often a process has gone to sleep and, so, been woken."""
    with open(f"/proc/{pid}/status") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith("voluntary_ctxt"))


def latency(contact):
    """Median and 95th percentile, in milliseconds, of a press until the control has changed."""
    command = [f"{HELPERS}/latency", contact, CARD, CONTROL, str(PRESSES)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        return None
    presses, answered, median, high = done.stdout.split()
    if int(answered) < int(presses) * 9 // 10:
        return None
    return float(median) / 1000, float(high) / 1000


def idle(pid):
    """Wake-ups in a minute of rest."""
    before = wakeups(pid)
    time.sleep(IDLE_S)
    return (wakeups(pid) - before) * 60 / IDLE_S


def row(name, times, base, pid=None, rested=None):
    if times is None:
        print(f"{name:<30} no answer")
        return
    text = f"{name:<30} {times[0]:8.2f} ms {times[1]:8.2f} ms   × {times[0] / base:5.2f}"
    if pid is not None:
        resident, private = memory(pid)
        text += f" {resident:9} kB {private:7} kB {rested:8.0f}"
    print(text, flush=True)


def alternative(name, command, base=None, contact=None):
    """Starts an alternative, measures it, ends it, and returns its times."""
    process = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL)
    time.sleep(2)
    times = latency(contact or pull_file())
    row(name, times, base or times[0], process.pid, idle(process.pid))
    os.killpg(process.pid, signal.SIGTERM)
    process.wait()
    time.sleep(0.5)
    return times


def pull_file():
    return gpio._attribute(LINE, "pull")


def tactusd(base):
    boards = f"{device.repository}/boards"
    daemon = device.start_daemon("--board", "virtual-device", "--boards", boards)
    time.sleep(3)
    times = latency(pull_file())
    time.sleep(6)  # the state has been written
    row("tactusd", times, base, daemon.pid, idle(daemon.pid))
    daemon.stop()
    time.sleep(0.5)


def main():
    gpio.pull(LINE, 1)
    print(
        f"\npress → changed control, {PRESSES} presses from rest; wake-ups in a minute of rest\n"
        f"{'':<30} {'median':>11} {'95 %':>11}   {'ratio':>7}"
        f" {'resident':>12} {'own':>10} {'wake-ups':>8}"
    )
    bare = [f"{HELPERS}/bare", gpio.chip_path(), str(LINE), CARD, CONTROL]
    base = alternative("bare C loop, no policy", bare)[0]
    tactusd(base)
    alternative("Python, libgpiod + alsaaudio", ["/usr/bin/python3", "-c", filled(PYTHON)], base)
    alternative("shell, gpiomon | amixer", ["sh", "-c", filled(SHELL)], base)
    with open("/tmp/toggle", "w") as file:
        file.write(filled(TOGGLE))
    os.chmod("/tmp/toggle", 0o755)
    with open("/tmp/triggers", "w") as file:
        file.write("KEY_MUTE 1 /tmp/toggle\n")
    # It needs the benchmark's keyboard before it starts, and a device that stays when that goes:
    # the codec's jack is one.
    happy = (
        "until grep -q 'tactus benchmark' /sys/class/input/event*/device/name; do sleep 0.1; done; "
        "exec thd --triggers /tmp/triggers /dev/input/event* 2>/dev/null"
    )
    alternative("triggerhappy + amixer", ["sh", "-c", happy], base, "key")


if __name__ == "__main__":
    main()
