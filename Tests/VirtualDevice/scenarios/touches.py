# SPDX-License-Identifier: Apache-2.0
"""A touch, on every board: which control it moves, by how many decibels, on which channels."""

from device import alsa, expect, expect_between, scenario, sound, start_daemon, wait_until
from fitted import FIRST_LEVEL, STEP, boards, this_board

BUTTONS = boards(lambda board: board.has("volume-up", "volume-down"))


def start(board):
    """The daemon, settled; with music where the buttons would else set the ringer's volume."""
    daemon = start_daemon()
    if board.has_ringer:
        sound.Playing(pcm="tactus:default", seconds=60)
        daemon.wait_status("music plays", lambda said: said["keysSet"] == "system", 5000)
    output = board.outputs[0]
    wait_until("the output is open", lambda: not output.is_off(), 5000)
    output.volume().wait((output.raw(FIRST_LEVEL),) * output.volume().channels, 5000)
    return daemon, output


def settings(card):
    return {control.name: control.read() for control in alsa.Card(card).controls()}


@scenario(*BUTTONS, time_travel=True)
def a_press_is_one_step():
    """VOL-1, VOL-4 Each press moves each channel to the gain of the curve, and nothing else."""
    board = this_board()
    daemon, output = start(board)
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
            expect_between(daemon.status()["level"], level - 1e-4, level + 1e-4, "level")
    others = settings(output.card()).items() - before.items()
    expect(others, set(), "controls that differ after as many steps down as up")
