// SPDX-License-Identifier: Apache-2.0
#include "input.h"

#include <errno.h>
#include <glob.h>
#include <linux/input.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "system.h"

#define KEY_BYTES (KEY_CNT / 8)

static bool has(const uint8_t *bits, uint16_t code) { return bits[code / 8] >> (code % 8) & 1; }

// The kernel wakes us for no other event, and nobody here learns what else is typed.
static int listen_to_keys(int device, const uint16_t *codes, uint32_t count) {
  unsigned long kinds = 1 << EV_SYN | 1 << EV_KEY;  // the kernel takes whole words alone
  uint8_t wanted[KEY_BYTES] = {0};
  for (uint32_t i = 0; i < count; i++) wanted[codes[i] / 8] |= (uint8_t)(1 << (codes[i] % 8));
  struct input_mask masks[] = {
      {.type = EV_SYN, .codes_size = sizeof kinds, .codes_ptr = (uintptr_t)&kinds},
      {.type = EV_KEY, .codes_size = sizeof wanted, .codes_ptr = (uintptr_t)wanted},
  };
  if (ioctl(device, EVIOCSMASK, &masks[0]) < 0) return -errno;
  return ioctl(device, EVIOCSMASK, &masks[1]) < 0 ? -errno : 0;
}

static int prepare(int device, const uint16_t *codes, uint32_t count, bool grab) {
  uint8_t offered[KEY_BYTES] = {0};
  if (ioctl(device, EVIOCGBIT(EV_KEY, sizeof offered), offered) < 0) return -errno;
  bool offers = false;
  for (uint32_t i = 0; i < count; i++) offers = offers || has(offered, codes[i]);
  if (!offers) return -ENODATA;
  int clock = CLOCK_MONOTONIC;
  if (ioctl(device, EVIOCSCLOCKID, &clock) < 0) return -errno;
  if (grab && ioctl(device, EVIOCGRAB, 1) < 0) return -errno;
  return listen_to_keys(device, codes, count);
}

int tactus_keys_open(const char *path, const uint16_t *codes, uint32_t count, bool grab) {
  int device = tactus_open(path, O_RDONLY | O_NONBLOCK);
  if (device < 0) return device;
  int result = prepare(device, codes, count, grab);
  if (result == 0) return device;
  close(device);
  return result;
}

bool tactus_input_has_link(const char *path, const char *pattern) {
  struct stat device, linked;
  glob_t found;
  if (stat(path, &device) < 0 || glob(pattern, GLOB_NOSORT, NULL, &found) != 0) return false;
  bool has = false;
  for (size_t i = 0; i < found.gl_pathc; i++) {
    has = has || (stat(found.gl_pathv[i], &linked) == 0 && linked.st_rdev == device.st_rdev);
  }
  globfree(&found);
  return has;
}

int tactus_keys_take(int device, struct tactus_key *keys, bool *dropped) {
  struct input_event events[TACTUS_KEYS_MAX];
  int count = 0;
  *dropped = false;
  ssize_t length;
  do {
    length = read(device, events, sizeof events);
    for (ssize_t i = 0; i < length / (ssize_t)sizeof *events && !*dropped; i++) {
      if (events[i].type == EV_SYN && events[i].code == SYN_DROPPED) *dropped = true;
      if (events[i].type != EV_KEY || events[i].value > 1) continue;
      keys[count++] = (struct tactus_key){events[i].code, events[i].value == 1};
    }
    // What still waits behind a gap is older than what is read after it.
  } while ((*dropped && length > 0) || (length < 0 && errno == EINTR));
  if (length < 0 && errno != EAGAIN) return -errno;
  return count;
}

int tactus_keys_read(int device, const uint16_t *codes, uint32_t count, uint32_t *pressed) {
  uint8_t bits[KEY_BYTES] = {0};
  if (ioctl(device, EVIOCGKEY(sizeof bits), bits) < 0) return -errno;
  *pressed = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (has(bits, codes[i])) *pressed |= UINT32_C(1) << i;
  }
  return 0;
}
