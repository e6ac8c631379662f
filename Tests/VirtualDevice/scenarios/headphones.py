# SPDX-License-Identifier: Apache-2.0
"""Headphones go in, chatter and come out, with a detect line of our own."""

from device import alsa, expect, expect_between, gpio, scenario, sleep_ms, start_daemon
from wiring import CLOSED, HEADPHONE_DETECT, OPEN, SILENT, headphones, speaker

TICK_MS = 5
MS = 1_000_000  # nanoseconds


def start():
    """A daemon that has settled on the speaker."""
    gpio.pull(HEADPHONE_DETECT, OPEN)
    daemon = start_daemon()
    sleep_ms(1000)
    return daemon


@scenario("virtual-device", time_travel=True)
def plugging_moves_the_sound():
    """RTE-1 When the plug has been in for 200 ms the speaker falls silent and headphones open."""
    start()
    with alsa.Watch(speaker()) as watch:
        plugged = gpio.pull(HEADPHONE_DETECT, CLOSED)
        value, moment = watch.collect(1000, until=0)[-1]
    expect(value, SILENT, "speaker")
    expect_between((moment - plugged) / MS, 200, 200 + 3 * TICK_MS, "milliseconds to silence")
    sleep_ms(200)
    expect(min(headphones().read()) > 0, True, "headphones are open")


@scenario("virtual-device", time_travel=True)
def unplugging_silences_at_once():
    """RTE-2 At the first edge of the plug coming out the headphones are silent within one tick."""
    start()
    gpio.pull(HEADPHONE_DETECT, CLOSED)
    sleep_ms(1000)
    with alsa.Watch(headphones()) as headphone_watch, alsa.Watch(speaker()) as speaker_watch:
        unplugged = gpio.pull(HEADPHONE_DETECT, OPEN)
        value, moment = headphone_watch.collect(1000, until=0)[-1]
        expect(value, SILENT, "headphones")
        expect_between((moment - unplugged) / MS, 0, TICK_MS + 1, "milliseconds to silence")
        early = [at for value, at in speaker_watch.collect(150) if value != SILENT]
    expect(early, [], "the speaker is not heard before the plug has been out for 200 ms")


@scenario("virtual-device", time_travel=True)
def chatter_changes_nothing():
    """RTE-2 A plug that slips and is back within 200 ms leaves the route where it was."""
    daemon = start()
    gpio.pull(HEADPHONE_DETECT, CLOSED)
    sleep_ms(1000)
    before = headphones().read()
    with alsa.Watch(speaker()) as watch:
        gpio.play_trace(HEADPHONE_DETECT, [(0, 1), (3, 0), (9, 1), (40, 0), (43, 1), (150, 0)])
        expect([value for value, _ in watch.collect(1000)], [SILENT], "speaker")
    expect(headphones().read(), before, "headphones")
    expect(daemon.status()["route"], "headphones", "route")
