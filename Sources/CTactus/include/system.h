// SPDX-License-Identifier: Apache-2.0
//
// Linux and C library calls that Swift makes directly, and what it cannot call.
#ifndef TACTUS_SYSTEM_H
#define TACTUS_SYSTEM_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>
#include <time.h>
#include <unistd.h>

/// errno is a macro, which Swift does not import.
int tactus_errno(void);
/// open(2) with O_CLOEXEC and mode 0644, EINTR repeated: a descriptor or a negative errno.
int tactus_open(const char *path, int flags);

/// A copy of a descriptor that programs which are run do not get: it or a negative errno.
int tactus_copy(int descriptor);

/// Takes the lock of an open file without waiting: 0, or -1 and errno. Swift takes flock for the
/// structure of that name.
int tactus_lock(int file);

/// MAP_FAILED is a cast, which Swift does not import.
void *tactus_map_failed(void);

/// An eventfd: a descriptor or a negative errno.
int tactus_event_open(void);

/// Runs body(context) on a thread; its header imports differently from one Debian to the next.
int tactus_thread_start(uint64_t *thread, void (*body)(void *), void *context);
void tactus_thread_join(uint64_t thread);
/// Nobody waits for the thread's end.
void tactus_thread_leave(uint64_t thread);

/// Runs a program, found in PATH, with no signal blocked or ignored: 0 or errno. Its standard
/// input and output are descriptors, or the caller's where they are negative.
int tactus_spawn(char *const *arguments, int input, int output, int *process);
/// A pipe that programs which are run do not get, its ends for reading and writing: 0 or errno.
int tactus_pipe_open(int *ends);
/// Two ends of a way for messages that stay whole; programs which are run get neither, and the
/// first never waits: 0 or errno.
int tactus_channel_open(int *ends);
/// Sends a message: its length, or -1 and errno; never SIGPIPE.
ssize_t tactus_channel_send(int end, const void *message, size_t length);
/// Readable when the process has ended: a descriptor or a negative errno.
int tactus_process_open(int process);
/// What a process that has ended leaves: its exit code, or 128 and the signal's number.
int tactus_process_take(int process);
/// The same without waiting: -1 while it runs.
int tactus_process_look(int process);

/// A number in as few digits as give the same number back, for which Swift's own takes 4 KB; valid
/// until the thread asks for the next one.
const char *tactus_number(double number);

/// The program's arguments, its name first; NULL behind the last one.
const char *tactus_argument(int32_t index);

#endif
