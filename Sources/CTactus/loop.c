// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "loop.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#define BILLION 1000000000u

static int checked(int result) { return result < 0 ? -errno : result; }

int tactus_poll_open(void) {
  // The default slack of 50 us would add to every tick; long waits still get 0.1 % from the kernel.
  prctl(PR_SET_TIMERSLACK, 1);
  return checked(epoll_create1(EPOLL_CLOEXEC));
}

static int control(int poll, int operation, int descriptor, uint32_t token, uint32_t conditions) {
  struct epoll_event event = {.data.u32 = token};
  if (conditions & TACTUS_READABLE) event.events |= EPOLLIN;
  if (conditions & TACTUS_WRITABLE) event.events |= EPOLLOUT;
  return checked(epoll_ctl(poll, operation, descriptor, &event));
}

int tactus_poll_add(int poll, int descriptor, uint32_t token, uint32_t conditions) {
  return control(poll, EPOLL_CTL_ADD, descriptor, token, conditions);
}

int tactus_poll_change(int poll, int descriptor, uint32_t token, uint32_t conditions) {
  return control(poll, EPOLL_CTL_MOD, descriptor, token, conditions);
}

int tactus_poll_remove(int poll, int descriptor) {
  return control(poll, EPOLL_CTL_DEL, descriptor, 0, 0);
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * BILLION + (uint64_t)time.tv_nsec;
}

static int wait_once(int poll, uint64_t deadline, struct epoll_event *events, int capacity) {
  if (deadline == TACTUS_NEVER) return epoll_pwait2(poll, events, capacity, NULL, NULL);
  uint64_t start = now();
  uint64_t left = deadline > start ? deadline - start : 0;
  struct timespec timeout = {(time_t)(left / BILLION), (long)(left % BILLION)};
  return epoll_pwait2(poll, events, capacity, &timeout, NULL);
}

// One system call a wake-up: a timerfd takes three (arm, wait, read) and was no more exact.
int tactus_poll_wait(int poll, uint64_t deadline, struct tactus_ready *ready, int capacity) {
  struct epoll_event events[TACTUS_READY_MAX];
  if (capacity > TACTUS_READY_MAX) capacity = TACTUS_READY_MAX;
  int count;
  do count = wait_once(poll, deadline, events, capacity);
  while (count < 0 && errno == EINTR);
  for (int i = 0; i < count; i++) {
    uint32_t conditions = 0;
    if (events[i].events & EPOLLIN) conditions |= TACTUS_READABLE;
    if (events[i].events & EPOLLOUT) conditions |= TACTUS_WRITABLE;
    if (events[i].events & (EPOLLHUP | EPOLLERR)) conditions |= TACTUS_BROKEN;
    ready[i] = (struct tactus_ready){.token = events[i].data.u32, .conditions = conditions};
  }
  return checked(count);
}

int tactus_signals_open(void) {
  signal(SIGPIPE, SIG_IGN);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  sigaddset(&signals, SIGUSR1);
  if (sigprocmask(SIG_BLOCK, &signals, NULL) < 0) return -errno;
  return checked(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
}

int tactus_signals_next(int descriptor) {
  struct signalfd_siginfo information;
  ssize_t count = read(descriptor, &information, sizeof information);
  return count == sizeof information ? (int)information.ssi_signo : 0;
}

int tactus_watch_open(void) { return checked(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)); }

int tactus_watch_add(int watch, const char *folder) {
  // IN_ATTRIB: udev gives a new device file its group after it has made it.
  uint32_t changes = IN_CREATE | IN_DELETE | IN_ATTRIB | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR;
  return checked(inotify_add_watch(watch, folder, changes));
}

uint64_t tactus_watch_take(int watch) {
  _Alignas(struct inotify_event) char records[4096];
  uint64_t changed = 0;
  ssize_t length;
  while ((length = read(watch, records, sizeof records)) > 0) {
    for (char *record = records; record < records + length;) {
      const struct inotify_event *event = (const void *)record;
      changed |= event->wd >= 0 && event->wd < 64 ? UINT64_C(1) << event->wd : UINT64_MAX;
      record += sizeof *event + event->len;
    }
  }
  return changed;
}
