# SPDX-License-Identifier: Apache-2.0
"""What is heard of several sources at once, measured in recordings: each plays a tone of its own,
so that one can be told from the other in every window of 5 ms."""

import array
import math
import os
import time

import mpris
from device import expect, expect_between, gpio, scenario, sleep_ms, sound, start_daemon
from fitted import FIRST_LEVEL, gain_of

SILENT_SWITCH, MUTE = 22, 27
TONE_DB = -3
MUSIC_HZ, OTHER_HZ = 1000, 3000  # whole periods in every window
SYSTEM_DB = gain_of(FIRST_LEVEL, -60, 0)
RINGER_DB = gain_of(0.6, -60, 0)
TICK_MS = 5
# dmix holds four periods; the recorder tells of a window up to two periods after it sounded.
BUFFER_MS = 4 * 5 + 2 * 5
BOARD = """name: soft
title: A speaker whose codec has no volume
status: verified
chip: pinctrl-bcm2711
header: none
card: Loopback
inputs:
  - {role: volume-up, line: 23, bias: pull-up}
  - {role: mute, line: 27, bias: pull-up}
  - {role: silent-switch, line: 22, bias: pull-up}
routes:
  - name: speaker
    volume: none
sources:
  - {name: music, category: playback, player: music}
  - {name: game, category: ambient, player: game}
  - {name: bell, category: alert, player: bell}
  - {name: clock, category: alarm, player: clock}
"""


def start(board=BOARD):
    with open("/run/soft.yaml", "w") as file:
        file.write(board)
    for line in (SILENT_SWITCH, MUTE):
        gpio.pull(line, 1)
    daemon = start_daemon("--board", "/run/soft.yaml")
    daemon.wait_status("it has started", lambda said: said["reasons"] == [], 3000)
    return daemon


class Source:
    """A player that says that it plays, and its tone."""

    def __init__(self, name, hertz):
        self.player = mpris.Player(name)
        self.tone = sound.Playing(pcm=f"tactus:{name}", decibels=TONE_DB, hertz=hertz, seconds=60)

    def say(self, what):
        """Returns when it said so, in monotonic nanoseconds."""
        self.player.say(what)
        return time.monotonic_ns()

    def stop(self):
        self.tone.stop()
        self.player.kill()


def tones(recording, hertz):
    """The level of one tone in every window: [(monotonic nanoseconds of its end, dB)]."""
    data = b"".join(list(recording.chunks))
    samples = array.array("h", data[: len(data) // 4 * 4])[:: sound.CHANNELS]
    step = sound.RATE * sound.WINDOW_MS // 1000
    angles = [2 * math.pi * hertz * i / sound.RATE for i in range(step)]
    wave = [(math.cos(angle), math.sin(angle)) for angle in angles]
    levels = []
    for index, (moment, _) in enumerate(recording.windows()):
        window = samples[index * step : (index + 1) * step]
        real = sum(sample * c for sample, (c, _) in zip(window, wave))
        imaginary = sum(sample * s for sample, (_, s) in zip(window, wave))
        peak = 2 * math.hypot(real, imaginary) / step / 32767
        levels.append((moment, 20 * math.log10(peak) if peak > 1e-9 else sound.SILENCE))
    return levels


def between(levels, start, end=None):
    """The levels of the windows that sounded after one moment and before another."""
    return [level for moment, level in levels if start < moment and (end is None or moment < end)]


def after(moment, milliseconds):
    return moment + milliseconds * 1_000_000


def expect_level(levels, decibels, what, tolerance=0.3):
    expect_between(min(levels), decibels - tolerance, max(levels), f"softest window {what}")
    expect_between(max(levels), min(levels), decibels + tolerance, f"loudest window {what}")


@scenario("virtual-device", time_travel=True, timeout_s=120)
def the_silent_switch_takes_the_ambient_sound_out():
    """SIL-1 The switch silences the ambient source in 50 ms, and leaves the music as it is."""
    start()
    music, game = Source("music", MUSIC_HZ), Source("game", OTHER_HZ)
    with sound.Recording() as recording:
        music.say("Playing")
        game.say("Playing")
        sleep_ms(1000)
        on = gpio.pull(SILENT_SWITCH, 0)
        sleep_ms(1000)
        off = gpio.pull(SILENT_SWITCH, 1)
        sleep_ms(1000)
        end = time.monotonic_ns()
    ambient = tones(recording, OTHER_HZ)
    silent = after(on, 50 + TICK_MS + BUFFER_MS)
    expect_level(between(ambient, after(on, -300), on), TONE_DB + SYSTEM_DB, "before, of ambient")
    loudest = max(between(ambient, silent, off))
    expect_between(loudest, sound.SILENCE, -90, "loudest window of ambient under the switch")
    again = between(ambient, after(off, 250 + TICK_MS + BUFFER_MS), end)
    expect_level(again, TONE_DB + SYSTEM_DB, "afterwards, of ambient")
    through = between(tones(recording, MUSIC_HZ), after(on, -300), end)
    expect_level(through, TONE_DB + SYSTEM_DB, "of the music all the time", 0.2)
    music.stop()
    game.stop()


@scenario("virtual-device", time_travel=True, timeout_s=120)
def everything_is_mixed_at_the_rate_and_in_the_format_of_the_board():
    """VOL-8a The card runs as the board file says, in periods of a tick, whatever a player has."""
    for rate, written, kind, period in (
        (44_100, "44.1 kHz", "S32_LE", 220), (96_000, "96 kHz", "S24_3LE", 480),
        (48_000, "48 kHz", "S24_LE", 240),
    ):
        pcm = f"card: Loopback\npcm: {{rate: {written}, format: {kind}}}\n"
        daemon = start(BOARD.replace("card: Loopback\n", pcm))
        music = Source("music", MUSIC_HZ)
        music.say("Playing")
        sleep_ms(500)
        with open("/proc/asound/Loopback/pcm0p/sub0/hw_params") as file:
            parameters = dict(line.strip().split(": ", 1) for line in file)
        told = (parameters["rate"].split()[0], parameters["format"], parameters["period_size"])
        expect(told, (str(rate), kind, str(period)), "rate, format, frames of a period")
        with sound.Recording(pcm="plughw:Loopback,1,0") as recording:
            sleep_ms(700)
        level = tones(recording, MUSIC_HZ)[-20:-10]
        expect_level([level for _, level in level], TONE_DB + SYSTEM_DB, f"at {written}", 0.5)
        music.stop()
        daemon.stop()


@scenario("virtual-device", time_travel=True, timeout_s=120)
def a_bell_ducks_the_music():
    """SES-7 Under a bell the music is 20 dB lower in 200 ms, and back in 500 ms, without steps."""
    start()
    music, bell = Source("music", MUSIC_HZ), Source("bell", OTHER_HZ)
    with sound.Recording() as recording:
        music.say("Playing")
        sleep_ms(1000)
        begin = bell.say("Playing")
        sleep_ms(1500)
        end = bell.say("Stopped")
        bell.tone.stop()
        sleep_ms(1500)
    levels = tones(recording, MUSIC_HZ)
    base = TONE_DB + SYSTEM_DB
    expect_level(between(levels, after(begin, -300), begin), base, "before the bell")
    # The player and the bus take some ticks to tell.
    told_ms = 20
    low = between(levels, after(begin, told_ms + 200 + BUFFER_MS), end)
    expect_level(low, base - 20, "under the bell", 0.5)
    back = between(levels, after(end, told_ms + 500 + BUFFER_MS))
    expect_level(back, base, "after the bell")
    moving = between(levels, after(begin, -50))
    steps = [abs(later - earlier) for earlier, later in zip(moving, moving[1:])]
    expect_between(max(steps), 0, 0.6, "dB of the greatest step between two windows")
    music.stop()
    bell.stop()


@scenario("virtual-device", time_travel=True, timeout_s=120)
def an_alarm_is_heard_alone_and_ended_by_the_mute_button():
    """SES-17, VOL-3 Music paused, the alarm at its level; mute ends it, and nothing else."""
    daemon = start()
    music, clock = Source("music", MUSIC_HZ), Source("clock", OTHER_HZ)
    with sound.Recording() as recording:
        music.say("Playing")
        sleep_ms(1000)
        begin = clock.say("Playing")
        sleep_ms(1000)
        pressed = time.monotonic_ns()
        gpio.press(MUTE)
        sleep_ms(1500)
        end = time.monotonic_ns()
    base = TONE_DB + SYSTEM_DB
    levels, alarm = tones(recording, MUSIC_HZ), tones(recording, OTHER_HZ)
    expect_level(between(levels, after(begin, -300), begin), base, "of the music before")
    alone = (after(begin, 300), pressed)
    expect_between(max(between(levels, *alone)), sound.SILENCE, -90, "music under the alarm")
    expect_level(between(alarm, *alone), TONE_DB + RINGER_DB, "of the alarm")
    settled = after(pressed, 300 + BUFFER_MS)
    expect_between(max(between(alarm, settled)), sound.SILENCE, -90, "alarm after the mute button")
    expect_level(between(levels, after(pressed, 700), end), base, "of the music afterwards")
    expect(daemon.status()["muted"], False, "muted")
    expect(music.player.calls, ["Pause", "Play"], "what the music was told")
    expect(clock.player.calls, ["Pause"], "what the alarm was told")
    music.stop()
    clock.stop()
