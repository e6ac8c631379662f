# SPDX-License-Identifier: Apache-2.0
"""What a scenario uses: the virtual device from inside.

A *scenario* is a function in scenarios/, marked with `@scenario`, that runs as root in a device of
its own: a kernel that has just booted, with the twin of one board. It acts from outside as a person
and other programs do (`gpio`, `alsa`, `sound`), starts the shipped programs, and says what must
hold:

    from device import alsa, expect, gpio, scenario, start_daemon

    @scenario("hifiberry-dacplus")
    def a_press_is_one_step():
        \"\"\"A bouncing press of volume up raises both channels by one step.\"\"\"
        daemon = start_daemon()
        …

The device is thrown away after the scenario, so nothing need be tidied up.
"""

import fcntl
import glob
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections import namedtuple

import yaml

import alsa
import gpio
import sound
import usb

__all__ = [
    "Daemon",
    "alsa",
    "chip_registers",
    "expect",
    "expect_between",
    "gpio",
    "scenario",
    "set_chip",
    "program",
    "sleep_ms",
    "sound",
    "start_bus",
    "start_daemon",
    "tactus",
    "unplug_card",
    "usb",
    "wait_until",
    "write_register",
    "board",
    "complete_twin",
    "repository",
]

repository = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# A directory for each chip on the virtual I2C bus; virtual-codec.c says what is in it.
CHIPS = "/sys/kernel/debug/tactus"
I2C_SLAVE_FORCE = 0x0706

# How a scenario wants to be run.
Scenario = namedtuple("Scenario", "boards roots time_travel timeout_s")


def scenario(*boards, roots=("host",), time_travel=False, timeout_s=60):
    """Marks a function as a scenario that is run once on each board in each root.

    roots: "host", the machine's own programs, and "debian13", those of a Debian 13 with libgpiod 2.
    time_travel: the device's time is virtual: waiting takes none, and timing is exact.
    timeout_s: real seconds after which the device is stopped.
    """

    def mark(function):
        function.scenario = Scenario(boards, roots, time_travel, timeout_s)
        return function

    return mark


# --- What must hold -------------------------------------------------------------------------------


def expect(actual, expected, what):
    """Fails unless two values are equal; `what` names the value."""
    if actual != expected:
        raise AssertionError(f"{what}: {actual!r}, expected {expected!r}")


def expect_between(actual, low, high, what):
    """Fails unless low ≤ actual ≤ high."""
    if not low <= actual <= high:
        raise AssertionError(f"{what}: {actual!r}, expected {low!r} to {high!r}")


def wait_until(what, function, timeout_ms=1000, pause_ms=2):
    """Calls a function every few milliseconds until it answers something true, and returns that."""
    deadline = time.monotonic() + timeout_ms / 1000
    while not (answer := function()):
        if time.monotonic() > deadline:
            raise AssertionError(
                f"not after {timeout_ms} ms: {what}; the last answer was {answer!r}"
            )
        sleep_ms(pause_ms)
    return answer


def sleep_ms(duration_ms):
    time.sleep(duration_ms / 1000)


# --- The board ------------------------------------------------------------------------------------


def board():
    """The name of the board whose twin this device is."""
    return os.environ["TACTUS_BOARD"]


def complete_twin():
    """Adds to the board's twin what no device tree says: a USB card, controls without a driver.

    twin.usb names what is plugged in; mixer.state has, as alsactl writes them, the controls of
    drivers that this kernel has not. Others may write them at once, as those of drivers.
    """
    folder = f"{repository}/boards/{board()}"
    if os.path.exists(f"{folder}/twin.usb"):
        with open(f"{folder}/twin.usb") as file:
            usb.plug_in(**yaml.safe_load(file))
        wait_until("the USB card is there", usb.cards, timeout_ms=5000)
    state = f"{folder}/mixer.state"
    if os.path.exists(state):
        with open(state) as file:
            card = file.readline().split()[0].removeprefix("state.")
        subprocess.run(["alsactl", "-U", "-I", "-F", "-f", state, "restore", card], check=True)


def chip_registers(chip):
    """What a chip's registers hold, where not zero: {(page, number): value}.

    A chip is named as in its twin.
    """
    registers = {}
    with open(f"{CHIPS}/{chip}/registers") as file:
        for line in file:
            place, number = line.split(":")
            page, register = place.split()
            registers[int(page, 16), int(register, 16)] = int(number, 16)
    return registers


def write_register(address, register, value):
    """Writes a register of a chip behind its driver's back, as the chip itself may change it."""
    bus = os.open(glob.glob("/dev/i2c-*")[0], os.O_RDWR)
    try:
        fcntl.ioctl(bus, I2C_SLAVE_FORCE, address)
        os.write(bus, bytes([register, value]))
    finally:
        os.close(bus)


def set_chip(chip, **settings):
    """Changes how a chip behaves: `fail=1` makes it silent, `clock_hz=100_000` slows its bus."""
    for name, value in settings.items():
        with open(f"{CHIPS}/{chip}/{name}", "w") as file:
            file.write(str(value))


class Unplugged:
    """A sound card that was taken from its driver.

    From the start of it on the card is gone and open handles get ENODEV; the kernel is through with
    it when they are all closed. So another process does it, and `plug_in` waits for that.
    """

    def __init__(self, identity):
        number = os.path.basename(os.readlink(f"/proc/asound/{identity}"))
        device = os.path.realpath(f"/sys/class/sound/{number}/device")
        self.identity = identity
        self.name = os.path.basename(device)
        self.driver = os.path.realpath(f"{device}/driver")
        self.going = self._tell("unbind")
        wait_until(f"{identity} is gone", lambda: identity not in alsa.card_ids())

    def _tell(self, action):
        return subprocess.Popen(["sh", "-c", f"echo {self.name} >{self.driver}/{action}"])

    def plug_in(self, timeout_ms=5000):
        """Gives the card back, under the number that is free then."""
        try:
            expect(self.going.wait(timeout_ms / 1000), 0, f"exit code of unbinding {self.name}")
        except subprocess.TimeoutExpired:
            raise AssertionError(
                f"a program keeps the unplugged card {self.identity} open"
            ) from None
        expect(self._tell("bind").wait(), 0, f"exit code of binding {self.name}")
        wait_until(f"{self.identity} is back", lambda: self.identity in alsa.card_ids())


def unplug_card(identity):
    """Takes a sound card away, as far as programs can tell.

    `.plug_in()` of the answer gives it back.
    """
    return Unplugged(identity)


# --- The shipped programs -------------------------------------------------------------------------


def program(name):
    """The stripped Embedded program for the root this runs in, as deploy/build-device leaves it."""
    path = f"{repository}/.build/device/{os.environ['TACTUS_PROGRAMS']}/{name}"
    if not os.path.exists(path):
        raise FileNotFoundError(
            f"{path} is missing; deploy/build-device {os.environ['TACTUS_PROGRAMS']}"
        )
    return path


def _install():
    """Does what a package would: boards, bus policy, ALSA configuration, the user."""
    os.makedirs("/usr/share/tactus", exist_ok=True)
    if not os.path.lexists("/usr/share/tactus/boards"):
        os.symlink(f"{repository}/boards", "/usr/share/tactus/boards")
        os.symlink(f"{repository}/deploy/sounds", "/usr/share/tactus/sounds")
    if "tactus:" not in open("/etc/passwd").read():
        with open("/etc/passwd", "a") as users, open("/etc/group", "a") as groups:
            users.write("tactus:x:999:999::/nonexistent:/usr/sbin/nologin\n")
            groups.write("tactus:x:999:\n")
    for part, place in (("dbus", "/usr/share/dbus-1/system.d"), ("alsa", "/etc/alsa/conf.d")):
        os.makedirs(place, exist_ok=True)
        for file in glob.glob(f"{repository}/deploy/{part}/*.conf"):
            shutil.copy(file, place)


def start_bus():
    """Starts the system bus, once."""
    if not os.path.exists("/run/dbus/system_bus_socket"):
        _install()
        os.makedirs("/run/dbus", exist_ok=True)
        subprocess.run(["dbus-daemon", "--system", "--fork", "--nopidfile"], check=True)


def tactus(*arguments, check=True):
    """Runs the command line. Returns the completed process, with text in `stdout` and `stderr`."""
    done = subprocess.run([program("tactus"), *arguments], capture_output=True, text=True)
    if check and done.returncode != 0:
        raise AssertionError(
            f"tactus {' '.join(arguments)}: exit {done.returncode}: {done.stderr.strip()}"
        )
    return done


class Daemon:
    """A running tactusd. Its messages are printed when a scenario fails."""

    running = []

    def __init__(self, options, ready_ms, through):
        self.directory = tempfile.mkdtemp(prefix="tactusd.")
        self.log = f"{self.directory}/log"
        address = f"{self.directory}/notify"
        self.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notify.bind(address)
        environment = dict(os.environ, NOTIFY_SOCKET=address)
        with open(self.log, "w") as log:
            command = [*through, program("tactusd"), *options]
            self.process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        self.pid = self.process.pid
        Daemon.running.append(self)
        if ready_ms:
            self.wait_notification("READY=1", ready_ms)

    def wait_notification(self, line, timeout_ms):
        """Waits until the daemon notifies its service manager of a line, such as READY=1."""
        deadline = time.monotonic() + timeout_ms / 1000
        while (left := deadline - time.monotonic()) > 0:
            self.notify.settimeout(min(left, 0.1))
            try:
                if line in self.notify.recv(4096).decode().splitlines():
                    return
            except TimeoutError:
                if self.process.poll() is not None:
                    raise AssertionError(
                        f"tactusd ended with {self.process.returncode} before {line}"
                    ) from None
        raise AssertionError(f"tactusd has not said {line} after {timeout_ms} ms")

    def next_notification(self):
        """What it told its service manager next; None if nothing waits."""
        self.notify.setblocking(False)
        try:
            return self.notify.recv(4096).decode().strip()
        except BlockingIOError:
            return None

    def status(self):
        """What the daemon says of itself: `tactus status --json`."""
        return json.loads(tactus("status", "--json").stdout)

    def wait_status(self, what, reached, timeout_ms=1000):
        """Waits until `reached` holds for the status, and returns it."""
        return wait_until(
            what, lambda: (status := self.status()) and reached(status) and status, timeout_ms, 20
        )

    def signal(self, number):
        self.process.send_signal(number)

    def stop(self, timeout_s=5):
        """Asks the daemon to end, and returns its exit code."""
        self.signal(signal.SIGTERM)
        return self.process.wait(timeout_s)

    def kill(self):
        """Kills it without any chance to tidy up, as a crash does."""
        self.process.kill()
        self.process.wait()

    def messages(self):
        with open(self.log) as file:
            return file.read()


def start_daemon(*options, bus=True, ready_ms=5000, through=()):
    """Starts tactusd for this board and waits until it is ready.

    Without --board or --state among the options: this board, and a state directory that lives as
    long as the device. ready_ms=0 does not wait.
    through: a command that starts it, such as setpriv with its options.
    """
    _install()
    if bus:
        start_bus()
    defaults = []
    for option, argument in (("--board", board()), ("--state", "/var/lib/tactus")):
        if option not in options:
            defaults += [option, argument]
    os.makedirs("/var/lib/tactus", exist_ok=True)
    return Daemon([*defaults, *options], ready_ms, through)
