# SPDX-License-Identifier: Apache-2.0
"""A source that has the card for itself: its samples arrive as they are, and the codec alone sets
its level and silences it."""

import os
import random
import subprocess

import mpris
from device import alsa, expect, scenario, sleep_ms, sound, start_daemon, tactus, wait_until

SECONDS = 2


def start():
    os.makedirs("/etc/tactus", exist_ok=True)
    with open("/etc/tactus/tactus.yaml", "w") as file:
        file.write(
            "board: virtual-device\n"
            "sources:\n"
            "  - {name: music, category: playback, player: music, exclusive: true}\n"
            "  - {name: bell, category: alert}\n"
        )
    daemon = start_daemon()
    daemon.wait_status("it has started", lambda said: said["reasons"] == [], 3000)
    return daemon


def aplay(pcm, path):
    return ["aplay", "-D", pcm, *sound.FORMAT, path]


def expect_busy(pcm):
    done = subprocess.run(aplay(pcm, "/run/silence"), text=True, stderr=subprocess.PIPE)
    expect(done.returncode, 1, f"exit code of a player to {pcm}")
    expect("busy" in done.stderr, True, f"the card is busy for {pcm}: {done.stderr!r}")


@scenario("virtual-device", time_travel=True)
def samples_pass_unchanged():
    """An exclusive source is bit-perfect, at every level, and has no control of its own."""
    start()
    names = [control.name for control in alsa.Card("Loopback").controls()]
    expect([name for name in names if "music" in name], [], "controls of the exclusive source")
    expect("Tactus bell Playback Volume" in names, True, "the other source has its control")
    noise = random.Random(1).randbytes(SECONDS * sound.RATE * sound.CHANNELS * 2)
    with open("/run/noise", "wb") as file:
        file.write(noise)
    with sound.Recording() as recording:
        sleep_ms(200)
        player = subprocess.Popen(aplay("tactus:music", "/run/noise"))
        sleep_ms(500)
        tactus("set", "volume", "30%")
        expect(player.wait(), 0, "exit code of the player")
        sleep_ms(200)
    expect(noise in b"".join(recording.chunks), True, "what was played is what was recorded")


@scenario("virtual-device", time_travel=True)
def the_codec_silences_it_and_others_find_the_card_busy():
    """SIL-4 The mute closes the codec while it plays; others get EBUSY, and it from them."""
    daemon = start()
    with open("/run/silence", "wb") as file:
        file.write(bytes(4800))
    player = mpris.Player("music")
    volume = alsa.Card("VirtualDevice").control("Speaker Playback Volume")
    with sound.Playing(pcm="tactus:music", seconds=20):
        player.say("Playing")
        wait_until("the codec is open", lambda: min(volume.read()) >= 48, 3000)
        expect_busy("tactus:bell")
        tactus("set", "mute", "on")
        wait_until("the codec is closed", lambda: max(volume.read()) < 48, 1000)
        tactus("set", "mute", "off")
        wait_until("the codec is open", lambda: min(volume.read()) >= 48, 1000)
    player.say("Stopped")
    with sound.Playing(pcm="tactus:bell", seconds=9):
        sleep_ms(300)
        expect_busy("tactus:music")
    player.kill()
    expect(daemon.messages().count("Tactus music"), 0, f"complaints in {daemon.messages()!r}")
