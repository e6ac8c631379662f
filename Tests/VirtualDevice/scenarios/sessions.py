# SPDX-License-Identifier: Apache-2.0
"""Programs that open sessions over D-Bus: the examples of the documentation, and misbehaviour.

The programs are those of deploy/dbus/sessions.md, in C and in Python, as they stand there.
"""

import os
import re
import signal
import subprocess
import sys
import threading
import time

import dbus

from device import (
    alsa,
    expect,
    expect_between,
    program,
    repository,
    scenario,
    sleep_ms,
    sound,
    start_bus,
    start_daemon,
    tactus,
    wait_until,
)

CARD = "Loopback"
PLAYERS = "/run/tactus/asound.conf"
# The gate's number of sessions that are opened and closed; 100000 takes some minutes:
# run --time-travel --command env TACTUS_CYCLES=100000 python3 -B Tests/VirtualDevice/run
#   --inside sessions.nothing_leaks
CYCLES = int(os.environ.get("TACTUS_CYCLES", 5000))
MEMORY_KB = 256  # what the daemon may grow by in so many cycles


# --- The examples of the documentation ------------------------------------------------------------


def example(language):
    """The program of the documentation in a language, ready to run: the command's beginning."""
    with open(f"{repository}/deploy/dbus/sessions.md") as file:
        (text,) = re.findall(rf"```{language}\n(.*?)```", file.read(), re.DOTALL)
    source = f"/run/session.{'c' if language == 'c' else 'py'}"
    with open(source, "w") as file:
        file.write(text)
    if language == "python":
        return [sys.executable, source]
    warnings = ["-Wall", "-Wextra", "-Werror"]
    subprocess.run(["cc", *warnings, source, "-o", "/run/session", "-lsystemd"], check=True)
    return ["/run/session"]


class Program:
    """A running example, and what it has said."""

    def __init__(self, command, name, category):
        self.said = []
        self.process = subprocess.Popen(
            [*command, name, category], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for line in self.process.stdout:
            self.said.append(line.strip())

    def wait(self, *lines, timeout_ms=5000):
        """Waits until it has said these lines, and no more."""
        try:
            wait_until("it says it", lambda: self.said[-len(lines):] == [*lines], timeout_ms, 10)
        except AssertionError:
            raise AssertionError(f"said {self.said}, expected at the end {lines}") from None

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def control_names():
    """The controls of the players' card; asked again where one goes meanwhile."""
    while True:
        try:
            return [control.name for control in alsa.Card(CARD).controls()]
        except alsa.AlsaError:
            sleep_ms(1)


def is_published(name):
    with open(PLAYERS) as file:
        return f"tactus_source_{name} " in file.read()


def source(daemon, name):
    return next((one for one in daemon.status()["sources"] if one["name"] == name), None)


@scenario("virtual-device")
def the_examples_meet():
    """SES-2, SES-4, SES-12 A session gives way to an alarm, and resumes when that is killed."""
    daemon = start_daemon()
    in_c, in_python = example("c"), example("python")
    radio = Program(in_c, "radio", "playback")
    radio.wait("active: done")
    expect("Tactus radio Playback Volume" in control_names(), True, "a control for the session")
    expect(is_published("radio"), True, "players find the session")
    daemon.wait_status("it plays", lambda said: source(daemon, "radio")["playing"])
    bell = Program(in_python, "bell", "alarm")
    bell.wait("active: done")
    radio.wait("interruption began: alarm")
    daemon.wait_status(
        "radio is interrupted", lambda said: source(daemon, "radio")["reasons"] == ["interrupted"]
    )
    bell.kill()
    radio.wait("interruption ended: resume")
    wait_until("the bell's control is gone", lambda: "Tactus bell Playback Volume" not in
               control_names(), 2000, 20)
    expect(is_published("bell"), False, "players find the bell")
    radio.kill()
    wait_until("no session is left", lambda: source(daemon, "radio") is None, 2000, 20)
    wait_until("no control is left", lambda: "Tactus radio Playback Volume" not in control_names(),
               2000, 20)
    expect(is_published("radio"), False, "players find the radio")


@scenario("virtual-device", time_travel=True)
def a_session_is_heard():
    """VOL-8a What plays to a session's device is heard, and silent when the session ends."""
    start_daemon()
    music = Session("music", "playback")
    with sound.Recording() as recording:
        expect_silence(recording, "before anything plays")
        music.call("Activate")
        music.call("SetPlaying", "b", True)
        with sound.Playing(pcm="tactus:music", decibels=-6):
            sleep_ms(800)
            expect(max(recording.levels()[-20:]) > -60, True, "heard")
            music.close()
            sleep_ms(200)
            expect_silence(recording, "after the end of the session, though it plays on")
    done = subprocess.run(["aplay", "-q", "-D", "tactus:music", "-d", "1", "-f", "cd", "/dev/zero"],
                          capture_output=True, text=True)
    expect(done.returncode, 1, "exit code of a player to the session that has gone")


def expect_silence(recording, when):
    sleep_ms(100)
    levels = recording.levels()[-10:]
    expect(set(levels) <= {sound.SILENCE}, True, f"silence {when}: {levels}")


@scenario("virtual-device")
def a_session_takes_the_source_of_its_name():
    """A session that has a source's name has its device, and gives it back."""
    daemon = start_daemon()
    before = control_names()
    listed = [one["name"] for one in daemon.status()["sources"]]
    bell = Session("doorbell", "alarm")
    expect(control_names(), before, "controls")
    expect(source(daemon, "doorbell")["category"], "alarm", "category")
    expect(sorted(one["name"] for one in daemon.status()["sources"]), sorted(listed), "sources")
    bell.close()
    is_back = lambda: source(daemon, "doorbell")["category"] == "alert"  # noqa: E731
    wait_until("the source is back", is_back, 2000)
    expect(control_names(), before, "controls")
    expect(is_published("doorbell"), True, "players find it")


# --- Programs that know nothing of sessions -------------------------------------------------------


def loudest(recording):
    """The loudest window of the last 100 ms in dB."""
    try:
        return max(recording.levels()[-20:], default=sound.SILENCE)
    except StopIteration:  # a window whose moment is not noted yet
        return sound.SILENCE


def run(*arguments):
    return tactus("run", *arguments, check=False)


@scenario("virtual-device")
def exit_codes_are_passed_on():
    """`tactus run` ends as its program does; 125, 126 and 127 are its own."""
    start_daemon()
    for code, *command in (
        (0, "true"), (1, "false"), (7, "sh", "-c", "exit 7"), (137, "sh", "-c", "kill -9 $$"),
        (127, "/no/such/program"), (126, "/etc/passwd"),
    ):
        done = run("--category", "alert", "--", *command)
        expect(done.returncode, code, f"exit code of {command}: {done.stderr}")
    done = run("--", "true")
    expect(done.returncode, 125, "exit code without a category")
    expect("alarm" in done.stderr and "which category" in done.stderr, True, done.stderr)
    expect(run("--category", "loud", "--", "true").returncode, 125, "exit code of no category")


@scenario("virtual-device", time_travel=True)
def a_program_is_a_session():
    """`aplay` is heard as an alert, silent under an alarm, heard again, and ended when asked to."""
    daemon = start_daemon()
    with open("/run/tone.raw", "wb") as file:
        file.write(sound.sine(30, decibels=-6).tobytes())
    with sound.Recording() as recording:
        player = subprocess.Popen(
            [program("tactus"), "run", "--category", "playback", "--stop-after", "2", "--",
             "aplay", *sound.FORMAT, "/run/tone.raw"])
        wait_until("it is heard", lambda: loudest(recording) > -60, 5000, 50)
        expect(source(daemon, "aplay")["state"], "playing", "state of the session")
        clock = Session("clock2", "alarm")
        clock.call("Activate")
        clock.call("SetPlaying", "b", True)
        sleep_ms(500)
        expect(set(recording.levels()[-10:]), {sound.SILENCE}, "levels under the alarm")
        expect(player.poll(), None, "exit code while it is silent")
        clock.close()
        wait_until("it is heard again", lambda: loudest(recording) > -60, 3000, 50)
        clock = Session("clock2", "alarm")
        clock.call("Activate")
        clock.call("SetPlaying", "b", True)
        began = time.monotonic()
        player.wait(10)
        expect_between(time.monotonic() - began, 1.9, 4, "seconds until its end")
    wait_until("its session is gone", lambda: source(daemon, "aplay") is None, 2000, 20)


@scenario("virtual-device")
def an_alarm_is_never_lost():
    """Without a daemon an alarm plays on the card and says so; other sounds do not play."""
    start_bus()
    with open("/run/tone.raw", "wb") as file:
        file.write(sound.sine(1, decibels=-6).tobytes())
    play = ["--", "aplay", *sound.FORMAT, "/run/tone.raw"]
    os.makedirs("/etc/tactus", exist_ok=True)
    with open("/etc/tactus/tactus.yaml", "w") as file:
        file.write("board: virtual-device\n")
    began = time.monotonic()
    with sound.Recording() as recording:
        done = run("--category", "alarm", *play)
        expect(done.returncode, 0, f"exit code of the alarm: {done.stderr}")
        expect("alarm is not lost" in done.stderr, True, done.stderr)
        expect(max(recording.levels()) > -10, True, "the alarm is heard")
    expect_between(time.monotonic() - began, 1, 5, "seconds")
    expect(run("--category", "alert", *play).returncode, 125, "exit code of an alert")


# --- Programs that misbehave ----------------------------------------------------------------------


class Session:
    """A session of a peer of its own, or of one that has others."""

    def __init__(self, name, category, options=None, bus=None):
        self.bus = bus or dbus.bus.BusConnection(dbus.bus.BusConnection.TYPE_SYSTEM)
        # The daemon is ready before the bus has given it its name.
        wait_until("the service is there", lambda: self.bus.name_has_owner("org.tactus1"))
        held, self.path = self.bus.call_blocking(
            "org.tactus1", "/org/tactus1", "org.tactus1.Manager", "OpenSession", "ssa{sv}",
            (name, category, options or {}))
        self.held = held.take()

    def call(self, method, signature="", *arguments):
        return self.bus.call_blocking(
            "org.tactus1", self.path, "org.tactus1.Session", method, signature, arguments)

    def close(self):
        os.close(self.held)


def refusal(function, *arguments):
    """The last word of the error's name; fails when there is none."""
    try:
        answer = function(*arguments)
    except dbus.DBusException as error:
        return error.get_dbus_name().split(".")[-1]
    raise AssertionError(f"not refused: {answer}")


@scenario("virtual-device")
def bad_calls_are_named_errors():
    """SES-1, SES-12 Whatever a program does wrong has a name, and changes nothing."""
    daemon = start_daemon()
    radio = Session("radio", "playback")
    radio.call("Activate")
    radio.call("SetPlaying", "b", True)
    before = [{**one, "gainDecibels": 0} for one in daemon.status()["sources"]], control_names()
    strings = dbus.Array(["duck-others"], signature="s")
    for name, arguments in (
        ("InvalidArgument", ("a" * 31, "playback")),
        ("InvalidArgument", ("a,b", "playback")),
        ("InvalidArgument", ("bell", "loud")),
        ("InvalidArgument", ("bell", "alert", {"volume": dbus.Double(0)})),
        ("NotAllowed", ("bell", "alert", {"options": strings})),
        ("GainAboveZero", ("bell", "alert", {"gain": dbus.Double(0.5)})),
        ("NameInUse", ("radio", "alert")),
    ):
        expect(refusal(Session, *arguments), name, f"OpenSession{arguments}")
    other = Session("other", "ambient")
    other.path = radio.path
    expect(refusal(other.call, "Activate"), "NotYourSession", "another one's session")
    other.path = "/org/tactus1/session/999"
    expect(refusal(other.call, "Activate"), "NoSuchSession", "a session that never was")
    other.close()
    for name, *arguments in (
        ("NotAllowed", "SetMode", "s", "voiceChat"),
        ("InvalidArgument", "SetMode", "s", "loud"),
        ("InvalidArgument", "SetGain", "d", float("nan")),
        ("GainAboveZero", "SetGain", "d", 0.01),
        ("InvalidArgument", "SetOptions", "as", ["mix"]),
        ("InvalidArgument", "SetCommands", "as", ["eject"]),
        ("InvalidArgs", "SetGain", "s", "loud"),
        ("UnknownMethod", "Explode"),
    ):
        expect(refusal(radio.call, *arguments), name, f"{arguments}")
    wait_until("the others are gone", lambda: source(daemon, "other") is None, 2000, 20)
    sleep_ms(200)
    after = [{**one, "gainDecibels": 0} for one in daemon.status()["sources"]], control_names()
    expect(after, before, "sources and controls")
    radio.close()
    wait_until("the radio is gone", lambda: source(daemon, "radio") is None, 2000, 20)
    expect(refusal(radio.call, "Activate"), "NoSuchSession", "a session that has ended")


@scenario("virtual-device")
def there_are_so_many_places():
    """SES-12 8 of one peer, 28 of all but alarms and calls, then 32; what ends makes room."""
    daemon = start_daemon()
    configured = len(daemon.status()["sources"])
    buses = [dbus.bus.BusConnection(dbus.bus.BusConnection.TYPE_SYSTEM) for _ in range(5)]
    held = [Session(f"s{n}", "ambient", bus=buses[0]) for n in range(8)]
    expect(refusal(Session, "s8", "ambient", None, buses[0]), "TooManySessions", "9th of a peer")
    held += [Session(f"s{n}", "ambient", bus=buses[n // 8]) for n in range(8, 28 - configured)]
    expect(refusal(Session, "more", "ambient"), "TooManySessions", "one more that is no alarm")
    held += [Session(f"alarm{n}", "alarm", bus=buses[4]) for n in range(4)]
    expect(refusal(Session, "more", "alarm"), "TooManySessions", "the 33rd")
    held.pop().close()
    held.append(Session("more", "alarm"))
    expect(len(daemon.status()["sources"]), 32, "sources")


def figures(daemon):
    """How many descriptors the daemon has, and how much memory of its own in KB: without the trace,
    a file that fills."""
    with open(f"/proc/{daemon.pid}/status") as file:
        memory = int(re.search(r"RssAnon:\s+(\d+)", file.read()).group(1))
    return len(os.listdir(f"/proc/{daemon.pid}/fd")), memory


@scenario("virtual-device", time_travel=True, timeout_s=300)
def nothing_leaks():
    """SES-12 Sessions that are opened and closed leave no descriptor, memory or control behind."""
    daemon = start_daemon()
    before = control_names()
    bus = dbus.bus.BusConnection(dbus.bus.BusConnection.TYPE_SYSTEM)

    def cycle(number):
        session = Session(f"s{number % 11}", "alert", bus=bus)
        session.call("Activate")
        session.close()

    for number in range(500):
        cycle(number)
    descriptors, memory = figures(daemon)
    for number in range(CYCLES):
        cycle(number)
    sleep_ms(500)
    now = figures(daemon)
    expect_between(now[0], 0, descriptors, "descriptors of the daemon")
    expect_between(now[1], 0, memory + MEMORY_KB, "memory of the daemon in KB")
    wait_until("all controls are gone", lambda: control_names() == before, 2000, 20)


FLOOD = """
import sys, time
sys.path[:0] = sys.argv[1:]
import dbus.lowlevel
from sessions import Session
loud = Session("loud", "playback")
message = dbus.lowlevel.MethodCallMessage(
    "org.tactus1", loud.path, "org.tactus1.Session", "SetPlaying")
message.append(True)
message.set_no_reply(True)
while True:
    for _ in range(100):
        loud.bus.send_message(message)
    loud.bus.flush()
    time.sleep(0.01)
"""


@scenario("virtual-device", time_travel=True, timeout_s=120)
def a_flood_stands_in_nobodys_way():
    """10,000 calls a second from one program: another one's are answered, and every tick is run."""
    daemon = start_daemon()
    quiet = Session("quiet", "playback")
    late = daemon.status()["late"]
    inside = os.path.dirname(os.path.abspath(__file__))
    flood = subprocess.Popen([sys.executable, "-c", FLOOD, inside, os.path.dirname(inside)])
    wait_until("the flood has begun", lambda: source(daemon, "loud"), 5000, 20)
    times = []
    for _ in range(100):
        start = time.monotonic()
        quiet.call("SetPlaying", "b", True)
        times.append((time.monotonic() - start) * 1000)
        sleep_ms(20)
    expect(flood.poll(), None, "exit code of the flood")
    flood.kill()
    flood.wait()
    expect_between(max(times), 0, 30, "longest time to an answer in ms")
    expect(daemon.status()["late"], late, "late ticks")
    wait_until("the flood's session is gone", lambda: source(daemon, "loud") is None, 5000, 20)
