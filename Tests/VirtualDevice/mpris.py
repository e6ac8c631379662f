#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""A player on the bus that does what it is told, and nothing else: obeys or ignores Pause, lies, or
says nothing. It makes no sound. As a program, what it is to say of itself comes by standard input:

    mpris.py NAME [--deaf] [--back]
                                its bus name is org.mpris.MediaPlayer2.NAME; --back: it can go back
    Playing | Paused | Stopped  it says so from now on
    Volume 0.3                  its own volume is set, as by a remote control

and each method that is called goes to standard output, one a line.
"""

import os
import subprocess
import sys
import threading

PREFIX = "org.mpris.MediaPlayer2"


class Player:
    """A player in a process of its own, on the system bus or the one with an address."""

    def __init__(self, name, *options, address=None):
        self.process = subprocess.Popen(
            ["/usr/bin/python3", "-B", os.path.abspath(__file__), name, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=dict(os.environ, PLAYERS_BUS=address or ""),
        )
        self.calls = []
        if self.process.stdout.readline() != "ready\n":
            raise AssertionError(f"the player {name} does not start")
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for line in self.process.stdout:
            self.calls.append(line.strip())

    def say(self, what):
        """Has it say something of itself."""
        self.process.stdin.write(what + "\n")
        self.process.stdin.flush()

    def kill(self):
        self.process.kill()
        self.process.wait()


def main(name, *options):
    import dbus
    import dbus.mainloop.glib
    import dbus.service
    from gi.repository import GLib

    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)

    class Object(dbus.service.Object):
        values = {"PlaybackStatus": "Stopped", "Volume": 1.0, "CanGoPrevious": "--back" in options}

        def set(self, key, value):
            self.values[key] = value
            self.PropertiesChanged(f"{PREFIX}.Player", {key: value}, [])

        def called(self, method, status=None):
            print(method, flush=True)
            if status and "--deaf" not in options:
                self.set("PlaybackStatus", status)

        @dbus.service.method(f"{PREFIX}.Player")
        def Play(self):
            self.called("Play", "Playing")

        @dbus.service.method(f"{PREFIX}.Player")
        def Pause(self):
            self.called("Pause", "Paused")

        @dbus.service.method(f"{PREFIX}.Player")
        def Stop(self):
            self.called("Stop", "Stopped")

        @dbus.service.method(f"{PREFIX}.Player")
        def PlayPause(self):
            self.called("PlayPause")

        @dbus.service.method(f"{PREFIX}.Player")
        def Next(self):
            self.called("Next")

        @dbus.service.method(f"{PREFIX}.Player")
        def Previous(self):
            self.called("Previous")

        @dbus.service.method(dbus.PROPERTIES_IFACE, in_signature="s", out_signature="a{sv}")
        def GetAll(self, interface):
            return {**self.values, "Metadata": dbus.Dictionary({"a": "b"}, signature="sv")}

        @dbus.service.signal(dbus.PROPERTIES_IFACE, signature="sa{sv}as")
        def PropertiesChanged(self, interface, changed, invalidated):
            pass

    address = os.environ.get("PLAYERS_BUS")
    bus = dbus.bus.BusConnection(address) if address else dbus.SystemBus()
    player = Object(bus, "/org/mpris/MediaPlayer2")
    player_name = dbus.service.BusName(f"{PREFIX}.{name}", bus)
    loop = GLib.MainLoop()

    def obey(stream, _):
        # All that has come: what stays in a buffer wakes nobody.
        lines = os.read(stream.fileno(), 4096).decode().splitlines()
        if not lines:
            loop.quit()
        for words in map(str.split, lines):
            if words[0] == "Volume":
                player.set("Volume", float(words[1]))
            else:
                player.set("PlaybackStatus", words[0])
        return bool(lines)

    GLib.io_add_watch(sys.stdin, GLib.IO_IN | GLib.IO_HUP, obey)
    print("ready", flush=True)
    loop.run()
    del player_name


if __name__ == "__main__":
    main(*sys.argv[1:])
