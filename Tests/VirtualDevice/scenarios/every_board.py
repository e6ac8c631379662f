# SPDX-License-Identifier: Apache-2.0
"""The suite of every board: on its own driver, under its own card id, on the lines that its file
names. A new folder under boards/ is picked up by itself.

What must come of each is worked out here from the board's file and the driver's own table of gains,
not by the daemon.
"""

import json
import math
import os

from device import alsa, expect, expect_between, gpio, scenario, sleep_ms, sound, start_bus
from device import start_daemon, tactus, wait_until
from fitted import FADE_MS, FIRST_LEVEL, STEP, decibels, every_board, this_board
from mpris import Player

CONSUMER = "tactus:"  # with the name of what the line is for
SETTINGS = "/etc/tactus/tactus.yaml"
# Switches whose driver waits for the chip to calibrate itself, which registers in a file never do.
WAITING = ["ALC Switch"]
# What a player is told by each button that steers players.
STEERING = {"play-pause": "Pause", "headset": "Pause", "stop": "Stop", "next": "Next",
            "previous": "Previous"}
ECHO_MS = 600  # after a Pause, in which a player may still say that it plays
HEADSET_MS = 500  # after which a press of a headset's button is taken for the only one
POWER_MS = 2300
SETTLED_MS = 100
JACK_MS = 500  # in which the kernel and then Tactus believe a jack


def write_settings(text):
    os.makedirs(os.path.dirname(SETTINGS), exist_ok=True)
    with open(SETTINGS, "w") as file:
        file.write(text)


def control(daemon, name):
    return next(one for one in daemon.status()["controls"] if one["name"] == name)


def expect_level(daemon, level, what):
    expect_between(daemon.status()["level"], level - 1e-4, level + 1e-4, f"level after {what}")


def card_of(board):
    return alsa.Card(next(name for name in board.card_ids if name in alsa.card_ids()))


def values(board):
    """Every control of the board's card that holds a number, by name and index."""
    controls = [one for one in card_of(board).controls() if one.kind != "bytes"]
    return {(one.name, one.index): one.read() for one in controls}


# --- The card -------------------------------------------------------------------------------------


@scenario(*every_board())
def its_file_knows_the_driver():
    """VOL-4 The card has the id and every control that the board's file names, with its window."""
    board = this_board()
    card = card_of(board)
    there = [one.name for one in card.controls()]
    named = [*board.capture, *board.file.get("fixed", {})]
    identity = board.file.get("identify", {})
    for output in board.outputs:
        named += [output.volume_name] if output.volume_name else []
        named += [output.mute] if output.has_switch else []
        if output.volume_name and output.lowest:
            lowest = min(output.heard().values())
            expect_between(decibels(output.lowest), lowest - 0.01, lowest + 0.01, "lowest gain")
    for name in named + as_list(identity.get("controls", [])):
        expect(name in there, True, f"{name} is among {there}")
    for name in as_list(identity.get("foreign-controls", [])):
        expect(name in there, False, f"{name} is among {there}")
    told = json.loads(tactus("board", "identify", "--json").stdout)["boards"]
    fitting = [one["name"] for one in told if one["fits"]]
    expect(board.name in fitting, True, f"{board.name} is among those that fit: {fitting}")


def as_list(value):
    return value if isinstance(value, list) else [value]


# --- Inputs ---------------------------------------------------------------------------------------


@scenario(*every_board(), time_travel=True)
def every_input_acts():
    """CTL-1 Each button, switch, knob and contact of the board does what its role means."""
    board = this_board()
    write_settings("headphone-limit: false\nsources:\n"
                   "  - {name: radio, category: playback, player: radio}\n")
    start_bus()
    player = Player("radio", "--back")
    daemon = start_daemon()
    player.say("Playing")
    daemon.wait_status("music plays", lambda said: said["keysSet"] == "system", 5000)
    output = board.outputs[0]
    wait_until("the output is open", lambda: not output.is_silent(), 5000)
    sleep_ms(FADE_MS)
    expect_others_lines(board)
    for control in sorted(board.inputs, key=lambda one: one["role"] == "power"):
        INPUTS.get(control["role"], steers)(board, daemon, player, control["role"])


def expect_others_lines(board):
    """Of the lines that belong to somebody, tactusd has requested none; of its own it has all."""
    taken = [(name or "").startswith(CONSUMER) for name in gpio.consumers()]
    reserved = [line for one in board.file.get("reserved", []) for line in as_list(one["line"])]
    expect([line for line in reserved if taken[line]], [], "reserved lines taken")
    own = [line for one in board.inputs for line in as_list(one.get("line", []))]
    own += [one[key] for one in board.inputs for key in ("a", "b", "push") if key in one]
    own += [output.amplifier["line"] for output in board.outputs if output.amplifier]
    own += [signal["line"] for signal in board.file.get("signals", []) if "line" in signal]
    expect([line for line in own if not taken[line]], [], "own lines not taken")


def steps(board, daemon, player, role):
    """Each of its lines is one step of the level, and of the gain."""
    step = STEP if role == "volume-up" else -STEP
    for line in board.lines(role):
        level = daemon.status()["level"]
        board.press(role, line=line)
        expect_level(daemon, level + step, f"{role} on line {line}")
        expect_gain(board.outputs[0], level + step)


def turns(board, daemon, player, role):
    """A detent each way is a step each way, and a push mutes, or pauses beside a mute button."""
    knob, level = board.input(role), daemon.status()["level"]
    for detents in (2, -1, -1):
        gpio.turn(knob["a"], knob["b"], detents, 8, knob.get("transitions-per-detent", 4))
        level += detents * STEP
        sleep_ms(100)
        expect_level(daemon, level, f"{detents} detents")
    if "push" in knob:
        push = lambda: gpio.press(knob["push"], 80)  # noqa: E731
        if board.has("mute"):
            pauses(daemon, player, push, "Pause")
        else:
            mutes(board, daemon, push, push)


def mutes(board, daemon, on, off):
    on()
    daemon.wait_status("it is mute and silent", lambda said: said["muted"] and said["silent"], 2000)
    expect_silent(board, "mute")
    off()
    daemon.wait_status("it is heard", lambda said: not (said["muted"] or said["silent"]), 2000)
    sleep_ms(FADE_MS)


def mute(board, daemon, player, role):
    """Pressed once it mutes, pressed again it does not; one that stays is as it stands."""
    if board.input(role).get("latching") in (True, "true", "on", "yes"):
        mutes(board, daemon, lambda: board.set(role, True), lambda: board.set(role, False))
    else:
        mutes(board, daemon, lambda: board.press(role), lambda: board.press(role))


def silent_switch(board, daemon, player, role):
    """It is on as long as it is, and what a person started plays on."""
    for is_on in (True, False):
        board.set(role, is_on)
        wanted = {"on": is_on, "hardware": True}
        daemon.wait_status(f"{role} is {is_on}", lambda said: said["silentSwitch"] == wanted)
    expect(board.outputs[0].is_silent(), False, "silent")


def headphone_detect(board, daemon, player, role):
    """Plugged, the headphones are the route; pulled, they are not."""
    before = len(player.calls)
    for is_plugged, route in ((True, "headphones"), (False, board.outputs[0].name)):
        plug(board, role, is_plugged)
        daemon.wait_status(f"{route} is the route", lambda said: said["route"] == route, 3000)
    # Music was paused when they were pulled.
    wait_until("the player is paused", lambda: player.calls[before:] == ["Pause"], 2000)
    start_again(daemon, player)
    wait_until("the output is open", lambda: not board.outputs[0].is_silent(), 3000)


def plug(board, role, is_plugged):
    jack = board.input(role).get("alsa-jack")
    if jack:
        card_of(board).control(jack, interface=alsa.CARD).write(1 if is_plugged else 0)
    else:
        board.set(role, is_plugged)


def closes(board, daemon, player, role):
    """SES-10 It closes every way of the microphones' sound, and opening it opens none."""
    switches = [card_of(board).control(name) for name in board.capture]
    for is_closed in (True, False):
        board.set(role, is_closed)
        wait_until(f"{role} is {is_closed}", lambda: control(daemon, role)["state"] == is_closed)
        wait_until("capture is closed", lambda: all(set(one.read()) == {0} for one in switches))


def steers(board, daemon, player, role):
    """The player is told, once."""
    pauses(daemon, player, lambda: board.press(role), STEERING[role])


def pauses(daemon, player, press, method):
    """What stops the player is followed by its listener, who starts it again."""
    before = len(player.calls)
    press()
    sleep_ms(HEADSET_MS)
    wait_until(f"the player is told {method}", lambda: player.calls[before:] == [method], 2000)
    if method in ("Pause", "Stop"):
        start_again(daemon, player)


def start_again(daemon, player):
    """SES-13 The listener starts the player, not so soon that it is taken for an echo."""
    sleep_ms(ECHO_MS)
    player.say("Playing")
    daemon.wait_status("music plays", lambda said: plays(said), 3000)
    sleep_ms(FADE_MS)


def plays(said):
    return next(one for one in said["sources"] if one["name"] == "radio")["playing"]


def power(board, daemon, player, role):
    """CTL-7 Held, it ends it all in silence."""
    board.press(role, hold_ms=POWER_MS)
    expect(daemon.process.wait(5), 0, "exit code after power")
    expect_at_rest(board)


INPUTS = {
    "volume-up": steps,
    "volume-down": steps,
    "knob": turns,
    "mute": mute,
    "silent-switch": silent_switch,
    "headphone-detect": headphone_detect,
    "microphone-switch": closes,
    "lid": closes,
    "power": power,
}


# --- Outputs --------------------------------------------------------------------------------------


@scenario(*every_board(), time_travel=True)
def every_output_follows_its_table():
    """VOL-4, VOL-11, SIL-7 Each output has the gain of each level, and is really off when silent;
    what is fixed stays, and nothing else is touched."""
    board = this_board()
    write_settings("headphone-limit: false\n")
    own = controls_of(board)
    turn_others(board, own)
    before = values(board)
    daemon = start_daemon()
    if board.has_ringer:
        sound.Playing(pcm="tactus:default", seconds=90)
        daemon.wait_status("music plays", lambda said: said["keysSet"] == "system", 5000)
    for output in board.outputs:
        choose(board, daemon, output)
        for level in (STEP, 0.25, FIRST_LEVEL, 0.75, 1):
            tactus("set", "volume", f"{level * 100:g}%")
            expect_gain(output, level)
            expect(output.is_silent(), False, f"{output.name} is silent at {level}")
        expect_below_zero(output)
        for silence, sound_again in (
            (("volume", "0%"), ("volume", "40%")),
            (("mute", "on"), ("mute", "off")),
        ):
            tactus("set", *silence)
            daemon.wait_status(f"{silence} is silence", lambda said: said["silent"], 2000)
            expect_silent(board, silence)
            tactus("set", *sound_again)
            wait_until(f"{output.name} is heard", lambda: not output.is_silent(), 2000)
    expect_fixed(board)
    expect(daemon.status()["faults"], [], "faults")
    expect(daemon.stop(), 0, "exit code")
    expect_at_rest(board)
    after = values(board)
    touched = [name for name in before if before[name] != after[name] and name[0] not in own]
    expect(touched, [], "controls that the file does not name and that have changed")


def controls_of(board):
    """The controls that the board's file names."""
    own = {*board.file.get("fixed", {}), *board.capture}
    own |= {one["alsa-jack"] for one in board.inputs if "alsa-jack" in one}
    for output in board.outputs:
        own |= {output.volume_name, output.mute}
    return own


def turn_others(board, own):
    """Sets every switch that the file does not name to what it is not at the start."""
    for one in card_of(board).controls():
        is_other = one.name not in own and one.name not in WAITING
        if one.kind == "boolean" and is_other and one.is_writable():
            one.write(*(1 - number for number in one.read()))


def choose(board, daemon, output):
    """Makes an output the route, by its contact or by the listener's choice."""
    if output.detect:
        plug(board, "headphone-detect", True)
        sleep_ms(JACK_MS)
    if len(board.outputs) > 1:
        tactus("set", "route", output.name)
    daemon.wait_status("it is the route", lambda said: said["route"] == output.name, 3000)
    wait_until(f"{output.name} is open", lambda: not output.is_silent(), 5000)
    sleep_ms(FADE_MS)
    others = [one.name for one in board.outputs if one.name != output.name and not one.is_silent()]
    expect(others, [], "other outputs that are heard")


def expect_silent(board, cause):
    """Every output is silent, and stays so."""
    for _ in range(2):
        heard = [output.name for output in board.outputs if not output.is_silent()]
        expect(heard, [], f"outputs that are heard in spite of {cause}")
        sleep_ms(SETTLED_MS)


def expect_at_rest(board):
    """Every codec and every amplifier is off, after the end."""
    awake = [output.name for output in board.outputs if not output.is_at_rest()]
    expect(awake, [], "outputs that are not at rest after the end")


def expect_gain(output, level):
    """The gain is that of the curve, by the driver's own table, on every channel."""
    volume = output.volume()
    wanted = (output.raw(level),) * volume.channels
    volume.wait(wanted, 2000, f"{wanted} at level {level:.4f}")


def expect_below_zero(output):
    """VOL-4 Now, at the top, no channel is above 0 dB, or what the board allows."""
    loudest = max(output.volume().decibels())
    expect_between(loudest, -math.inf, output.top_db + 0.01, f"loudest gain of {output.name}")


def expect_fixed(board):
    """What must sit at one value does, on every channel."""
    card = card_of(board)
    for name, wanted in board.file.get("fixed", {}).items():
        one = card.control(name)
        value = one.read()
        if str(wanted).endswith("dB"):
            for raw in value:
                gain = one.gain_of(raw)
                expect_between(gain, decibels(wanted) - 0.01, decibels(wanted) + 0.01, name)
        elif one.items and not isinstance(wanted, int):
            expect([one.items[number] for number in value], [wanted] * one.channels, name)
        else:
            raw = {"on": 1, "off": 0}.get(wanted, wanted)
            expect(value, (raw,) * one.channels, name)
