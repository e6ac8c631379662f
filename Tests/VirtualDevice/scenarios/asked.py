# SPDX-License-Identifier: Apache-2.0
"""Answers that programs and people ask for over D-Bus, and what the device tells of them."""

import subprocess

import dbus
from cards import board_file
from device import expect, program, scenario, sleep_ms, start_daemon, tactus, wait_until
from fitted import this_board
from sessions import Session, refusal

TYPES = ["success", "warning", "failure", "light", "medium", "heavy", "selection"]


def with_sounds():
    """The daemon on this board with sounds of its own, settled."""
    text = board_file(this_board().text, [("signals:\n", "signals:\n  - role: sounds\n")])
    daemon = start_daemon("--board", text)
    daemon.wait_status("it has started", lambda said: said["reasons"] == [])
    return daemon


class Peer:
    """A program on the bus."""

    def __init__(self):
        self.bus = dbus.bus.BusConnection(dbus.bus.BusConnection.TYPE_SYSTEM)
        wait_until("the service is there", lambda: self.bus.name_has_owner("org.tactus1"))

    def call(self, method, signature="", *arguments):
        return str(self.bus.call_blocking(
            "org.tactus1", "/org/tactus1", "org.tactus1.Manager", method, signature, arguments))

    def feedback(self, kind="light"):
        return self.call("PlayFeedback", "s", kind)

    def sound(self, name="light"):
        return self.call("PlaySystemSound", "s", name)


class Listener:
    """All that the device tells of events."""

    def __init__(self):
        match = "type='signal',interface='org.tactus1.Manager',member='Event'"
        self.process = subprocess.Popen(
            ["dbus-monitor", "--system", match], stdout=subprocess.PIPE, text=True)
        # Its own first messages say that it listens.
        for line in self.process.stdout:
            if "NameLost" in line:
                break

    def next(self):
        """Kind, object and text of the next event."""
        for line in self.process.stdout:
            if "member=Event" in line:
                words = [next(self.process.stdout).strip() for _ in range(4)]
                return tuple(word.split('"')[1] for word in words[1:])
        raise AssertionError("the bus has gone")

    def close(self):
        self.process.kill()
        self.process.wait()


def kinds(daemon):
    """What the last events are, with their words."""
    return [(event["kind"], event["text"]) for event in daemon.status()["events"]]


@scenario("virtual-device", time_travel=True)
def a_person_s_tool_is_answered():
    """FBK-2, FBK-8 Who has no session is a person's tool: each type is played, and told."""
    daemon = with_sounds()
    tool, listener = Peer(), Listener()
    for kind in TYPES:
        expect(tool.feedback(kind), "done", f"outcome of {kind}")
        expect(listener.next(), ("feedback", "", kind), "event")
        sleep_ms(1500)
    for name in TYPES:
        expect(tool.sound(name), "done", f"outcome of the sound {name}")
        expect(listener.next(), ("sound", "", name), "event")
        sleep_ms(1500)
    listener.close()
    expect(tool.call("PrepareFeedback"), "done", "outcome of preparing")
    expect(kinds(daemon)[-1], ("sound", "selection"), "the last event: to prepare is none")
    expect(tactus("feedback", "success").stdout, "", "output of tactus feedback")
    expect(tactus("sound").stdout.split(), TYPES, "sounds")
    expect(kinds(daemon)[-1], ("feedback", "success"), "the last event")


@scenario("virtual-device", time_travel=True)
def a_program_is_answered_while_it_is_in_front():
    """FBK-8 One with sessions is answered while one of them is active and in front, else refused
    by a name, and nothing is played."""
    daemon = with_sounds()
    peer = Peer()
    radio = Session("radio", "ambient", bus=peer.bus)

    def expect_refused(when):
        before = kinds(daemon)
        for call in (peer.feedback, peer.sound, lambda: peer.call("PrepareFeedback")):
            expect(refusal(call), "NotActive", f"error, {when}")
        played = [event for event in kinds(daemon) if event not in before]
        expect(played, [], f"events, {when}")

    expect_refused("not active")
    radio.call("Activate")
    expect(peer.feedback("medium"), "done", "outcome, active")
    radio.call("SetBackground", "b", True)
    expect_refused("in background")
    memo = Session("talk", "playback", bus=peer.bus)
    expect_refused("in background, and another one not active")
    memo.call("Activate")
    expect(peer.feedback("medium"), "done", "outcome, another one active")
    memo.call("Deactivate", "b", False)
    radio.call("SetBackground", "b", False)
    # What goes to background is inactive if it is ambient.
    radio.call("Activate")
    expect(peer.feedback("medium"), "done", "outcome, in front")
    expect(Peer().feedback("light"), "done", "outcome for a person's tool meanwhile")
    radio.close()
    memo.close()
    sleep_ms(100)
    expect(peer.feedback("medium"), "done", "outcome without sessions")


@scenario("virtual-device", time_travel=True)
def what_cannot_be_answered_has_a_name():
    """FBK-4, FBK-8 Unknown words and wrong types are errors that name what there is; a sound that
    would not be heard says so, and tactus says why."""
    daemon = with_sounds()
    tool = Peer()
    before = kinds(daemon)
    for name, error, call in (
        ("InvalidArgument", "success", lambda: tool.feedback("gong")),
        ("InvalidArgument", "selection", lambda: tool.feedback("")),
        ("NoSuchSound", "success", lambda: tool.sound("gong")),
        ("InvalidArgs", "", lambda: tool.call("PlayFeedback")),
        ("InvalidArgs", "", lambda: tool.call("PlayFeedback", "u", 1)),
        ("InvalidArgs", "", lambda: tool.call("PlaySystemSound", "ss", "light", "light")),
        ("InvalidArgs", "", lambda: tool.call("PrepareFeedback", "s", "light")),
    ):
        expect(refusal(call), name, "error")
        try:
            call()
        except dbus.DBusException as failure:
            message = failure.get_dbus_message()
        expect(error in message, True, f"{error} in {message}")
    expect(kinds(daemon), before, "events")
    unknown = tactus("sound", "gong", check=False)
    expect((unknown.returncode, "one of success, " in unknown.stderr), (64, True), unknown.stderr)
    this_board().set("silent-switch", True)
    daemon.wait_status("the switch is on", lambda said: said["silentSwitch"]["on"])
    sleep_ms(1000)
    expect(tool.sound("success"), "still-silent", "outcome under the silent switch")
    expect(tool.feedback("success"), "done", "outcome by light and motor under the silent switch")
    silent = tactus("sound", "success", check=False)
    expect((silent.returncode, silent.stdout), (1, ""), "exit code, output")
    expect("silent switch is on" in silent.stderr, True, silent.stderr)


@scenario("virtual-device", time_travel=True)
def equal_notices_are_one():
    """FBK-6 A button that is stuck twice within ten minutes is told and logged once, and counted;
    the notice says what to do."""
    board = this_board()
    daemon = start_daemon()
    daemon.wait_status("it has started", lambda said: said["reasons"] == [])
    listener = Listener()

    def stick():
        board.set("volume-down", True)
        sleep_ms(61_000)
        board.set("volume-down", False)
        sleep_ms(1000)
        return [event for event in daemon.status()["events"] if event["kind"] == "stuck"]

    (first,) = stick()
    (second,) = stick()
    expect((first["count"], second["count"]), (1, 2), "count")
    expect(second["tick"] > first["tick"], True, "the second one is the one that is kept")
    logged = [line for line in daemon.messages().splitlines() if "stuck" in line]
    expect(len(logged), 1, f"lines of the journal: {logged}")
    expect("look whether it is jammed" in logged[0], True, f"the next step in {logged[0]}")
    expect("(2 times)" in tactus("status").stdout, True, tactus("status").stdout)
    told = []
    # Both presses and both releases.
    while told.count("control") < 4:
        told.append(listener.next()[0])
    listener.close()
    expect(told.count("stuck"), 1, f"how often it was told in {told}")


@scenario("hifiberry-dacplus", time_travel=True)
def a_board_without_channels_says_so():
    """FBK-8 Where there is neither lamp, motor nor sound, that is the answer."""
    start_daemon()
    tool = Peer()
    expect(refusal(tool.feedback), "NotOnThisDevice", "error of feedback")
    expect(refusal(tool.sound), "NoSuchSound", "error of a sound")
    for code, verb in ((1, "feedback"), (64, "sound")):
        refused = tactus(verb, "light", check=False)
        expect((refused.returncode, refused.stdout), (code, ""), refused.stderr)
        expect("this device has none" in refused.stderr, True, refused.stderr)
    listed = tactus("sound", check=False)
    expect((listed.returncode, listed.stdout), (1, ""), listed.stderr)
    expect("has none of its own, write role: sounds" in listed.stderr, True, listed.stderr)


@scenario("virtual-device", time_travel=True)
def who_may_ask():
    """FBK-8 Who may play may also let the device answer; others may not."""
    with_sounds()

    def as_group(group, *words):
        who = ["setpriv", "--reuid=65534", "--clear-groups", f"--regid={group}"]
        return subprocess.run([*who, program("tactus"), *words], capture_output=True, text=True)

    for group, code in (("nogroup", 69), ("audio", 0), ("tactus", 0)):
        asked = as_group(group, "feedback", "light")
        expect(asked.returncode, code, f"exit code, group {group}, {asked.stderr}")
        asked = as_group(group, "sound", "light")
        expect(asked.returncode, code, f"exit code, group {group}, {asked.stderr}")
    expect(as_group("audio", "set", "volume", "90%").returncode, 69, "exit code of setting")
