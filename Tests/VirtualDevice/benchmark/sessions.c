// SPDX-License-Identifier: Apache-2.0
//
// What a player waits for when it opens sessions of tactusd over D-Bus, beside the least that the
// bus can do. Every call comes after a rest, at another part of the tick each time, so that whoever
// answers is idle. Prints a line for each of these, the median and the 95th percentile in
// microseconds:
//
//   echo       Ping of a service of its own, of sd-bus and nothing else
//   ping       Ping of tactusd, which sd-bus answers in it
//   activate   Activate of a session with nobody to silence
//   permitted  OpenSession, Activate and SetPlaying, until the session's own control lets sound out
//
//   sessions CARD ROUNDS    the card that has the sessions' controls
#include <alsa/asoundlib.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <time.h>
#include <unistd.h>

#define ECHO "benchmark.echo"
#define SERVICE "org.tactus1"
#define PEER "org.freedesktop.DBus.Peer"
#define NAME "measured"

enum { REST_US = 150000, TICK_US = 5000, ROUNDS_MAX = 1000, PATIENCE_MS = 1000 };
enum { ECHOED, PINGED, ACTIVATED, PERMITTED, KINDS };

static double times[KINDS][ROUNDS_MAX];

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static void check(int result, const char *what) {
  if (result >= 0) return;
  fprintf(stderr, "sessions: %s: %s\n", what, strerror(-result));
  exit(1);
}

static void echo(void) {
  sd_bus *bus;
  check(sd_bus_open_system(&bus), "the echo's bus");
  check(sd_bus_request_name(bus, ECHO, 0), "the echo's name");
  while (sd_bus_process(bus, NULL) > 0 || sd_bus_wait(bus, UINT64_MAX) >= 0) {}
  exit(1);
}

static void rest(int round, int rounds) {
  usleep((useconds_t)(REST_US + (long)TICK_US * round / rounds));
}

static double ping(sd_bus *bus, const char *service) {
  double start = now();
  check(sd_bus_call_method(bus, service, "/", PEER, "Ping", NULL, NULL, ""), service);
  return now() - start;
}

static void call(sd_bus *bus, const char *path, const char *member) {
  int is_activate = !strcmp(member, "Activate");
  check(sd_bus_call_method(bus, SERVICE, path, "org.tactus1.Session", member, NULL, NULL,
                           is_activate ? "" : "b", 1),
        member);
}

// The session's descriptor; its path goes to path.
static int open_session(sd_bus *bus, char path[256]) {
  sd_bus_message *reply;
  check(sd_bus_call_method(bus, SERVICE, "/org/tactus1", "org.tactus1.Manager", "OpenSession",
                           NULL, &reply, "ssa{sv}", NAME, "playback", 0),
        "OpenSession");
  int theirs;
  const char *name;
  check(sd_bus_message_read(reply, "ho", &theirs, &name), "OpenSession's answer");
  int held = fcntl(theirs, F_DUPFD_CLOEXEC, 3);
  snprintf(path, 256, "%s", name);
  sd_bus_message_unref(reply);
  return held;
}

static double activate(sd_bus *bus, const char *path) {
  double start = now();
  call(bus, path, "Activate");
  return now() - start;
}

// Whether the session's control is there, and lets sound out.
static int lets_sound_out(snd_ctl_t *control) {
  snd_ctl_elem_value_t *value;
  snd_ctl_elem_value_alloca(&value);
  snd_ctl_elem_value_set_interface(value, SND_CTL_ELEM_IFACE_MIXER);
  snd_ctl_elem_value_set_name(value, "Tactus " NAME " Playback Volume");
  return snd_ctl_elem_read(control, value) >= 0 && snd_ctl_elem_value_get_integer(value, 0) > 0;
}

static void drain(snd_ctl_t *control) {
  snd_ctl_event_t *event;
  snd_ctl_event_alloca(&event);
  while (snd_ctl_read(control, event) > 0) {}
}

static double permit(sd_bus *bus, snd_ctl_t *control, int *held, char path[256]) {
  struct pollfd poller;
  snd_ctl_poll_descriptors(control, &poller, 1);
  drain(control);
  double start = now();
  *held = open_session(bus, path);
  if (lets_sound_out(control)) check(-EBUSY, "the session is heard before it is active");
  call(bus, path, "Activate");
  call(bus, path, "SetPlaying");
  while (!lets_sound_out(control)) {
    if (poll(&poller, 1, PATIENCE_MS) <= 0) check(-ETIMEDOUT, "the session is not heard");
    drain(control);
  }
  return now() - start;
}

static int by_size(const void *left, const void *right) {
  double difference = *(const double *)left - *(const double *)right;
  return (difference > 0) - (difference < 0);
}

int main(int count, char **arguments) {
  if (count != 3) return 64;
  int rounds = atoi(arguments[2]);
  if (rounds < 1 || rounds > ROUNDS_MAX) return 64;
  pid_t child = fork();
  if (!child) echo();
  sd_bus *bus;
  check(sd_bus_open_system(&bus), "bus");
  char card[64], path[256];
  snprintf(card, sizeof card, "hw:CARD=%s", arguments[1]);
  snd_ctl_t *control;
  check(snd_ctl_open(&control, card, SND_CTL_NONBLOCK), card);
  snd_ctl_subscribe_events(control, 1);
  sleep(1);  // until the echo has its name
  for (int round = 0; round < rounds; round++) {
    int held;
    rest(round, rounds);
    times[ECHOED][round] = ping(bus, ECHO);
    rest(round, rounds);
    times[PINGED][round] = ping(bus, SERVICE);
    rest(round, rounds);
    times[PERMITTED][round] = permit(bus, control, &held, path);
    call(bus, path, "Deactivate");
    rest(round, rounds);
    times[ACTIVATED][round] = activate(bus, path);
    close(held);
  }
  kill(child, SIGTERM);
  static const char *const names[KINDS] = {"echo", "ping", "activate", "permitted"};
  for (int kind = 0; kind < KINDS; kind++) {
    qsort(times[kind], (size_t)rounds, sizeof(double), by_size);
    printf("%s %.0f %.0f\n", names[kind], times[kind][rounds / 2], times[kind][rounds * 95 / 100]);
  }
  return 0;
}
