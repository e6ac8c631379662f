# SPDX-License-Identifier: Apache-2.0
"""The codecs of the twins: each board's card id and its whole table of controls, as on the real
board, and what can happen to a card and its controls."""

import csv
import errno
import math
import os
import subprocess
import time

from device import (
    alsa,
    board,
    chip_registers,
    expect,
    expect_between,
    gpio,
    repository,
    scenario,
    set_chip,
    unplug_card,
    usb,
    wait_until,
)
from fitted import every_board, this_board

TABLES = f"{repository}/Tests/VirtualDevice/controls"
# The real machine driver disconnects this pin at start; a device tree cannot say that.
BOOTS_OTHERWISE = {("raspberrypi-codec-zero", "AUX Jack Switch")}
DIGITAL = "Digital Playback Volume"
MS = 1_000_000  # nanoseconds


def table(board):
    """The table of a board's controls, or of the board that it extends; None if it has no controls.
    """
    for name in (board.name, *board.bases):
        if os.path.exists(f"{TABLES}/{name}.csv"):
            return f"{TABLES}/{name}.csv"
    return None


# What a USB card has is its maker's affair.
I2S_BOARDS = every_board(
    lambda board: "i2s" in board.file and (board.file["i2s"] != "none" or table(board))
)


def row_of(control):
    """A control in the form of controls/BOARD.csv."""
    low, high = "", ""
    if control.has_decibels:
        low, high = (
            "mute" if gain == -math.inf else f"{gain:g}" for gain in control.decibel_range()
        )
    return {
        "name": control.name,
        "kind": control.kind,
        "channels": str(control.channels),
        "minimum": str(control.minimum),
        "maximum": str(control.maximum),
        "lowest_db": low,
        "highest_db": high,
        "boot": " ".join(map(str, control.read())) if control.kind != "bytes" else "",
        "items": "|".join(control.items),
    }


@scenario(*I2S_BOARDS)
def match_the_table():
    """The driver offers every control of the real board, with its range, gains and first value."""
    wanted, rows = {}, table(this_board())
    if rows:
        with open(rows, newline="") as file:
            wanted = {row["name"]: row for row in csv.DictReader(file)}
    card = next(name for name in this_board().card_ids if name in alsa.card_ids())
    there = {control.name: row_of(control) for control in alsa.Card(card).controls()}
    expect(sorted(there), sorted(wanted), "names of the controls")
    for name, row in wanted.items():
        if (board(), name) in BOOTS_OTHERWISE:
            row["boot"] = there[name]["boot"]
        expect(there[name], row, name)


@scenario("hifiberry-dacplus")
def a_write_reaches_the_chip():
    """What is written to a control stands in the codec's registers, each channel in its own."""
    control = alsa.Card("sndrpihifiberry").control(DIGITAL)
    control.write(187, 107)
    expect(control.decibels(), (-10.0, -50.0), "gains")
    registers = chip_registers("pcm5122")
    left, right = 61, 62  # attenuation in steps of half a decibel below +24 dB
    expect((registers[0, left], registers[0, right]), (68, 148), "registers")


@scenario("hifiberry-dacplus")
def a_foreign_change_is_seen():
    """A watched control shows what another program makes of it, and when."""
    control = alsa.Card("sndrpihifiberry").control(DIGITAL)
    with alsa.Watch(control) as watch:
        before = time.monotonic_ns()
        subprocess.run(
            ["amixer", "-q", "-c", "sndrpihifiberry", "cset", f"name={DIGITAL}", "150,150"],
            check=True,
        )
        value, moment = watch.collect(1000, until=150)[-1]
    expect(value, (150, 150), "value")
    expect_between((moment - before) / MS, 0, 1000, "milliseconds until it was seen")


@scenario("hifiberry-dacplus")
def a_locked_control_refuses():
    """A control that somebody locks refuses everybody else with EPERM, until it is unlocked."""
    owner, other = (alsa.Card("sndrpihifiberry").control(DIGITAL) for _ in range(2))
    owner.lock()
    expect(alsa.refuses(other.write, 100), errno.EPERM, "error")
    expect((other.is_locked(), other.read()), (True, (207, 207)), "locked, value")
    owner.unlock()
    expect(alsa.refuses(other.write, 100), None, "error after unlocking")


@scenario("hifiberry-dacplus", time_travel=True)
def a_chip_can_fall_silent_and_slow():
    """A chip that does not answer fails the write; a bus at 100 kHz makes it take its time."""
    control = alsa.Card("sndrpihifiberry").control(DIGITAL)
    set_chip("pcm5122", fail=1)
    expect(alsa.refuses(control.write, 100), errno.EREMOTEIO, "error")
    set_chip("pcm5122", fail=0, clock_hz=100_000)
    before = time.monotonic_ns()
    control.write(101)
    # Two registers, three bytes each: 2 × 27 bits at 10 µs.
    expect_between(
        (time.monotonic_ns() - before) / MS, 0.54, 3, "milliseconds for a write at 100 kHz"
    )


@scenario("hifiberry-dacplus", "virtual-device")
def a_card_can_go_and_return():
    """A card that goes is gone by name, and open handles get ENODEV; it returns under its id."""
    identity = this_board().card_ids[0]
    control = alsa.Card(identity).controls()[0]
    away = unplug_card(identity)
    expect(alsa.refuses(control.read), errno.ENODEV, "error of an open handle")
    expect(alsa.refuses(alsa.Card, identity), errno.ENODEV, "error of opening it")
    control.card.close()
    away.plug_in()
    expect(alsa.refuses(alsa.Card(identity).controls()[0].read), None, "error after its return")


@scenario("hifiberry-dacplus")
def cards_can_swap_places():
    """Two cards that go and return in the other order have each other's numbers, and their ids."""
    before = alsa.card_ids()
    cards = [unplug_card(identity) for identity in before[-2:]]
    for card in reversed(cards):
        card.plug_in()
    expect(alsa.card_ids(), [*before[:-2], *reversed(before[-2:])], "ids in order of numbers")


@scenario("virtual-device")
def a_usb_card_comes_and_goes():
    """A USB sound card appears under its id with a volume, goes with the plug, and returns."""
    expect(usb.cards(), [], "USB cards before")
    for _ in range(2):
        usb.plug_in("Virtual DAC")
        wait_until("the card is there", lambda: usb.cards() == ["DAC"], timeout_ms=5000)
        names = [control.name for control in alsa.Card("DAC").controls()]
        expect(any(name.endswith("Playback Volume") for name in names), True, f"volume in {names}")
        usb.unplug()
        wait_until("the card is gone", lambda: usb.cards() == [], timeout_ms=5000)


@scenario("virtual-device", time_travel=True)
def the_jack_follows_its_line():
    """The kernel's own jack control follows the detect line, 150 ms after it has become quiet.

    The kernel's timers of this length are 8 ms coarse.
    """
    jack = alsa.Card("VirtualDevice").control("Headphones Jack", interface=alsa.CARD)
    expect((jack.read(), jack.is_writable()), ((0,), False), "value and writability")
    for level in (1, 0):
        pulled = gpio.pull(26, level)
        _, moment = jack.wait(level, timeout_ms=1000)
        expect_between((moment - pulled) / MS, 150, 160, "milliseconds from line to jack")


@scenario("virtual-device")
def a_control_can_appear_late():
    """A program can add a control with gains of its own; others cannot write it while locked."""
    maker, other = alsa.Card("Loopback"), alsa.Card("Loopback")
    expect(alsa.refuses(other.control, "Late Playback Volume"), errno.ENOENT, "error before")
    maker.add_control("Late Playback Volume", 2, 0, 100, step_decibels=0.5)
    late = other.control("Late Playback Volume")
    expect(
        (late.channels, late.decibel_range(), late.gain_of(50)),
        (2, (-50.0, 0.0), -25.0),
        "channels and gains",
    )
    expect(alsa.refuses(late.write, 10), errno.EPERM, "error while its maker holds it")
