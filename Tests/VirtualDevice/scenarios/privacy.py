# SPDX-License-Identifier: Apache-2.0
"""The microphone's switch, the lid and the key: the codec's capture switches, and the LED that
tells whether anything can be recorded."""

import os

import keys
from device import alsa, expect, expect_between, gpio, scenario, sleep_ms, start_daemon, wait_until
from fitted import boards, this_board
from sessions import Program, example

SETTINGS = "/etc/tactus/tactus.yaml"
BOARDS = boards(lambda board: board.capture)
SWITCHED = boards(lambda board: board.capture and board.has("microphone-switch", "lid"))


def capture(board):
    """The capture switches of a board."""
    card = alsa.Card(next(name for name in board.card_ids if name in alsa.card_ids()))
    return [card.control(name) for name in board.capture]


def are(switches, state):
    return all(number == state for switch in switches for number in switch.read())


def wait_closed(switches, timeout_ms=1000):
    wait_until("capture is closed", lambda: are(switches, 0), timeout_ms)


@scenario(*SWITCHED, time_travel=True)
def the_microphone_switch_closes_capture():
    """SES-10 Switch and lid close the codec's capture switch; opening both opens nothing; the LED
    follows what is read back."""
    board = this_board()
    switches, led = capture(board), board.signal("led", shows="microphone")["line"]
    for role in ("microphone-switch", "lid"):
        board.set(role, False)
    start_daemon()
    wait_until("capture is open", lambda: are(switches, 1))
    expect(gpio.value(led), 0, "LED")
    with alsa.Watch(switches[0]) as watch:
        moved = board.set("microphone-switch", True)
        value, moment = watch.collect(100)[-1]
    expect(value, (0, 0), "capture switch")
    expect_between((moment - moved) / 1e6, 0, 10, "milliseconds from the switch to the codec")
    wait_until("the LED is lit", lambda: gpio.value(led) == 1)
    for role, is_closed in (("lid", True), ("microphone-switch", False), ("lid", False)):
        board.set(role, is_closed)
        sleep_ms(500)
        expect((are(switches, 0), gpio.value(led)), (True, 1), f"closed, LED with {role} moved")


@scenario(*SWITCHED, time_travel=True)
def nobody_else_opens_a_closed_microphone():
    """SES-10 A program that opens the capture switch finds it closed again."""
    board = this_board()
    switches, led = capture(board), board.signal("led", shows="microphone")["line"]
    board.set("lid", False)
    board.set("microphone-switch", True)
    start_daemon()
    wait_closed(switches)
    switches[0].write(1, 1)
    wait_closed(switches)
    wait_until("the LED is lit", lambda: gpio.value(led) == 1)


@scenario(*SWITCHED, time_travel=True)
def a_switch_that_refuses_is_no_lit_led():
    """SES-10, SIL-9 While the codec refuses to close, the LED is dark, and lit when it obeys."""
    board = this_board()
    switches, led = capture(board), board.signal("led", shows="microphone")["line"]
    for role in ("microphone-switch", "lid"):
        board.set(role, False)
    daemon = start_daemon()
    wait_until("capture is open", lambda: are(switches, 1))
    for switch in switches:
        switch.lock()
    board.set("microphone-switch", True)
    sleep_ms(3000)
    expect((are(switches, 1), gpio.value(led)), (True, 0), "open, LED")
    expect("write-fault" in daemon.messages(), True, daemon.messages())
    for switch in switches:
        switch.unlock()
    wait_closed(switches, 5000)
    wait_until("the LED is lit", lambda: gpio.value(led) == 1)


@scenario(*BOARDS, time_travel=True)
def the_microphone_key_closes_capture():
    """CTL-5, SES-10 On every board that can record, MICMUTE closes all capture switches; pressed
    again it opens none."""
    board = this_board()
    switches = capture(board)
    keyboard = keys.Device("Headset", keys.MICROPHONE_MUTE)
    os.makedirs(os.path.dirname(SETTINGS), exist_ok=True)
    with open(SETTINGS, "w") as file:
        file.write("input-devices:\n  - name: Headset\n")
    start_daemon("--settings", SETTINGS)
    wait_until("capture is open", lambda: are(switches, 1))
    keyboard.press(keys.MICROPHONE_MUTE)
    wait_closed(switches)
    keyboard.press(keys.MICROPHONE_MUTE)
    sleep_ms(500)
    expect(are(switches, 0), True, "closed")


@scenario(*SWITCHED)
def only_a_recording_opens_the_microphone_again():
    """SES-10 The switch ends a recording without a promise; once it is open again, the next
    recording opens the capture switch."""
    board = this_board()
    switches, led = capture(board), board.signal("led", shows="microphone")["line"]
    for role in ("microphone-switch", "lid"):
        board.set(role, False)
    start_daemon()
    memo = Program(example("python"), "memo", "record")
    memo.wait("active: done")
    expect(are(switches, 1), True, "open")
    board.set("microphone-switch", True)
    memo.wait("interruption began: microphone-muted")
    wait_closed(switches)
    board.set("microphone-switch", False)
    memo.wait("interruption ended: stay")
    sleep_ms(300)
    expect((are(switches, 0), gpio.value(led)), (True, 1), "closed, LED")
    memo.kill()
    memo = Program(example("python"), "memo", "record")
    memo.wait("active: done")
    wait_until("capture is open", lambda: are(switches, 1))
    wait_until("the LED is dark", lambda: gpio.value(led) == 0)
    memo.kill()
