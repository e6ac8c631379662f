# SPDX-License-Identifier: Apache-2.0
"""What else happens: crashes, cards and chips that go, others on the lines and the mixer."""

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
    unplug_card,
)
from wiring import AMPLIFIER, CLOSED, HEADPHONE_DETECT, MUTE, SILENT, VOLUME_UP, headphones, speaker


def start():
    """A daemon that has settled on the speaker."""
    daemon = start_daemon()
    sleep_ms(1000)
    return daemon


@scenario("virtual-device", time_travel=True)
def the_level_survives_a_crash():
    """VOL-12 A level that was set is there again after kill -9, 500 ms later."""
    daemon = start()
    tactus("set", "volume", "25%")
    sleep_ms(6000)
    gain = speaker().read()
    daemon.kill()
    daemon = start()
    expect(daemon.status()["levelPercent"], 25, "level in percent")
    expect(speaker().read(), gain, "speaker")


@scenario("virtual-device", time_travel=True)
def the_mute_button_mutes_and_restores():
    """SIL-6 The mute button silences the codec; pressed again it restores the exact gain."""
    daemon = start()
    before = speaker().read()
    with sound.Playing(pcm="tactus:default", seconds=60):
        sleep_ms(500)
        gpio.press(MUTE)
        sleep_ms(500)
        expect(daemon.status()["reasons"], ["soft-mute"], "reasons for silence")
        expect(speaker().read(), SILENT, "speaker while muted")
        gpio.press(MUTE)
        sleep_ms(1000)
        expect((daemon.status()["reasons"], speaker().read()), ([], before), "reasons, speaker")


@scenario("virtual-device", time_travel=True)
def a_card_that_returns_is_never_louder():
    """RTE-8 A card that went away comes back to its gain, and is never louder meanwhile."""
    daemon = start()
    before = speaker().read()
    away = unplug_card("VirtualDevice")
    sleep_ms(500)
    away.plug_in()
    with alsa.Watch(speaker()) as watch:
        values = [value for value, _ in watch.collect(5000)]
    expect(values[-1], before, "speaker")
    expect(max(values) <= before, True, f"never louder: {values}")
    expect(daemon.process.poll(), None, "exit code of the daemon")


@scenario("virtual-device", time_travel=True)
def a_busy_line_is_named():
    """A line that somebody holds is reported with its consumer; the other inputs work."""
    with gpio.hold(VOLUME_UP, "spi0 CS0"):
        daemon = start()
        expect("spi0 CS0" in daemon.messages(), True, f"the consumer in {daemon.messages()}")
        gpio.pull(HEADPHONE_DETECT, CLOSED)
        sleep_ms(1000)
        expect(daemon.status()["route"], "headphones", "route")


@scenario("virtual-device", time_travel=True)
def a_chip_that_returns_is_used_again():
    """Without the header chip the device plays on; when it is back, the buttons work again."""
    daemon = start()
    gpio.remove_chip()
    sleep_ms(500)
    expect(daemon.process.poll(), None, "exit code of the daemon")
    gpio.return_chip()
    sleep_ms(11_000)
    gpio.pull(HEADPHONE_DETECT, CLOSED)
    sleep_ms(1000)
    expect(daemon.status()["route"], "headphones", "route")


@scenario("virtual-device", time_travel=True)
def a_foreign_change_is_adopted():
    """VOL-6 Another program moves the speaker: that becomes the level, and is not written over."""
    daemon = start()
    speaker().write(91)  # −30 dB
    sleep_ms(1000)
    expect(speaker().read(), (91, 91), "speaker")
    # −30 dB is 10^(−30/60) = 0.316 of the window, whose floor is 0.1.
    expect_between(daemon.status()["level"], 0.22, 0.27, "level")


@scenario("virtual-device", time_travel=True)
def a_control_that_refuses_drops_the_amplifier():
    """SIL-11 A silence that the codec refuses takes the amplifier away within a few ticks."""
    start()
    owner = speaker()
    with sound.Playing(pcm="tactus:default", seconds=60):
        sleep_ms(500)
        expect(gpio.value(AMPLIFIER), 1, "amplifier line while music plays")
        owner.lock()
        gpio.press(MUTE)
        sleep_ms(300)
        expect(gpio.value(AMPLIFIER), 0, "amplifier line after the refused silence")
        expect(owner.read() == SILENT, False, "the locked speaker is silent")


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
    gpio.pull(HEADPHONE_DETECT, 1 - CLOSED)
    sleep_ms(3000)
    expect(daemon.status()["levelPercent"], 50, "level of the speaker in percent")
    expect(speaker().read() > low, True, "the speaker is louder than the headphones were")
