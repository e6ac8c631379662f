# SPDX-License-Identifier: Apache-2.0
"""Sound through the card Loopback: what is played can be recorded and measured."""

from device import expect, expect_between, scenario, sleep_ms, sound


@scenario("virtual-device", time_travel=True)
def a_tone_is_measured():
    """A recording shows silence, a tone at its very level on both channels, and silence again."""
    with sound.Recording() as recording:
        sleep_ms(200)
        with sound.Playing(decibels=-6, seconds=5):
            sleep_ms(700)
        sleep_ms(300)
    for channel in (0, 1):
        levels = recording.levels(channel)
        heard = [i for i, level in enumerate(levels) if level > sound.SILENCE]
        expect_between(len(heard) * sound.WINDOW_MS, 300, 900, "milliseconds of sound")
        expect_between(heard[0] * sound.WINDOW_MS, 100, 1000, "milliseconds of silence before")
        steady = levels[heard[0] + 2 : heard[-1] - 2]
        expect_between(min(steady), -6.1, -5.9, "softest window in dB")
        expect_between(max(steady), -6.1, -5.9, "loudest window in dB")
        expect(levels[-1], sound.SILENCE, "last window")
