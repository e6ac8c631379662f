# SPDX-License-Identifier: Apache-2.0
"""The device's own sounds, measured in recordings, and the program that plays them."""

import array
import glob
import os
import shutil
import socket
import struct
import subprocess
import wave

import mpris
from device import (
    expect,
    expect_between,
    gpio,
    program,
    repository,
    scenario,
    sleep_ms,
    sound,
    tactus,
    wait_until,
)
from faults import findings
from fitted import STEP, gain_of
from idle import wakes
from recordings import BOARD, MUSIC_HZ, MUTE, SILENT_SWITCH, Source, start

UP = 23
KNOB = (5, 6)
RINGER = 0.6
PREPARE, STOP = 0xFE, 0xFF
KINDS = ["ready", "alone", "company", "started", "ended", "failed"]
MEMO = "  - {name: memo, category: record, player: memo}\n"
SOUNDS = BOARD + MEMO + "signals:\n  - {role: sounds}\n"
SETTINGS = "/etc/tactus/tactus.yaml"


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


def heard_of(act):
    """The sounds that are heard of what is done."""
    with sound.Recording() as recording:
        sleep_ms(300)
        act()
        sleep_ms(1000)
    return parts(recording)


def onsets(recording):
    """When each sound that was recorded began to sound, in monotonic nanoseconds.

    A frame has sounded when it was recorded: the card is its own loopback, of one clock. It is told
    of with the others of its period, so those behind it are taken off.
    """
    found, quiet, moments = [], sound.RATE, iter(list(recording.moments))
    received, moment = next(moments)
    for index, sample in enumerate(samples(recording)):
        while received <= index:
            received, moment = next(moments)
        if sample and quiet > sound.RATE // 20:
            found.append(moment - (received - index) * 1_000_000_000 // sound.RATE)
        quiet = 0 if sample else quiet + 1
    return found


class Service:
    """The program that plays sounds, and what it says."""

    def __init__(self, *names, pcm="plug:tactus_mix"):
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        files = [f"{repository}/deploy/sounds/{name}.wav" for name in names]
        command = [program("tactus"), "play-sounds", "--", "100", pcm, *files]
        self.process = subprocess.Popen(command, stdin=theirs, stdout=theirs)
        theirs.close()

    def tell(self, command):
        self.socket.send(bytes([command]))

    def hear(self, timeout_s=1.0):
        """What it says next: a letter, with the moment that a sound starts; "" is its end."""
        self.socket.settimeout(timeout_s)
        said = self.socket.recv(256)
        if not said:
            return ""
        return ("started", int.from_bytes(said[1:], "big")) if said[0] == 3 else KINDS[said[0]]


def press():
    gpio.press(UP)


def configure(text):
    os.makedirs(os.path.dirname(SETTINGS), exist_ok=True)
    with open(SETTINGS, "w") as file:
        file.write(text)


@scenario("virtual-device", time_travel=True)
def a_step_is_heard_while_nothing_else_sounds():
    """FBK-2, VOL-2 A press sounds as selection, at the ringer's gain, by a program of its own."""
    daemon = start(SOUNDS)

    def press_twice():
        press()
        sleep_ms(700)
        press()

    heard = heard_of(press_twice)
    expect(len(heard), 2, "sounds heard")
    for index, one in enumerate(heard, start=1):
        expect_sound(one, "selection", gain_of(RINGER + index * STEP, -60, 0))
    expect(daemon.status()["late"], 0, "late wake-ups")


@scenario("virtual-device", time_travel=True)
def a_knob_turned_fast_is_followed():
    """The newest sound takes the place of the others: none waits, and the last is heard whole."""
    knob = f"inputs:\n  - {{role: knob, a: {KNOB[0]}, b: {KNOB[1]}, bias: pull-up}}\n"
    daemon = start(SOUNDS.replace("inputs:\n", knob))
    press()
    wait_until("the player is there", player)
    sleep_ms(500)
    heard = heard_of(lambda: gpio.turn(*KNOB, -6, transition_ms=3))
    expect(len(heard), 1, "sounds heard, one behind the other")
    turned_ms = 6 * 4 * 3
    length_ms = len(heard[0]) * 1000 / sound.RATE
    expect_between(length_ms, turned_ms, turned_ms + 36, "ms of what is heard")
    expect(daemon.status()["sources"][-1]["active"], False, "the sounds are active afterwards")


@scenario("virtual-device", time_travel=True)
def where_a_sound_would_disturb_there_is_none():
    """FBK-2, FBK-4 None under silent switch, mute or music, and none while something records."""
    daemon = start(SOUNDS)
    gpio.pull(SILENT_SWITCH, 0)
    sleep_ms(1000)
    expect(heard_of(press), [], "sounds under the silent switch")
    gpio.pull(SILENT_SWITCH, 1)
    sleep_ms(3000)
    memo = mpris.Player("memo")
    memo.say("Playing")
    sleep_ms(200)
    expect(heard_of(press), [], "sounds while something records")
    memo.say("Stopped")
    memo.kill()
    sleep_ms(3000)
    expect(len(heard_of(press)), 1, "sounds with nothing in their way")
    gpio.press(MUTE)
    sleep_ms(3000)
    expect(heard_of(lambda: gpio.pull(SILENT_SWITCH, 0)), [], "sounds under the mute")
    expect(daemon.status()["late"], 0, "late wake-ups")


@scenario("virtual-device", time_travel=True)
def music_is_not_disturbed_by_steps():
    """FBK-2 While music plays a step has no sound; what is alone on the card is no music."""
    daemon = start(SOUNDS)
    press()
    wait_until("the player is there", player)
    expect(daemon.status()["sources"][-2]["active"], False, "the default source is active")
    music = Source("music", MUSIC_HZ)
    music.say("Playing")
    sleep_ms(3000)

    def turn_up():
        for _ in range(3):
            press()
            sleep_ms(300)

    with sound.Recording() as recording:
        turn_up()
    clean = samples(recording)[sound.RATE // 2 :]
    period = sound.RATE // MUSIC_HZ
    odd = [i for i in range(len(clean) - period) if abs(clean[i] - clean[i + period]) > 2000]
    expect(odd, [], "samples that are not the music's")
    music.stop()


@scenario("virtual-device", time_travel=True)
def a_program_beside_the_sounds_is_noticed():
    """VOL-2 A program that tells nothing counts as playing while its PCM is open; ours does not."""
    daemon = start(SOUNDS)

    def is_active():
        return next(s for s in daemon.status()["sources"] if s["name"] == "default")["active"]

    press()
    wait_until("the player is there", player)
    sleep_ms(500)
    expect(is_active(), False, "the default source is active beside our sounds alone")
    with sound.Playing(pcm="tactus:default", seconds=20):
        wait_until("the default source is active", is_active, 1000)
        press()
        sleep_ms(200)
        expect(is_active(), True, "the default source is active beside our sounds")
    wait_until("the default source is inactive", lambda: not is_active(), 300)
    expect(player() is None, False, "the player is gone")


@scenario("virtual-device", time_travel=True)
def the_device_is_open_while_it_is_used():
    """FBK-5 A finger opens the PCM; 2 s after the last use it is closed and its program gone."""
    daemon = start(SOUNDS)
    before = len(os.listdir(f"/proc/{daemon.pid}/fd"))
    expect(player(), None, "player before the first touch")
    gpio.pull(UP, 0)
    wait_until("the player is there", player)
    wait_until("its PCM is open", lambda: len(open_devices(player())) == 1)
    gpio.pull(UP, 1)
    sleep_ms(1500)
    press()
    first = player()
    sleep_ms(1700)
    expect(player(), first, "player 1.7 s after the second press")
    wait_until("the player is gone", lambda: player() is None, 700)
    expect(glob.glob(f"/proc/{first}"), [], "what is left of it")
    expect(len(os.listdir(f"/proc/{daemon.pid}/fd")), before, "descriptors of the daemon")
    sleep_ms(15_000)
    count = wakes(daemon.pid)
    sleep_ms(40_000)
    expect_between(wakes(daemon.pid) - count, 0, 1, "wake-ups in 40 s")


@scenario("virtual-device", time_travel=True)
def a_player_that_dies_takes_nothing_with_it():
    """The next press is heard again, and the session of the sound has ended."""
    daemon = start(SOUNDS)
    press()
    os.kill(wait_until("the player is there", player), 9)
    sleep_ms(200)
    expect(daemon.status()["sources"][-1]["active"], False, "the sounds are active")
    expect(daemon.messages().count("going on without"), 1, "messages")
    expect(len(heard_of(press)), 1, "sounds heard")


@scenario("virtual-device", time_travel=True)
def what_is_wrong_with_a_file_is_said_once():
    """FBK-4 Missing, broken, another rate, 31 s: told, left out, and everything else works."""
    folder = "/run/sounds"
    os.makedirs(folder)
    good = f"{repository}/deploy/sounds/heavy.wav"
    shutil.copy(good, f"{folder}/bell.wav")
    with open(good, "rb") as file:
        data = file.read()
    with open(f"{folder}/broken.wav", "wb") as file:
        file.write(data[:-100])
    with open(f"{folder}/slow.wav", "wb") as file:
        file.write(data[:24] + struct.pack("<I", 44_100) + data[28:])
    with wave.open(f"{folder}/long.wav", "wb") as file:
        file.setparams((1, 2, sound.RATE, 0, "NONE", ""))
        file.writeframes(bytes(2 * 31 * sound.RATE))
    configure(
        f"sounds:\n  folder: {folder}\n  warning: /run/none.wav\n"
        f"  selection: {folder}/bell.wav\n"
    )
    daemon = start(SOUNDS)
    for words in (
        f"{folder}/broken.wav is cut short", f"{folder}/slow.wav has 44100 Hz",
        f"{folder}/long.wav is 31 s long", "/run/none.wav cannot be read",
    ):
        expect(daemon.messages().count(words), 1, f"messages that say {words!r}")
    heard = heard_of(press)
    expect(len(heard), 1, "sounds heard")
    expect_sound(heard[0], "heavy", gain_of(RINGER + STEP, -60, 0))
    heard = heard_of(lambda: tactus("sound", "bell"))
    expect_sound(heard[0], "heavy", gain_of(RINGER + STEP, -60, 0))


@scenario("virtual-device", time_travel=True)
def their_amplitude_is_the_listeners():
    """FBK-3 50 % is 6 dB less, 0 % is off: then no program is started either."""
    configure("feedback: {sound: 50 %}\n")
    daemon = start(SOUNDS)
    heard = heard_of(press)
    expect(len(heard), 1, "sounds heard")
    expect_sound(heard[0], "selection", gain_of(RINGER + STEP, -60, 0) - 6)
    configure("feedback: {sound: 25 %}\n")
    daemon.signal(1)
    sleep_ms(3500)
    expect_sound(heard_of(press)[0], "selection", gain_of(RINGER + 2 * STEP, -60, 0) - 12)
    configure("feedback: {sound: 0 %}\n")
    daemon.signal(1)
    sleep_ms(3500)
    expect(heard_of(press), [], "sounds at 0 %")
    expect(player(), None, "player at 0 %")


@scenario("virtual-device", time_travel=True)
def a_busy_card_is_said_once():
    """Somebody has the card for itself: one message, no delay of a tick, sounds when it is free."""
    daemon = start(SOUNDS)
    with sound.Playing(seconds=20):
        sleep_ms(500)
        for _ in range(4):
            press()
            sleep_ms(400)
        expect(daemon.messages().count("going on without"), 1, f"messages in {daemon.messages()!r}")
        expect(player(), None, "player while the card is busy")
    sleep_ms(4000)
    expect(len(heard_of(press)), 1, "sounds when the card is free")
    expect(daemon.status()["late"], 0, "late wake-ups")


@scenario("virtual-device", time_travel=True)
def the_player_says_when_a_sound_is_heard():
    """FBK-5 It says to 2 ms when a sound will be heard; the newest takes the place of the other."""
    start(SOUNDS)
    player = Service("heavy", "success")
    expect([player.hear(), player.hear()], ["alone", "ready"], "what it says first")
    said = []
    with sound.Recording() as recording:
        sleep_ms(500)
        for wait_ms in range(20):
            player.tell(0)
            said.append(player.hear()[1])
            expect(player.hear(), "ended", "what it says of the end")
            sleep_ms(100 + wait_ms)
        player.tell(1)
        expect(player.hear()[0], "started", "what it says of one sound")
        sleep_ms(50)
        player.tell(0)
        expect(player.hear(), "ended", "what it says of the one that gives way")
        expect(player.hear()[0], "started", "what it says of the newest")
        player.tell(PREPARE)
        player.tell(STOP)
        expect(player.hear(), "ended", "what it says of the one that is stopped")
        sleep_ms(300)
    heard = onsets(recording)[:20]
    # The first sample of a file is zero, and so are some after it.
    skews = [(actual - told) / 1e6 for actual, told in zip(heard, said)]
    expect_between(min(skews), -2, max(skews), "ms of the earliest sound")
    expect_between(max(skews), min(skews), 2, "ms of the latest sound")
    expect(player.hear(3), "", "what it says in the end")
    expect(player.process.wait(1), 0, "exit code of the player")


@scenario("virtual-device", time_travel=True)
def the_doctor_looks_at_their_files():
    """Files that are not there are one finding, with the next step."""
    start(SOUNDS)
    said = [one for one in findings("--board", "/run/soft.yaml") if one["object"] == "sounds"]
    expect([(one["verdict"], one["meaning"]) for one in said], [("ok", "all 7 can be played")], "")
    os.rename("/usr/share/tactus/sounds", "/usr/share/tactus/elsewhere")
    said = [one for one in findings("--board", "/run/soft.yaml") if one["object"] == "sounds"]
    expect(len(said), 1, f"findings of the sounds in {said}")
    expect(said[0]["verdict"], "fail", "verdict")
    expect("7 of 7 cannot be played" in said[0]["meaning"], True, said[0]["meaning"])
    expect(len(heard_of(press)), 0, "sounds heard without files")
    expect(tactus("status", "--json").returncode, 0, "exit code of status")
