# SPDX-License-Identifier: Apache-2.0
"""The header of the virtual device: contacts, edges, bias, busy lines, a chip that goes."""

import errno
import subprocess

from device import expect, expect_between, gpio, scenario, sleep_ms, wait_until

MS = 1_000_000  # nanoseconds


@scenario("virtual-device", time_travel=True)
def a_contact_gives_one_edge():
    """A contact that closes gives one edge, with its level, its number and its time."""
    with gpio.watch(17) as line:
        pulled = gpio.pull(17, 1)
        at, level, sequence = line.edge(timeout_ms=100)
        expect(level, 1, "level after the edge")
        expect(sequence, 1, "sequence number")
        expect_between((at - pulled) / MS, 0, 1, "milliseconds from contact to edge")
        expect(line.edge(timeout_ms=20), None, "second edge")


@scenario("virtual-device", time_travel=True)
def a_trace_arrives_in_order():
    """A bouncing press, slower than the kernel's tick, arrives edge by edge."""
    with gpio.watch(17, gpio.PULL_UP) as line:
        gpio.play_trace(17, [(0, 0), (5, 1), (10, 0), (60, 1)])
        edges = [line.edge(timeout_ms=100) for _ in range(4)]
        expect([level for _, level, _ in edges], [0, 1, 0, 1], "levels")
        expect([sequence for _, _, sequence in edges], [1, 2, 3, 4], "sequence numbers")
        expect_between((edges[3][0] - edges[0][0]) / MS, 59, 61, "milliseconds from first to last")


@scenario("virtual-device", time_travel=True)
def a_knob_turns_both_ways():
    """A detent clockwise changes A first, one anticlockwise B, and both end where they began."""
    gpio.pull(23, 1)
    gpio.pull(24, 1)
    with gpio.watch(23) as a, gpio.watch(24) as b:
        for detents, first in ((1, a), (-1, b)):
            gpio.turn(23, 24, detents)
            edges = {line: [line.edge(timeout_ms=10) for _ in range(2)] for line in (a, b)}
            expect([level for _, level, _ in edges[a] + edges[b]], [0, 1, 0, 1], "levels")
            earlier = min(edges, key=lambda line: edges[line][0][0])
            expect(earlier is first, True, f"the right line changes first ({detents} detent)")


@scenario("virtual-device")
def a_contact_wins_over_bias():
    """A line that a contact holds low stays low under a pull-up; one without takes the bias."""
    gpio.pull(17, 0)
    with gpio.watch(17, gpio.PULL_UP) as held, gpio.watch(27, gpio.PULL_UP) as free:
        expect(gpio.value(17), 0, "held line")
        expect(gpio.value(27), 1, "free line")
        expect((held.edge(20), free.edge(20)), (None, None), "edges by the bias alone")


@scenario("virtual-device")
def a_driven_line_shows_its_owner():
    """The value of an output is what its owner drives, whatever is wired to it."""
    gpio.pull(5, 1)
    expect(gpio.value(5), 1, "before it is driven")
    with gpio.Line(5, "amplifier", gpio.OUTPUT):
        expect(gpio.value(5), 0, "while it is driven low")
    expect(gpio.value(5), 1, "after it was released")


@scenario("virtual-device")
def a_busy_line_names_its_consumer():
    """A held line is refused with EBUSY, and everybody can see who holds it."""
    with gpio.hold(8, "spi0 CS0"):
        try:
            gpio.watch(8)
            raise AssertionError("a busy line was given twice")
        except OSError as error:
            expect(error.errno, errno.EBUSY, "error")
        listing = subprocess.run(["gpioinfo"], capture_output=True, text=True, check=True).stdout
        expect("spi0 CS0" in listing, True, "the consumer is listed")
    gpio.watch(8).close()


@scenario("virtual-device")
def a_chip_can_go_and_return():
    """Without the chip an open line gets ENODEV; with the chip back it can be requested."""
    line = gpio.watch(17)
    gpio.remove_chip()
    try:
        line.edge(timeout_ms=1000)
        raise AssertionError("a line without its chip was read")
    except OSError as error:
        expect(error.errno, errno.ENODEV, "error")
    gpio.return_chip()
    wait_until("the chip is back", lambda: gpio.value(17) == 0)
    with gpio.watch(17) as line:
        gpio.pull(17, 1)
        expect(line.edge(timeout_ms=100)[1], 1, "level after the edge")


@scenario("hifiberry-dacplus", roots=("host", "debian13"))
def libgpiod_sees_edges():
    """libgpiod itself, 1.6 or 2.2, finds the chip by its label and sees a press and its release."""
    chips = subprocess.run(["gpiodetect"], capture_output=True, text=True, check=True).stdout
    expect("[pinctrl-bcm2711] (58 lines)" in chips, True, "the chip is detected")
    version = subprocess.run(["gpiomon", "--version"], capture_output=True, text=True).stdout
    new = "v1." not in version
    chip = gpio.chip_path()
    watched = ["--chip", chip, "17"] if new else [chip, "17"]
    monitor = subprocess.Popen(
        ["gpiomon", "--num-events=2", *watched], stdout=subprocess.PIPE, text=True
    )
    wait_until(
        "gpiomon holds the line",
        lambda: "gpiomon" in subprocess.run(["gpioinfo"], capture_output=True, text=True).stdout,
        timeout_ms=5000,
    )
    gpio.pull(17, 1)
    sleep_ms(20)
    gpio.pull(17, 0)
    seen = [line.lower() for line in monitor.communicate(timeout=5)[0].splitlines()]
    expect(["rising" in line for line in seen], [True, False], f"rising edges in {seen}")
