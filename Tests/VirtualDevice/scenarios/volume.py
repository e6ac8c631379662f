# SPDX-License-Identifier: Apache-2.0
"""Buttons and knob change the volume of what plays, on every channel, by the right gain."""

from device import alsa, expect, expect_between, gpio, scenario, sleep_ms, sound, start_daemon
from wiring import KNOB_A, KNOB_B, SILENT, VOLUME_DOWN, VOLUME_UP, speaker

BOUNCE = [(0, 0), (2, 1), (4, 0), (80, 1), (82, 0), (84, 1)]  # one press, worn
STEP = 1 / 16


def start_with_music():
    """A daemon on the speaker, and music that the keys are for."""
    daemon = start_daemon()
    music = sound.Playing(pcm="tactus:default", seconds=60)
    daemon.wait_status("keys set the system volume", lambda said: said["keysSet"] == "system", 3000)
    sleep_ms(500)
    return daemon, music


@scenario("virtual-device", time_travel=True)
def a_bouncing_press_is_one_step():
    """VOL-1 A worn button pressed once is one step, in one write of both channels."""
    daemon, music = start_with_music()
    for line, direction in ((VOLUME_UP, 1), (VOLUME_DOWN, -1)):
        before, raw = daemon.status()["level"], speaker().read()[0]
        with alsa.Watch(speaker()) as watch:
            gpio.play_trace(line, BOUNCE)
            values = [value for value, _ in watch.collect(500)]
        expect_between(daemon.status()["level"] - before - direction * STEP, -1e-4, 1e-4, "error")
        expect(len(values), 2, f"values of the speaker {values}")
        left, right = values[-1]
        expect(left, right, "both channels")
        # From 40 % to 46.25 % the curve rises by 3.0 dB; the codec has steps of 1 dB.
        expect_between(direction * (left - raw), 2, 4, "decibels of the step")
    music.stop()


@scenario("virtual-device", time_travel=True)
def a_detent_is_one_step():
    """VOL-1 Each detent of the knob is one step, and turning back undoes it."""
    daemon, music = start_with_music()
    before = daemon.status()["level"]
    for detents, steps in ((3, 3), (-2, 1), (-1, 0)):
        gpio.turn(KNOB_A, KNOB_B, detents)
        sleep_ms(200)
        error = daemon.status()["level"] - before - steps * STEP
        expect_between(error, -1e-4, 1e-4, f"error of the level after {detents} detents")
    music.stop()


@scenario("virtual-device", time_travel=True)
def a_held_button_repeats():
    """VOL-1 A held button repeats after 400 ms and then every 100 ms, until it is released."""
    daemon, music = start_with_music()
    before = daemon.status()["level"]
    gpio.press(VOLUME_DOWN, hold_ms=750)  # at 0, 400, 500, 600 and 700 ms
    sleep_ms(500)
    error = daemon.status()["level"] - before + 5 * STEP
    expect_between(error, -1e-4, 1e-4, "error of the level after five steps down")
    expect(speaker().read() == SILENT, False, "speaker is silent")
    music.stop()
