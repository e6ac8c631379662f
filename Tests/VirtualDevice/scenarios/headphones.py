# SPDX-License-Identifier: Apache-2.0
"""Headphones go in, chatter and come out, with a detect line of our own."""

from device import alsa, expect, expect_between, gpio, scenario, sleep_ms, sound, start_daemon
from device import tactus
from wiring import CLOSED, HEADPHONE_DETECT, OPEN, SILENT, VOLUME_UP, headphones, speaker

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


@scenario("virtual-device", time_travel=True)
def headphones_keep_their_own_level():
    """VOL-7 Each route remembers its level."""
    daemon = start()
    tactus("set", "volume", "50%")
    gpio.pull(HEADPHONE_DETECT, CLOSED)
    sleep_ms(1000)
    tactus("set", "volume", "20%")
    sleep_ms(500)
    low = headphones().read()
    gpio.pull(HEADPHONE_DETECT, OPEN)
    sleep_ms(3000)
    expect(daemon.status()["levelPercent"], 50, "level of the speaker in percent")
    expect(speaker().read() > low, True, "the speaker is louder than the headphones were")


@scenario("virtual-device", time_travel=True)
def loud_on_headphones_is_a_second_press():
    """VOL-13 A press stops at 10/16, and so does software; a second press crosses."""
    gpio.pull(HEADPHONE_DETECT, CLOSED)
    daemon = start_daemon()
    with sound.Playing(pcm="tactus:default", seconds=60):
        daemon.wait_status("music plays", lambda said: said["keysSet"] == "system", 5000)
        tactus("set", "volume", "60%")
        gpio.press(VOLUME_UP)
        sleep_ms(100)
        expect(daemon.status()["level"], 0.625, "level after a press")
        tactus("set", "volume", "90%")
        expect(daemon.status()["level"], 0.625, "level set by software")
        gpio.press(VOLUME_UP)
        sleep_ms(100)
        expect_between(daemon.status()["level"], 0.6874, 0.6876, "level after a second press")
        expect(daemon.status()["limit"]["armed"], False, "limit is armed")
