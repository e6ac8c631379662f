# SPDX-License-Identifier: Apache-2.0
"""Answers by light and by motor: lamps and motors on lines, lamps of the kernel's LED class, motors
behind input devices; and what they do when one of them fails."""

import os

import keys
import lamps
import motors
import recordings
import sounds
from cards import board_file, messages
from device import (
    alsa,
    expect,
    expect_between,
    gpio,
    scenario,
    sleep_ms,
    sound,
    start_daemon,
    tactus,
    wait_until,
)
from fitted import start_with_sound, this_board

STATUS, SILENT, MOTOR = 28, 29, 33
ROOTS = ("host", "debian13")
TICK_MS = 5

# What each type is, by the product's table: pulses, and their lengths in milliseconds.
LIGHT = {"selection": (1, 30), "light": (1, 60), "medium": (1, 120), "warning": (3, 150),
         "failure": (5, 60)}
HAPTIC = {"selection": (1, 10), "light": (1, 15), "medium": (1, 25), "warning": (3, 30),
          "failure": (4, 40)}


def expect_pulses(pulses, pattern, what):
    """The pulses are those of a pattern, each with at most two ticks more or less."""
    count, length = pattern
    expect(len(pulses), count, f"pulses of the {what}: {pulses}")
    for _, actual in pulses:
        expect_between(actual, length - 2 * TICK_MS, length + 2 * TICK_MS, f"ms of the {what}")


def expect_type(recording, kind):
    """Lamp and motor on lines told one type, and began together (FBK-5)."""
    expect_pulses(recording.pulses(STATUS), LIGHT[kind], f"lamp for {kind}")
    expect_pulses(recording.pulses(MOTOR), HAPTIC[kind], f"motor for {kind}")
    skew = abs(recording.start(STATUS) - recording.start(MOTOR))
    expect_between(skew, 0, 5, f"ms between lamp and motor for {kind}")


def record(*lines, ms=900):
    return gpio.Recording(lines or (STATUS, MOTOR), ms)


def tap(role, *lines, ms=900):
    """Presses a button for 20 ms, and records from a moment before."""
    line = this_board().line(role)
    acts = [(5, lambda: gpio.pull(line, 0)), (25, lambda: gpio.pull(line, 1))]
    return gpio.Recording(lines or (STATUS, MOTOR), ms, acts)


def plug(is_in):
    """Moves the plug of the headphones, and records from a moment before."""
    act = (5, lambda: this_board().set("headphone-detect", is_in))
    return gpio.Recording((STATUS, MOTOR), 900, [act])


def on_time(daemon):
    expect(daemon.status()["late"], 0, "late ticks")


def board_with(*replacements):
    """This board's file with changes."""
    return board_file(this_board().text, replacements)


LAMP_LINE = "shows: status\n    line: 28", 'shows: status\n    device: "radio:*"'
MOTOR_LINE = "role: haptic\n    line: 33", 'role: haptic\n    input: "Shaking*"'
AMPLIFIER = """    amplifier:
      line: 16
      active: high
      enable-after: 50 ms
      close-after: 10 ms
      when-released: silent
""", ""


def started(*options):
    """The daemon with music, at rest: its lamps are dark and its motor is still."""
    daemon, _ = start_with_sound(this_board(), *options)
    expect((gpio.value(STATUS), gpio.value(MOTOR)), (0, 0), "status lamp, motor")
    return daemon


# --- Lines ----------------------------------------------------------------------------------------


@scenario("virtual-device", roots=ROOTS, time_travel=True)
def lamp_and_motor_answer_the_hand():
    """FBK-1, FBK-2, FBK-5 Each touch is answered by its type, on lamp and motor together, and a
    change by software by none."""
    daemon = started()
    expect_type(tap("volume-up"), "selection")
    line = this_board().line("volume-down")
    acts = [(5, lambda: gpio.pull(line, 0)), (755, lambda: gpio.pull(line, 1))]
    held = gpio.Recording((MOTOR,), 1000, acts)
    expect(len(held.pulses(MOTOR)), 5, f"answers to a held key: {held.changes}")
    tactus("set", "volume", "100 %")
    expect(record().changes[MOTOR][1:], [], "answers to software")
    expect_type(tap("volume-up"), "light")
    tactus("set", "volume", "60 %")
    expect_pulses(tap("mute").pulses(MOTOR), HAPTIC["medium"], "motor for mute")
    expect(gpio.value(STATUS), 1, "status lamp while muted")
    expect_pulses(tap("mute").pulses(MOTOR), HAPTIC["medium"], "motor for sound again")
    expect(gpio.value(STATUS), 0, "status lamp afterwards")
    expect_type(plug(True), "medium")
    on_time(daemon)


@scenario("virtual-device", time_travel=True)
def the_headphone_limit_warns():
    """VOL-13, FBK-2 A press that is stopped at the headphone limit is a warning; the next one
    crosses it, which is a step."""
    board = this_board()
    daemon = started()
    board.set("headphone-detect", True)
    daemon.wait_status("headphones", lambda said: said["route"] == "headphones", 3000)
    sleep_ms(500)
    for _ in range(20):
        recording = tap("volume-up")
        if len(recording.pulses(MOTOR)) != 1:
            break
    expect_type(recording, "warning")
    line = board.line("volume-up")
    gpio.pull(line, 0)
    sleep_ms(100)
    gpio.pull(line, 1)
    sleep_ms(1000)
    acts = [(5, lambda: gpio.pull(line, 0)), (105, lambda: gpio.pull(line, 1))]
    expect_type(gpio.Recording((STATUS, MOTOR), 900, acts), "selection")
    on_time(daemon)


@scenario("virtual-device", time_travel=True)
def the_silent_switch_refuses():
    """FBK-2, SIL-3 Sound that a person asks for by un-muting is refused by the silent switch."""
    board = this_board()
    daemon = start_daemon()
    board.press("mute")
    board.set("silent-switch", True)
    sleep_ms(2000)
    expect_pulses(tap("mute", MOTOR, ms=1500).pulses(MOTOR), HAPTIC["failure"], "motor")
    expect(daemon.status()["muted"], False, "muted")
    on_time(daemon)


@scenario("virtual-device", roots=ROOTS, time_travel=True)
def a_busy_motor_costs_the_motor_alone():
    """A motor line that a driver holds is told once; the lamp answers, and so does the motor as
    soon as it is free."""
    board = this_board()
    taken = gpio.hold(MOTOR, "pwm0")
    daemon, _ = start_with_sound(board)
    expect_pulses(tap("volume-up", STATUS).pulses(STATUS), LIGHT["selection"], "lamp")
    sleep_ms(5000)
    said = messages(daemon, "haptic")
    expect((len(said), "pwm0" in said[0]), (1, True), f"messages {said}")
    doctor = tactus("doctor", check=False).stdout
    expect("pwm0" in doctor, True, "the holder is in `tactus doctor`")
    taken.close()
    wait_until(
        "the motor is ours", lambda: gpio.consumers()[MOTOR] == "tactus:haptic", 70_000, 100
    )
    expect_type(tap("volume-up"), "selection")
    on_time(daemon)


@scenario("virtual-device", time_travel=True)
def no_motor_stays_on():
    """A motor is still after the daemon's end, and after its death in a pulse."""
    board = this_board()
    for how in ("stop", "kill"):
        daemon = started()
        gpio.pull(board.line("volume-up"), 0)
        wait_until("the motor moves", lambda: gpio.value(MOTOR) == 1, 1000, 1)
        getattr(daemon, how)()
        gpio.pull(board.line("volume-up"), 1)
        expect((gpio.value(MOTOR), gpio.consumers()[MOTOR]), (0, None), f"the motor after {how}")


@scenario("virtual-device", time_travel=True)
def the_status_lamp_tells_the_truth():
    """SIL-9, SIL-11 Where the codec does not fall silent, the lamp blinks for a fault, and the lamp
    of silence stays dark; when it does, both are right again."""
    board = this_board()
    daemon = started("--board", board_with(AMPLIFIER))
    output = board.outputs[0]
    holder = alsa.Card(output.card())
    locked = [holder.control(name) for name in {output.switch().name, output.volume().name}]
    for control in locked:
        control.lock()
    board.press("mute", 10)
    daemon.wait_status("the fault", lambda said: "fault" in said["reasons"], 3000)
    sleep_ms(1000)
    recording = record(STATUS, SILENT, ms=4000)
    expect([level for _, level in recording.changes[SILENT]], [0], "lamp of silence")
    expect_between(len(recording.pulses(STATUS)), 3, 4, "times that the lamp blinked")
    for _, length in recording.pulses(STATUS)[1:]:
        expect_between(length, 495, 510, "ms that the lamp was lit or dark")
    for control in locked:
        control.unlock()
    wait_until("both lamps are lit", lambda: gpio.value(SILENT) == 1, 5000)
    sleep_ms(500)
    recording = record(STATUS, SILENT, ms=2000)
    expect([len(changes) for changes in recording.changes.values()], [1, 1], "changes at rest")
    expect((gpio.value(STATUS), gpio.value(SILENT)), (1, 1), "lamps while muted")
    on_time(daemon)


# --- Lamps of the kernel --------------------------------------------------------------------------


def lit(lamp, since=0):
    """What a lamp was told from one of its changes on, without repetitions."""
    told = [brightness for _, brightness in lamp.told[since:]]
    return [one for place, one in enumerate(told) if place == 0 or told[place - 1] != one]


@scenario("virtual-device", time_travel=True)
def a_lamp_of_the_kernel_answers_and_shows():
    """FBK-2, SIL-9 A lamp in /sys/class/leds answers with its own brightness and shows silence; at
    the end it is dark, as it was found."""
    board = this_board()
    lamp = lamps.Lamp("radio:status", 31)
    daemon, _ = start_with_sound(board, "--board", board_with(LAMP_LINE))
    expect(lamp.brightness(), 0, "brightness at rest")
    before = len(lamp.told)
    board.press("volume-up", 10)
    sleep_ms(500)
    expect(lit(lamp, before), [31, 0], "brightness in a selection")
    (up, _), (down, _) = lamp.told[before:before + 2]
    expect_between((down - up) / 1e6, 20, 40, "ms that it was lit")
    board.press("mute", 10)
    sleep_ms(1000)
    expect(lamp.brightness(), 31, "brightness while muted")
    on_time(daemon)
    daemon.stop()
    expect(lamp.brightness(), 0, "brightness after the end")


@scenario("virtual-device", time_travel=True)
def a_lamp_may_go_and_return():
    """A lamp that vanishes is told once, the motor answers on; when it returns it shows what is
    so."""
    board = this_board()
    lamp = lamps.Lamp("radio:status")
    daemon, _ = start_with_sound(board, "--board", board_with(LAMP_LINE))
    lamp.close()
    wait_until("the lamp is gone", lambda: not os.path.exists(lamp.path))
    for _ in range(3):
        expect_pulses(tap("volume-up", MOTOR).pulses(MOTOR), HAPTIC["selection"], "motor")
    board.press("mute", 10)
    sleep_ms(1000)
    said = messages(daemon, "led-status", "waiting for it")
    expect(len(said), 1, f"messages {daemon.messages()}")
    lamp = lamps.Lamp("radio:status")
    wait_until("it shows the mute", lambda: lamp.brightness() == 255, 70_000, 100)
    board.press("mute", 10)
    wait_until("it is dark", lambda: lamp.brightness() == 0, 2000)
    # Gone and back while nothing changed.
    lamp.close()
    wait_until("the lamp is gone", lambda: not os.path.exists(lamp.path))
    lamp = lamps.Lamp("radio:status")
    board.press("mute", 10)
    wait_until("the new one shows the mute", lambda: lamp.brightness() == 255, 2000)
    on_time(daemon)


# --- Motors behind input devices ------------------------------------------------------------------


def played(motor, since=0):
    """What a motor played, as (its effect, times)."""
    return [(motor.effects[number], times) for _, number, times in motor.played[since:]]


def ready(daemon, motor, effects=7):
    """Waits until the daemon has given a motor its effects."""
    wait_until("the motor has its effects", lambda: len(motor.effects) == effects, 5000)
    sleep_ms(300)


@scenario("virtual-device", roots=ROOTS, time_travel=True)
def a_motor_of_an_input_device_answers():
    """FBK-2, FBK-5 An input device that vibrates gets an effect for each type once, plays it by its
    number for each pulse, in time with the lamp."""
    board = this_board()
    for ability, kind in ((motors.RUMBLE, motors.RUMBLE), (motors.PERIODIC, motors.PERIODIC)):
        abilities = [ability, motors.GAIN] + ([motors.SINE] if kind == motors.PERIODIC else [])
        motor = motors.Motor("Shaking knob", *abilities)
        daemon, _ = start_with_sound(board, "--board", board_with(MOTOR_LINE))
        ready(daemon, motor)
        expect(motor.gains, [0xFFFF], "gains")
        expect({one.type for one in motor.effects.values()}, {kind}, "types of effects")
        lengths = sorted(one.length for one in motor.effects.values())
        expect(lengths, [10, 15, 20, 25, 30, 40, 40], "ms of the effects")
        expect_pulses(tap("volume-up", STATUS).pulses(STATUS), LIGHT["selection"], "lamp")
        told = played(motor)
        expect([(one.length, times) for one, times in told], [(10, 1)], f"played {told}")
        expect_between(told[0][0].strength, 0.39 * 0xFFFF, 0.41 * 0xFFFF, "strength")
        on_time(daemon)
        daemon.stop()
        motor.close()


@scenario("virtual-device", time_travel=True)
def a_slow_motor_holds_nobody_up():
    """A device that takes seconds for each effect delays no tick; until it has them, the lamp
    answers alone."""
    board = this_board()
    motor = motors.Motor("Shaking knob", motors.RUMBLE, answer_ms=2000)
    daemon, _ = start_with_sound(board, "--board", board_with(MOTOR_LINE))
    expect_pulses(tap("volume-up", STATUS).pulses(STATUS), LIGHT["selection"], "lamp")
    expect(motor.played, [], "played without effects")
    on_time(daemon)
    wait_until("the motor has its effects", lambda: len(motor.effects) == 7, 60_000, 100)
    sleep_ms(3000)
    board.press("volume-up", 10)
    sleep_ms(300)
    expect([times for _, times in played(motor)], [1], "played")
    on_time(daemon)


@scenario("virtual-device", time_travel=True)
def a_motor_may_go_in_an_effect():
    """A device that is unplugged in an effect is told once; the lamp goes on, and the device is
    used when it returns."""
    board = this_board()
    motor = motors.Motor("Shaking knob", motors.RUMBLE)
    daemon, _ = start_with_sound(board, "--board", board_with(MOTOR_LINE))
    ready(daemon, motor)
    board.set("headphone-detect", True)
    wait_until("it plays", lambda: motor.played, 2000, 1)
    motor.close()
    sleep_ms(1000)
    expect_pulses(tap("volume-up", STATUS).pulses(STATUS), LIGHT["selection"], "lamp")
    said = messages(daemon, "haptic", "waiting for it")
    expect(len(said), 1, f"messages {daemon.messages()}")
    motor = motors.Motor("Shaking knob", motors.RUMBLE)
    ready(daemon, motor)
    board.press("volume-up", 10)
    sleep_ms(300)
    expect([times for _, times in played(motor)], [1], "played")
    on_time(daemon)


@scenario("virtual-device", time_travel=True)
def a_motor_that_is_refused_is_named():
    """A device that cannot vibrate, and one that may not be opened, are named with the next step,
    by the daemon and by the doctor."""
    board = this_board()
    key = keys.Device("Shaking keys", keys.A)
    path = board_with(MOTOR_LINE)
    daemon, _ = start_with_sound(board, "--board", path)
    said = messages(daemon, "cannot vibrate, name another device")
    expect(len(said), 1, f"messages {daemon.messages()}")
    findings = tactus("doctor", "--board", path, check=False).stdout
    expect("cannot vibrate" in findings, True, findings)
    key.close()
    sleep_ms(200)
    findings = tactus("doctor", "--board", path, check=False).stdout
    expect("no such input device" in findings, True, findings)
    on_time(daemon)


# --- With sounds ----------------------------------------------------------------------------------


THREE = recordings.BOARD.replace("sources:", """signals:
  - {role: led, shows: status, line: 28}
  - {role: haptic, line: 33}
  - {role: sounds}
sources:""").replace(
    "  - {role: mute", "  - {role: volume-down, line: 24, bias: pull-up}\n  - {role: mute"
)


@scenario("virtual-device", time_travel=True, timeout_s=300)
def light_motor_and_sound_start_together():
    """FBK-5 From a prepared state, light, motor and sound of 100 presses start within 5 ms of each
    other."""
    gpio.pull(24, 1)
    daemon = recordings.start(THREE)
    # The program that plays sounds is there for 2 s after each.
    gpio.press(23)
    sleep_ms(700)
    acts = []
    for number in range(100):
        line = (24, 23)[number % 2]
        acts += [(50 + 200 * number, lambda line=line: gpio.pull(line, 0)),
                 (70 + 200 * number, lambda line=line: gpio.pull(line, 1))]
    with sound.Recording() as recording:
        sleep_ms(50)
        lines = gpio.Recording((STATUS, MOTOR), 20_100, acts)
        sleep_ms(100)
    heard = [(onset - lines.began) / 1e6 for onset in sounds.onsets(recording)]
    lit = [moment for moment, _ in lines.pulses(STATUS)]
    felt = [moment for moment, _ in lines.pulses(MOTOR)]
    expect([len(heard), len(lit), len(felt)], [100] * 3, "answers heard, seen and felt")
    skews = sorted(max(three) - min(three) for three in zip(heard, lit, felt))
    print(f"ms between the three: median {skews[50]:.2f}, longest {skews[-1]:.2f}")
    expect_between(skews[-1], 0, 5, "ms between the three")
    on_time(daemon)
