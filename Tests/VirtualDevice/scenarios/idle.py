# SPDX-License-Identifier: Apache-2.0
"""What the daemon costs while nothing happens, and what it remembers of what happened."""

from device import expect, expect_between, gpio, scenario, sleep_ms, sound, start_daemon, tactus
from fitted import boards, start_with_sound, this_board


def wakes(pid):
    """How often a process has been woken: every time that it slept, it was."""
    with open(f"/proc/{pid}/status") as file:
        for line in file:
            if line.startswith("voluntary_ctxt_switches"):
                return int(line.split()[1])


def memory_kib(pid):
    """Resident and private memory of a process."""
    with open(f"/proc/{pid}/smaps_rollup") as file:
        fields = dict(line.split(":") for line in file.read().splitlines()[1:])
    number = lambda name: int(fields[name].split()[0])  # noqa: E731
    return number("Rss"), number("Private_Clean") + number("Private_Dirty")


@scenario(*boards(), time_travel=True)
def an_idle_device_sleeps():
    """T-6 With nothing playing there is no wake-up in 50 s, and in an hour the watchdog's only."""
    daemon = start_daemon()
    sleep_ms(15_000)
    before = wakes(daemon.pid)
    sleep_ms(40_000)
    expect_between(wakes(daemon.pid) - before, 0, 1, "wake-ups in 40 s")
    before = wakes(daemon.pid)
    sleep_ms(3_600_000)
    expect_between(wakes(daemon.pid) - before, 55, 65, "wake-ups in an hour")


@scenario("virtual-device", time_travel=True)
def a_playing_device_is_only_audited():
    """T-6 While music plays, the wake-ups are those of the audit, every 500 ms."""
    daemon, _ = start_with_sound(this_board())
    sleep_ms(2000)
    before = wakes(daemon.pid)
    sleep_ms(10_000)
    expect_between(wakes(daemon.pid) - before, 15, 25, "wake-ups in 10 s of music")


@scenario("hifiberry-dacplus", time_travel=True)
def what_is_missing_is_looked_for_ever_more_rarely():
    """RTE-8 A line that stays busy is asked for with back-off: at most once a minute in the end."""
    board = this_board()
    taken = gpio.hold(board.line("volume-up"), "another")
    daemon = start_daemon()
    sleep_ms(300_000)
    before = wakes(daemon.pid)
    sleep_ms(600_000)
    expect_between(wakes(daemon.pid) - before, 8, 25, "wake-ups in 10 min")
    taken.close()


@scenario("virtual-device")
def memory_is_bounded():
    """The daemon is resident with at most 5 MB, and keeps at most 1 MB for itself."""
    daemon, _ = start_with_sound(this_board())
    for percent in (30, 60, 20, 50):
        tactus("set", "volume", f"{percent}%")
    resident, private = memory_kib(daemon.pid)
    expect_between(resident, 500, 5 * 1024, "KiB resident")
    expect_between(private, 100, 1024, "KiB private")


@scenario("virtual-device", time_travel=True)
def the_trace_replays_to_the_same():
    """A busy session, kept in the trace, replays to exactly what happened."""
    board = this_board()
    daemon, _ = start_with_sound(board)
    knob = board.input("knob")
    for _ in range(5):
        board.press("volume-up", hold_ms=700)
        gpio.turn(knob["a"], knob["b"], -3)
        board.press("mute")
        board.set("silent-switch", True)
        tactus("set", "volume", "30%")
        board.set("headphone-detect", True)
        sleep_ms(400)
        with sound.Playing(pcm="tactus:doorbell", seconds=1):
            sleep_ms(200)
        board.press("volume-up")
        board.set("silent-switch", False)
        board.set("headphone-detect", False)
        sleep_ms(1500)
        gpio.play_trace(board.line("volume-down"), [(at, at % 2) for at in range(41)])
        sleep_ms(200)
    done = tactus("replay", "/run/tactus/trace", check=False)
    expect(done.returncode, 0, f"exit code of replay, {done.stdout}{done.stderr}")
    daemon.stop()
    expect(tactus("replay", "/run/tactus/trace", check=False).returncode, 0, "exit code afterwards")
