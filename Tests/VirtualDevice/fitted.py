# SPDX-License-Identifier: Apache-2.0
"""What a board is fitted with, read from its board.yaml: so a scenario runs on each board that has
what it is about, and a new board's folder is picked up by itself.

What the board's file means is worked out here anew, from the rules and not from the daemon: what
it has from the file that it extends, the gain of a level by the curve of alsamixer, the raw value
by the driver's own table.
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


# The boards on which every scenario runs that fits: a switch of the codec, one for each of two
# outputs, silence by the volume itself, and everything that there is. On all boards runs what
# scenarios/every_board.py has.
SAMPLES = (
    "hifiberry-dacplus",
    "raspberrypi-codec-zero",
    "seeed-respeaker-2mics-v1",
    "virtual-device",
)


class Output:
    """A route of a board: its name and its controls on the card."""

    def __init__(self, route, card_ids, pcm_card_ids):
        volume, mute = route["volume"], route.get("mute", "volume")
        self.name = route["name"]
        self.card_ids = card_ids
        self.pcm_card_ids = pcm_card_ids
        if volume == "none":
            self.volume_name = self.silent_below = None
            mute = route.get("mute", "none")
        else:
            volume = volume if isinstance(volume, dict) else {"control": volume}
            self.volume_name = volume["control"]
            self.silent_below = volume.get("silent-below")
            self.lowest = volume.get("lowest")
        self.top_db = decibels(route.get("max-db", "0 dB"))
        self.mute = mute["control"] if isinstance(mute, dict) else mute
        self.silent_item = mute.get("silent") if isinstance(mute, dict) else None
        self.amplifier = route.get("amplifier", {})
        self.detect = route.get("detect")

    def card(self):
        return next(name for name in self.card_ids if name in alsa.card_ids())

    def volume(self):
        """The control of its gain; without one that of the source `default`."""
        if self.volume_name:
            return alsa.Card(self.card()).control(self.volume_name)
        card = next(name for name in self.pcm_card_ids if name in alsa.card_ids())
        return alsa.Card(card).control("Tactus default Playback Volume")

    @property
    def has_switch(self):
        return self.mute not in ("none", "volume")

    def switch(self):
        """The control of its switch; that of its gain where there is none."""
        if not self.has_switch:
            return self.volume()
        return alsa.Card(self.card()).control(self.mute)

    def is_off(self, value=None):
        """Whether a value of `switch()`, or the present one, lets nothing through."""
        switch = self.switch()
        value = switch.read() if value is None else value
        if self.silent_item:
            return all(switch.items[number] == self.silent_item for number in value)
        return all(number < (self.silent_below or 1) for number in value)

    def amplifier_is_on(self):
        active = 1 if self.amplifier.get("active", "high") == "high" else 0
        return gpio.value(self.amplifier["line"]) == active

    def is_silent(self):
        """Whether nothing gets through: the codec, or the sources, or the amplifier is off."""
        return self.is_off() or bool(self.amplifier) and not self.amplifier_is_on()

    def is_at_rest(self):
        """Whether both codec and amplifier are off, as far as the board has them."""
        is_off = self.is_off() if self.volume_name else True
        return is_off and not (self.amplifier and self.amplifier_is_on())

    def heard(self):
        """The raw values of its gain that are no silence, with their gains in decibels."""
        gains = self.volume().gains()
        first = self.silent_below or min(gains)
        return {raw: gain for raw, gain in gains.items() if raw >= first and gain > -math.inf}

    def raw(self, level):
        """The raw value of a level: the greatest whose gain is not above that of the curve."""
        heard = self.heard()
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


def decibels(text):
    """A gain as board files write it, as a number."""
    return float(str(text).removesuffix("dB"))


def _list(value):
    return value if isinstance(value, list) else [value]


def _name(item):
    """What an item of a board file's list goes by."""
    words = (item["role"], item.get("shows")) if "role" in item else ()
    return item.get("name") or "-".join(word for word in words if word)


def _joined(base, own):
    """Two values of one key: those of mappings are joined, anything else is the second's."""
    if not (isinstance(base, dict) and isinstance(own, dict)):
        return own
    return {**base, **{key: _joined(base.get(key), value) for key, value in own.items()}}


def _joined_items(base, own):
    names = [_name(item) for item in base]
    changed = {_name(item): item for item in own}
    kept = [_joined(item, changed[name]) if name in changed else item
            for name, item in zip(names, base)]
    return kept + [item for item in own if _name(item) not in names]


def read(path):
    """A board file as YAML 1.2 has it, in which `on` is text, with all that it inherits."""
    with open(path) as file:
        own = yaml.load(file, _Loader)
    if "extends" not in own:
        return own
    base = read(f"{_repository}/boards/{own['extends']}/board.yaml")
    gone = _list(own.get("without", []))
    for key in ("inputs", "routes", "signals"):
        base[key] = [item for item in base.get(key, []) if _name(item) not in gone]
    for key, value in own.items():
        if key in ("inputs", "routes", "signals", "sources"):
            base[key] = _joined_items(base.get(key, []), value)
        elif key == "reserved":
            base[key] = base.get(key, []) + value
        else:
            base[key] = value if key == "identify" else _joined(base.get(key), value)
    return base


def bases(name):
    """The boards that a board's file extends, the nearest one first."""
    with open(f"{_repository}/boards/{name}/board.yaml") as file:
        base = yaml.safe_load(file).get("extends")
    return [base, *bases(base)] if base else []


class _Loader(yaml.SafeLoader):
    """Without the words that YAML 1.1 takes for flags."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:bool"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


class Board:
    """A board by its name."""

    def __init__(self, name):
        self.name = name
        self.folder = f"{_repository}/boards/{name}"
        with open(f"{self.folder}/board.yaml") as file:
            self.text = file.read()
        self.file = read(f"{self.folder}/board.yaml")
        self.bases = bases(name)
        self.card_ids = _list(self.file.get("card", []))
        pcm_cards = _list(self.file.get("pcm", {}).get("card", self.card_ids))
        self.outputs = [Output(route, self.card_ids, pcm_cards) for route in self.file["routes"]]

    @property
    def inputs(self):
        return self.file.get("inputs", [])

    def input(self, role):
        """The first input of a role, as the file has it; None where there is none."""
        return next((one for one in self.file.get("inputs", []) if one["role"] == role), None)

    def signal(self, role, **what):
        """A line that is driven, by its role and what it shows; None where there is none."""
        wanted = {"role": role, **what}.items()
        return next((one for one in self.file.get("signals", []) if wanted <= one.items()), None)

    def has(self, *roles):
        return all(self.input(role) for role in roles)

    def lines(self, role):
        return _list(self.input(role)["line"])

    def line(self, role):
        """The line of a control, the first if it has several."""
        return self.lines(role)[0]

    def press(self, role, hold_ms=80, line=None):
        """Presses a button for a time, and rests a little; returns the moment of the press."""
        pressed = gpio.press(line or self.line(role), hold_ms, self.active(role))
        sleep_ms(REST_MS)
        return pressed

    def set(self, role, is_on):
        """Moves a switch or a plug; returns the moment just before."""
        return gpio.pull(self.line(role), self.active(role) if is_on else 1 - self.active(role))

    def active(self, role):
        """The level of a line that is pressed, on or plugged."""
        control = self.input(role)
        usual = "high" if control.get("bias") == "pull-down" else "low"
        return 1 if control.get("active", usual) == "high" else 0

    @property
    def capture(self):
        """The names of the switches that close the microphones."""
        return _list(self.file.get("capture", []))

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
    """The names of those sample boards that fit."""
    return [name for name in SAMPLES if fits(Board(name))]


def every_board(fits=lambda board: True):
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
