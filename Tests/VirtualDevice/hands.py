#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Hands on the virtual device, for the demo: moves its contacts, with bounce, as it is told.

It shows `tactus watch`, whose keys it carries out, or plays a scene: hands.py [--scene].
"""

import json
import os
import random
import subprocess
import sys
import threading
import time

import yaml

import alsa
import device
import gpio

PIPE = "/run/tactus-hands"
CARD = "VirtualDevice"


class Hands:
    """Moves contacts by the names of the board's controls."""

    def __init__(self, board):
        with open(f"{device.repository}/boards/{board}/board.yaml") as file:
            inputs = yaml.safe_load(file)["inputs"]
        self.contacts = {item.get("name", item["role"]): item for item in inputs}
        for item in inputs:
            for line in (item.get("line"), item.get("a"), item.get("b"), item.get("push")):
                if line is not None:
                    gpio.pull(line, 1)

    def move(self, name, is_on):
        """Closes or opens a contact; it bounces for some milliseconds."""
        line, level = self.contacts[name]["line"], 0 if is_on else 1
        bounce = [(at, level if at % 2 else 1 - level) for at in range(1, random.randint(2, 6))]
        gpio.play_trace(line, [(0, level), *bounce, (7, level)])

    def press(self, name, hold_s=0.05):
        self.move(name, True)
        time.sleep(hold_s)
        self.move(name, False)

    def turn(self, name, detents):
        a, b = self.contacts[name]["a"], self.contacts[name]["b"]
        first, second = (a, b) if detents > 0 else (b, a)
        for _ in range(abs(detents)):
            for line, level in ((first, 0), (second, 0), (first, 1), (second, 1)):
                gpio.pull(line, level)
                time.sleep(0.003)

    def obey(self, line):
        """Does one line of `tactus watch --hands`."""
        verb, name, *rest = line.split()
        if verb == "press":
            self.press(name)
        elif verb == "turn":
            self.turn(name, int(rest[0]))
        else:
            self.move(name, rest[0] == "on")


def listen(hands):
    while True:
        with open(PIPE) as pipe:
            for line in pipe:
                hands.obey(line)


def now():
    """What the ear would notice, and what the codec's own registers hold."""
    status = json.loads(device.tactus("status", "--json").stdout)
    level = status["levelPercent"]
    bar = "#" * round(level * 16 / 100)
    raw = {
        name: alsa.Card(CARD).control(f"{name} Playback Volume").read()
        for name in ("Speaker", "Headphone")
    }
    print(
        f"    [{bar:<16}] {level:3} %  {status['route'] or 'none':<10}"
        f"  {'silent' if status['silent'] else 'sound':<6}"
        f"  speaker {raw['Speaker']}, headphones {raw['Headphone']}"
        f"  {', '.join(status['reasons'])}",
        flush=True,
    )


def scene(hands):
    print("A WM8960 by the kernel's driver, contacts on GPIO lines that bounce; the raw values.")
    now()
    for words, act in (
        ("volume up, once", lambda: hands.press("volume-up")),
        ("volume up, held for 600 ms", lambda: hands.press("volume-up", 0.6)),
        ("mute button", lambda: hands.press("mute")),
        ("volume up while muted", lambda: hands.press("volume-up")),
        ("headphones in", lambda: hands.move("headphone-detect", True)),
        ("knob, five detents", lambda: hands.turn("knob", 5)),
        ("headphones out", lambda: hands.move("headphone-detect", False)),
        ("silent switch on", lambda: hands.move("silent-switch", True)),
        ("silent switch off", lambda: hands.move("silent-switch", False)),
    ):
        print(words)
        act()
        time.sleep(0.6)
        now()
    print()
    print(device.tactus("status").stdout, end="")


def main():
    hands = Hands(device.board())
    boards = f"{device.repository}/boards"
    daemon = device.start_daemon("--board", device.board(), "--boards", boards)
    time.sleep(1)
    # While nothing plays, the keys set the ringer.
    device.tactus("play", "default")
    time.sleep(0.5)
    if sys.argv[1:] != ["--scene"]:
        os.mkfifo(PIPE)
        threading.Thread(target=listen, args=[hands], daemon=True).start()
        code = subprocess.call([device.program("tactus"), "watch", "--hands", PIPE])
    else:
        scene(hands)
        code = 0
    daemon.stop()
    return code


if __name__ == "__main__":
    sys.exit(main())
