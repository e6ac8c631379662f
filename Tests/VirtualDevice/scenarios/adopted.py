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
    program,
    scenario,
    sleep_ms,
    sound,
    start_bus,
    start_daemon,
    tactus,
    wait_until,
)

HEADPHONE_DETECT, VOLUME_UP, MUTE = 12, 23, 27
PLAY_PAUSE, NEXT, PREVIOUS, STOP = 17, 18, 19, 20
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


def start_session_bus(address):
    command = ["dbus-daemon", "--session", "--fork", "--nopidfile", f"--address={address}"]
    subprocess.run(command, check=True)


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
    said = tactus("status").stdout
    expect("player mpv" in said, True, f"the player is named in {said}")
    mpv.kill()
    wait_source(daemon, "music", "has gone", lambda said: not said["active"])
    expect(source(daemon.status(), "music")["silence"], "its player is not on the bus", "silence")


@scenario("virtual-device", time_travel=True, timeout_s=120)
def unplugged_mpv_stays_paused():
    """RTE-2, RTE-3 Unplugging pauses mpv; plugging in starts nothing, a person's play does."""
    daemon = start()
    gpio.pull(HEADPHONE_DETECT, 0)
    daemon.wait_status("headphones are in use", lambda said: said["route"] == "headphones")
    mpv = start_mpv()
    wait_source(daemon, "music", "plays", plays, 10_000)
    with sound.Recording() as recording:
        sleep_ms(500)
        expect_tone(recording, "on headphones")
        gpio.pull(HEADPHONE_DETECT, 1)
        wait_until("mpv is paused", lambda: playerctl("mpv", "status") == "Paused")
        daemon.wait_status("the speaker is in use", lambda said: said["route"] == "speaker")
        expect_silence(recording, "on the speaker")
        gpio.pull(HEADPHONE_DETECT, 0)
        daemon.wait_status("headphones are in use", lambda said: said["route"] == "headphones")
        sleep_ms(2000)
        expect(playerctl("mpv", "status"), "Paused", "status after plugging in again")
        gpio.press(PLAY_PAUSE)
        wait_until("mpv plays", lambda: playerctl("mpv", "status") == "Playing")
        sleep_ms(500)
        expect_tone(recording, "after a person's play")
    mpv.kill()


def start_deaf(pcm="tactus:music", name="mpv"):
    """A player that plays a tone whatever it is told, and says what the scenario wants."""
    player = mpris.Player(name, "--deaf")
    playing = sound.Playing(pcm=pcm, decibels=TONE_DB, seconds=60)
    player.say("Playing")
    return player, playing


@scenario("virtual-device", time_travel=True, timeout_s=120)
def the_speaker_waits_for_the_answer():
    """RTE-2 After an unplug the speaker is silent until the player has answered, or for good."""
    daemon = start()
    for answers in (True, False):
        gpio.pull(HEADPHONE_DETECT, 0)
        daemon.wait_status("headphones are in use", lambda said: said["route"] == "headphones")
        player, playing = start_deaf()
        with sound.Recording() as recording, playing:
            wait_source(daemon, "music", "plays", plays)
            sleep_ms(500)
            expect_tone(recording, "on headphones")
            gpio.pull(HEADPHONE_DETECT, 1)
            wait_until("it was told to pause", lambda: player.calls == ["Pause"])
            sleep_ms(300)
            expect_silence(recording, "before the answer")
            if answers:
                player.say("Paused")
                sleep_ms(500)
                expect_tone(recording, "on the speaker, which is open after the answer")
            else:
                sleep_ms(1500)
                expect_silence(recording, "without an answer")
                player.say("Paused")
                sleep_ms(500)
                expect_silence(recording, "after an answer that comes too late")
            player.say("Playing")
            sleep_ms(500)
            expect_tone(recording, "on the speaker, started by a person")
            expect(player.calls, ["Pause"], "what the player was told")
        player.kill()
        wait_source(daemon, "music", "has gone", lambda said: not said["active"])


@scenario("virtual-device", time_travel=True, timeout_s=120)
def a_player_that_ignores_pause_is_silent():
    """SES-13 A player that plays on under an alarm is silent, and is told no more than twice."""
    daemon = start()
    player, playing = start_deaf()
    with sound.Recording() as recording, playing:
        wait_source(daemon, "music", "plays", plays)
        sleep_ms(500)
        expect_tone(recording, "of the music")
        clock = mpris.Player("clock")
        clock.say("Playing")
        sleep_ms(50 + 20)
        expect_silence(recording, "of the music after its fade")
        expect(player.calls, ["Pause"], "what it was told")
        sleep_ms(600)
        for _ in range(5):
            player.say("Paused")
            player.say("Playing")
            sleep_ms(700)
        expect_silence(recording, "of the music under the alarm")
        expect(player.calls, ["Pause", "Pause"], "what it was told under the alarm")
        clock.say("Stopped")
        sleep_ms(500)
    player.kill()
    clock.kill()


@scenario("virtual-device", time_travel=True, timeout_s=120)
def a_killed_alarm_gives_the_music_back():
    """SES-3, SES-13 An interrupter that is killed lets the interrupted resume, at its level."""
    daemon = start()
    player = mpris.Player("mpv")
    player.say("Playing")
    wait_source(daemon, "music", "plays", plays)
    clock = mpris.Player("clock")
    clock.say("Playing")
    wait_until("the music is told to pause", lambda: player.calls == ["Pause"])
    sleep_ms(200)
    clock.kill()
    wait_until("the music is told to go on", lambda: player.calls == ["Pause", "Play"])
    wait_source(daemon, "music", "plays", plays)


@scenario("virtual-device", time_travel=True, timeout_s=120)
def a_paused_player_is_remembered_over_a_crash():
    """SES-18 After a crash under an alarm the music goes on when the alarm has not come back."""
    daemon = start()
    player = mpris.Player("mpv")
    player.say("Playing")
    wait_source(daemon, "music", "plays", plays)
    clock = mpris.Player("clock")
    clock.say("Playing")
    wait_until("the music is told to pause", lambda: player.calls == ["Pause"])
    sleep_ms(200)
    with open("/run/tactus/paused") as file:
        expect(file.read(), "music\n", "whom Tactus has paused")
    daemon.kill()
    clock.kill()
    daemon = start()
    sleep_ms(55_000)
    expect(player.calls, ["Pause"], "what the music was told within 55 s")
    sleep_ms(10_000)
    expect(player.calls, ["Pause", "Play"], "what the music was told after 65 s")
    wait_source(daemon, "music", "plays", plays)
    with open("/run/tactus/paused") as file:
        expect(file.read(), "", "whom Tactus has paused")


@scenario("virtual-device", time_travel=True, timeout_s=120)
def a_player_that_hangs_holds_nobody_up():
    """SES-13 A player that hangs, one that lies, and one that vanishes cost the others nothing."""
    daemon = start()
    player = mpris.Player("mpv")
    player.process.send_signal(subprocess.signal.SIGSTOP)  # a program without sound
    other = mpris.Player("mpd.instance1")
    other.say("Playing")
    wait_source(daemon, "radio", "plays", plays)
    before = daemon.status()["levelPercent"]
    gpio.press(VOLUME_UP)
    daemon.wait_status("a step up", lambda said: said["levelPercent"] > before)
    player.process.send_signal(subprocess.signal.SIGCONT)
    # It says that it plays, makes no sound, and never answers: it has the floor until it goes.
    player.say("Playing")
    wait_until("the other is told to pause", lambda: other.calls == ["Pause"])
    player.kill()
    wait_source(daemon, "music", "has gone", lambda said: not said["active"])
    sleep_ms(600)  # later than an answer that crosses our Pause
    other.say("Playing")
    wait_source(daemon, "radio", "plays", plays)


@scenario("virtual-device", time_travel=True, timeout_s=120)
def buttons_command_the_player():
    """CTL-2, CTL-3 Play, next and stop go to the player, each once; what it cannot do, nowhere."""
    daemon = start()
    player = mpris.Player("mpv")
    player.say("Playing")
    wait_source(daemon, "music", "plays", plays)
    for button, wanted in (
        (PLAY_PAUSE, "Pause"),
        (PLAY_PAUSE, "Play"),
        (NEXT, "Next"),
        (PREVIOUS, None),
        (STOP, "Stop"),
    ):
        player.calls.clear()
        gpio.press(button)
        sleep_ms(800)
        expect(player.calls, [wanted] if wanted else [], f"what line {button} told it")


MPD = """
music_directory "/run/music"
db_file "/run/mpd.db"
bind_to_address "127.0.0.1"
audio_output {
  type "alsa"
  name "Tactus"
  device "tactus:radio"
  mixer_type "none"
}
"""


@scenario("virtual-device", time_travel=True, timeout_s=180)
def mpd_is_adopted_on_a_bus_of_its_own():
    """SES-13 mpd with mpDris2, on a configured bus, is paused by an alarm and goes on."""
    start_bus()
    address = "unix:path=/run/players"
    start_session_bus(address)
    daemon = start(f'players-bus: "{address}"\n{SOURCES}')
    os.makedirs("/run/music")
    tone("/run/music/tone.wav", hertz=500)
    with open("/run/mpd.conf", "w") as file:
        file.write(MPD)
    subprocess.Popen(["mpd", "--no-daemon", "/run/mpd.conf"], stderr=subprocess.DEVNULL)
    mpc = lambda *words: subprocess.run(["mpc", *words], capture_output=True).returncode == 0
    wait_until("mpd answers", lambda: mpc("update", "--wait"), 20_000, 200)
    subprocess.Popen(["mpDris2"], env=player_environment(address), stderr=subprocess.DEVNULL)
    sleep_ms(2000)
    expect((mpc("add", "tone.wav"), mpc("repeat", "on"), mpc("play")), (True,) * 3, "mpc")
    wait_source(daemon, "radio", "plays", plays, 20_000)
    with sound.Recording() as recording:
        sleep_ms(500)
        expect_tone(recording, "of the radio")
        clock = mpris.Player("clock", address=address)
        clock.say("Playing")
        sleep_ms(300)
        expect_silence(recording, "of the radio under the alarm")
        clock.say("Stopped")
        wait_source(daemon, "radio", "plays", plays)
        sleep_ms(1000)
        expect_tone(recording, "of the radio afterwards")


@scenario("virtual-device", time_travel=True, timeout_s=120)
def the_bridge_adopts_the_players_of_a_session():
    """SES-13 Through `tactus bridge` a player on a user's own bus is paused and goes on."""
    daemon = start()
    address = "unix:path=/run/session-bus"
    start_session_bus(address)
    bridge = subprocess.Popen([program("tactus"), "bridge"], env=player_environment(address))
    player = mpris.Player("mpv", address=address)
    player.say("Playing")
    wait_source(daemon, "music", "plays", plays)
    alarm = [program("tactus"), "run", "--category", "alarm", "--", "sleep", "2"]
    with subprocess.Popen(alarm):
        wait_until("it is told to pause", lambda: player.calls == ["Pause"])
        wait_source(daemon, "music", "is silent", lambda said: said["reasons"] == ["interrupted"])
    wait_until("it is told to go on", lambda: player.calls == ["Pause", "Play"])
    wait_source(daemon, "music", "plays", plays)
    gpio.press(NEXT)
    wait_until("it is told to go to the next", lambda: player.calls[2:] == ["Next"])
    player.say("Paused")
    wait_source(daemon, "music", "is paused", lambda said: not said["playing"])
    player.kill()
    wait_source(daemon, "music", "has gone", lambda said: not said["active"])
    expect(bridge.poll(), None, "exit code of the bridge")
    other = mpris.Player("mpv.instance2", address=address)
    other.say("Playing")
    wait_source(daemon, "music", "plays", plays)
    daemon.kill()
    expect(bridge.wait(10), 69, "exit code of the bridge without the daemon")
