// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "system.h"

#include <pthread.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/pidfd.h>
#include <sys/wait.h>

int tactus_errno(void) { return errno; }

int tactus_open(const char *path, int flags) {
  int result;
  do result = open(path, flags | O_CLOEXEC, 0644);
  while (result < 0 && errno == EINTR);
  return result < 0 ? -errno : result;
}

int tactus_copy(int descriptor) {
  int result = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
  return result < 0 ? -errno : result;
}

int tactus_lock(int file) { return flock(file, LOCK_EX | LOCK_NB); }

void *tactus_map_failed(void) { return MAP_FAILED; }

int tactus_event_open(void) {
  int result = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return result < 0 ? -errno : result;
}

struct thread_start {
  void (*body)(void *);
  void *context;
};

static void *run(void *start) {
  struct thread_start taken = *(struct thread_start *)start;
  free(start);
  taken.body(taken.context);
  return NULL;
}

int tactus_thread_start(uint64_t *thread, void (*body)(void *), void *context) {
  struct thread_start *start = malloc(sizeof *start);
  if (start == NULL) return -ENOMEM;
  *start = (struct thread_start){body, context};
  pthread_t created;
  int error = pthread_create(&created, NULL, run, start);
  if (error != 0) free(start);
  *thread = (uint64_t)created;
  return -error;
}

void tactus_thread_join(uint64_t thread) { pthread_join((pthread_t)thread, NULL); }

void tactus_thread_leave(uint64_t thread) { pthread_detach((pthread_t)thread); }

int tactus_spawn(char *const *arguments, int input, int output, int *process) {
  posix_spawnattr_t attributes;
  sigset_t none, ignored;
  sigemptyset(&none);
  sigemptyset(&ignored);
  sigaddset(&ignored, SIGPIPE);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &ignored);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (input >= 0) posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  if (output >= 0) posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  int error = posix_spawnp(process, arguments[0], &actions, &attributes, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error;
}

int tactus_pipe_open(int *ends) { return pipe2(ends, O_CLOEXEC) < 0 ? errno : 0; }

int tactus_channel_open(int *ends) {
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) return errno;
  // Of this end alone: they are two open files, unlike those that a program inherits.
  return fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0 ? errno : 0;
}

ssize_t tactus_channel_send(int end, const void *message, size_t length) {
  return send(end, message, length, MSG_NOSIGNAL);
}

int tactus_process_open(int process) {
  int result = pidfd_open(process, 0);
  return result < 0 ? -errno : result;
}

static int code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int tactus_process_take(int process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return -errno;
  }
  return code_of(status);
}

int tactus_process_look(int process) {
  int status = 0;
  return waitpid(process, &status, WNOHANG) == 0 ? -1 : code_of(status);
}

static int argument_count;
static char **arguments;

// glibc gives a constructor what it gives to main; Embedded Swift has no CommandLine.
__attribute__((constructor)) static void keep_arguments(int count, char **values) {
  argument_count = count;
  arguments = values;
}

const char *tactus_argument(int32_t index) {
  return index >= 0 && index < argument_count ? arguments[index] : NULL;
}
