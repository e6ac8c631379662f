// SPDX-License-Identifier: Apache-2.0
#include "force.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/input.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "system.h"

// A wave of a motor's usual resonance, which even a pulse of 10 ms holds once.
#define WAVE_MILLISECONDS 6

static bool has(const uint8_t *bits, uint16_t code) { return bits[code / 8] >> (code % 8) & 1; }

static int read_abilities(int device, uint8_t *abilities, unsigned size) {
  return ioctl(device, EVIOCGBIT(EV_FF, size), abilities) < 0 ? -errno : 0;
}

static int write_event(int device, uint16_t code, int32_t value) {
  struct input_event event = {.type = EV_FF, .code = code, .value = value};
  ssize_t length;
  do length = write(device, &event, sizeof event);
  while (length < 0 && errno == EINTR);
  return length < 0 ? -errno : 0;
}

// Only what ends the device wakes us.
static int hear_nothing(int device) {
  unsigned long kinds = 1 << EV_SYN;
  struct input_mask mask = {
      .type = EV_SYN, .codes_size = sizeof kinds, .codes_ptr = (uintptr_t)&kinds};
  return ioctl(device, EVIOCSMASK, &mask) < 0 ? -errno : 0;
}

static int prepare(int device) {
  uint8_t abilities[FF_CNT / 8] = {0};
  int result = read_abilities(device, abilities, sizeof abilities);
  if (result < 0) return result;
  if (!has(abilities, FF_RUMBLE) && !has(abilities, FF_SINE)) return -ENODATA;
  result = hear_nothing(device);
  if (result < 0 || !has(abilities, FF_GAIN)) return result;
  return write_event(device, FF_GAIN, 0xffff);
}

int tactus_force_open(const char *path) {
  int device = tactus_open(path, O_RDWR | O_NONBLOCK);
  if (device < 0) return device;
  int result = prepare(device);
  if (result == 0) return device;
  close(device);
  return result;
}

// A sine where the device has one: the kernel would make a rumble into a wave of 50 ms, longer than
// the pulse. Of a device that has none it makes a sine into a rumble.
int tactus_force_upload(int device, uint16_t strength, uint16_t milliseconds) {
  uint8_t abilities[FF_CNT / 8] = {0};
  int result = read_abilities(device, abilities, sizeof abilities);
  if (result < 0) return result;
  struct ff_effect effect = {.id = -1, .direction = 0x4000, .replay.length = milliseconds};
  if (has(abilities, FF_SINE)) {
    effect.type = FF_PERIODIC;
    effect.u.periodic.waveform = FF_SINE;
    effect.u.periodic.period = WAVE_MILLISECONDS;
    effect.u.periodic.magnitude = (int16_t)(strength >> 1);
  } else {
    effect.type = FF_RUMBLE;
    effect.u.rumble.strong_magnitude = strength;
    effect.u.rumble.weak_magnitude = strength;
  }
  return ioctl(device, EVIOCSFF, &effect) < 0 ? -errno : effect.id;
}

int tactus_force_play(int device, int16_t effect, bool starts) {
  return write_event(device, (uint16_t)effect, starts);
}

int tactus_force_take(int device) {
  struct input_event events[16];
  ssize_t length;
  do length = read(device, events, sizeof events);
  while (length > 0 || (length < 0 && errno == EINTR));
  return length < 0 && errno != EAGAIN ? -errno : 0;
}
