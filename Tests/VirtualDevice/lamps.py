# SPDX-License-Identifier: Apache-2.0
"""Lamps of the kernel's LED class, made by a program as drivers make them: by /dev/uleds."""

import os
import select
import struct
import threading
import time

FOLDER = "/sys/class/leds"
_MADE = struct.Struct("64si")  # linux/uleds.h
_BRIGHTNESS = struct.Struct("i")


class Lamp:
    """A lamp that is there until it is closed, and remembers what it was told."""

    def __init__(self, name, brightest=255):
        self.name = name
        self.file = os.open("/dev/uleds", os.O_RDWR | os.O_NONBLOCK)
        os.write(self.file, _MADE.pack(name.encode(), brightest))
        self.told = []  # (monotonic nanoseconds, brightness)
        self.is_open = True
        self.thread = threading.Thread(target=self._listen, daemon=True)
        self.thread.start()

    def _listen(self):
        poll = select.poll()
        poll.register(self.file, select.POLLIN)
        while self.is_open:
            if poll.poll(20):
                brightness = _BRIGHTNESS.unpack(os.read(self.file, _BRIGHTNESS.size))[0]
                self.told.append((time.monotonic_ns(), brightness))

    @property
    def path(self):
        return f"{FOLDER}/{self.name}"

    def brightness(self):
        with open(f"{self.path}/brightness") as file:
            return int(file.read())

    def close(self):
        """The lamp goes."""
        self.is_open = False
        self.thread.join()
        os.close(self.file)
