# SPDX-License-Identifier: Apache-2.0
"""Sound that is played and recorded, on the kernel's Loopback card: what plays to hw:Loopback,0 is
recorded from hw:Loopback,1 bit for bit.

A *window* is 5 ms of a recording. Levels are the loudness of a window in dB: 0 is a sine at full
scale, SILENCE where every sample is zero.
"""

import array
import math
import os
import subprocess
import tempfile
import threading
import time

RATE, CHANNELS = 48000, 2
WINDOW_MS = 5
SILENCE = -math.inf
FORMAT = ["-q", "-t", "raw", "-f", "S16_LE", "-r", str(RATE), "-c", str(CHANNELS)]
PLAYED, RECORDED = "hw:Loopback,0,0", "hw:Loopback,1,0"


def sine(seconds, hertz=1000, decibels=0.0):
    """Samples of a sine on all channels, 16 bits. Whole numbers of hertz only."""
    peak = 32767 * 10 ** (decibels / 20)
    second = array.array("h")
    for i in range(RATE):
        second.extend([round(peak * math.sin(2 * math.pi * hertz * i / RATE))] * CHANNELS)
    samples = second * math.ceil(seconds)
    return samples[: round(seconds * RATE) * CHANNELS]


def level_of(samples):
    """The loudness of 16-bit samples in dB."""
    power = sum(sample * sample for sample in samples) / max(1, len(samples))
    return 10 * math.log10(2 * power / 32767**2) if power else SILENCE


class Playing:
    """A sine that plays in a process of its own until it ends or is stopped."""

    def __init__(self, pcm=PLAYED, seconds=10, hertz=1000, decibels=0.0, options=()):
        with tempfile.NamedTemporaryFile(delete=False) as file:
            file.write(sine(seconds, hertz, decibels).tobytes())
        self.path = file.name
        self.process = subprocess.Popen(["aplay", "-D", pcm, *FORMAT, *options, self.path])

    def wait(self):
        """Waits for the end. Returns the player's exit code."""
        return self.process.wait()

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait()
        if os.path.exists(self.path):
            os.unlink(self.path)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class Recording:
    """Records from its making on, until stopped: `with Recording() as sound: …; sound.levels()`."""

    def __init__(self, pcm=RECORDED, options=("--period-size=240", "--buffer-size=4800")):
        self.process = subprocess.Popen(
            ["arecord", "-D", pcm, *FORMAT, *options], stdout=subprocess.PIPE, bufsize=0
        )
        self.chunks = []
        self.moments = []  # (samples per channel so far, monotonic nanoseconds)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        frames = 0
        while chunk := self.process.stdout.read(1 << 16):
            frames += len(chunk) // (2 * CHANNELS)
            self.chunks.append(chunk)
            self.moments.append((frames, time.monotonic_ns()))

    def stop(self):
        """Ends the recording; what was recorded stays."""
        self.process.terminate()
        self.process.wait()
        self.reader.join()

    def windows(self, channel=0):
        """The level of every window as [(monotonic nanoseconds of its end, dB)].

        The moment is when this program received it, so at most one period (5 ms) after it sounded.
        """
        data = b"".join(list(self.chunks))
        samples = array.array("h", data[: len(data) // (2 * CHANNELS) * 2 * CHANNELS])[
            channel::CHANNELS
        ]
        step = RATE * WINDOW_MS // 1000
        moments = iter(list(self.moments))
        received, moment = 0, 0
        levels = []
        for end in range(step, len(samples) + 1, step):
            while received < end:
                received, moment = next(moments)
            levels.append((moment, level_of(samples[end - step : end])))
        return levels

    def levels(self, channel=0):
        """The level of every window, in dB."""
        return [level for _, level in self.windows(channel)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
