# SPDX-License-Identifier: Apache-2.0
"""The device's own sounds, measured in recordings, and the program that plays them."""

import array
import os
import time
import wave

import mpris
from device import expect, expect_between, gpio, repository, scenario, sleep_ms, sound, wait_until
from fitted import FIRST_LEVEL, gain_of
from recordings import BOARD, MUTE, RINGER_DB, SILENT_SWITCH, Source, start

UP = 23
SOUNDS = BOARD + "signals:\n  - {role: sounds}\n"


def player():
    """The number of the program that plays sounds; None while there is none."""
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/cmdline") as file:
                if "play-sounds" in file.read().split("\0"):
                    return int(number)
        except OSError:
            pass
    return None


def open_devices(number):
    """The sound devices that a process has open."""
    folder = f"/proc/{number}/fd"
    links = [os.readlink(f"{folder}/{name}") for name in os.listdir(folder)]
    return [link for link in links if link.startswith("/dev/snd/pcm")]


def file_of(name):
    with wave.open(f"{repository}/deploy/sounds/{name}.wav") as file:
        return array.array("h", file.readframes(file.getnframes()))


def samples(recording):
    data = b"".join(list(recording.chunks))
    return array.array("h", data[: len(data) // 4 * 4])[:: sound.CHANNELS]


def parts(recording, gap_ms=40):
    """What was heard, apart by silence: lists of samples."""
    found, quiet = [], None
    for sample in samples(recording):
        if sample:
            if quiet is None or quiet > gap_ms * sound.RATE // 1000:
                found.append([])
            elif quiet:
                found[-1] += [0] * quiet
            quiet = 0
            found[-1].append(sample)
        elif quiet is not None:
            quiet += 1
    return found


def peak_db(values):
    return sound.level_of([max(map(abs, values))]) - sound.level_of([32767])


def expect_sound(heard, name, gain_db):
    """What was heard is a file at a gain."""
    wanted = file_of(name)
    expect_between(len(heard), len(wanted) * 0.5, len(wanted), f"frames of {name}")
    gain = sound.level_of(heard) - sound.level_of(wanted[: len(heard)])
    expect_between(gain, gain_db - 1, gain_db + 1, f"dB of gain of {name}")


@scenario("virtual-device", time_travel=True)
def a_step_is_heard_while_nothing_else_sounds():
    """FBK-2, VOL-2 A press sounds as selection, at the ringer's gain, through its own program."""
    start(SOUNDS)
    with sound.Recording() as recording:
        sleep_ms(300)
        gpio.press(UP)
        wait_until("the player is there", player)
        expect(len(open_devices(player())), 1, "PCMs that the player has open")
        sleep_ms(1000)
        os.system("/tmp/mix; ipcs -m")
        gpio.press(UP)
        sleep_ms(1000)
    heard = parts(recording)
    from device import tactus
    print(tactus("trace").stdout)
    print([len(h) for h in heard], [i for i, l in enumerate(recording.levels()) if l > -200])
    expect(len(heard), 2, "sounds heard")
    for one in heard:
        expect_sound(one, "selection", RINGER_DB)
