# SPDX-License-Identifier: Apache-2.0
"""A USB sound card that comes and goes: an audio gadget on a host controller that is both ends of
the cable. Its controls work; its PCM does not move sound.
"""

import glob
import os

import alsa

GADGET = "/sys/kernel/config/usb_gadget/tactus"
CONTROLLER = "dummy_udc.0"


def _write(path, text):
    with open(f"{GADGET}/{path}", "w") as file:
        file.write(text)


def _describe(product, settings):
    """Makes the gadget: one configuration with one audio function, stereo, volume and mute."""
    os.mkdir(GADGET)
    _write("idVendor", "0x1d6b")
    _write("idProduct", "0x0101")
    os.mkdir(f"{GADGET}/strings/0x409")
    _write("strings/0x409/manufacturer", "Tactus")
    _write("strings/0x409/product", product)
    os.mkdir(f"{GADGET}/configs/c.1")
    os.mkdir(f"{GADGET}/functions/uac2.0")
    for name, value in settings.items():
        _write(f"functions/uac2.0/{name}", str(value))
    os.symlink(f"{GADGET}/functions/uac2.0", f"{GADGET}/configs/c.1/uac2.0")


def plug_in(product="Virtual DAC", **settings):
    """Plugs the sound card in. The kernel makes its id of the last word of the product's name.

    settings: of the gadget's audio function, such as c_volume_min, in 1/256 dB.
    """
    if not os.path.exists(GADGET):
        _describe(product, settings)
    _write("UDC", CONTROLLER)


def unplug():
    """Pulls the plug."""
    _write("UDC", "\n")


def cards():
    """The ids of the USB sound cards that are there."""
    usb = {os.path.dirname(path) for path in glob.glob("/proc/asound/card*/usbid")}
    return [name for name in alsa.card_ids() if os.path.realpath(f"/proc/asound/{name}") in usb]
