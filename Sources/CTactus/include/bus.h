// SPDX-License-Identifier: Apache-2.0
//
// What Swift cannot say to sd-bus: a vtable, which is made of macros, and variadic functions.
#ifndef TACTUS_BUS_H
#define TACTUS_BUS_H

#include <stdbool.h>
#include <systemd/sd-bus.h>

#define TACTUS_BUS_NAME "org.tactus1"
#define TACTUS_BUS_PATH "/org/tactus1"
#define TACTUS_BUS_INTERFACE "org.tactus1.Manager"
#define TACTUS_BUS_SESSIONS "/org/tactus1/session"
#define TACTUS_BUS_SESSION_INTERFACE "org.tactus1.Session"

/// A method was called: its name is in the message. Answers 1, as handlers of sd-bus do.
typedef int (*tactus_bus_call)(sd_bus_message *call, void *context, sd_bus_error *error);
/// The value of an object's property is to be appended to the reply.
typedef int (*tactus_bus_get)(const char *path, const char *property, sd_bus_message *reply,
                              void *context);
/// Whether there is a session of this path: 1, or a negative number and the error.
typedef int (*tactus_bus_find)(const char *path, void *context, sd_bus_error *error);

/// Exports the device and its sessions. The functions are the same for all connections of the
/// process.
int tactus_bus_export(sd_bus *bus, tactus_bus_call call, tactus_bus_get get, tactus_bus_find find,
                      void *context);
/// Answers a call that returns one string.
int tactus_bus_reply(sd_bus_message *call, const char *text);
/// Answers OpenSession. The descriptor is the program's from then on, and closed here.
int tactus_bus_reply_session(sd_bus_message *call, int descriptor, const char *path);

/// Two ends of a pipe: what is kept tells when all copies of what is given are closed. 0 or a
/// negative errno.
int tactus_session_open(int *kept, int *given);

#endif
