# SPDX-License-Identifier: Apache-2.0
"""The shipped programs, as deploy/build-device leaves them, in the device."""

import subprocess

from device import expect, program, scenario


@scenario("virtual-device", roots=("host", "debian13"))
def start_in_every_root():
    """Both programs find their libraries and start, on Debian 12 and on Debian 13."""
    for name in ("tactusd", "tactus"):
        done = subprocess.run([program(name), "--version"], capture_output=True, text=True)
        expect((done.returncode, done.stderr), (0, ""), f"{name} --version: exit code, errors")
        expect(done.stdout.split()[0], name, "first word of the version")
