# SPDX-License-Identifier: Apache-2.0
"""A touch, on every board: which control it moves, by how many decibels, on which channels."""

from device import alsa, expect, expect_between, gpio, scenario, sleep_ms
from fitted import FIRST_LEVEL, STEP, boards, start_with_sound, this_board

BUTTONS = boards(lambda board: board.has("volume-up", "volume-down"))
KNOBS = boards(lambda board: board.has("knob"))
PAIR_MS = 30  # for which a button that is one of two waits for the other (CTL-6)


def settings(card):
    return {control.name: control.read() for control in alsa.Card(card).controls()}


def expect_level(daemon, level):
    expect_between(daemon.status()["level"], level - 1e-4, level + 1e-4, "level")


@scenario(*BUTTONS, roots=("host", "debian13"), time_travel=True)
def a_press_is_one_step():
    """VOL-1, VOL-4 Each press moves each channel to the gain of the curve, and nothing else."""
    board = this_board()
    daemon, output = start_with_sound(board)
    before = settings(output.card())
    level = FIRST_LEVEL
    for role, step in (("volume-up", STEP), ("volume-down", -STEP)):
        for _ in range(2):
            level += step
            with alsa.Watch(output.volume()) as watch:
                board.press(role)
                values = [value for value, _ in watch.collect(300)]
            expect(values[-1], (output.raw(level),) * output.volume().channels, f"at {level:.4f}")
            expect(len(values), 2, f"values in {values}: one before, one after")
            expect_level(daemon, level)
    others = settings(output.card()).items() - before.items()
    expect(others, set(), "controls that differ after as many steps down as up")


@scenario(*BUTTONS, time_travel=True)
def a_held_button_repeats_to_the_end():
    """VOL-1 A held button repeats after 400 ms and then every 100 ms; at the end nothing is
    written."""
    board = this_board()
    daemon, output = start_with_sound(board)
    with alsa.Watch(output.volume()) as watch:
        pressed = board.set("volume-up", True)
        watch.collect(1550)
        board.set("volume-up", False)
        values = watch.collect(300)
    level, moments = FIRST_LEVEL, [0, *range(400, 1200, 100)]
    for (value, moment), due in zip(values[1:], moments):
        level = min(1, level + STEP)
        expect(value, (output.raw(level),) * output.volume().channels, f"value {due} ms on")
        late = (moment - pressed) / 1e6 - due
        expect_between(late, 0, 8 + PAIR_MS, f"milliseconds after {due} ms")
    expect_level(daemon, 1)
    top = output.volume().gain_of(values[-1][0][0])
    expect_between(top, -1.5, 0, "loudest gain in dB")
    with alsa.Watch(output.volume()) as watch:
        board.press("volume-up")
        expect(len(watch.collect(300)), 1, "values once at the end")


@scenario(*KNOBS, roots=("host", "debian13"), time_travel=True)
def a_knob_turns_both_ways():
    """VOL-1 Each detent of the knob is one step of the curve, there and back."""
    board = this_board()
    daemon, output = start_with_sound(board)
    knob, level = board.input("knob"), FIRST_LEVEL
    transitions = knob.get("transitions-per-detent", 4)
    for detents in (1, 2, -3, -1):
        gpio.turn(knob["a"], knob["b"], detents, transition_ms=8, transitions=transitions)
        level += detents * STEP
        sleep_ms(50)
        expect(output.volume().read()[0], output.raw(level), f"value after {detents} detents")
        expect_level(daemon, level)


@scenario(*BUTTONS, roots=("host", "debian13"), time_travel=True)
def a_worn_button_gives_one_step_a_touch():
    """VOL-1, F12, F13 Real bounces: a press that chatters on release, and 125 edges in 4.6 ms."""
    board = this_board()
    daemon, output = start_with_sound(board)
    line, active = board.line("volume-up"), board.active("volume-up")
    closed, opened = active, 1 - active
    storm = [(4.6 * edge / 125, opened if edge % 2 else closed) for edge in range(125)]
    for trace in (
        [(0, closed), (80, opened), (82, closed), (85, opened)],
        [(0, closed), (2, opened), (3, closed), (80, opened), (83, closed), (84, opened)],
        storm + [(90, opened)],
    ):
        level, before = daemon.status()["level"], output.volume().read()
        with alsa.Watch(output.volume()) as watch:
            gpio.play_trace(line, trace)
            values = watch.collect(350)
        expect_level(daemon, level + STEP)
        expect(len(values), 2, f"values from {before}")
