# SPDX-License-Identifier: Apache-2.0
"""Input devices with keys, as a headset, a remote control or a knob on USB is one: by uinput."""

import errno
import fcntl
import glob
import os
import struct

SYN, KEY = 0, 1
RELEASED, PRESSED, REPEATED = 0, 1, 2
A = 30
MUTE, VOLUME_DOWN, VOLUME_UP = 113, 114, 115
PLAY_PAUSE, STOP_CD, NEXT, PREVIOUS, PLAY_CD, PAUSE_CD = 164, 166, 163, 165, 200, 201
MICROPHONE_MUTE, MEDIA = 248, 226

_SET_EVENT, _SET_KEY, _SETUP = 0x40045564, 0x40045565, 0x405C5503
_CREATE, _DESTROY = 0x5501, 0x5502
_GRAB = 0x40044590
_VIRTUAL = 6
_ID = struct.Struct("4H80sI")
_EVENT = struct.Struct("qqHHi")


class Device:
    """An input device that is there until it is closed."""

    def __init__(self, name, *keys):
        self.name = name
        self.file = os.open("/dev/uinput", os.O_WRONLY | os.O_NONBLOCK)
        fcntl.ioctl(self.file, _SET_EVENT, KEY)
        for key in keys:
            fcntl.ioctl(self.file, _SET_KEY, key)
        fcntl.ioctl(self.file, _SETUP, _ID.pack(_VIRTUAL, 1, 1, 1, name.encode(), 0))
        fcntl.ioctl(self.file, _CREATE)

    def node(self):
        """The name of its event device, such as event0."""
        for path in glob.glob("/sys/class/input/event*"):
            with open(f"{path}/device/name") as file:
                if file.read().strip() == self.name:
                    return os.path.basename(path)
        raise FileNotFoundError(self.name)

    def path(self):
        return f"/dev/input/{self.node()}"

    def send(self, *states):
        """Sends (key, state) one after the other, in one breath."""
        os.write(
            self.file,
            b"".join(
                _EVENT.pack(0, 0, KEY, key, state) + _EVENT.pack(0, 0, SYN, 0, 0)
                for key, state in states
            ),
        )

    def press(self, key, times=1):
        """Presses a key and lets it go, in one breath, as a knob does for each detent."""
        self.send(*((key, PRESSED), (key, RELEASED)) * times)

    def close(self):
        """The device goes, with what is pressed."""
        fcntl.ioctl(self.file, _DESTROY)
        os.close(self.file)

    def grab(self):
        """Takes its keys from all others, until the answer is closed; None if somebody has."""
        file = os.open(self.path(), os.O_RDONLY)
        try:
            fcntl.ioctl(file, _GRAB, 1)
        except OSError as error:
            os.close(file)
            if error.errno != errno.EBUSY:
                raise
            return None
        return file
