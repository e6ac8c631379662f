// SPDX-License-Identifier: Apache-2.0
//
// Waiting, signals and watched folders: what has C layouts that Swift cannot name (a packed union,
// records of varying length). Functions return 0, a descriptor or a count, or a negative errno.
#ifndef TACTUS_LOOP_H
#define TACTUS_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#define TACTUS_READABLE 1u
#define TACTUS_WRITABLE 2u
#define TACTUS_BROKEN 4u     // the other end, or the device, is gone
#define TACTUS_NEVER UINT64_MAX
#define TACTUS_READY_MAX 32  // descriptors of one wake-up

struct tactus_ready {
  uint32_t token;
  uint32_t conditions;  // TACTUS_READABLE …
};

int tactus_poll_open(void);
/// conditions 0: keep it registered but wait for the end of it only.
int tactus_poll_add(int poll, int descriptor, uint32_t token, uint32_t conditions);
int tactus_poll_change(int poll, int descriptor, uint32_t token, uint32_t conditions);
int tactus_poll_remove(int poll, int descriptor);
/// Waits until something is ready or CLOCK_MONOTONIC reaches the deadline (ns).
int tactus_poll_wait(int poll, uint64_t deadline, struct tactus_ready *ready, int capacity);

/// Blocks the signals of the daemon's life and gives a descriptor that tells them.
/// SIGPIPE is ignored.
int tactus_signals_open(void);
/// The next signal's number, 0 when there is none.
int tactus_signals_next(int descriptor);

int tactus_watch_open(void);
/// A number for the folder, the same when it is watched already.
int tactus_watch_add(int watch, const char *folder);
/// Which folders have changed since: bit n for the folder with number n, all for more than 63.
uint64_t tactus_watch_take(int watch);

#endif
