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


def memory_kib(pid, kind):
    """Memory of a process: `Rss` is all that it holds, `Anonymous` its own, in no file."""
    with open(f"/proc/{pid}/smaps_rollup") as file:
        for line in file:
            if line.startswith(f"{kind}:"):
                return int(line.split()[1])


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
    expect_between(wakes(daemon.pid) - before, 1, 62, "wake-ups in an hour")


@scenario(*boards(), time_travel=True)
def an_idle_device_holds_little():
    """Idle, the daemon holds 5 MB at most, libraries included, and 1 MB at most of its own."""
    daemon = start_daemon()
    sleep_ms(15_000)
    expect_between(memory_kib(daemon.pid, "Rss"), 1000, 5 * 1024, "KiB resident")
    expect_between(memory_kib(daemon.pid, "Anonymous"), 100, 1024, "KiB of its own")


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


@scenario("hifiberry-dacplus", time_travel=True)
def memory_is_bounded():
    """The daemon keeps at most 1 MB for itself, however long it has been busy."""
    board = this_board()
    daemon, _ = start_with_sound(board)
    kept = []
    for _ in range(18):
        for _ in range(30):
            board.press("volume-down")
            board.press("volume-up")
            tactus("status")
        kept.append(memory_kib(daemon.pid, "Anonymous"))
    expect_between(kept[-1], 100, 1024, f"KiB of its own, of {kept}")
    # The first events fill the lists that are kept for those who ask, and the allocator's gaps.
    expect_between(kept[-1] - kept[10], -64, 24, f"KiB more after half as much again, of {kept}")


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
