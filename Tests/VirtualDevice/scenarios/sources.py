# SPDX-License-Identifier: Apache-2.0
"""What alsa-lib makes of the players' configuration and of a source's control.

It is tried with that of Debian 12 and of 13. The daemon's part is played by this program: it makes
the controls, and puts players.conf in place, which AsoundConfigurationTests holds against what the
daemon writes.
"""

import errno
import os
import shutil
import subprocess

from device import alsa, expect, expect_between, repository, scenario, sleep_ms, sound

ROOTS = ("host", "debian13")
TONE = -6  # dB


def make_sources(*names, steps=601):
    """The sources' controls, silent and locked, and what leads players to them."""
    os.makedirs("/run/tactus", exist_ok=True)
    shutil.copy(f"{repository}/Tests/TactusLinuxTests/players.conf", "/run/tactus/asound.conf")
    installed = f"{repository}/deploy/alsa/60-tactus.conf"
    os.environ["ALSA_CONFIG_PATH"] = f"/usr/share/alsa/alsa.conf:{installed}"
    card = alsa.Card("Loopback")
    return [
        card.add_control(f"Tactus {name} Playback Volume", 2, 0, steps, step_decibels=0.1)
        for name in names
    ]


def play_in_vain(pcm):
    """What a player says that must not play."""
    done = subprocess.run(["aplay", "-q", "-D", pcm, "-d", "1", "-f", "cd", "/dev/zero"],
                          text=True, stderr=subprocess.PIPE)
    expect(done.returncode, 1, f"exit code of a player to {pcm}")
    return done.stderr


def heard(recording):
    """The lowest and the highest level of the last 50 ms."""
    sleep_ms(200)
    levels = recording.levels()[-10:]
    return min(levels), max(levels)


@scenario("virtual-device", roots=ROOTS, time_travel=True)
def a_gain_is_heard():
    """0 and −20 dB are heard as such on the default device, and raw 0 is digital silence."""
    music, _ = make_sources("music", "bell")
    with sound.Recording() as recording, sound.Playing(pcm="default", decibels=TONE):
        sleep_ms(300)
        for raw, gain in ((601, 0), (401, -20)):
            music.write(raw)
            low, high = heard(recording)
            expect_between(low, TONE + gain - 0.2, high, f"softest window in dB at raw {raw}")
            expect_between(high, low, TONE + gain + 0.2, f"loudest window in dB at raw {raw}")
        music.write(0)
        expect(heard(recording), (sound.SILENCE, sound.SILENCE), "levels at raw 0")


@scenario("virtual-device", roots=ROOTS, time_travel=True)
def two_sources_are_mixed():
    """Two players sound together, each at the gain of its own source."""
    music, bell = make_sources("music", "bell")
    with sound.Recording() as recording, sound.Playing(pcm="tactus:music", decibels=TONE), \
            sound.Playing(pcm="tactus:bell", decibels=TONE, hertz=2000):
        sleep_ms(300)
        for control, gain in ((music, 0), (bell, -10)):
            control.write(601 + 10 * gain)
            low, high = heard(recording)
            expect_between(low, TONE + gain - 0.3, high, f"softest window in dB of {control.name}")
            expect_between(high, low, TONE + gain + 0.3, f"loudest window in dB of {control.name}")
            control.write(0)


@scenario("virtual-device", roots=ROOTS, time_travel=True)
def only_what_is_there_can_be_opened():
    """An unknown source, and any while there is no daemon, is an unknown PCM, with no control."""
    make_sources("music", "bell")
    before = sorted(control.name for control in alsa.Card("Loopback").controls())
    refusal = play_in_vain("tactus:nosuch")
    expect("No such file or directory" in refusal, True, "unknown source is refused as unknown")
    os.unlink("/run/tactus/asound.conf")
    refusal = play_in_vain("tactus:music")
    expect("Unknown PCM" in refusal, True, "source without daemon is refused as unknown")
    expect(sorted(control.name for control in alsa.Card("Loopback").controls()), before, "controls")


@scenario("virtual-device", roots=ROOTS, time_travel=True)
def another_shape_is_refused():
    """A player that wants a control of another shape cannot open while the daemon holds it."""
    music, _ = make_sources("music", "bell", steps=300)
    play_in_vain("tactus:music")
    expect((music.maximum, music.read()), (300, (0, 0)), "highest value, value")


@scenario("virtual-device", roots=ROOTS, time_travel=True)
def alsactl_cannot_touch_it():
    """Neither `alsactl restore` nor another program moves a source's control."""
    music, _ = make_sources("music", "bell")
    music.write(200)
    alsactl = shutil.which("alsactl") or "/usr/sbin/alsactl"
    subprocess.run([alsactl, "-f", "/run/cards.state", "store", "Loopback"], check=True)
    music.write(0)
    subprocess.run(
        [alsactl, "-F", "-f", "/run/cards.state", "restore", "Loopback"], stderr=subprocess.DEVNULL)
    expect(music.read(), (0, 0), "value")
    other = alsa.Card("Loopback").control(music.name)
    expect(other.numid, music.numid, "number")
    expect(alsa.refuses(other.write, 601), errno.EPERM, "error of writing it")
