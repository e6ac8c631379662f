# SPDX-License-Identifier: Apache-2.0
"""Faults as makers and engineers meet them, each planted in a device that is else well: `tactus
doctor` or `tactus test` names the thing, the cause and the next step, and nothing else.

Each scenario prints its row of a table; `run faults --verbose` shows all of them.
"""

import contextlib
import json
import os
import shutil
import subprocess
import threading

from cards import board_file
from device import (
    alsa,
    expect,
    gpio,
    program,
    scenario,
    sleep_ms,
    sound,
    start_daemon,
    tactus,
    wait_until,
)
from fitted import every_board, this_board
from wiring import CLOSED, OPEN, SILENT_SWITCH, VOLUME_UP

# A contact that is active so long after the start was not just touched.
START_MS = 11_000
KNOB_A, KNOB_B, NEXT = 5, 6, 18
CARD = "VirtualDevice"


# --- The doctor -----------------------------------------------------------------------------------


def findings(*options):
    """All findings of the doctor."""
    done = tactus("doctor", "--json", *options, check=False)
    expect(done.stderr, "", "messages of the doctor")
    found = json.loads(done.stdout)["findings"]
    failed = any(one["verdict"] == "fail" for one in found)
    expect(done.returncode, 1 if failed else 0, "exit code of the doctor")
    return found


def expect_one(fault, verdict, what, words, advice, *options):
    """The doctor finds one thing: this object, with these words of cause and advice."""
    problems = [one for one in findings(*options) if one["verdict"] != "ok"]
    shown = "\n".join(str(one) for one in problems)
    expect([(one["verdict"], one["object"]) for one in problems], [(verdict, what)], shown)
    only = problems[0]
    for word in words:
        expect(word in only["meaning"], True, f"{word!r} in {only['meaning']!r}")
    expect(advice in only["advice"], True, f"{advice!r} in {only['advice']!r}")
    row(fault, "doctor", f"{verdict} {what}: {only['meaning']} → {only['advice']}")


def row(fault, command, said):
    print(f"| {fault} | {command} | {said} |", flush=True)


def board_with(*replacements):
    """This board's file with changes."""
    return board_file(this_board().text, replacements)


def role_with(role, line, *settings):
    """The change of a board file that adds settings to a contact."""
    old = f"  - role: {role}\n    line: {line}\n    bias: pull-up\n"
    return old, old + "".join(f"    {setting}\n" for setting in settings)


def rename_card(identity, new):
    """Gives a card another id, as another order of plugging does."""
    number = alsa.card_ids().index(identity)
    with open(f"/sys/class/sound/card{number}/id", "w") as file:
        file.write(new)


# --- A device that is well ------------------------------------------------------------------------


@scenario(*every_board(), time_travel=True)
def a_healthy_device_has_no_finding():
    """Whatever the board, a device that is well has no warning but that of an unverified board."""
    start_daemon()
    sleep_ms(START_MS)
    problems = [one for one in findings() if one["verdict"] != "ok" and one["area"] != "board"]
    expect(problems, [], "what the doctor found")


@scenario("virtual-device", time_travel=True)
def a_healthy_device_in_use_has_no_finding():
    """Buttons pressed, a knob turned, music played: still nothing to say."""
    this = this_board()
    start_daemon()
    for _ in range(6):
        this.press("volume-up")
        gpio.turn(KNOB_A, KNOB_B, -1)
        sleep_ms(300)
    for level in (CLOSED, OPEN):
        gpio.pull(this.line("headphone-detect"), level)
        sleep_ms(1000)
    with sound.Playing(pcm="tactus:default", seconds=60):
        sleep_ms(2000)
        problems = [one for one in findings() if one["verdict"] != "ok"]
    expect(problems, [], "what the doctor found")


# --- Contacts -------------------------------------------------------------------------------------


@scenario("virtual-device", time_travel=True)
def wrong_polarity():
    """RTE-9 A button whose board file has the other level is pressed since the start."""
    path = board_with(role_with("volume-up", VOLUME_UP, "active: high"))
    start_daemon("--board", path)
    sleep_ms(START_MS)
    words = ["polarity", "active: high"]
    expect_one("wrong polarity", "fail", "volume-up", words, "active: low", "--board", path)


@scenario("virtual-device", time_travel=True)
def inverted_jack():
    """RTE-9 A socket that reads plugged since the start."""
    path = board_with(role_with("headphone-detect", 12, "active: high"))
    start_daemon("--board", path)
    sleep_ms(START_MS)
    words = ["plugged in since the start", "inverted"]
    expect_one("inverted jack", "warn", "headphone-detect", words, "active: low", "--board", path)


@scenario("virtual-device", time_travel=True)
def busy_line():
    """F37 A line that a driver holds is named with its holder."""
    with gpio.hold(VOLUME_UP, "spi0 CS0"):
        start_daemon()
        words = ["line 23", "spi0 CS0"]
        expect_one("busy line", "fail", "volume-up", words, "take the overlay")


@scenario("virtual-device", time_travel=True)
def floating_pin():
    """A line that nothing holds changes without end."""
    start_daemon()
    sleep_ms(1000)
    is_over = threading.Event()

    def float_about():
        level = CLOSED
        while not is_over.is_set():
            gpio.pull(NEXT, level)
            level = 1 - level
            sleep_ms(1)

    thread = threading.Thread(target=float_about)
    thread.start()
    try:
        sleep_ms(2500)
        expect_one("floating pin", "fail", "next", ["floats", "line 18"], "resistor")
    finally:
        is_over.set()
        thread.join()


@scenario("virtual-device", time_travel=True)
def stuck_button():
    """F09 A button that is held for more than a minute."""
    start_daemon()
    sleep_ms(1000)
    gpio.pull(NEXT, CLOSED)
    sleep_ms(61_000)
    expect_one("stuck button", "fail", "next", ["stuck", "60 s"], "jammed")


@scenario("virtual-device", time_travel=True)
def bounce_over_the_debounce_time():
    """A worn button whose bounce is longer than its debounce time counts several times."""
    start_daemon()
    sleep_ms(1000)
    for _ in range(3):
        gpio.play_trace(VOLUME_UP, [(0, 0), (3, 1), (18, 0), (120, 1), (123, 0), (138, 1)])
        sleep_ms(500)
    words = ["bounces", "10 ms", "several"]
    expect_one("bounce over the debounce time", "fail", "volume-up", words, "debounce: 20 ms")


@scenario("virtual-device", time_travel=True)
def wrong_detent_setting():
    """A knob of four transitions, which the board file takes for one of two."""
    old = "    push: 13\n"
    path = board_with((old, f"{old}    transitions-per-detent: 2\n"))
    start_daemon("--board", path)
    sleep_ms(1000)
    for detents in (1, -1) * 6:
        gpio.turn(KNOB_A, KNOB_B, detents)
        sleep_ms(300)
    words = ["1 of 4 states", "too often"]
    advice = "transitions-per-detent: 4"
    expect_one("wrong detent setting", "fail", "knob", words, advice, "--board", path)


# --- Cards and mixers -----------------------------------------------------------------------------


@scenario("virtual-device", time_travel=True)
def missing_control():
    """A control's name that the driver does not have."""
    path = board_with(("control: Speaker Playback Volume", "control: Speakers Playback Volume"))
    start_daemon("--board", path)
    words = ["Speakers Playback Volume", "nearest", "Speaker Playback Volume"]
    expect_one("missing control", "fail", "speaker", words, "tactus mixer", "--board", path)


@scenario("virtual-device", time_travel=True)
def swapped_cards():
    """F40 Two cards have exchanged their ids."""
    rename_card(CARD, "Elsewhere")
    rename_card("Loopback", CARD)
    rename_card("Elsewhere", "Loopback")
    start_daemon()
    expect_one("swapped cards", "fail", f"card {CARD}", ["swapped", "Loopback"], "card: Loopback")


@scenario("virtual-device", time_travel=True)
def wrong_card_id():
    """The card has another id than the board file says."""
    rename_card(CARD, f"{CARD}_1")
    start_daemon()
    words = ["not there", f"{CARD}_1"]
    expect_one("wrong card id", "fail", f"card {CARD}", words, f"card: {CARD}_1")


@scenario("virtual-device", time_travel=True)
def fixed_stage_at_minus_20():
    """VOL-11 A stage that must be at 0 dB is somewhere else."""
    start_daemon()
    sleep_ms(1000)
    stage = alsa.Card(CARD).control("Playback Volume")
    stage.write(next(raw for raw in range(stage.maximum) if stage.gain_of(raw) >= -20))
    words = ["−20.0 dB", "0.0 dB"]
    expect_one("fixed stage at −20 dB", "fail", "Playback Volume", words, "restart tactusd")


@scenario("virtual-device", time_travel=True)
def route_switch_off():
    """VOL-11 A switch on the way of the sound is off."""
    start_daemon()
    sleep_ms(1000)
    name = "Left Output Mixer PCM Playback Switch"
    alsa.Card(CARD).control(name).write(0)
    expect_one("route switch off", "fail", name, ["off", "must be at on"], "restart tactusd")


@scenario("virtual-device", time_travel=True)
def another_program_moves_the_mixer():
    """VOL-6 A program that writes the volume again and again is named."""
    start_daemon()
    sleep_ms(1000)
    volume = alsa.Card(CARD).control("Speaker Playback Volume")
    for raw in (90, 95, 100, 90):
        volume.write(raw)
        sleep_ms(400)
    words = ["Speaker Playback Volume", "python3", f"{os.getpid()}"]
    fault = "another process moving the mixer"
    expect_one(fault, "warn", "speaker", words, "own-mixer: true")


# --- Rights ---------------------------------------------------------------------------------------


@scenario("virtual-device", time_travel=True)
def no_permission():
    """The service's user may not open the lines."""
    tactus_user, audio = 999, 29
    for folder in ("/run/tactus", "/var/lib/tactus"):
        os.makedirs(folder, exist_ok=True)
        os.chown(folder, tactus_user, tactus_user)
    for name in os.listdir("/dev/snd"):
        with contextlib.suppress(IsADirectoryError):
            os.chown(f"/dev/snd/{name}", 0, audio)
            os.chmod(f"/dev/snd/{name}", 0o660)
    os.chmod(gpio.chip_path(), 0o600)
    who = [f"--reuid={tactus_user}", f"--regid={tactus_user}", f"--groups={audio}"]
    # Where that user finds it, which is not the repository.
    shutil.copy(program("tactus"), "/usr/bin/tactus")
    path = board_with()
    daemon = start_daemon("--board", path, through=["setpriv", *who], ready_ms=0)
    wait_until("it is on the bus", lambda: tactus("status", check=False).returncode == 0, 5000)
    daemon.wait_status("the route is there", lambda said: said["route"] == "speaker", 5000)
    words = ["tactusd runs as tactus", gpio.chip_path()]
    advice = "adduser tactus gpio"
    expect_one("no permission", "fail", "pinctrl-bcm2711", words, advice, "--board", path)


@scenario("virtual-device", time_travel=True)
def state_not_writable():
    """VOL-12 The state is on a file system that cannot be written."""
    os.makedirs("/var/lib/tactus", exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "none", "/var/lib/tactus"], check=True)
    start_daemon()
    words = ["/var/lib/tactus", "read-only"]
    expect_one("state not writable", "fail", "state", words, "remount,rw")


# --- What the doctor itself may not see -----------------------------------------------------------


def nobody_says(*options, groups=()):
    """What the doctor finds for a user without rights: {object: (verdict, meaning, advice)}."""
    rights = [f"--groups={','.join(groups)}"] if groups else ["--clear-groups"]
    who = ["setpriv", "--reuid=65534", "--regid=65534", *rights]
    path = board_with()
    done = subprocess.run(
        [*who, program("tactus"), "doctor", "--json", "--board", path, *options],
        capture_output=True,
        text=True,
    )
    expect(done.stderr, "", "messages of the doctor")
    found = json.loads(done.stdout)["findings"]
    return {one["object"]: (one["verdict"], one["meaning"], one["advice"]) for one in found}


@scenario("virtual-device", time_travel=True)
def nobody_is_told_what_could_not_be_seen():
    """A user without rights sees what the daemon tells; the rest is named as not seen, none as
    broken."""
    start_daemon("--board", board_with())
    os.chmod(gpio.chip_path(), 0o600)
    for name in os.listdir("/dev/snd"):
        os.chmod(f"/dev/snd/{name}", 0o600)
    found = nobody_says()
    problems = {name for name, (verdict, _, _) in found.items() if verdict != "ok"}
    chip = gpio.chip_path()
    expect(problems, {chip, f"card {CARD}", "card Loopback"}, f"{found}")
    for name in problems:
        verdict, meaning, advice = found[name]
        expect(verdict, "warn", f"verdict of {name}")
        expect("you may not open it" in meaning and "sudo" in advice, True, f"{name}: {meaning}")


@scenario("virtual-device", time_travel=True)
def without_the_daemon_lines_are_listened_to():
    """No daemon: that is the one failure, and every line is named with its level."""
    found = {one["object"]: one for one in findings("--board", this_board().name)}
    broken = [name for name, one in found.items() if one["verdict"] == "fail"]
    expect(broken, ["D-Bus", "tactusd"], f"{found}")
    expect("line 23, pull-up, off" in found["volume-up"]["meaning"], True, f"{found['volume-up']}")
    expect("opens at 48000 Hz" in found["PCM hw:Loopback,0"]["meaning"], True, "the PCM")
    gpio.pull(VOLUME_UP, CLOSED)
    found = {one["object"]: one for one in findings("--board", this_board().name)}
    expect(found["volume-up"]["verdict"], "warn", f"a button that is held: {found['volume-up']}")


@scenario("virtual-device", time_travel=True)
def a_bundle_has_everything_and_nothing_personal():
    """`--bundle`: one tar with what a report needs, without the names of machine and people."""
    with open("/proc/sys/kernel/hostname", "w") as file:
        file.write("annas-kitchen")
    with open("/etc/passwd", "a") as file:
        file.write("annabel:x:1007:1007::/home/annabel:/bin/sh\n")
    os.makedirs("/etc/tactus", exist_ok=True)
    with open("/etc/tactus/tactus.yaml", "w") as file:
        file.write(f"# by annabel for aa:bb:cc:00:11:22\nboard: {this_board().name}\n")
    start_daemon()
    tactus("doctor", "--bundle", "/run/report.tar")
    subprocess.run(["tar", "-xf", "/run/report.tar", "-C", "/run"], check=True)
    wanted = {
        "README.txt", "board.yaml", "cards.txt", "describe.json", "doctor.json", "doctor.txt",
        "journal.txt", "lines.json", "mixer.json", "settings.yaml", "trace", "versions.txt",
    }  # fmt: skip
    expect(set(os.listdir("/run/tactus-report")), wanted, "files of the report")
    for name in wanted - {"trace"}:
        with open(f"/run/tactus-report/{name}") as file:
            text = file.read()
        for personal in ("annas-kitchen", "annabel", "aa:bb:cc"):
            expect(personal in text, False, f"{personal} in {name}: {text}")
    with open("/run/tactus-report/settings.yaml") as file:
        expect(file.readline(), "# by <user> for <address>\n", "the settings' first line")
    done = tactus("doctor", "--bundle", "/nonexistent/report.tar", check=False)
    expect(("name a file that you may write" in done.stderr), True, done.stderr)


# --- What keeps a well device quiet ---------------------------------------------------------------


@scenario("virtual-device", time_travel=True)
def silent_switch_on():
    """SIL-1 The silent switch is on."""
    daemon = start_daemon()
    gpio.pull(SILENT_SWITCH, CLOSED)
    daemon.wait_status("the switch is on", lambda said: said["silentSwitch"]["on"])
    words = ["is on", "ringtones"]
    expect_one("silent switch on", "warn", "silent-switch", words, "move the switch")


@scenario("virtual-device", time_travel=True)
def soft_mute_on():
    """SIL-4 The device is muted."""
    start_daemon()
    tactus("set", "mute", "on")
    expect_one("soft mute on", "warn", "soft mute", ["muted"], "tactus set mute off")


@scenario("virtual-device", time_travel=True)
def level_0():
    """SIL-7 The volume is at 0."""
    start_daemon()
    tactus("set", "volume", "0%")
    expect_one("level 0", "warn", "level", ["speaker", "at 0"], "tactus set volume")


@scenario("virtual-device", time_travel=True)
def session_interrupted():
    """SES-2 An alarm has the floor."""
    daemon = start_daemon()
    tactus("play", "default")
    sleep_ms(500)
    tactus("play", "clock")
    what = "the music is interrupted"
    daemon.wait_status(what, lambda said: said["sources"][0]["state"] == "interrupted")
    expect_one("session interrupted", "warn", "default", ["clock", "alarm"], "tactus stop clock")
    why = tactus("why", "default").stdout
    expect("SES-2" in why and "clock" in why, True, f"rule and holder in {why!r}")
    row("session interrupted", "why", " ".join(why.split()))
