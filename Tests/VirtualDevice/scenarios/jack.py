# SPDX-License-Identifier: Apache-2.0
"""A headphone socket that the kernel watches: Tactus sees the card's jack control, 150 ms later."""

from device import alsa, expect, expect_between, gpio, repository, scenario, sleep_ms, start_daemon
from device import unplug_card, wait_until
from fitted import Board

ALSA_JACK = f"{repository}/Tests/VirtualDevice/boards/alsa-jack/board.yaml"
CONTACT, KERNEL_MS = 26, 150  # line of the kernel's contact, active high; how long it waits
PLUG_MS, TICK_MS = 200, 5


def start():
    board = Board("virtual-device")
    daemon = start_daemon("--board", ALSA_JACK)
    return daemon, board.outputs[0], board.outputs[1]


@scenario("virtual-device", roots=("host", "debian13"), time_travel=True)
def plugs_come_and_go():
    """RTE-1, RTE-2 The jack in: speaker off, headphones on after 200 ms; out: silence in one
    tick."""
    daemon, speaker, headphones = start()
    wait_until("the speaker is open", lambda: not speaker.is_off(), 3000)
    sleep_ms(300)
    with alsa.Watch(speaker.volume()) as watch:
        plugged = gpio.pull(CONTACT, 1)
        _, moment = watch.collect(2000, until=speaker.is_off)[-1]
    expect_between((moment - plugged) / 1e6, KERNEL_MS + PLUG_MS, KERNEL_MS + PLUG_MS + 3 * TICK_MS,
                   "milliseconds to the speaker's silence")
    wait_until("headphones are open", lambda: not headphones.is_off())
    expect(daemon.status()["route"], "headphones", "route")
    sleep_ms(300)
    with alsa.Watch(headphones.volume()) as watch, alsa.Watch(speaker.volume()) as early:
        pulled = gpio.pull(CONTACT, 0)
        _, moment = watch.collect(2000, until=headphones.is_off)[-1]
        expect_between((moment - pulled) / 1e6, KERNEL_MS, KERNEL_MS + TICK_MS + 2,
                       "milliseconds to the headphones' silence")
        expect([speaker.is_off(value) for value, _ in early.collect(150)], [True], "speaker off")
    wait_until("the speaker is open", lambda: not speaker.is_off(), 3000)


@scenario("virtual-device", time_travel=True)
def headphones_in_at_the_start():
    """T-7, F47 A jack that is in at the start is a fact: the speaker is never heard."""
    gpio.pull(CONTACT, 1)
    sleep_ms(500)
    speaker = Board("virtual-device").outputs[0]
    with alsa.Watch(speaker.volume()) as watch:
        daemon, _, headphones = start()
        expect([speaker.is_off(value) for value, _ in watch.collect(1000)], [True], "speaker off")
    expect((daemon.status()["route"], headphones.is_off()), ("headphones", False), "route, off")


@scenario("virtual-device", time_travel=True)
def a_card_returns_with_its_jack_moved():
    """RTE-8 The card is away while the plug goes in; on its return the sound is on the
    headphones."""
    daemon, speaker, headphones = start()
    wait_until("the speaker is open", lambda: not speaker.is_off(), 3000)
    away = unplug_card("VirtualDevice")
    daemon.wait_status("the card is gone", lambda said: not said["routes"][0]["present"], 3000)
    gpio.pull(CONTACT, 1)
    sleep_ms(2000)
    away.plug_in()
    daemon.wait_status("headphones are used", lambda said: said["route"] == "headphones", 5000)
    wait_until("headphones are open", lambda: not headphones.is_off())
    expect(speaker.is_off(), True, "speaker off")
