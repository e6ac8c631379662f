// SPDX-License-Identifier: Apache-2.0
//
// Keys of input devices: ioctls whose numbers are made by macros, which Swift does not import.
#ifndef TACTUS_INPUT_H
#define TACTUS_INPUT_H

#include <fnmatch.h>
#include <linux/input-event-codes.h>
#include <stdbool.h>
#include <stdint.h>

#define TACTUS_KEYS_MAX 64  // key events of one taking

/// A key that was pressed or let go of.
struct tactus_key {
  uint16_t code;
  bool pressed;
};

/// Opens a device of which only the keys with these codes are heard: a descriptor or a negative
/// errno; -ENODATA when it has none of them.
int tactus_keys_open(const char *path, const uint16_t *codes, uint32_t count, bool grab);

/// Whether one of the links that fit a pattern of the shell leads to the device at the path.
bool tactus_input_has_link(const char *path, const char *pattern);

/// Takes the key events that wait, without those of the kernel's repeat: their number or a negative
/// errno. `dropped`: the kernel had no room for some, and what is pressed must be read.
int tactus_keys_take(int device, struct tactus_key *keys, bool *dropped);

/// Reads which of the keys are pressed, bit i for codes[i]: 0 or a negative errno.
int tactus_keys_read(int device, const uint16_t *codes, uint32_t count, uint32_t *pressed);

#endif
