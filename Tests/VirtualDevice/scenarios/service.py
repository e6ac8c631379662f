# SPDX-License-Identifier: Apache-2.0
"""The daemon as a service: its bus, its signals, its configuration, its end."""

import json
import os
import signal
import subprocess
import time

from device import (
    alsa,
    expect,
    expect_between,
    gpio,
    program,
    scenario,
    sleep_ms,
    start_bus,
    start_daemon,
    tactus,
    wait_until,
)
from fitted import FIRST_LEVEL, STEP, start_with_sound, this_board

SETTINGS = "/etc/tactus/tactus.yaml"
SOCKET = "/run/dbus/system_bus_socket"


def settings(text):
    os.makedirs("/etc/tactus", exist_ok=True)
    with open(SETTINGS, "w") as file:
        file.write(text)


def stop_bus():
    """Ends the system bus, as its service manager would."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline") as file:
                if file.read().startswith("dbus-daemon"):
                    os.kill(int(pid), signal.SIGTERM)
        except FileNotFoundError:
            pass
    if os.path.exists(SOCKET):
        os.unlink(SOCKET)
    sleep_ms(50)


def busctl(method, signature="", *arguments):
    """Calls a method as any program on the bus may."""
    command = ["busctl", "call", "org.tactus1", "/org/tactus1", "org.tactus1.Manager", method]
    return subprocess.run(
        [*command, *([signature] if signature else []), *map(str, arguments)],
        capture_output=True, text=True)


@scenario("hifiberry-dacplus", time_travel=True)
def without_a_bus_the_device_works():
    """Without a bus at the start the buttons work; when it comes, and again after it restarted, the
    service is there."""
    board = this_board()
    daemon = start_daemon(bus=False)
    output = board.outputs[0]
    wait_until("the output is open", lambda: not output.is_off(), 3000)
    sleep_ms(500)
    board.press("volume-up")
    output.volume().wait((output.raw(FIRST_LEVEL + STEP),) * 2, 500)
    for _ in range(2):
        start_bus()
        answers = lambda: tactus("status", "--json", check=False).returncode == 0  # noqa: E731
        wait_until("the service is there", answers, 70_000, 200)
        expect_between(daemon.status()["level"], 0.4624, 0.4626, "level")
        stop_bus()
        board.press("volume-up")
        board.press("volume-down")
        output.volume().wait((output.raw(FIRST_LEVEL + STEP),) * 2, 500)
    told = [line for line in daemon.messages().splitlines() if "bus:" in line]
    expect_between(len(told), 3, 6, f"messages about the bus {told}")
    expect(daemon.stop(), 0, "exit code")
    expect(output.is_off(), True, "off after the end")


@scenario("virtual-device", time_travel=True)
def a_watcher_sees_where_a_fade_ends():
    """SIL-9 The last line of `tactus watch --json` has the gain at rest, and no line comes on the
    way to it."""
    _, output = start_with_sound(this_board())
    with open("/tmp/watched", "w") as file:
        watcher = subprocess.Popen([program("tactus"), "watch", "--json"], stdout=file)
    tactus("set", "mute", "on")
    sleep_ms(2000)
    tactus("set", "mute", "off")
    sleep_ms(100)
    tactus("set", "ringer", "50%")  # told in the middle of the fade
    sleep_ms(2000)
    watcher.terminate()
    watcher.wait()
    with open("/tmp/watched") as file:
        lines = [json.loads(line) for line in file]
    gain = output.volume().decibels()[0]
    expect_between(lines[-1]["routes"][0]["gainDecibels"], gain - 0.01, gain + 0.01, "last gain")
    expect_between(len(lines), 3, 8, "lines")


@scenario("hifiberry-dacplus", time_travel=True)
def bad_calls_change_nothing():
    """Wrong arguments are answered with a named error, and nothing has changed."""
    daemon, output = start_with_sound(this_board())
    before = daemon.status(), output.volume().read()
    refusals = [
        ("InvalidArgument", "SetLevel", "sd", "system", "nan"),
        ("InvalidArgument", "SetLevel", "sd", "system", 1.5),
        ("InvalidArgument", "SetLevel", "sd", "system", -0.1),
        ("InvalidArgument", "SetLevel", "sd", "loudness", 0.5),
        ("InvalidArgument", "SetGain", "sd", "system", "inf"),
        ("InvalidArgument", "Step", "si", "system", 1000),
        ("InvalidArgument", "SetBalance", "i", -200),
        ("InvalidArgument", "Press", "su", "mute", 4_000_000_000),
        ("NoSuchRoute", "SetRoute", "s", "moon"),
        ("NoSuchRoute", "SetRoute", "s", ""),
        ("NoSuchSource", "Play", "s", "nobody"),
        ("NoSuchControl", "Press", "su", "eject", 0),
        ("NotOnThisDevice", "Turn", "si", "knob", 1),
        ("RefusedByHardwareSwitch", "SetSilent", "b", "true"),
    ]
    for name, method, signature, *arguments in refusals:
        done = subprocess.run(
            ["dbus-send", "--system", "--print-reply", "--dest=org.tactus1", "/org/tactus1",
             f"org.tactus1.Manager.{method}",
             *(f"{WORDS[kind]}:{value}" for kind, value in zip(signature, arguments))],
            capture_output=True, text=True)
        expect(f"org.tactus1.Error.{name}" in done.stderr, True, f"{method} {arguments}: {done}")
    wrong = busctl("SetLevel", "s", "system")
    expect((wrong.returncode != 0, wrong.stdout), (True, ""), "a call of another signature")
    unknown = busctl("Explode")
    expect("nknown" in unknown.stderr, True, f"an unknown method: {unknown.stderr}")
    sleep_ms(300)
    after = daemon.status(), output.volume().read()
    for key in ("level", "ringer", "muted", "route", "balance", "silentSwitch", "reasons"):
        expect(after[0][key], before[0][key], key)
    expect(after[1], before[1], "raw value")


WORDS = {"s": "string", "d": "double", "i": "int32", "u": "uint32", "b": "boolean"}


@scenario("hifiberry-dacplus", time_travel=True)
def a_reload_keeps_the_last_good_configuration():
    """SIGHUP with a wrong file changes nothing and names the mistake; with a right one, no
    click."""
    board = this_board()
    settings("max-level: 90 %\n")
    daemon, output = start_with_sound(board)
    volume, switch = output.volume(), output.switch()
    with alsa.Watch(volume) as watch, alsa.Watch(switch) as switch_watch:
        settings("max-level: 60\nmax-levle: 50 %\n")
        daemon.signal(signal.SIGHUP)
        daemon.wait_notification("RELOADING=1", 1000)
        daemon.wait_notification("READY=1", 1000)
        named = [line for line in daemon.messages().splitlines() if f"{SETTINGS}:" in line]
        expect([f"{SETTINGS}:1:" in named[0], f"{SETTINGS}:2:" in named[1]], [True, True], named)
        expect("max-level" in named[1], True, "the nearest right key is named")
        expect([value for value, _ in watch.collect(300)], [volume.read()], "raw values")
        settings("max-level: 50 %\n")
        daemon.signal(signal.SIGHUP)
        daemon.wait_notification("READY=1", 1000)
        expect([value for value, _ in watch.collect(300)], [volume.read()], "raw values: no click")
        tactus("set", "volume", "80%")
        volume.wait((output.raw(0.5),) * 2, 1000)
        settings("max-level: 30 %\n")
        daemon.signal(signal.SIGHUP)
        volume.wait((output.raw(0.3),) * 2, 1000)
        expect(len(switch_watch.collect(100)), 1, "values of the switch")
    expect(daemon.status()["level"], 0.3, "level")


@scenario("virtual-device", "hifiberry-dacplus", roots=("host", "debian13"), time_travel=True)
def sigterm_silences_and_persists():
    """SIGTERM fades, switches off, keeps the level, and ends with 0; with it goes `tactus:`."""
    board = this_board()
    daemon, output = start_with_sound(board)
    tactus("set", "volume", "25%")
    output.volume().wait(lambda value: value[0] == output.raw(0.25), 1000)
    amplifier = output.amplifier.get("line")
    expect(os.path.exists("/run/tactus/asound.conf"), True, "players find tactus:")
    expect(daemon.stop(), 0, "exit code")
    expect(output.is_off(), True, "off")
    if amplifier:
        expect(gpio.value(amplifier), 0, "amplifier line")
    expect(os.path.exists("/run/tactus/asound.conf"), False, "players find tactus: after the end")
    with open("/var/lib/tactus/state") as file:
        expect(f"level-{output.name} 2500\n" in file.read(), True, "the level is kept")


MISTAKES = """name: wrong
title: Wrong
status: verified
chip: pinctrl-bcm2711
card: sndrpihifiberry
i2s: playback
inputs:
  - role: volume-up
    line: 18
  - role: volume-down
    line: 29
  - role: mute
    line: 22
    bias: pull-upp
  - role: silent-switch
    line: 22
    debounce: 10
routes:
  - name: line
    volume:
      control: Digital Playback Volume
    mute: Digital Playback Switch
"""


@scenario("hifiberry-dacplus", time_travel=True)
def a_wrong_board_is_refused_with_every_mistake():
    """A wrong board ends with 78 and every mistake in its place; --lenient starts what is right."""
    with open("/run/wrong.yaml", "w") as file:
        file.write(MISTAKES)
    start_bus()
    done = subprocess.run(
        [program("tactusd"), "--board", "/run/wrong.yaml"], capture_output=True, text=True)
    expect(done.returncode, 78, f"exit code, having said {done.stderr}")
    for line in (9, 11, 14, 16, 17):
        expect(f"/run/wrong.yaml:{line}:" in done.stderr, True, f"line {line} in {done.stderr}")
    expect("BCM 5" in done.stderr or "BCM5" in done.stderr, True, "the BCM number of pin 29")
    output = this_board().outputs[0]
    expect(output.volume().is_locked(), False, "nothing is held")
    daemon = start_daemon("--board", "/run/wrong.yaml", "--lenient")
    wait_until("the output is open", lambda: not output.is_off(), 3000)
    expect(daemon.status()["board"], "wrong", "board")


@scenario("hifiberry-dacplus")
def wrong_usage_is_64_and_an_unknown_board_78():
    """Exit codes: wrong usage 64, a board that there is not 78 with the names that there are."""
    for arguments, code, words in (
        (["--bored", "x"], 64, "--bored"),
        (["--tick", "50"], 64, "1 to 20"),
        (["--board", "hifiberry-dacplsu"], 78, "hifiberry-dacplus"),
        (["--board", "/nowhere.yaml"], 78, "/nowhere.yaml"),
    ):
        done = subprocess.run([program("tactusd"), *arguments], capture_output=True, text=True)
        expect(done.returncode, code, f"exit code of {arguments}, {done.stderr}")
        expect(words in done.stderr, True, f"{words} in {done.stderr}")
    done = tactus("status", check=False)
    expect(done.returncode, 69, "exit code without a daemon")


@scenario("hifiberry-dacplus", time_travel=True)
def the_wall_clock_does_not_matter():
    """T-3 A clock that is set a year on, or back, while a button is held makes no repeat more."""
    board = this_board()
    daemon, _ = start_with_sound(board)
    board.set("volume-down", True)
    sleep_ms(450)
    for moment in (time.time() + 365 * 86400, 86400):
        time.clock_settime(time.CLOCK_REALTIME, moment)
        sleep_ms(100)
    board.set("volume-down", False)
    sleep_ms(300)
    level = FIRST_LEVEL - 4 * STEP  # at 0, 400, 500 and 600 ms
    expect_between(daemon.status()["level"], level - 1e-4, level + 1e-4, "level")


@scenario("hifiberry-dacplus")
def a_late_wake_reads_the_truth():
    """T-3 Held up for 2 s while a button was let go and a switch moved, the daemon finds both
    so."""
    board = this_board()
    daemon, output = start_with_sound(board)
    board.set("volume-up", True)
    sleep_ms(100)
    daemon.signal(signal.SIGSTOP)
    board.set("volume-up", False)
    board.set("silent-switch", True)
    sleep_ms(2000)
    daemon.signal(signal.SIGCONT)
    daemon.wait_status("the switch is on", lambda said: said["silentSwitch"]["on"], 3000)
    sleep_ms(300)
    level = daemon.status()["level"]
    expect_between(level, FIRST_LEVEL, FIRST_LEVEL + 2 * STEP + 1e-4, "level")
    sleep_ms(700)
    expect(daemon.status()["level"], level, "level later: nothing repeats")
    expect(output.is_off(), False, "off")


@scenario("virtual-device", time_travel=True)
def the_power_button_ends_it():
    """CTL-7 Power held for 2 s: silent, persisted, and the machine is asked to switch off."""
    board = this_board()
    daemon, output = start_with_sound(board)
    board.press("power", hold_ms=1500)
    sleep_ms(500)
    expect((daemon.process.poll(), output.is_off()), (None, False), "exit code, off: too short")
    tactus("set", "volume", "25%")
    board.press("power", hold_ms=2300)
    expect(daemon.process.wait(5), 0, "exit code")
    expect(output.is_off(), True, "off")
    with open("/var/lib/tactus/state") as file:
        expect(f"level-{output.name} 2500\n" in file.read(), True, "the level is kept")
    told = [line for line in daemon.messages().splitlines() if "power:" in line]
    expect(len(told), 1, f"messages of a machine without logind {told}")


@scenario("hifiberry-dacplus", time_travel=True)
def the_trace_is_kept_on_request():
    """SIGUSR1 keeps the trace of the last ticks beside the state."""
    daemon, _ = start_with_sound(this_board())
    daemon.signal(signal.SIGUSR1)
    kept = "/var/lib/tactus/trace-request"
    wait_until("the trace is kept", lambda: os.path.exists(kept), 1000)
    expect_between(os.path.getsize(kept), 1000, 10_000_000, "bytes")


@scenario("hifiberry-dacplus", time_travel=True)
def who_may_do_what():
    """VOL-10 Everyone may look; only group tactus, and no player of group audio, sets the
    volume."""
    daemon, output = start_with_sound(this_board())
    before = output.volume().read()

    def as_group(group, *words):
        who = ["setpriv", "--reuid=65534", "--clear-groups", f"--regid={group}"]
        return subprocess.run([*who, program("tactus"), *words], capture_output=True, text=True)

    for group in ("nogroup", "audio"):
        expect(as_group(group, "status").returncode, 0, f"exit code of looking, group {group}")
        refused = as_group(group, "set", "volume", "90%")
        expect((refused.returncode, refused.stdout), (69, ""), f"{refused.stderr}, group {group}")
        expect("group tactus" in refused.stderr, True, f"the next step in {refused.stderr!r}")
    expect(output.volume().read(), before, "raw value")
    expect(as_group("tactus", "set", "volume", "50%").returncode, 0, "exit code, group tactus")
    expect(daemon.status()["level"], 0.5, "level")


@scenario("hifiberry-dacplus", time_travel=True)
def there_is_one_of_it():
    """A second daemon on the same device is refused with the first one's number, and moves
    nothing."""
    daemon, output = start_with_sound(this_board())
    with alsa.Watch(output.volume()) as volume, alsa.Watch(output.switch()) as switch:
        second = subprocess.run(
            [program("tactusd"), "--board", this_board().name], capture_output=True, text=True)
        expect((second.returncode, second.stdout), (1, ""), f"exit code, output, {second.stderr}")
        expect(str(daemon.pid) in second.stderr, True, f"the first one's number in {second.stderr}")
        expect(len(volume.collect(300)) + len(switch.collect(10)), 2, "values of both controls")
    daemon.kill()
    start_daemon()


@scenario("hifiberry-dacplus", time_travel=True)
def the_watchdog_is_fed():
    """T-6 An idle daemon feeds its watchdog twice in its time, and wakes for nothing else."""
    os.environ["WATCHDOG_USEC"] = "4000000"
    daemon = start_daemon()
    sleep_ms(5000)
    list(iter(daemon.next_notification, None))
    sleep_ms(20_000)
    fed = list(iter(daemon.next_notification, None))
    expect(set(fed), {"WATCHDOG=1"}, "what was said")
    expect_between(len(fed), 9, 11, "times it was fed in 20 s")
