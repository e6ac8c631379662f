# SPDX-License-Identifier: Apache-2.0
"""tactusd starts: what a person left switched, plugged or turned up is found as it is."""

from device import alsa, expect, expect_between, gpio, scenario, start_daemon
from wiring import CLOSED, HEADPHONE_DETECT, SILENT, SILENT_SWITCH, headphones, speaker

LOUDEST = 127
STEP_DB = 1.0  # of the codec, which never rounds a gain up


@scenario("virtual-device", time_travel=True)
def with_the_hardware_at_its_loudest():
    """VOL-8 A codec found at its loudest is silent first, then at the level's gain, never above."""
    speaker().write(LOUDEST)
    headphones().write(LOUDEST)
    with alsa.Watch(speaker()) as watch:
        start_daemon()
        values = [value for value, _ in watch.collect(1000)]
    expect(values[:2], [(LOUDEST, LOUDEST), SILENT], "first values of the speaker")
    # Level 40 % is 20.2 dB below the top.
    expect_between(speaker().gain_of(values[-1][0]), -20.2 - STEP_DB, -20.2, "gain of 40 %")
    expect(max(values[1:]), values[-1], "loudest value after the first silence")
    expect(headphones().read(), SILENT, "headphones, which are not plugged")


@scenario("virtual-device", time_travel=True)
def with_headphones_in():
    """RTE-1 Headphones that are in at the start have the sound; the speaker is never heard."""
    gpio.pull(HEADPHONE_DETECT, CLOSED)
    with alsa.Watch(speaker()) as watch:
        daemon = start_daemon()
        expect([value for value, _ in watch.collect(1000)], [SILENT], "speaker")
    expect_between(max(headphones().decibels()), -20.2 - STEP_DB, -20.2, "headphones' gain")
    expect(daemon.status()["route"], "headphones", "route")


@scenario("virtual-device", time_travel=True)
def with_the_silent_switch_on():
    """SIL-2 A silent switch that is on at the start is known before anything sounds."""
    gpio.pull(SILENT_SWITCH, CLOSED)
    daemon = start_daemon()
    expect(daemon.status()["silentSwitch"], {"on": True, "hardware": True}, "silent switch")
