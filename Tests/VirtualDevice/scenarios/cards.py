# SPDX-License-Identifier: Apache-2.0
"""Cards and controls that go, return, swap places, come late or refuse."""

import errno

from device import (
    alsa,
    expect,
    expect_between,
    gpio,
    scenario,
    sleep_ms,
    start_daemon,
    tactus,
    unplug_card,
    usb,
    wait_until,
)
from fitted import FIRST_LEVEL, STEP, boards, gain_of, start_with_sound, this_board

BUTTONS = boards(lambda board: board.has("volume-up", "volume-down"))


def board_file(text, replacements=()):
    """A board file of its own for the daemon: this board's, or another text, with changes."""
    for old, new in replacements:
        expect(old in text, True, f"{old!r} is in the board's file")
        text = text.replace(old, new)
    path = "/run/board.yaml"
    with open(path, "w") as file:
        file.write(text)
    return path


def messages(daemon, *words):
    """The daemon's messages that have all these words."""
    return [line for line in daemon.messages().splitlines() if all(word in line for word in words)]


@scenario(*boards(), roots=("host", "debian13"), time_travel=True)
def a_card_goes_and_returns():
    """RTE-8, VOL-8 A card's going is told once; on its return it is silent first, then as it
    was."""
    this = this_board()
    daemon = start_daemon()
    output = this.outputs[0]
    wait_until("the output is open", lambda: not output.is_off(), 3000)
    card, loud = output.card(), output.volume().read()
    away = unplug_card(card)
    status = daemon.wait_status("the output is gone", lambda said: not said["routes"][0]["present"])
    expect_between(status["level"], FIRST_LEVEL, FIRST_LEVEL, "level while it is gone")
    sleep_ms(5000)
    away.plug_in()
    daemon.wait_status("it is back", lambda said: said["routes"][0]["present"], 3000)
    wait_until("the output is open", lambda: not output.is_off())
    output.volume().wait(loud, 1000)
    expect(len(messages(daemon, f"card {card}: went away")), 1, "messages that it went")
    expect(len(messages(daemon, f"card {card}: found")), 2, "messages that it was found")


@scenario("virtual-device", time_travel=True)
def a_card_that_returns_is_never_louder():
    """VOL-8 A card whose codec kept its gain comes back to it, and is never louder meanwhile."""
    start_daemon()
    output = this_board().outputs[0]
    wait_until("the output is open", lambda: not output.is_off(), 3000)
    sleep_ms(500)
    card, loud = output.card(), output.volume().read()
    away = unplug_card(card)
    sleep_ms(500)
    away.plug_in()
    with alsa.Watch(output.volume()) as watch:
        values = [value for value, _ in watch.collect(5000)]
    expect((values[-1], max(values)), (loud, loud), "last value, loudest value")


@scenario(*BUTTONS, time_travel=True)
def a_card_that_comes_late_has_the_level_of_then():
    """F42 Turned up while the card is away: no crash, and once it is there one level, three steps
    up."""
    this = this_board()
    output = this.outputs[0]
    card, other = output.card(), alsa.card_ids()
    away = unplug_card(card)
    daemon = start_daemon()
    expect(len(messages(daemon, f"card {card}: not found")), 1, "messages that it is missing")
    sleep_ms(12_000)
    if this.has_ringer:
        tactus("set", "volume", "+3")
    else:
        for _ in range(3):
            this.press("volume-up")
    expect_between(daemon.status()["level"], 0.5874, 0.5876, "level")
    away.plug_in()
    expect(card in other, True, "the card returned under its id")
    wait_until("the output is open", lambda: not output.is_off(), 5000)
    output.volume().wait((output.raw(FIRST_LEVEL + 3 * STEP),) * output.volume().channels, 1000)


@scenario(*boards(), time_travel=True)
def cards_that_swap_places_are_bound_by_id():
    """F40 With the cards in the other order, the same id has the same output."""
    this = this_board()
    output = this.outputs[0]
    card = output.card()
    before = alsa.card_ids()
    other = next(name for name in reversed(before) if name != card)
    first, second = sorted((card, other), key=before.index)
    gone = [unplug_card(first), unplug_card(second)]
    for one in reversed(gone):
        one.plug_in()
    expect(alsa.card_ids().index(card) != before.index(card), True, "the card has another number")
    start_daemon()
    wait_until("the output is open", lambda: not output.is_off(), 3000)
    output.volume().wait((output.raw(FIRST_LEVEL),) * output.volume().channels, 1000)


USB_BOARD = """
name: usb
title: A speaker with a USB sound card
status: verified
chip: pinctrl-bcm2711
header: none
card: DAC
inputs:
  - {role: volume-up, line: 23, bias: pull-up}
  - {role: volume-down, line: 24, bias: pull-up}
routes:
  - name: line
    volume:
      control: PCM Playback Volume
    mute: PCM Playback Switch
"""


@scenario("virtual-device")
def a_usb_card_is_plugged_in_twice():
    """RTE-8 A USB card is found when it is plugged in, silent first, and again after it was
    pulled."""
    usb.plug_in("Virtual DAC")
    wait_until("the card is there", lambda: usb.cards() == ["DAC"], 5000)
    names = [control.name for control in alsa.Card("DAC").controls()]
    volume = next(name for name in names if name.endswith("Playback Volume"))
    switch = next(name for name in names if name.endswith("Playback Switch"))
    usb.unplug()
    wait_until("the card is gone", lambda: usb.cards() == [], 5000)
    path = board_file(USB_BOARD, [("PCM Playback Volume", volume), ("PCM Playback Switch", switch)])
    daemon = start_daemon("--board", path)
    for _ in range(2):
        usb.plug_in("Virtual DAC")
        wait_until("the card is there", lambda: usb.cards() == ["DAC"], 5000)
        daemon.wait_status("the card is in use", lambda said: said["route"] == "line", 5000)
        wait_until("it is on", lambda: alsa.Card("DAC").control(switch).read()[0] == 1, 3000)
        usb.unplug()
        daemon.wait_status("the card is gone", lambda said: said["route"] is None, 5000)
        wait_until("the card is gone", lambda: usb.cards() == [], 5000)


LATE = "Late Playback Volume"


@scenario("virtual-device", time_travel=True)
def a_control_may_come_late():
    """F42 An output whose control comes 40 s after its card works from then on, silent first."""
    path = board_file(
        "name: late\ntitle: Late\nstatus: verified\nchip: pinctrl-bcm2711\nheader: none\n"
        "card: Loopback\ninputs:\n  - {role: volume-up, line: 23, bias: pull-up}\n"
        f"routes:\n  - name: line\n    volume:\n      control: {LATE}\n"
        "      silent-below: 1\n    mute: volume\n"
    )
    daemon = start_daemon("--board", path)
    expect(len(messages(daemon, LATE)), 1, f"messages about the control in {daemon.messages()!r}")
    sleep_ms(20_000)
    for _ in range(3):
        gpio.press(23)
        sleep_ms(100)
    sleep_ms(20_000)
    card = alsa.Card("Loopback")
    late = card.add_control(LATE, 2, 0, 120, step_decibels=0.5)
    late.unlock()
    wanted = FIRST_LEVEL + 3 * STEP
    late.wait(lambda value: min(value) > 0, 3000)
    sleep_ms(500)
    gain = gain_of(wanted, -60, 0)
    expect_between(late.decibels()[0], gain - 0.5, gain, "gain in dB of that level")
    expect_between(daemon.status()["level"], wanted - 1e-4, wanted + 1e-4, "level")


@scenario(*boards(lambda board: not board.outputs[0].amplifier), time_travel=True)
def a_codec_that_refuses_is_not_called_silent():
    """SIL-11 Where silence is refused, every source falls to 0, and status says not silent."""
    this = this_board()
    daemon, output = start_with_sound(this)
    source = alsa.Card(output.card()).control("Tactus default Playback Volume")
    holder = alsa.Card(output.card())
    locked = [holder.control(name) for name in {output.switch().name, output.volume().name}]
    for control in locked:
        control.lock()
    tactus("set", "mute", "on")
    source.wait(0, 1000)
    status = daemon.wait_status("the fault is told", lambda said: "fault" in said["reasons"], 3000)
    expect((status["silent"], status["muted"], output.is_off()), (False, True, False),
           "silent, muted, really off")
    expect(len(messages(daemon, "not silent")), 1, f"notices in {daemon.messages()!r}")
    done = tactus("replay", "/var/lib/tactus/trace-fault", check=False)
    expect(done.returncode, 0, f"exit code of replaying the fault, {done.stdout}{done.stderr}")
    for control in locked:
        control.unlock()
    status = daemon.wait_status("it obeys again", lambda said: said["silent"], 5000)
    expect((output.is_off(), status["reasons"]), (True, ["soft-mute"]), "really off, reasons")
    tactus("set", "mute", "off")
    wait_until("the output is open", lambda: not output.is_off())
    expect(source.read(), (source.maximum,) * 2, "gain of the source")


@scenario(*boards(lambda board: board.outputs[0].amplifier), time_travel=True)
def an_amplifier_falls_silent_for_a_codec_that_refuses():
    """SIL-11 With an amplifier, its line is dropped first, so that a refusing codec is not
    heard."""
    this = this_board()
    daemon, output = start_with_sound(this)
    amplifier = output.amplifier["line"]
    wait_until("the amplifier is on", lambda: gpio.value(amplifier) == 1)
    holder = alsa.Card(output.card())
    locked = holder.control(output.volume().name)
    locked.lock()
    tactus("set", "mute", "on")
    wait_until("the amplifier is off", lambda: gpio.value(amplifier) == 0)
    daemon.wait_status("a fault is told", lambda said: said["routes"][0]["faulty"], 3000)
    daemon.wait_status("and yet it is silent", lambda said: said["silent"])
    expect(output.is_off(), False, "the codec itself is off")
    locked.unlock()
    wait_until("the codec obeys", output.is_off, 5000)
    tactus("set", "mute", "off")
    wait_until("the amplifier is on", lambda: gpio.value(amplifier) == 1, 2000)


@scenario(*BUTTONS, time_travel=True)
def while_it_starts_nobody_else_can_write():
    """T-7 A program that writes all the time cannot make the start loud: the codec is locked."""
    output = this_board().outputs[0]
    output.volume().write(output.volume().maximum)
    with alsa.Watch(output.volume()) as watch:
        start_daemon(ready_ms=0)
        refusals = []
        for value, _ in watch.collect(1000, until=lambda value: value[0] < output.volume().maximum):
            refusals.append(alsa.refuses(output.volume().write, output.volume().maximum))
    expect(refusals[-1], errno.EPERM, "error of another's write during the start")
    wait_until("it is unlocked", lambda: not output.volume().is_locked(), 2000)
