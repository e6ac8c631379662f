# SPDX-License-Identifier: Apache-2.0
"""Lines that somebody else holds, a chip that goes and returns, and a wire that says too much."""

from device import (
    expect,
    expect_between,
    gpio,
    scenario,
    sleep_ms,
    tactus,
    wait_until,
)
from fitted import FIRST_LEVEL, STEP, boards, start_with_sound, this_board

BUTTONS = boards(lambda board: board.has("volume-up", "volume-down"))
# Where the card does not go with the chip, as it does where the kernel's own jack is on its lines.
CHIP_ALONE = [name for name in BUTTONS if name != "virtual-device"]


def control(status, name):
    return next(one for one in status["controls"] if one["name"] == name)


def expect_level(daemon, level):
    expect_between(daemon.status()["level"], level - 1e-4, level + 1e-4, "level")


@scenario(*BUTTONS, roots=("host", "debian13"), time_travel=True)
def a_busy_line_is_named_and_the_others_work():
    """F37 A line that a driver holds is named with its holder; the others work, and so does it,
    once free."""
    board = this_board()
    taken = gpio.hold(board.line("volume-up"), "spi0 CS0")
    daemon, _ = start_with_sound(board)
    named = [line for line in daemon.messages().splitlines() if "spi0 CS0" in line]
    expect(["volume-up" in line for line in named], [True], f"messages {named}")
    expect(control(daemon.status(), "volume-up")["present"], False, "volume-up is present")
    expect("volume-up: absent" in daemon.status()["faults"], True, "fault in the status")
    board.press("volume-down")
    expect_level(daemon, FIRST_LEVEL - STEP)
    lines = tactus("lines", "--json", check=False).stdout
    expect("spi0 CS0" in lines, True, f"the holder is in `tactus lines`: {lines}")
    doctor = tactus("doctor", check=False)
    expect("spi0 CS0" in doctor.stdout + doctor.stderr, True, "the holder is in `tactus doctor`")
    taken.close()
    what = "volume-up is present"
    daemon.wait_status(what, lambda said: control(said, "volume-up")["present"], 70_000)
    board.press("volume-up")
    expect_level(daemon, FIRST_LEVEL)


@scenario(*CHIP_ALONE, roots=("host", "debian13"), time_travel=True)
def the_chip_goes_and_returns():
    """T-7 Without its chip the device plays on; with the chip back, lines are facts, not
    presses."""
    board = this_board()
    daemon, output = start_with_sound(board)
    loud = output.volume().read()
    gpio.remove_chip()
    gone = "volume-up is gone"
    daemon.wait_status(gone, lambda said: not control(said, "volume-up")["present"], 3000)
    expect((output.volume().read(), output.is_off()), (loud, False), "raw value, off")
    sleep_ms(3000)
    gpio.return_chip()
    back = "volume-up is back"
    daemon.wait_status(back, lambda said: control(said, "volume-up")["present"], 70_000)
    expect_level(daemon, FIRST_LEVEL)
    board.press("volume-up")
    expect_level(daemon, FIRST_LEVEL + STEP)


@scenario("virtual-device", time_travel=True)
def a_chip_may_take_its_card_along():
    """RTE-8 A card whose jack is on the chip goes and returns with it; then all is as it was."""
    board = this_board()
    daemon, output = start_with_sound(board)
    gpio.remove_chip()
    daemon.wait_status("the card is gone", lambda said: said["route"] is None, 3000)
    gpio.return_chip()
    daemon.wait_status("the card is back", lambda said: said["route"] == "speaker", 70_000)
    wait_until("the output is open", lambda: not output.is_off(), 3000)
    board.set("headphone-detect", True)
    daemon.wait_status("the plug is seen", lambda said: said["route"] == "headphones", 3000)


@scenario("hifiberry-dacplus", time_travel=True)
def a_button_held_at_the_start_is_no_press():
    """T-7 A button that is held while the daemon starts is no press, nor is its release."""
    board = this_board()
    board.set("volume-up", True)
    daemon, _ = start_with_sound(board)
    sleep_ms(1500)
    board.set("volume-up", False)
    sleep_ms(100)
    expect_level(daemon, FIRST_LEVEL)
    board.press("volume-up")
    expect_level(daemon, FIRST_LEVEL + STEP)


@scenario("hifiberry-dacplus", time_travel=True)
def a_stuck_button_is_told():
    """F09 A button held for two minutes repeats to the end, and is then told as stuck, once."""
    board = this_board()
    daemon, _ = start_with_sound(board)
    board.set("volume-down", True)
    sleep_ms(120_000)
    expect(control(daemon.status(), "volume-down")["stuck"], True, "stuck")
    told = [line for line in daemon.messages().splitlines() if "stuck" in line]
    expect(len(told), 1, f"messages {told}")
    board.set("volume-down", False)
    sleep_ms(100)
    expect(control(daemon.status(), "volume-down")["stuck"], False, "stuck after the release")


@scenario("hifiberry-dacplus", time_travel=True)
def a_floating_pin_is_bounded():
    """A pin that never rests costs a step at most each time, and is told as noisy."""
    board = this_board()
    daemon, _ = start_with_sound(board)
    line = board.line("mute")
    trace = [(at, at % 2) for at in range(500)]
    gpio.play_trace(line, trace)
    daemon.wait_status("it is noisy", lambda said: control(said, "mute")["noisy"])
    gpio.pull(line, 1)
    daemon.wait_status("it has calmed", lambda said: not control(said, "mute")["noisy"], 5000)
    board.press("volume-up")
    expect_between(daemon.status()["level"], FIRST_LEVEL, FIRST_LEVEL + STEP + 1e-4, "level")
