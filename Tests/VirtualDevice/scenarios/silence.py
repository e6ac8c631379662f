# SPDX-License-Identifier: Apache-2.0
"""Silence that is silence, on every board: the switch is really off, and the level survives."""

from device import (
    alsa,
    expect,
    expect_between,
    scenario,
    sleep_ms,
    start_daemon,
    tactus,
    wait_until,
)
from fitted import FIRST_LEVEL, STEP, boards, start_with_sound, this_board

MUTE_BUTTONS = boards(lambda board: board.has("mute", "volume-up", "volume-down"))
SWITCHES = boards(lambda board: board.has("silent-switch"))
# With a bell that obeys the silent switch beside the music that does not.
BELLS = boards(lambda board: board.has("silent-switch") and board.has_ringer)
FADE_MS, ANSWER_MS = 50, 40  # of sound that goes on; of the loop and the codec, with room


@scenario(*MUTE_BUTTONS, roots=("host", "debian13"), time_travel=True)
def the_mute_button_silences_and_restores():
    """SIL-4, SIL-6, SIL-9 Mute switches the output off, as read back; un-mute restores the
    level."""
    board = this_board()
    daemon, output = start_with_sound(board)
    loud = output.volume().read()
    with alsa.Watch(output.switch()) as watch:
        pressed = board.set("mute", True)
        off, moment = watch.collect(500, until=output.is_off)[-1]
    board.set("mute", False)
    expect(output.is_off(off), True, f"output is off at {off}")
    expect_between((moment - pressed) / 1e6, 0, FADE_MS + ANSWER_MS, "milliseconds to silence")
    status = daemon.wait_status("silence is confirmed", lambda said: said["silent"])
    expect((status["muted"], status["reasons"]), (True, ["soft-mute"]), "muted, reasons")
    expect_between(status["level"], FIRST_LEVEL, FIRST_LEVEL, "level")
    sleep_ms(50)
    board.press("mute")
    wait_until("the output is open again", lambda: not output.is_off())
    output.volume().wait(loud, 1000)
    expect(daemon.status()["silent"], False, "silent")


@scenario(*MUTE_BUTTONS, time_travel=True)
def volume_keys_leave_the_mute_upwards():
    """SIL-5 Volume down lowers and stays muted; volume up un-mutes, then applies its step."""
    board = this_board()
    daemon, output = start_with_sound(board)
    board.press("mute")
    daemon.wait_status("muted", lambda said: said["silent"])
    board.press("volume-down")
    sleep_ms(400)
    status = daemon.status()
    expect((status["muted"], output.is_off()), (True, True), "muted, off")
    expect_between(status["level"], FIRST_LEVEL - STEP - 1e-4, FIRST_LEVEL - STEP + 1e-4, "level")
    board.press("volume-up")
    board.press("volume-up")
    output.volume().wait((output.raw(FIRST_LEVEL + STEP),) * output.volume().channels, 1000)
    expect((daemon.status()["muted"], output.is_off()), (False, False), "muted, off")


@scenario(*MUTE_BUTTONS, time_travel=True)
def level_zero_is_off():
    """SIL-7 At level 0 the output is switched off, whatever the codec's lowest gain is."""
    board = this_board()
    daemon, output = start_with_sound(board)
    board.press("volume-down", hold_ms=1500)
    wait_until("the output is off", output.is_off)
    status = daemon.wait_status("silence is confirmed", lambda said: said["silent"])
    expect((status["level"], status["muted"]), (0, False), "level, muted")
    board.press("volume-up")
    output.volume().wait((output.raw(STEP),) * output.volume().channels, 1000)
    wait_until("the output is on", lambda: not output.is_off())


@scenario(*SWITCHES, roots=("host", "debian13"), time_travel=True)
def a_switch_is_not_overridden():
    """SIL-3, SIL-1 Software cannot turn a fitted switch; what a person started goes on under it."""
    board = this_board()
    daemon, output = start_with_sound(board)
    loud = output.volume().read()
    with alsa.Watch(output.volume()) as watch:
        board.set("silent-switch", True)
        daemon.wait_status("the switch is on", lambda said: said["silentSwitch"]["on"])
        expect([value for value, _ in watch.collect(300)], [loud], "volume while music plays on")
    refused = tactus("set", "silent", "off", check=False)
    expect((refused.returncode, refused.stdout), (1, ""), "exit code, output")
    expect("switch" in refused.stderr, True, f"the switch is named in {refused.stderr!r}")
    expect(daemon.status()["silentSwitch"], {"on": True, "hardware": True}, "silent switch")
    tactus("set", "mute", "on")
    wait_until("the output is off", output.is_off)
    board.set("silent-switch", False)
    daemon.wait_status("the switch is off", lambda said: not said["silentSwitch"]["on"])
    expect(output.is_off(), True, "off: each reason ends by its own cause only")
    tactus("set", "mute", "off")
    output.volume().wait(loud, 1000)


@scenario(*BELLS, time_travel=True)
def the_switch_silences_the_bell_only():
    """SIL-1 Under the silent switch the bell's own gain is 0 and the music's is what it was."""
    board = this_board()
    daemon, _ = start_with_sound(board)
    bell = next(one["name"] for one in board.sources if one["category"] in ("alert", "ringtone"))
    card = alsa.Card(board.file["pcm"]["card"])
    music = card.control("Tactus default Playback Volume")
    ring = card.control(f"Tactus {bell} Playback Volume")
    loud = music.read()
    expect_between(min(ring.read()), 1, ring.maximum, "gain of the bell before")
    board.set("silent-switch", True)
    ring.wait(0, 500)
    expect(music.read(), loud, "gain of the music")
    said = {source["name"]: source["reasons"] for source in daemon.status()["sources"]}
    expect((said[bell], said["default"]), (["silent-switch"], []), "reasons")
    board.set("silent-switch", False)
    ring.wait(lambda value: min(value) > 0, 500)


@scenario(*BELLS, time_travel=True)
def a_bell_alone_switches_the_codec_off():
    """SIL-1, SIL-2 Where only the bell sounds, the silent switch switches the codec itself off."""
    board = this_board()
    board.set("silent-switch", True)
    daemon = start_daemon()
    bell = next(one["name"] for one in board.sources if one["category"] in ("alert", "ringtone"))
    tactus("play", bell)
    output = board.outputs[0]
    wait_until("the codec is off", output.is_off)
    status = daemon.wait_status("silence is confirmed", lambda said: said["silent"])
    expect(status["reasons"], [], "reasons of the whole device")
    board.set("silent-switch", False)
    wait_until("the codec is on", lambda: not output.is_off())
