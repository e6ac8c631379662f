# SPDX-License-Identifier: Apache-2.0
"""Motors behind input devices, as a knob or a remote control that vibrates is one: by uinput.

The kernel asks such a device to keep each effect that a program gives it, and the program waits for
the answer.
"""

import fcntl
import os
import select
import struct
import threading
import time
from collections import namedtuple

import keys

FORCE = 0x15
RUMBLE, PERIODIC, SINE, GAIN = 0x50, 0x51, 0x5A, 0x60

_SET_EVENT, _SET_FORCE = 0x40045564, 0x4004556B
_UPLOAD, _ERASE, _UINPUT = 1, 2, 0x0101

# linux/input.h: type, number, direction, trigger, length and delay, then what the type has.
_EFFECT = struct.Struct("HhHHHHH2x32s")
_UPLOADED = struct.Struct(f"Ii{_EFFECT.size}s{_EFFECT.size}s")
_ERASED = struct.Struct("IiI")
_EVENT = struct.Struct("qqHHi")


def _request(direction, number, size):
    return direction << 30 | size << 16 | ord("U") << 8 | number


_BEGIN_UPLOAD, _END_UPLOAD = _request(3, 200, _UPLOADED.size), _request(1, 201, _UPLOADED.size)
_BEGIN_ERASE, _END_ERASE = _request(3, 202, _ERASED.size), _request(1, 203, _ERASED.size)

# A strength of 0…0xffff, a length in milliseconds.
Effect = namedtuple("Effect", "type strength length delay")


class Motor:
    """A motor that is there until it is closed, and remembers its effects and what was played.

    answer_ms: how long it lets a program wait that gives it an effect.
    """

    def __init__(self, name, *abilities, effects=16, answer_ms=0):
        self.name = name
        self.answer_ms = answer_ms
        self.effects = {}
        self.played = []  # (monotonic nanoseconds, effect, times)
        self.gains = []
        self.file = os.open("/dev/uinput", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(self.file, _SET_EVENT, FORCE)
        for ability in abilities:
            fcntl.ioctl(self.file, _SET_FORCE, ability)
        fcntl.ioctl(self.file, keys._SETUP, keys._ID.pack(6, 1, 1, 1, name.encode(), effects))
        fcntl.ioctl(self.file, keys._CREATE)
        self.is_open = True
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        poll = select.poll()
        poll.register(self.file, select.POLLIN)
        while self.is_open:
            if not poll.poll(100):
                continue
            try:
                _, _, kind, code, value = _EVENT.unpack(os.read(self.file, _EVENT.size))
            except OSError:
                return
            if kind == FORCE and code == GAIN:
                self.gains.append(value)
            elif kind == FORCE:
                self.played.append((time.monotonic_ns(), code, value))
            elif kind == _UINPUT and code == _UPLOAD:
                self._keep(value)
            elif kind == _UINPUT and code == _ERASE:
                self._forget(value)

    def _keep(self, request):
        upload = bytearray(_UPLOADED.pack(request, 0, b"", b""))
        fcntl.ioctl(self.file, _BEGIN_UPLOAD, upload)
        time.sleep(self.answer_ms / 1000)
        _, _, effect, old = _UPLOADED.unpack(upload)
        kind, number, _, _, _, length, delay, rest = _EFFECT.unpack(effect)
        if kind == PERIODIC:
            strength = struct.unpack_from("HHh", rest)[2] * 2
        else:
            strength = struct.unpack_from("HH", rest)[0]
        self.effects[number] = Effect(kind, strength, length, delay)
        fcntl.ioctl(self.file, _END_UPLOAD, bytes(_UPLOADED.pack(request, 0, effect, old)))

    def _forget(self, request):
        erase = bytearray(_ERASED.pack(request, 0, 0))
        fcntl.ioctl(self.file, _BEGIN_ERASE, erase)
        self.effects.pop(_ERASED.unpack(erase)[2], None)
        fcntl.ioctl(self.file, _END_ERASE, bytes(_ERASED.pack(request, 0, 0)))

    def close(self):
        """The device goes, also in an effect."""
        self.is_open = False
        fcntl.ioctl(self.file, keys._DESTROY)
        os.close(self.file)
