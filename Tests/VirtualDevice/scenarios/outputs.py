# SPDX-License-Identifier: Apache-2.0
"""Lines that Tactus drives: the amplifier in its order with the codec, and LEDs that tell the
truth."""

import signal
import time

from device import alsa, expect, expect_between, gpio, scenario, sleep_ms, start_daemon, tactus
from device import wait_until
from fitted import boards, every_board, start_with_sound, this_board

AMPLIFIERS = every_board(lambda board: board.outputs[0].amplifier and board.outputs[0].volume_name)
ALONE = every_board(lambda board: board.outputs[0].amplifier and not board.outputs[0].volume_name)
SILENT_WHEN_RELEASED = every_board(
    lambda board: board.outputs[0].amplifier.get("when-released") == "silent"
    and board.outputs[0].volume_name
)
LEDS = boards(lambda board: board.signal("led", shows="silent"))


def milliseconds(text):
    return float(text.removesuffix("ms"))


def history(output, duration_ms):
    """[(milliseconds, whether the amplifier is on, whether the codec is), …]."""
    line = output.amplifier["line"]
    active = 1 if output.amplifier.get("active", "high") == "high" else 0
    volume = output.switch()
    began, states = time.monotonic(), []
    while (at := (time.monotonic() - began) * 1e3) < duration_ms:
        states.append((at, gpio.value(line) == active, not output.is_off(volume.read())))
        sleep_ms(1)
    return states


def first(states, which, wanted, after=0):
    """When the amplifier (1) or the codec (2) was first found so."""
    return next(state[0] for state in states if state[which] == wanted and state[0] >= after)


@scenario(*AMPLIFIERS, time_travel=True)
def the_amplifier_follows_the_codec_up_and_leads_it_down():
    """RTE-10, SIL-11 The amplifier is on when the codec has settled, and off before the codec
    is."""
    board = this_board()
    output = board.outputs[0]
    output.volume().write(output.volume().maximum)
    daemon = start_daemon(ready_ms=0)
    up = history(output, 500)
    silenced = first(up, 2, False)
    opened, on = first(up, 2, True, silenced), first(up, 1, True)
    expect([state for state in up if state[0] < on and state[1]], [], "amplifier on before")
    enable = milliseconds(output.amplifier["enable-after"])
    expect_between(on - opened, enable - 2, enable + 15, "milliseconds from codec to amplifier")
    daemon.signal(signal.SIGTERM)
    down = history(output, 200)
    off, closed = first(down, 1, False), first(down, 2, False)
    close = milliseconds(output.amplifier["close-after"])
    expect_between(closed - off, close - 2, close + 15, "milliseconds from amplifier to codec")


@scenario(*ALONE, time_travel=True)
def an_amplifier_without_a_codec_s_switch_is_the_silence():
    """RTE-10, SIL-7 Where the amplifier alone can silence a board, it is off until the sources are
    there, under the mute, at level 0 and after the end."""
    output = this_board().outputs[0]
    daemon = start_daemon(ready_ms=0)
    on = lambda: output.amplifier_is_on()  # noqa: E731
    began = time.monotonic()
    wait_until("the amplifier is on", on, 3000)
    enable = milliseconds(output.amplifier["enable-after"])
    waited = (time.monotonic() - began) * 1e3
    expect_between(waited, enable - 2, 1000, "milliseconds to the amplifier")
    expect(output.is_off(), False, "sources are silent with the amplifier on")
    for silence, sound in (("0%", "40%"), ("on", "off")):
        key = "volume" if silence == "0%" else "mute"
        tactus("set", key, silence)
        wait_until(f"the amplifier is off by {key}", lambda: not on())
        daemon.wait_status("it is silent", lambda said: said["silent"])
        tactus("set", key, sound)
        wait_until("the amplifier is on again", on)
    expect(daemon.stop(), 0, "exit code")
    expect(on(), False, "amplifier is on after the end")


@scenario(*SILENT_WHEN_RELEASED, time_travel=True)
def a_crash_leaves_the_amplifier_silent():
    """RTE-10 When the daemon dies its line is let go, which is silent here; the next start is
    too."""
    daemon, output = start_with_sound(this_board())
    line = output.amplifier["line"]
    wait_until("the amplifier is on", lambda: gpio.value(line) == 1)
    daemon.kill()
    wait_until("the amplifier is off", lambda: gpio.value(line) == 0)


@scenario(*LEDS, time_travel=True)
def leds_show_what_was_read_back():
    """SIL-9 The LED of silence is on while silence is confirmed, and never when it is refused; that
    of the status blinks for a fault, and is lit for a mute."""
    board = this_board()
    led = board.signal("led", shows="silent")["line"]
    fault = board.signal("led", shows="status")["line"]
    daemon, output = start_with_sound(board)
    expect((gpio.value(led), gpio.value(fault)), (0, 0), "silence, fault")
    tactus("set", "mute", "on")
    wait_until("the LED of silence is on", lambda: gpio.value(led) == 1)
    expect(output.is_off(), True, "off")
    tactus("set", "mute", "off")
    wait_until("the LED of silence is off", lambda: gpio.value(led) == 0)
    sleep_ms(500)
    if output.amplifier:
        return  # which silences whatever the codec does
    holder = alsa.Card(output.card())
    locked = [holder.control(name) for name in {output.switch().name, output.volume().name}]
    for control in locked:
        control.lock()
    tactus("set", "mute", "on")
    wait_until("the LED of faults is on", lambda: gpio.value(fault) == 1)
    sleep_ms(1000)
    expect((gpio.value(led), output.is_off()), (0, False), "LED of silence, off")
    for control in locked:
        control.unlock()
    wait_until("the LED of silence is on", lambda: gpio.value(led) == 1, 5000)
    sleep_ms(1000)
    seen = []
    for _ in range(12):
        seen.append(gpio.value(fault))
        sleep_ms(100)
    expect(seen, [1] * 12, "status LED while muted")
    tactus("set", "mute", "off")
    wait_until("the status LED is off", lambda: gpio.value(fault) == 0)
