# SPDX-License-Identifier: Apache-2.0
"""The header of the virtual board: contacts that open and close, and lines held by others.

A *line* is a number on the header chip (a BCM number). A *contact* is what is wired to a line from
outside; `pull` sets it, and it wins over any bias that the daemon asks for. The kernel's gpio-sim
delivers an edge at the next timer tick, so edges closer than 1 ms may merge, as they may on
hardware.
"""

import fcntl
import glob
import os
import re
import select
import struct
import time

DRIVER = "/sys/bus/platform/drivers/gpio-sim"
NODE = "gpio-simulator"  # the device's name in raspberry-pi-4.dtsi
CARD = "/sys/bus/platform/devices/sound"
CARD_DRIVER = "/sys/bus/platform/drivers/asoc-simple-card"

# linux/gpio.h, version 2 of the interface.
GET_LINE = 0xC250B407
INPUT, OUTPUT, RISING, FALLING = 1 << 2, 1 << 3, 1 << 4, 1 << 5
PULL_UP, PULL_DOWN = 1 << 8, 1 << 9
REQUEST = struct.Struct("64I 32s Q 264x 2I 20x i")  # lines, consumer, flags, count, buffer, file
EVENT = struct.Struct("Q 4I 24x")  # time, kind, line, sequence, sequence of the line


def chip_path():
    """The header chip's character device, such as /dev/gpiochip0."""
    for directory in glob.glob(f"{DRIVER}/{NODE}/gpiochip*"):
        if os.path.exists(f"{directory}/sim_gpio0"):
            return "/dev/" + os.path.basename(directory)
    raise LookupError("the header chip is not there")


def _attribute(line, name):
    return f"{DRIVER}/{NODE}/{os.path.basename(chip_path())}/sim_gpio{line}/{name}"


def pull(line, level):
    """Sets the contact on a line to 0 or 1.

    Returns the moment just before, in monotonic nanoseconds.
    """
    with open(_attribute(line, "pull"), "w") as file:
        before = time.monotonic_ns()
        file.write("pull-up" if level else "pull-down")
    return before


def value(line):
    """The level of a line: what its owner drives, or what contact and bias make of an input."""
    with open(_attribute(line, "value")) as file:
        return int(file.read())


def consumers():
    """Who has requested each line of the header chip, in their order; None if nobody has."""
    with open("/sys/kernel/debug/gpio") as file:
        names = re.findall(r"^ gpio-\d+ \((.*)\) (?:in|out)put", file.read(), re.MULTILINE)
    return [None if name == "<unused>" else name for name in names]


def press(line, hold_ms=80, active=0):
    """Closes a button for a time and opens it again. Returns the moment of the press."""
    pressed = pull(line, active)
    time.sleep(hold_ms / 1000)
    pull(line, 1 - active)
    return pressed


class Recording:
    """The levels of lines over a time, sampled every millisecond: [(ms, level), …] by line.

    A moment is counted from the start; the first of each is the level at the start. Meanwhile acts
    are done: (ms, function).
    """

    def __init__(self, lines, duration_ms, acts=()):
        self.changes = {line: [] for line in lines}
        acts = sorted(acts, key=lambda act: act[0])
        self.began = began = time.monotonic_ns()
        while (now := (time.monotonic_ns() - began) / 1e6) < duration_ms:
            for line, changes in self.changes.items():
                level = value(line)
                if not changes or changes[-1][1] != level:
                    changes.append((now, level))
            while acts and acts[0][0] <= now:
                acts.pop(0)[1]()
            time.sleep(0.001)

    def pulses(self, line):
        """The pulses that differ from the line's first level, as [(start, length), …] in ms."""
        changes = self.changes[line]
        moments = [moment for moment, _ in changes[1:]]
        return [(up, down - up) for up, down in zip(moments[::2], moments[1::2])]

    def start(self, line):
        """When the line first changed; None if it never did."""
        changes = self.changes[line]
        return changes[1][0] if len(changes) > 1 else None


def play_trace(line, trace):
    """Plays [(milliseconds, level), …] on a line, as exactly as sleeping allows.

    Returns when it began.
    """
    began = time.monotonic_ns()
    for at_ms, level in trace:
        delay = began / 1e9 + at_ms / 1e3 - time.monotonic()
        if delay > 0:
            time.sleep(delay)
        pull(line, level)
    return began


def turn(a, b, detents, transition_ms=2, transitions=4):
    """Turns an encoder on lines A and B, with so many transitions for each detent.

    detents > 0 is clockwise: from levels that are equal, A changes first; else B does.
    """
    for _ in range(abs(detents) * transitions):
        equal = value(a) == value(b)
        line = a if equal == (detents > 0) else b
        pull(line, 1 - value(line))
        time.sleep(transition_ms / 1000)


def remove_chip():
    """Takes the header chip away: open lines get ENODEV. Devices that use its lines go with it."""
    with open(f"{DRIVER}/unbind", "w") as file:
        file.write(NODE)


def return_chip():
    """Gives the chip back, and the sound card that went with it, if one did."""
    with open(f"{DRIVER}/bind", "w") as file:
        file.write(NODE)
    if not os.path.exists(f"{CARD}/driver"):
        with open(f"{CARD_DRIVER}/bind", "w") as file:
            file.write(os.path.basename(CARD))


class Line:
    """A line requested by this process: makes it busy for others, or watches its edges.

    Close it when done.
    """

    def __init__(self, line, consumer, flags):
        offsets = [line] + 63 * [0]
        request = bytearray(REQUEST.pack(*offsets, consumer.encode(), flags, 1, 0, 0))
        chip = os.open(chip_path(), os.O_RDWR | os.O_CLOEXEC)
        try:
            fcntl.ioctl(chip, GET_LINE, request)
        finally:
            os.close(chip)
        self.file = REQUEST.unpack(request)[-1]

    def edge(self, timeout_ms):
        """The next edge as (monotonic nanoseconds, level, sequence number); None if none came."""
        if not select.select([self.file], [], [], timeout_ms / 1000)[0]:
            return None
        timestamp, kind, _, sequence, _ = EVENT.unpack(os.read(self.file, EVENT.size))
        return timestamp, 1 if kind == 1 else 0, sequence

    def close(self):
        os.close(self.file)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def hold(line, consumer):
    """Makes a line busy, as a driver would: `with gpio.hold(8, "spi0 CS0"):`."""
    return Line(line, consumer, INPUT)


def watch(line, bias=0):
    """Watches both edges of a line."""
    return Line(line, "scenario", INPUT | RISING | FALLING | bias)
