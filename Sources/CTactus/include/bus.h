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

/// A method was called: its name is in the message. Answers 1, as handlers of sd-bus do.
typedef int (*tactus_bus_call)(sd_bus_message *call, void *context, sd_bus_error *error);
/// The value of a property is to be appended to the reply.
typedef int (*tactus_bus_get)(const char *property, sd_bus_message *reply, void *context);

/// Exports the interface. The functions are the same for all connections of the process.
int tactus_bus_export(sd_bus *bus, tactus_bus_call call, tactus_bus_get get, void *context);
/// Answers a call that returns one string.
int tactus_bus_reply(sd_bus_message *call, const char *text);

#endif
