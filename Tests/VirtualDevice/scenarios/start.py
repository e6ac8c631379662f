# SPDX-License-Identifier: Apache-2.0
"""Every board, started: never loud, whatever the codec, the state file or the last run left."""

import os

from device import (
    alsa,
    expect,
    expect_between,
    scenario,
    sleep_ms,
    start_daemon,
    tactus,
    wait_until,
    write_register,
)
from fitted import FIRST_LEVEL, STEP, boards, start_with_sound, this_board

STATE = "/var/lib/tactus/state"
STORED = 0.35
BUTTONS = boards(lambda board: board.has("volume-up", "volume-down"))


def store_level(level=STORED):
    """A former run that was left at a level."""
    daemon = start_daemon()
    tactus("set", "volume", f"{round(level * 100)}%")
    expect(daemon.stop(), 0, "exit code of the former run")


def leave_loud(output):
    """What another program, or the codec itself, may have left: everything open, at its loudest."""
    output.volume().write(output.volume().maximum)
    output.switch().write(output.switch().maximum)


def audible_gains(output, history):
    """Of a watched gain: the raw values at which something may have been heard."""
    return [value for value, _ in history if not (output.mute == "volume" and output.is_off(value))]


@scenario(*boards(), roots=("host", "debian13"), time_travel=True)
def loud_hardware_is_never_heard_above_the_stored_level():
    """VOL-8, F46 Found at its loudest, the codec is first silent, then at the stored level at
    most."""
    board = this_board()
    store_level()
    output = board.outputs[0]
    leave_loud(output)
    loudest = output.raw(STORED)
    with alsa.Watch(output.volume()) as volume, alsa.Watch(output.switch()) as switch:
        start_daemon(ready_ms=0)
        held = alsa.together([volume, switch], 1500)
    off = [output.is_off(state) for _, state in held]
    changes = [was for was, now in zip([None, *off], off) if was != now]
    expect([*changes[1:], off[-1]], [False, True, False], "on as found, off, on at the end")
    heard = [max(gain) for (gain, _), is_off in zip(held[off.index(True) :], off[off.index(True) :])
             if not is_off]
    expect((max(heard), heard[-1]), (loudest, loudest), "loudest raw value heard, and the last")


@scenario(*boards(), time_travel=True)
def a_stored_level_is_capped_at_start():
    """VOL-7 At boot the level is the stored one, and not above 75 %."""
    board = this_board()
    output = board.outputs[0]
    for stored, level in ((0.9, 0.75), (STORED, STORED)):
        store_level(stored)
        daemon = start_daemon()
        output.volume().wait(lambda value: value[0] == output.raw(level), 2000, f"raw of {level}")
        expect_between(daemon.status()["level"], level, level, "level")
        daemon.stop()
    expect(output.is_off(), True, "off after the end")


@scenario(*BUTTONS, time_travel=True)
def the_volume_outlives_a_crash():
    """VOL-12, VOL-8 Killed, the daemon finds its level again, 500 ms after the change at the
    latest."""
    board = this_board()
    daemon, output = start_with_sound(board)
    board.press("volume-up")
    level = FIRST_LEVEL + STEP
    sleep_ms(700)
    with alsa.Watch(output.volume()) as watch:
        daemon.kill()
        expect(len(watch.collect(100)), 1, "values: a crash changes nothing")
        daemon = start_daemon()
        gains = audible_gains(output, watch.collect(800))
    expect_between(daemon.status()["level"], level - 1e-4, level + 1e-4, "level")
    expect(max(gains), (output.raw(level),) * output.volume().channels, "loudest value")
    wait_until("the output is open", lambda: not output.is_off())


@scenario("virtual-device", time_travel=True)
def broken_state_starts_with_the_defaults():
    """VOL-12 Torn, foreign, newer and unreadable state is named, and the start is not loud."""
    output = this_board().outputs[0]
    store_level(0.9)
    with open(STATE, "rb") as file:
        good = file.read()
    for state, named in (
        (good[: len(good) // 2], "torn"),
        (good.replace(b"speaker 9", b"speaker 8"), "torn"),
        (b"\x7fELF" + bytes(5000), "not a state file"),
        (b"", "torn"),
        (good.replace(b"tactus-state 1", b"tactus-state 99"), "newer version (99)"),
        (b"x" * 70000, "not a state file"),
    ):
        with open(STATE, "wb") as file:
            file.write(state)
        daemon = start_daemon()
        output.volume().wait(lambda value: value[0] == output.raw(FIRST_LEVEL), 2000, named)
        expect(daemon.status()["level"], FIRST_LEVEL, f"level after {named} state")
        notices = [line for line in daemon.messages().splitlines() if "state:" in line]
        expect([named in line for line in notices], [True], f"notice in {notices}")
        daemon.kill()
    os.unlink(STATE)
    os.mkdir(STATE)
    daemon = start_daemon()
    expect(daemon.status()["level"], FIRST_LEVEL, "level where the state is a folder")


@scenario("hifiberry-dac2hd", time_travel=True)
def a_codec_that_tells_nonsense_at_first_is_set_right():
    """VOL-8 A DAC whose driver tells a volume out of its range, as before the first is set, starts
    at the level as any other."""
    output = this_board().outputs[0]
    for register in (0x10, 0x11):
        write_register(0x4C, register, 0)
    expect(output.volume().read(), (-15, -15), "raw values before")
    daemon = start_daemon()
    wanted = (output.raw(FIRST_LEVEL),) * 2
    output.volume().wait(wanted, 2000)
    sleep_ms(1000)
    expect((output.volume().read(), daemon.status()["faults"]), (wanted, []), "raw values, faults")


@scenario("hifiberry-dacplus", time_travel=True)
def a_state_that_cannot_be_kept_is_told_once():
    """VOL-12 With a read-only or full disk the device works, and says so once."""
    board = this_board()
    os.makedirs("/mnt/state", exist_ok=True)
    for options, cause in (("ro", "read-only"), ("rw,size=4k,nr_inodes=1", "no space left")):
        mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", "/mnt/state"]
        expect(os.spawnvp(os.P_WAIT, "mount", mount), 0, "exit code of mount")
        daemon, output = start_with_sound(board, "--state", "/mnt/state")
        for _ in range(3):
            board.press("volume-up")
            sleep_ms(6000)
        level = FIRST_LEVEL + 3 * STEP
        expect(output.volume().read()[0], output.raw(level), "raw value after three presses")
        told = [line for line in daemon.messages().splitlines() if "will not outlive" in line]
        expect(len(told), 1, f"notices in {told}")
        expect(cause in told[0].lower(), True, f"the cause is named in {told[0]}")
        expect(daemon.stop(), 0, "exit code")
        os.spawnvp(os.P_WAIT, "umount", ["umount", "-l", "/mnt/state"])
