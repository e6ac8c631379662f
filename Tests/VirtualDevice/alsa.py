# SPDX-License-Identifier: Apache-2.0
"""ALSA controls by card id and raw name, through libasound itself.

A *card* is named by its id (`sndrpihifiberry`), never by its number. A *control* is one element of
it by its raw name (`Digital Playback Volume`). A *value* is a tuple with one number for each
channel. Gains are in decibels; -inf is what the kernel calls mute.
"""

import ctypes
import math
import os
import re
import select
import time

CARD, MIXER = 0, 2  # interfaces: what concerns the card as a whole, as jacks do; what is a mixer's
NONBLOCK = 1
BOOLEAN, INTEGER, ENUMERATED, BYTES = 1, 2, 3, 4
KINDS = {BOOLEAN: "boolean", INTEGER: "integer", ENUMERATED: "enumerated", BYTES: "bytes"}
TLV_BYTES = 4096
MUTE_MILLIBELS = -9999999

_library = None


class AlsaError(OSError):
    """A call that libasound refused; `errno` is why."""


def _asound():
    """libasound, loaded when first needed: scenarios are listed on machines without it."""
    global _library
    if _library is None:
        _library = ctypes.CDLL("libasound.so.2", use_errno=True)
        for name in ("snd_ctl_elem_id_get_name", "snd_ctl_elem_info_get_item_name"):
            getattr(_library, name).restype = ctypes.c_char_p
        for name in ("min", "max", "step"):
            getattr(_library, f"snd_ctl_elem_info_get_{name}").restype = ctypes.c_long
        _library.snd_ctl_elem_value_get_integer.restype = ctypes.c_long
        _library.snd_ctl_elem_value_set_integer.argtypes = [
            ctypes.c_void_p,
            ctypes.c_uint,
            ctypes.c_long,
        ]
        _library.snd_ctl_add_integer_elem_set.argtypes = (
            [ctypes.c_void_p] * 2 + [ctypes.c_uint] * 2 + [ctypes.c_long] * 3
        )
        _library.snd_tlv_convert_to_dB.argtypes = (
            [ctypes.c_void_p] + [ctypes.c_long] * 3 + [ctypes.c_void_p]
        )
        _library.snd_tlv_get_dB_range.argtypes = (
            [ctypes.c_void_p] + [ctypes.c_long] * 2 + [ctypes.c_void_p] * 2
        )
    return _library


def _call(name, *arguments):
    """Calls a function of libasound that answers a negative errno when it fails."""
    result = getattr(_asound(), name)(*arguments)
    if result < 0:
        raise AlsaError(-result, f"{name}: {os.strerror(-result)}")
    return result


def _new(kind):
    """An object of one of ALSA's hidden types, such as `ctl_elem_info`."""
    pointer = ctypes.c_void_p()
    _call(f"snd_{kind}_malloc", ctypes.byref(pointer))
    return pointer


def _decibels(millibels):
    return -math.inf if millibels <= MUTE_MILLIBELS else millibels / 100


def card_ids():
    """The ids of all cards, in order of their numbers."""
    with open("/proc/asound/cards") as file:
        return re.findall(r"^ *\d+ \[(\w+) *\]", file.read(), re.MULTILINE)


class Card:
    """A sound card by its id.

    Opening one that is not there raises AlsaError with ENODEV or ENOENT.
    """

    def __init__(self, identity):
        self.identity = identity
        self.handle = None
        handle = ctypes.c_void_p()
        _call("snd_ctl_open", ctypes.byref(handle), f"hw:CARD={identity}".encode(), NONBLOCK)
        self.handle = handle

    def close(self):
        """Closes the card, also for its controls; happens by itself when the last of them goes."""
        handle, self.handle = self.handle, None
        if handle:
            _call("snd_ctl_close", handle)

    __del__ = close

    def controls(self):
        """All controls of the card, in the kernel's order."""
        listing = _new("ctl_elem_list")
        _call("snd_ctl_elem_list", self.handle, listing)
        count = _call("snd_ctl_elem_list_get_count", listing)
        _call("snd_ctl_elem_list_alloc_space", listing, count)
        _call("snd_ctl_elem_list", self.handle, listing)
        return [
            Control(self, numid=_asound().snd_ctl_elem_list_get_numid(listing, i))
            for i in range(count)
        ]

    def control(self, name, index=0, interface=MIXER):
        """One control by its raw name, with the names that exist in the error when it does not."""
        try:
            return Control(self, name, index, interface)
        except AlsaError as error:
            there = ", ".join(control.name for control in self.controls())
            raise AlsaError(
                error.errno, f"{self.identity} has no control '{name}', but: {there}"
            ) from None

    def add_control(self, name, channels, minimum, maximum, step_decibels=None):
        """Makes a user control; its lowest gain is so that `maximum` is 0 dB.

        The maker holds it locked.
        """
        info = _new("ctl_elem_info")
        _asound().snd_ctl_elem_info_set_interface(info, MIXER)
        _asound().snd_ctl_elem_info_set_name(info, name.encode())
        _call("snd_ctl_add_integer_elem_set", self.handle, info, 1, channels, minimum, maximum, 1)
        control = self.control(name)
        if step_decibels is not None:
            step = round(step_decibels * 100)
            scale = (ctypes.c_uint * 4)(1, 8, -step * (maximum - minimum) & 0xFFFFFFFF, step)
            _call("snd_ctl_elem_tlv_write", self.handle, control.id, scale)
        return control


class Control:
    """One control of a card.

    Attributes: name, index, kind (a word), channels, minimum, maximum, items.
    """

    def __init__(self, card, name=None, index=0, interface=MIXER, numid=None):
        self.card = card
        asound = _asound()
        self.info = _new("ctl_elem_info")
        if numid is None:
            asound.snd_ctl_elem_info_set_interface(self.info, interface)
            asound.snd_ctl_elem_info_set_name(self.info, name.encode())
            asound.snd_ctl_elem_info_set_index(self.info, index)
        else:
            asound.snd_ctl_elem_info_set_numid(self.info, numid)
        self._refresh()
        self.id = _new("ctl_elem_id")
        asound.snd_ctl_elem_info_get_id(self.info, self.id)
        self.numid = asound.snd_ctl_elem_id_get_numid(self.id)
        self.name = asound.snd_ctl_elem_id_get_name(self.id).decode()
        self.index = asound.snd_ctl_elem_id_get_index(self.id)
        self.interface = asound.snd_ctl_elem_id_get_interface(self.id)
        self.type = asound.snd_ctl_elem_info_get_type(self.info)
        self.kind = KINDS.get(self.type, "other")
        self.channels = asound.snd_ctl_elem_info_get_count(self.info)
        self.minimum, self.maximum, self.items = 0, 1, ()
        if self.type == INTEGER:
            self.minimum = asound.snd_ctl_elem_info_get_min(self.info)
            self.maximum = asound.snd_ctl_elem_info_get_max(self.info)
        elif self.type == ENUMERATED:
            self.items = tuple(
                self._item(i) for i in range(asound.snd_ctl_elem_info_get_items(self.info))
            )
            self.maximum = len(self.items) - 1

    def _refresh(self):
        _call("snd_ctl_elem_info", self.card.handle, self.info)

    def _item(self, number):
        _asound().snd_ctl_elem_info_set_item(self.info, number)
        self._refresh()
        return _asound().snd_ctl_elem_info_get_item_name(self.info).decode()

    def _value(self):
        value = _new("ctl_elem_value")
        _asound().snd_ctl_elem_value_set_id(value, self.id)
        return value

    def read(self):
        """The raw value of every channel."""
        value = self._value()
        try:
            _call("snd_ctl_elem_read", self.card.handle, value)
            get = getattr(_asound(), f"snd_ctl_elem_value_get_{self.kind}")
            return tuple(get(value, channel) for channel in range(self.channels))
        finally:
            _asound().snd_ctl_elem_value_free(value)

    def write(self, *numbers):
        """Writes raw values, one for each channel or one for all.

        Raises AlsaError EPERM on a locked control.
        """
        if len(numbers) == 1:
            numbers *= self.channels
        value = self._value()
        try:
            _call("snd_ctl_elem_read", self.card.handle, value)
            put = getattr(_asound(), f"snd_ctl_elem_value_set_{self.kind}")
            for channel, number in enumerate(numbers):
                put(value, channel, int(number))
            _call("snd_ctl_elem_write", self.card.handle, value)
        finally:
            _asound().snd_ctl_elem_value_free(value)

    def _tlv(self):
        buffer = (ctypes.c_uint * (TLV_BYTES // 4))()
        _call("snd_ctl_elem_tlv_read", self.card.handle, self.id, buffer, TLV_BYTES)
        found = ctypes.c_void_p()
        _call("snd_tlv_parse_dB_info", buffer, TLV_BYTES, ctypes.byref(found))
        return buffer, found

    @property
    def has_decibels(self):
        return self.type == INTEGER and bool(_asound().snd_ctl_elem_info_is_tlv_readable(self.info))

    def decibel_range(self):
        """The gains that the control names as lowest (-inf: mute) and highest."""
        low, high = ctypes.c_long(), ctypes.c_long()
        _, tlv = self._tlv()
        _call(
            "snd_tlv_get_dB_range",
            tlv,
            self.minimum,
            self.maximum,
            ctypes.byref(low),
            ctypes.byref(high),
        )
        return _decibels(low.value), _decibels(high.value)

    def gain_of(self, raw):
        """The gain in decibels of a raw value."""
        _, tlv = self._tlv()
        gain = ctypes.c_long()
        _call("snd_tlv_convert_to_dB", tlv, self.minimum, self.maximum, raw, ctypes.byref(gain))
        return _decibels(gain.value)

    def gains(self):
        """The gain in decibels of every raw value: {raw: gain}, lowest first."""
        _, tlv = self._tlv()
        gain, found = ctypes.c_long(), {}
        convert = _asound().snd_tlv_convert_to_dB
        for raw in range(self.minimum, self.maximum + 1):
            convert(tlv, self.minimum, self.maximum, raw, ctypes.byref(gain))
            found[raw] = _decibels(gain.value)
        return found

    def decibels(self):
        """The gain of every channel."""
        return tuple(self.gain_of(raw) for raw in self.read())

    def lock(self):
        """Keeps everybody else from writing, until `unlock` or the end of this process."""
        _call("snd_ctl_elem_lock", self.card.handle, self.id)

    def unlock(self):
        _call("snd_ctl_elem_unlock", self.card.handle, self.id)

    def is_locked(self):
        self._refresh()
        return bool(_asound().snd_ctl_elem_info_is_locked(self.info))

    def is_writable(self):
        return bool(_asound().snd_ctl_elem_info_is_writable(self.info))

    def wait(self, reached, timeout_ms, what=None):
        """Waits until `reached` (a value, or a function of one) holds.

        Returns (value, monotonic nanoseconds).
        """
        changes = self.changes(timeout_ms, until=reached)
        value, moment = changes[-1]
        if _holds(reached, value):
            return value, moment
        wanted = what or ("another value" if callable(reached) else str(reached))
        raise AssertionError(
            f"{self.card.identity} '{self.name}' is {value} after {timeout_ms} ms, "
            f"expected {wanted}"
        )

    def changes(self, duration_ms, until=None):
        """Every value that the control takes in a time, with its moment; the first is now's."""
        with Watch(self) as watch:
            return watch.collect(duration_ms, until)


def _holds(reached, value):
    if callable(reached):
        return reached(value)
    return value == (
        tuple(reached) if isinstance(reached, (tuple, list)) else (reached,) * len(value)
    )


class Watch:
    """Watches a control from its making on: `with Watch(control) as watch: act();
    watch.collect(100)`.

    A value that stood for less time than this process needs to wake may be missing.
    """

    def __init__(self, control):
        self.card = Card(control.card.identity)
        self.control = self.card.control(control.name, control.index, control.interface)
        _call("snd_ctl_subscribe_events", self.card.handle, 1)
        self.file = self._poll_file()
        self.values = [(self.control.read(), time.monotonic_ns())]

    def _poll_file(self):
        descriptor = (ctypes.c_int * 2)()  # struct pollfd
        _call("snd_ctl_poll_descriptors", self.card.handle, descriptor, 1)
        return descriptor[0]

    def _drain(self):
        event = _new("ctl_event")
        try:
            while _asound().snd_ctl_read(self.card.handle, event) > 0:
                pass
        finally:
            _asound().snd_ctl_event_free(event)

    def collect(self, duration_ms, until=None):
        """Goes on for a time, or until a value holds.

        Returns all [(value, monotonic nanoseconds)] so far.
        """
        deadline = time.monotonic() + duration_ms / 1000
        while until is None or not _holds(until, self.values[-1][0]):
            left = deadline - time.monotonic()
            if left <= 0:
                break
            if select.select([self.file], [], [], left)[0]:
                self._look()
        return self.values

    def _look(self):
        self._drain()
        value, moment = self.control.read(), time.monotonic_ns()
        if value != self.values[-1][0]:
            self.values.append((value, moment))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.card.close()


def together(watches, duration_ms):
    """Goes on for a time. Returns what all watched controls held, each time that one had changed.
    """
    held = [tuple(watch.values[-1][0] for watch in watches)]
    deadline = time.monotonic() + duration_ms / 1000
    while (left := deadline - time.monotonic()) > 0:
        if select.select([watch.file for watch in watches], [], [], left)[0]:
            for watch in watches:
                watch._look()
            held.append(tuple(watch.values[-1][0] for watch in watches))
    return held


def refuses(action, *arguments):
    """The errno with which an action is refused; None when it is not."""
    try:
        action(*arguments)
    except AlsaError as error:
        return error.errno
    return None
