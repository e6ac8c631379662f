# SPDX-License-Identifier: Apache-2.0
"""What is heard of players that write to tactus:NAME, recorded on the Loopback card."""

import os
import subprocess

from device import (
    alsa,
    expect,
    expect_between,
    gpio,
    scenario,
    sleep_ms,
    sound,
    start_daemon,
    tactus,
    wait_until,
)
from fitted import FIRST_LEVEL, gain_of

SILENT_SWITCH, HEADPHONE_DETECT = 22, 12

TONE_DB = -6
SOFT = """name: soft
title: A board with headphones only, whose codec has no volume
status: verified
chip: pinctrl-bcm2711
header: none
card: Loopback
inputs:
  - {role: volume-up, line: 23, bias: pull-up}
  - {role: volume-down, line: 24, bias: pull-up}
  - {role: silent-switch, line: 22, bias: pull-up}
  - {role: headphone-detect, line: 12, bias: pull-up}
routes:
  - name: headphones
    volume: none
    detect: headphone-detect
sources:
  - name: default
    category: playback
  - name: doorbell
    category: alert
    assume-playing: true
"""


def start_soft():
    """The daemon on a board without hardware volume, settled."""
    os.makedirs("/etc/tactus", exist_ok=True)
    with open("/etc/tactus/tactus.yaml", "w") as file:
        file.write("board: /run/soft.yaml\nheadphone-limit: false\n")
    with open("/run/soft.yaml", "w") as file:
        file.write(SOFT)
    gpio.pull(HEADPHONE_DETECT, 0)
    daemon = start_daemon("--board", "/run/soft.yaml")
    daemon.wait_status("it has started", lambda said: said["reasons"] == [], 3000)
    return daemon


def heard(recording, milliseconds=50):
    """The softest and the loudest window of the last moments, after what changed has arrived."""
    sleep_ms(300 + milliseconds)
    levels = recording.levels()[-milliseconds // sound.WINDOW_MS :]
    return min(levels), max(levels)


def expect_heard(recording, decibels, what):
    low, high = heard(recording)
    expect_between(low, decibels - 0.5, high, f"softest window, {what}")
    expect_between(high, low, decibels + 0.5, f"loudest window, {what}")


@scenario("virtual-device", roots=("host", "debian13"), time_travel=True)
def the_volume_is_heard():
    """VOL-3, VOL-4 Without a hardware volume what is heard follows the level, down to silence."""
    start_soft()
    with sound.Recording() as recording, sound.Playing(pcm="default", decibels=TONE_DB, seconds=9):
        expect_heard(recording, TONE_DB + gain_of(FIRST_LEVEL, -60, 0), "at the first level")
        for percent in (100, 75, 20):
            tactus("set", "volume", f"{percent}%")
            expect_heard(recording, TONE_DB + gain_of(percent / 100, -60, 0), f"at {percent} %")
        tactus("set", "volume", "0%")
        expect(heard(recording), (sound.SILENCE, sound.SILENCE), "levels at 0 %")
        tactus("set", "volume", "50%")
        expect_heard(recording, TONE_DB + gain_of(0.5, -60, 0), "at 50 %")
        tactus("set", "mute", "on")
        expect(heard(recording), (sound.SILENCE, sound.SILENCE), "levels under the mute")


@scenario("virtual-device", time_travel=True)
def the_silent_switch_silences_the_bell_in_the_mix():
    """SIL-1 With bell and music at once, the switch takes the bell out and leaves the music."""
    daemon = start_soft()
    tactus("set", "volume", "100%")
    tactus("set", "ringer", "100%")
    with sound.Recording() as recording, \
            sound.Playing(pcm="tactus:doorbell", decibels=-6, seconds=9, hertz=2000):
        expect_heard(recording, -6, "of the bell alone")
        gpio.pull(SILENT_SWITCH, 0)
        daemon.wait_status("the switch is on", lambda said: said["silentSwitch"]["on"])
        expect(heard(recording), (sound.SILENCE, sound.SILENCE), "levels of the bell alone")
        with sound.Playing(pcm="tactus:default", decibels=-20, seconds=9):
            sleep_ms(300)
            expect_heard(recording, -20, "of the music beside the silenced bell")


@scenario("virtual-device", time_travel=True)
def a_fade_has_no_click():
    """SIL-8 Mute fades over 50 ms and un-mute over 250 ms, in small steps."""
    start_soft()
    tactus("set", "volume", "100%")
    with sound.Recording() as recording, sound.Playing(pcm="default", decibels=TONE_DB, seconds=9):
        expect_heard(recording, TONE_DB, "at first")
        first = len(recording.levels())
        tactus("set", "mute", "on")
        expect(heard(recording), (sound.SILENCE, sound.SILENCE), "levels under the mute")
        second = len(recording.levels())
        tactus("set", "mute", "off")
        expect_heard(recording, TONE_DB, "afterwards")
        levels = recording.levels()
    down = [level for level in levels[first:second] if TONE_DB - 1 > level > -70]
    up = [level for level in levels[second:] if TONE_DB - 1 > level > -70]
    expect_between(len(down) * sound.WINDOW_MS, 20, 80, f"milliseconds of fading out {down}")
    expect_between(len(up) * sound.WINDOW_MS, 150, 300, f"milliseconds of fading in {up}")
    expect((sorted(down, reverse=True), sorted(up)), (down, up), "falling, rising")


@scenario("virtual-device", time_travel=True)
def a_player_that_comes_first_finds_nothing():
    """VOL-8a Before the daemon is there `tactus:` is unknown, and after it ended too."""
    play = ["aplay", "-q", "-D", "tactus:default", "-d", "1", "-f", "dat", "/dev/zero"]
    expect(subprocess.run(play, stderr=subprocess.DEVNULL).returncode, 1, "exit code before")
    daemon = start_soft()
    expect(subprocess.run(play).returncode, 0, "exit code while it runs")
    source = alsa.Card("Loopback").control("Tactus default Playback Volume")
    expect(source.is_locked(), True, "the source's control is locked")
    daemon.stop()
    expect(subprocess.run(play, stderr=subprocess.DEVNULL).returncode, 1, "exit code afterwards")


@scenario("virtual-device", time_travel=True)
def an_unplug_is_silence_at_once():
    """RTE-2 At the first edge of the plug coming out the sound ends; a slip of it goes unharmed."""
    start_soft()
    tactus("set", "volume", "100%")
    with sound.Recording() as recording, sound.Playing(pcm="default", decibels=TONE_DB, seconds=9):
        expect_heard(recording, TONE_DB, "at first")
        gpio.play_trace(HEADPHONE_DETECT, [(0, 1), (3, 0), (9, 1), (40, 0)])
        expect_heard(recording, TONE_DB, "after the plug slipped")
        pulled = gpio.pull(HEADPHONE_DETECT, 1)
        sleep_ms(200)
        windows = recording.windows()
        last = max(moment for moment, level in windows if level > sound.SILENCE)
        # One tick, and the player's buffer (dmix 240 frames, four of them) that is on its way.
        expect_between((last - pulled) / 1e6, -5, 5 + 4 * 5 + 10, "milliseconds of sound after it")
        expect(heard(recording), (sound.SILENCE, sound.SILENCE), "levels afterwards")


@scenario("hifiberry-dacplus", time_travel=True)
def a_players_own_control_is_taken_over():
    """VOL-8a A softvol control that a player made before, of any shape, is no way to be loud."""
    name, card = "Tactus default Playback Volume", alsa.Card("sndrpihifiberry")
    made = card.add_control(name, 1, 0, 100, step_decibels=0.5)
    made.write(100)
    card.close()
    daemon = start_daemon()
    daemon.wait_status("it has started", lambda said: said["reasons"] == [], 3000)
    source = alsa.Card("sndrpihifiberry").control(name)
    expect((source.channels, source.is_locked()), (2, True), "channels, locked")
    expect(daemon.messages().count(name), 0, f"complaints in {daemon.messages()!r}")


@scenario("hifiberry-dacplus", time_travel=True)
def a_held_control_of_a_player_is_named():
    """VOL-8a A source's control that another program holds is told, and the rest works."""
    name, card = "Tactus default Playback Volume", alsa.Card("sndrpihifiberry")
    made = card.add_control(name, 2, 0, 255, step_decibels=0.2)
    daemon = start_daemon()
    daemon.wait_status("it has started", lambda said: said["route"] == "line", 3000)
    told = [line for line in daemon.messages().splitlines() if name in line]
    expect(len(told), 1, f"messages in {daemon.messages()!r}")
    made.unlock()
    card.close()
    wait = "its control is Tactus's own"
    wait_until(wait, lambda: alsa.Card("sndrpihifiberry").control(name).maximum == 601, 70_000, 500)


@scenario("virtual-device", time_travel=True)
def who_holds_the_card_is_named():
    """A program that plays past dmix keeps players out; `tactus doctor` names it."""
    start_soft()
    with sound.Playing(pcm="hw:Loopback,0", seconds=9) as other:
        sleep_ms(300)
        play = ["aplay", "-q", "-D", "tactus:default", "-d", "1", "-f", "dat", "/dev/zero"]
        done = subprocess.run(play, stderr=subprocess.DEVNULL)
        expect(done.returncode, 1, "exit code of a player")
        doctor = tactus("doctor", check=False).stdout
        expect(f"{other.process.pid}" in doctor and "aplay" in doctor, True, f"holder in {doctor}")
