# SPDX-License-Identifier: Apache-2.0
"""What a board is fitted with, read from its board.yaml: so a scenario runs on each board that has
what it is about, and a new board's folder is picked up by itself.

What the board's file means is worked out here anew, from the rules and not from the daemon: the
gain of a level by the curve of alsamixer, the raw value by the driver's own table.
"""

import glob
import math
import os

import yaml

from device import alsa, gpio, sleep_ms, sound, start_daemon, wait_until

_repository = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STEP = 1 / 16  # of a volume
FIRST_LEVEL = 0.4  # of a route never used
REST_MS = 50  # of a finger between two presses
FADE_MS = 300  # of what opens, its amplifier included
WIDEST_DB, LINEAR_DB = 60, 24  # windows of the curve


class Output:
    """A route of a board: its name and its controls on the card."""

    def __init__(self, route, card_ids):
        self.name = route["name"]
        self.card_ids = card_ids
        self.volume_name = route.get("volume", {}).get("control")
        self.silent_below = route.get("volume", {}).get("silent-below")
        self.top_db = float(str(route.get("max-db", "0 dB")).removesuffix("dB"))
        self.mute = route.get("mute")
        self.amplifier = route.get("amplifier", {})
        self.detect = route.get("detect")

    def card(self):
        return next(name for name in self.card_ids if name in alsa.card_ids())

    def volume(self):
        """The control of its gain."""
        return alsa.Card(self.card()).control(self.volume_name)

    def switch(self):
        """The control of its switch; that of its gain where there is none."""
        if self.mute in (None, "volume"):
            return self.volume()
        return alsa.Card(self.card()).control(self.mute)

    def is_off(self, value=None):
        """Whether a value of `switch()`, or the present one, lets nothing through."""
        value = self.switch().read() if value is None else value
        return all(number < (self.silent_below or 1) for number in value)

    def raw(self, level):
        """The raw value of a level: the greatest whose gain is not above that of the curve."""
        volume = self.volume()
        first = self.silent_below or volume.minimum
        gains = {raw: volume.gain_of(raw) for raw in range(first, volume.maximum + 1)}
        heard = {raw: gain for raw, gain in gains.items() if gain > -math.inf}
        wanted = gain_of(level, min(heard.values()), max(heard.values()), self.top_db)
        return max(raw for raw, gain in heard.items() if gain <= wanted + 0.005)


def gain_of(level, lowest, highest, top=0.0):
    """The gain in decibels of a level on a control: the curve of alsamixer over its window."""
    top = min(highest, top)
    floor = max(lowest, top - WIDEST_DB)
    if top - floor <= LINEAR_DB:
        return floor + level * (top - floor)
    least = 10 ** ((floor - top) / 60)
    return top + 60 * math.log10(least + level * (1 - least))


class Board:
    """A board by its name."""

    def __init__(self, name):
        self.name = name
        self.folder = f"{_repository}/boards/{name}"
        with open(f"{self.folder}/board.yaml") as file:
            self.text = file.read()
        self.file = yaml.safe_load(self.text)
        cards = self.file.get("card", [])
        self.card_ids = cards if isinstance(cards, list) else [cards]
        self.outputs = [Output(route, self.card_ids) for route in self.file["routes"]]

    def input(self, role):
        """The first input of a role, as the file has it; None where there is none."""
        return next((one for one in self.file.get("inputs", []) if one["role"] == role), None)

    def signal(self, role, **what):
        """A line that is driven, by its role and what it shows; None where there is none."""
        wanted = {"role": role, **what}.items()
        return next((one for one in self.file.get("signals", []) if wanted <= one.items()), None)

    def has(self, *roles):
        return all(self.input(role) for role in roles)

    def line(self, role):
        return self.input(role)["line"]

    def press(self, role, hold_ms=80):
        """Presses a button for a time, and rests a little; returns the moment of the press."""
        pressed = gpio.press(self.line(role), hold_ms, self.active(role))
        sleep_ms(REST_MS)
        return pressed

    def set(self, role, is_on):
        """Moves a switch or a plug; returns the moment just before."""
        return gpio.pull(self.line(role), self.active(role) if is_on else 1 - self.active(role))

    def active(self, role):
        """The level of a line that is pressed, on or plugged."""
        return 1 if self.input(role).get("active", "low") == "high" else 0

    @property
    def capture(self):
        """The names of the switches that close the microphones."""
        names = self.file.get("capture", [])
        return names if isinstance(names, list) else [names]

    @property
    def sources(self):
        return self.file.get("sources", [])

    @property
    def is_heard_on_loopback(self):
        return self.file.get("pcm", {}).get("card") == "Loopback"

    @property
    def has_ringer(self):
        return any(source["category"] in ("ringtone", "alert") for source in self.sources)


def this_board():
    """The board whose twin this device is."""
    return Board(os.environ["TACTUS_BOARD"])


def boards(fits=lambda board: True):
    """The names of all boards with a twin that fit."""
    folders = sorted(glob.glob(f"{_repository}/boards/*/twin.dts"))
    names = [os.path.basename(os.path.dirname(folder)) for folder in folders]
    return [name for name in names if fits(Board(name))]


def start_with_sound(board, *options, **how):
    """The daemon, settled, with the first route open. Returns it and the route.

    Music plays where the buttons would else set the ringer's volume.
    """
    daemon = start_daemon(*options, **how)
    if board.has_ringer:
        sound.Playing(pcm="tactus:default", seconds=60)
        daemon.wait_status("music plays", lambda said: said["keysSet"] == "system", 5000)
    output = board.outputs[0]
    wait_until("the output is open", lambda: not output.is_off(), 5000)
    output.volume().wait((output.raw(FIRST_LEVEL),) * output.volume().channels, 5000)
    sleep_ms(FADE_MS)
    return daemon, output
