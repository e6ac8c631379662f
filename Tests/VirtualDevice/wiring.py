# SPDX-License-Identifier: Apache-2.0
"""What boards/virtual-device/board.yaml wires: lines by their roles, and the codec's two outputs.

All buttons and switches have pull-ups and close to ground: CLOSED is pressed, on or plugged.
"""

import alsa

VOLUME_UP, SILENT_SWITCH, HEADPHONE_DETECT = 23, 22, 12
CLOSED, OPEN = 0, 1
SILENT = (0, 0)  # of an output's control


def speaker():
    """The control of the speaker's gain, in steps of 1 dB: 121 is 0 dB, under 48 it is silent."""
    return alsa.Card("VirtualDevice").control("Speaker Playback Volume")


def headphones():
    """The control of the headphones' gain, like the speaker's."""
    return alsa.Card("VirtualDevice").control("Headphone Playback Volume")
