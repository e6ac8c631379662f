// SPDX-License-Identifier: Apache-2.0
//
// From a contact to a codec: moves a simulated contact, or presses a key of an input device of its
// own, and takes the time until a control of the card changes. Each press comes after a rest, so
// that whoever answers is idle. Prints the median and the 95th percentile in microseconds.
//
// gpio-sim tells of a contact at the kernel's next clock tick. The presses are spread evenly over
// the time between two ticks: else the end of one answer would decide where the next press falls,
// and a little more work could cost or save a whole tick.
//
//   latency PULL-FILE CARD CONTROL PRESSES    a gpio-sim line, pulled down and up
//   latency key CARD CONTROL PRESSES          KEY_MUTE of a uinput device
#include <alsa/asoundlib.h>
#include <fcntl.h>
#include <linux/uinput.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { REST_MS = 250, PATIENCE_MS = 1000, PRESSES_MAX = 1000, TICK_NS = 1000000 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static int open_keyboard(void) {
  int keyboard = open("/dev/uinput", O_WRONLY);
  struct uinput_setup setup = {.id = {.bustype = BUS_VIRTUAL}, .name = "tactus benchmark"};
  if (keyboard < 0 || ioctl(keyboard, UI_SET_EVBIT, EV_KEY) < 0 ||
      ioctl(keyboard, UI_SET_KEYBIT, KEY_MUTE) < 0 || ioctl(keyboard, UI_DEV_SETUP, &setup) < 0 ||
      ioctl(keyboard, UI_DEV_CREATE) < 0)
    fail("uinput");
  return keyboard;
}

static void press(int contact, int is_key, int is_down) {
  if (is_key) {
    struct input_event events[2] = {{.type = EV_KEY, .code = KEY_MUTE, .value = is_down},
                                    {.type = EV_SYN, .code = SYN_REPORT}};
    if (write(contact, events, sizeof events) < 0) fail("key");
  } else {
    const char *pull = is_down ? "pull-down" : "pull-up";
    if (pwrite(contact, pull, strlen(pull), 0) < 0) fail("pull");
  }
}

// Takes the events that wait; answers whether the control was among them.
static int changed(snd_ctl_t *control, const char *name) {
  snd_ctl_event_t *event;
  snd_ctl_event_alloca(&event);
  int is_changed = 0;
  while (snd_ctl_read(control, event) > 0)
    if (snd_ctl_event_get_type(event) == SND_CTL_EVENT_ELEM &&
        !strcmp(snd_ctl_event_elem_get_name(event), name))
      is_changed = 1;
  return is_changed;
}

static void rest(snd_ctl_t *control, const char *name) {
  usleep(REST_MS * 1000);
  changed(control, name);
}

// Sleeps until the part of a clock tick at which this one of all presses is due.
static void align(int round, int presses) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  long part = (long)((2 * round + 1) * (double)TICK_NS / (2 * presses));
  time.tv_nsec += TICK_NS - time.tv_nsec % TICK_NS + part;
  time.tv_sec += time.tv_nsec / 1000000000;
  time.tv_nsec %= 1000000000;
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

static int by_size(const void *left, const void *right) {
  double difference = *(const double *)left - *(const double *)right;
  return (difference > 0) - (difference < 0);
}

int main(int count, char **arguments) {
  if (count != 5) return 64;
  int is_key = !strcmp(arguments[1], "key");
  int contact = is_key ? open_keyboard() : open(arguments[1], O_WRONLY);
  if (contact < 0) fail(arguments[1]);
  char card[64];
  snprintf(card, sizeof card, "hw:CARD=%s", arguments[2]);
  snd_ctl_t *control;
  if (snd_ctl_open(&control, card, SND_CTL_NONBLOCK) < 0) fail(card);
  snd_ctl_subscribe_events(control, 1);
  struct pollfd poller;
  snd_ctl_poll_descriptors(control, &poller, 1);
  int presses = atoi(arguments[4]), answered = 0;
  static double times[PRESSES_MAX];
  if (presses > PRESSES_MAX) presses = PRESSES_MAX;
  if (is_key) sleep(2);  // until somebody has found the new device
  for (int round = 0; round < presses; round++) {
    rest(control, arguments[3]);
    align(round, presses);
    double start = now();
    press(contact, is_key, 1);
    while (now() < start + PATIENCE_MS * 1e3) {
      if (poll(&poller, 1, PATIENCE_MS) > 0 && changed(control, arguments[3])) {
        times[answered++] = now() - start;
        break;
      }
    }
    rest(control, arguments[3]);
    press(contact, is_key, 0);
  }
  qsort(times, (size_t)answered, sizeof *times, by_size);
  if (!answered) return 1;
  printf("%d %d %.0f %.0f\n", presses, answered, times[answered / 2], times[answered * 95 / 100]);
  return 0;
}
