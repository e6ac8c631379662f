# SPDX-License-Identifier: Apache-2.0
"""Keys of input devices: headset buttons, knobs on USB, remote controls, and how they come and
go."""

import os

import keys
from device import expect, expect_between, scenario, sleep_ms, start_daemon, wait_until
from fitted import FIRST_LEVEL, STEP, start_with_sound, this_board
from sessions import Program, example

SETTINGS = "/etc/tactus/tactus.yaml"
VOLUME = (keys.VOLUME_UP, keys.VOLUME_DOWN, keys.MUTE)


def listen_to(*devices):
    """Writes settings that name input devices."""
    os.makedirs(os.path.dirname(SETTINGS), exist_ok=True)
    with open(SETTINGS, "w") as file:
        file.write("\n  - ".join(["input-devices:", *devices]) + "\n")


def start(*devices, **options):
    """The daemon, with music, listening to input devices as the settings name them."""
    listen_to(*devices)
    return start_with_sound(this_board(), "--settings", SETTINGS, **options)[0]


def opened(daemon):
    """The input devices that the daemon has open."""
    folder = f"/proc/{daemon.pid}/fd"
    links = [os.readlink(f"{folder}/{name}") for name in os.listdir(folder)]
    return sorted(link for link in links if link.startswith("/dev/input/"))


def wait_steps(daemon, steps, timeout_ms=1000):
    """Waits until the level is so many steps above that of a route never used."""
    level = FIRST_LEVEL + steps * STEP
    daemon.wait_status(
        f"{steps} steps", lambda said: abs(said["level"] - level) < 1e-4, timeout_ms
    )


def expect_steps(daemon, steps):
    level = FIRST_LEVEL + steps * STEP
    expect_between(daemon.status()["level"], level - 1e-4, level + 1e-4, "level")


@scenario("virtual-device", time_travel=True)
def keys_act_by_their_codes():
    """CTL-5 Each press acts once by its code, also several within a tick; the kernel's repeat and
    other keys do nothing."""
    knob = keys.Device("Griffin PowerMate", *VOLUME, keys.A)
    daemon = start('name: "Griffin*"')
    knob.press(keys.VOLUME_UP)
    wait_steps(daemon, 1)
    knob.press(keys.VOLUME_DOWN, times=5)
    wait_steps(daemon, -4)
    knob.send((keys.VOLUME_UP, keys.PRESSED), *((keys.VOLUME_UP, keys.REPEATED),) * 5)
    wait_steps(daemon, -3)
    sleep_ms(200)
    knob.send((keys.VOLUME_UP, keys.RELEASED))
    knob.press(keys.A)
    sleep_ms(500)
    expect_steps(daemon, -3)
    knob.press(keys.MUTE)
    daemon.wait_status("muted", lambda said: said["muted"])
    knob.press(keys.MUTE)
    daemon.wait_status("not muted", lambda said: not said["muted"])


@scenario("virtual-device", time_travel=True)
def a_device_that_goes_lets_go():
    """CTL-5 VOL-1 A held key goes on stepping until its device goes; the device is used again when
    it returns, also beside others."""
    other = keys.Device("Kitchen Remote", *VOLUME)
    daemon = start('name: "*Remote"')
    expect(opened(daemon), [other.path()], "open input devices")
    remote = keys.Device("Sofa Remote", *VOLUME)
    wait_until("the new device is open", lambda: remote.path() in opened(daemon))
    remote.send((keys.VOLUME_DOWN, keys.PRESSED))
    wait_steps(daemon, -1)
    sleep_ms(450)
    wait_steps(daemon, -2)
    remote.close()
    wait_until("it is closed", lambda: opened(daemon) == [other.path()])
    here = daemon.status()["level"]
    sleep_ms(1000)
    expect(daemon.status()["level"], here, "level after the device went")
    remote = keys.Device("Sofa Remote", *VOLUME)
    wait_until("it is open again", lambda: len(opened(daemon)) == 2)
    for device in (remote, other):
        level = daemon.status()["level"]
        device.press(keys.VOLUME_UP)
        daemon.wait_status("a step", lambda said: abs(said["level"] - level - STEP) < 1e-4)
    said = daemon.messages()
    expect("input device Sofa Remote: went away, waiting for it to return" in said, True, said)
    expect(daemon.status()["faults"], [], "faults")


@scenario("virtual-device", time_travel=True)
def a_flood_is_survived():
    """CTL-5 More presses than the kernel can keep: what is pressed in the end is known, and the
    device's own buttons are served."""
    board = this_board()
    remote = keys.Device("Remote", *VOLUME)
    daemon = start("name: Remote")
    for _ in range(20):
        remote.press(keys.VOLUME_UP, times=200)
        remote.press(keys.VOLUME_DOWN, times=200)
    remote.press(keys.VOLUME_DOWN, times=200)
    remote.send((keys.VOLUME_UP, keys.PRESSED))
    daemon.wait_status("it goes up to the end", lambda said: said["level"] > 0.999, 5000)
    remote.send((keys.VOLUME_UP, keys.RELEASED))
    board.press("mute")
    daemon.wait_status("muted", lambda said: said["muted"])
    remote.press(keys.VOLUME_DOWN)
    daemon.wait_status("a step down", lambda said: abs(said["level"] - 1 + STEP) < 1e-4)
    expect(daemon.process.poll(), None, "exit code")


@scenario("virtual-device", time_travel=True)
def what_is_refused_is_named():
    """CTL-5 A device without permission and one that another program grabbed are named, others go
    on; both are used as soon as that is over."""
    locked = keys.Device("Locked", *VOLUME)
    grabbed = keys.Device("Grabbed", *VOLUME)
    free = keys.Device("Free", *VOLUME)
    keyless = keys.Device("Free of keys", keys.A)
    os.chmod(locked.path(), 0)
    grab = grabbed.grab()
    # Root may open everything by two capabilities.
    nothing = "-dac_override,-dac_read_search"
    daemon = start(
        "name: Locked", "{name: Grabbed, grab: true}", '{name: "Free*", grab: true}',
        through=["setpriv", f"--bounding-set={nothing}", f"--inh-caps={nothing}"],
    )
    expect(opened(daemon), [free.path()], "open input devices")
    free.press(keys.VOLUME_UP)
    wait_steps(daemon, 1)
    expect(free.grab(), None, "another's grab of a grabbed device")
    said = daemon.messages()
    for sentence in (
        f"input device Locked ({locked.path()}): cannot open (Permission denied),"
        " let tactusd's user into the group input",
        f"input device Grabbed ({grabbed.path()}): cannot open (Device or resource busy),"
        " another program has grabbed it, end that one",
        f"input device Free of keys ({keyless.path()}): no key of it means anything, name another",
    ):
        expect(said.count(sentence), 1, f"times that it is said: {sentence}")
    os.chmod(locked.path(), 0o600)
    os.close(grab)
    wait_until("all are open", lambda: len(opened(daemon)) == 3, 70_000, 100)
    locked.press(keys.VOLUME_UP)
    wait_steps(daemon, 2)


@scenario("virtual-device", time_travel=True)
def udev_chooses_by_tag_and_link():
    """CTL-5 Devices are chosen by a udev tag, written a moment after they appear, and by links in
    by-id."""
    tagged, linked = keys.Device("Knob", *VOLUME), keys.Device("Headset", *VOLUME)
    daemon = start("tag: tactus", "link: by-id/usb-*-event-kbd")
    expect(opened(daemon), [], "open input devices")
    os.makedirs("/dev/input/by-id")
    os.symlink(f"../{linked.node()}", "/dev/input/by-id/usb-ACME_Headset-event-kbd")
    wait_until("the link is followed", lambda: opened(daemon) == [linked.path()])
    with open(f"/sys/class/input/{tagged.node()}/dev") as file:
        number = file.read().strip()
    os.makedirs("/run/udev/data")
    with open(f"/run/udev/data/c{number}", "w") as file:
        file.write("I:1\nG:other\nG:tactus\n")
    os.chmod(tagged.path(), 0o660)
    wait_until("the tag is seen", lambda: len(opened(daemon)) == 2, 5000)
    tagged.press(keys.VOLUME_UP)
    linked.press(keys.VOLUME_UP)
    wait_steps(daemon, 2)


@scenario("virtual-device")
def words_reach_who_plays():
    """CTL-2, CTL-5, CTL-6 Media keys, those of Bluetooth remotes too, and a headset's button reach
    the session that plays."""
    words = {
        keys.NEXT: "next", keys.PREVIOUS: "previous", keys.PLAY_PAUSE: "pause",
        keys.PLAY_CD: "play", keys.PAUSE_CD: "pause", keys.STOP_CD: "stop",
    }
    remote = keys.Device("Remote", keys.MEDIA, *words)
    listen_to("name: Remote")
    start_daemon("--settings", SETTINGS)
    radio = Program(example("python"), "radio", "playback")
    radio.wait("active: done")
    for times, word in ((2, "next"), (3, "previous")):
        remote.press(keys.MEDIA, times)
        radio.wait(f"command: {word}")
        radio.said.clear()
    for key, word in words.items():
        remote.press(key)
        radio.wait(f"command: {word}")
        radio.said.clear()
