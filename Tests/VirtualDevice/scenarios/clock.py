# SPDX-License-Identifier: Apache-2.0
"""Time inside the device."""

import time

from device import expect_between, scenario


@scenario("virtual-device", time_travel=True, timeout_s=20)
def virtual_time_is_exact():
    """In virtual time each of 200 sleeps of 5 ms takes 5 ms, and a day passes at once."""
    for number in range(200):
        before = time.monotonic_ns()
        time.sleep(0.005)
        expect_between(
            (time.monotonic_ns() - before) / 1e6, 5.0, 5.2, f"milliseconds of sleep {number}"
        )
    before = time.monotonic()
    time.sleep(86400)
    expect_between(time.monotonic() - before, 86400, 86400.1, "seconds of a day")
