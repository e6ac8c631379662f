# SPDX-License-Identifier: Apache-2.0
"""Players that know nothing of Tactus, real ones among them, and are adopted by MPRIS (SES-13)."""

import os
import subprocess
import wave

import mpris
from device import (
    expect,
    expect_between,
    gpio,
    scenario,
    sleep_ms,
    sound,
    start_bus,
    start_daemon,
    tactus,
    wait_until,
)

HEADPHONE_DETECT, PLAY_PAUSE, NEXT, MUTE = 12, 17, 18, 27
AMPLIFIER = 16
TONE_DB = -12
BUFFER_MS = 30  # dmix, and what Loopback and its recorder hold
SOURCES = """sources:
  - {name: music, category: playback, player: mpv}
  - {name: radio, category: playback, player: "mpd*"}
  - {name: clock, category: alarm, player: clock}
"""


def start(settings=SOURCES, *options):
    """The daemon with these settings, settled."""
    os.makedirs("/etc/tactus", exist_ok=True)
    with open("/etc/tactus/tactus.yaml", "w") as file:
        file.write("board: virtual-device\n" + settings)
    gpio.pull(HEADPHONE_DETECT, 1)
    daemon = start_daemon(*options)
    daemon.wait_status("it has started", lambda said: said["reasons"] == [], 3000)
    return daemon


def source(said, name):
    return next(source for source in said["sources"] if source["name"] == name)


def wait_source(daemon, name, what, reached, timeout_ms=2000):
    daemon.wait_status(f"{name} {what}", lambda said: reached(source(said, name)), timeout_ms)


def plays(source):
    return source["playing"] and source["reasons"] == []


def player_environment(address="unix:path=/run/dbus/system_bus_socket"):
    return dict(os.environ, DBUS_SESSION_BUS_ADDRESS=address)


def playerctl(player, *arguments):
    done = subprocess.run(
        ["playerctl", "--player", player, *arguments],
        env=player_environment(),
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


def tone(path="/run/tone.wav", seconds=20, hertz=1000):
    """A file with a tone."""
    with wave.open(path, "wb") as file:
        file.setnchannels(sound.CHANNELS)
        file.setsampwidth(2)
        file.setframerate(sound.RATE)
        file.writeframes(sound.sine(seconds, hertz, TONE_DB).tobytes())
    return path


def start_mpv(*options):
    """mpv, which plays a tone; an ordinary one, as Debian has it."""
    command = ["mpv", "--no-config", "--no-video", "--really-quiet", "--loop=inf"]
    command += ["--script=/usr/lib/mpv-mpris/mpris.so", "--ao=alsa"]
    command += ["--audio-device=alsa/tactus:music", *options, tone()]
    return subprocess.Popen(command, env=player_environment())


def level(recording, milliseconds=100):
    """The softest and the loudest window of the next moments."""
    sleep_ms(BUFFER_MS + milliseconds)
    levels = recording.levels()[-milliseconds // sound.WINDOW_MS :]
    return min(levels), max(levels)


def expect_tone(recording, what, decibels=TONE_DB):
    low, high = level(recording)
    expect_between(low, decibels - 0.5, high, f"softest window, {what}")
    expect_between(high, low, decibels + 0.5, f"loudest window, {what}")


def expect_silence(recording, what):
    expect(level(recording), (sound.SILENCE, sound.SILENCE), f"levels, {what}")


@scenario("virtual-device", time_travel=True, timeout_s=120)
def an_alarm_pauses_mpv_which_goes_on_afterwards():
    """SES-13, SES-4 An alarm pauses mpv, once; when it ends mpv plays on, as loud as before."""
    daemon = start()
    mpv = start_mpv()
    wait_source(daemon, "music", "plays", plays, 10_000)
    with sound.Recording() as recording:
        sleep_ms(500)
        expect_tone(recording, "of the music")
        clock = mpris.Player("clock")
        clock.say("Playing")
        wait_until("mpv is paused", lambda: playerctl("mpv", "status") == "Paused")
        expect_silence(recording, "of the music under the alarm")
        clock.say("Stopped")
        wait_until("mpv plays", lambda: playerctl("mpv", "status") == "Playing")
        sleep_ms(500)
        expect_tone(recording, "of the music afterwards")
    mpv.kill()
    wait_source(daemon, "music", "has gone", lambda said: not said["active"])
