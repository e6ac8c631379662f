# SPDX-License-Identifier: Apache-2.0
"""Other programs move the mixer: once, stubbornly, while it is silent, beyond a cap."""

import os
import subprocess

from device import alsa, expect, expect_between, scenario, sleep_ms, tactus, wait_until
from fitted import FIRST_LEVEL, STEP, boards, start_with_sound, this_board


def amixer(control, raw):
    """Writes a control as another program does."""
    subprocess.run(
        ["amixer", "-q", "-c", control.card.identity, "cset", f"name={control.name}", str(raw)],
        check=True,
    )


def notices(daemon):
    return [line for line in daemon.messages().splitlines() if "another program" in line]


@scenario(*boards(), time_travel=True)
def a_foreign_change_is_adopted():
    """VOL-6, F26 A volume set by another program becomes the level, and the next key goes from
    there."""
    daemon, output = start_with_sound(this_board())
    volume = output.volume()
    amixer(volume, output.raw(0.7))
    status = daemon.wait_status("it is adopted", lambda said: abs(said["level"] - 0.7) < 0.04)
    sleep_ms(1000)
    expect(volume.read()[0], output.raw(0.7), "raw value, left as it was set")
    tactus("set", "volume", "+1")
    level = status["level"] + STEP
    volume.wait((output.raw(level),) * volume.channels, 1000)
    expect(notices(daemon), [], "notices of one change")


@scenario(*boards(), time_travel=True)
def a_foreign_change_above_the_top_is_taken_back():
    """VOL-6, VOL-4 Beyond the window's top, 0 dB, nobody goes: it is taken back to the top."""
    daemon, output = start_with_sound(this_board())
    volume = output.volume()
    top = output.raw(1)
    if volume.maximum == top:
        return  # this codec has nothing above
    amixer(volume, volume.maximum)
    volume.wait((top,) * volume.channels, 1000)
    expect_between(daemon.status()["level"], 1, 1, "level")


@scenario(*boards(), time_travel=True)
def a_foreign_change_under_the_mute_is_overwritten():
    """VOL-6, SIL-10 Whatever another program does while it is muted, it stays silent."""
    daemon, output = start_with_sound(this_board())
    loud = output.volume().read()
    tactus("set", "mute", "on")
    daemon.wait_status("it is silent", lambda said: said["silent"])
    for control in {one.name: one for one in (output.switch(), output.volume())}.values():
        amixer(control, control.maximum)
        wait_until("it is silent again", output.is_off)
    daemon.wait_status("it is silent again", lambda said: said["silent"])
    expect(daemon.status()["level"], FIRST_LEVEL, "level")
    tactus("set", "mute", "off")
    output.volume().wait(loud, 1000)
    wait_until("the output is open", lambda: not output.is_off())


@scenario(*boards(), time_travel=True)
def a_stubborn_program_is_named():
    """VOL-6 A program that un-mutes again and again is overwritten each time, and a notice says
    so."""
    daemon, output = start_with_sound(this_board())
    tactus("set", "mute", "on")
    daemon.wait_status("it is silent", lambda said: said["silent"])
    for _ in range(5):
        amixer(output.switch(), output.switch().maximum)
        wait_until("it is silent again", output.is_off)
        sleep_ms(300)
    expect(len(notices(daemon)), 1, f"notices in {daemon.messages()!r}")


@scenario("hifiberry-dacplus", time_travel=True)
def a_cap_holds_against_everybody():
    """VOL-16 Above max-level there is no way: not by software, not by another program, not by
    keys."""
    os.makedirs("/etc/tactus", exist_ok=True)
    with open("/etc/tactus/tactus.yaml", "w") as file:
        file.write("max-level: 60 %\n")
    board = this_board()
    daemon, output = start_with_sound(board)
    volume, most = output.volume(), output.raw(0.6)
    with alsa.Watch(volume) as watch:
        tactus("set", "volume", "100%")
        volume.wait((most, most), 1000)
        board.press("volume-up")
        sleep_ms(300)
        amixer(volume, volume.maximum)
        volume.wait((most, most), 1000)
        values = [max(value) for value, _ in watch.collect(100)]
    expect(daemon.status()["level"], 0.6, "level")
    expect(max(set(values) - {volume.maximum}), most, "loudest value but the other program's own")


@scenario("hifiberry-dacplus", time_travel=True)
def an_own_mixer_is_locked():
    """VOL-6 With own-mixer the controls are locked against everybody else."""
    os.makedirs("/etc/tactus", exist_ok=True)
    with open("/etc/tactus/tactus.yaml", "w") as file:
        file.write("own-mixer: true\n")
    _, output = start_with_sound(this_board())
    before = output.volume().read()
    expect(output.volume().is_locked(), True, "volume is locked")
    done = subprocess.run(["amixer", "-q", "-c", output.card(), "cset",
                           f"name={output.volume_name}", "10"], capture_output=True, text=True)
    expect((done.returncode != 0, output.volume().read()), (True, before), "refused, value")
