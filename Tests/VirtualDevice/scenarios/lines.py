# SPDX-License-Identifier: Apache-2.0
"""The header of the virtual device: contacts, edges, bias, busy lines, a chip that goes."""

from device import expect, gpio, scenario


@scenario("virtual-device")
def an_edge_is_seen():
    """A contact that closes gives one edge with its level and the time of the contact."""
    with gpio.watch(17) as line:
        pulled = gpio.pull(17, 1)
        at, level, sequence = line.edge(timeout_ms=100)
        expect(level, 1, "level after the edge")
        expect(sequence, 1, "sequence number")
