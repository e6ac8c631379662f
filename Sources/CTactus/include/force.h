// SPDX-License-Identifier: Apache-2.0
//
// Force feedback of input devices: ioctls whose numbers are made by macros, and a structure with a
// union in it, which Swift does not import well.
#ifndef TACTUS_FORCE_H
#define TACTUS_FORCE_H

#include <stdbool.h>
#include <stdint.h>

/// Opens a device that can vibrate, at its full gain, and hears nothing of what its keys do: a
/// descriptor or a negative errno; -ENODATA when it cannot.
int tactus_force_open(const char *path);

/// Gives it an effect of one pulse, 0...0xffff strong, that ends by itself: the effect's number or
/// a negative errno. The device may let one wait for seconds.
int tactus_force_upload(int device, uint16_t strength, uint16_t milliseconds);

/// Starts or stops an effect, without waiting: 0 or a negative errno.
int tactus_force_play(int device, int16_t effect, bool starts);

/// Takes what waits to be read: 0, or a negative errno once the device has gone.
int tactus_force_take(int device);

#endif
