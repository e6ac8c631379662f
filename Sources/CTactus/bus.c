// SPDX-License-Identifier: Apache-2.0
//
// The vtables of org.tactus1.Manager and org.tactus1.Session. deploy/dbus/org.tactus1.xml says what
// each member means, and a test compares the two.
#define _GNU_SOURCE
#include "bus.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static tactus_bus_call swift_call;
static tactus_bus_get swift_get;
static tactus_bus_find swift_find;

static int on_call(sd_bus_message *call, void *context, sd_bus_error *error) {
  return swift_call(call, context, error);
}

static int on_get(sd_bus *bus, const char *path, const char *interface, const char *property,
                  sd_bus_message *reply, void *context, sd_bus_error *error) {
  (void)bus, (void)interface, (void)error;
  return swift_get(path, property, reply, context);
}

static int on_find(sd_bus *bus, const char *path, const char *interface, void *context,
                   void **found, sd_bus_error *error) {
  (void)bus, (void)interface;
  *found = context;
  return swift_find(path, context, error);
}

// Who may call is said by the bus's policy (deploy/dbus/org.tactus1.conf), hence UNPRIVILEGED.
#define METHOD(name, types, arguments, result)                                          \
  SD_BUS_METHOD_WITH_NAMES(name, types, arguments, "s", SD_BUS_PARAM(result), on_call, \
                           SD_BUS_VTABLE_UNPRIVILEGED)
#define NAMED(argument) SD_BUS_PARAM(argument)
#define PROPERTY(name, type) \
  SD_BUS_PROPERTY(name, type, on_get, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE)
#define CONSTANT(name, type) SD_BUS_PROPERTY(name, type, on_get, 0, SD_BUS_VTABLE_PROPERTY_CONST)

static const sd_bus_vtable manager[] = {
  SD_BUS_VTABLE_START(0),
  METHOD("Describe", "", "", json),
  METHOD("Trace", "", "", path),
  METHOD("Edges", "u", NAMED(after), edges),
  METHOD("SetLevel", "sd", NAMED(volume) NAMED(level), outcome),
  METHOD("SetGain", "sd", NAMED(volume) NAMED(decibels), outcome),
  METHOD("Step", "si", NAMED(volume) NAMED(steps), outcome),
  METHOD("SetMute", "b", NAMED(on), outcome),
  METHOD("ToggleMute", "", "", outcome),
  METHOD("SetSilent", "b", NAMED(on), outcome),
  METHOD("SetRoute", "s", NAMED(route), outcome),
  METHOD("SetBalance", "i", NAMED(balance), outcome),
  METHOD("Play", "s", NAMED(source), outcome),
  METHOD("Pause", "s", NAMED(source), outcome),
  METHOD("Stop", "s", NAMED(source), outcome),
  METHOD("PlaySystemSound", "s", NAMED(name), outcome),
  METHOD("PlayFeedback", "s", NAMED(type), outcome),
  METHOD("PrepareFeedback", "", "", outcome),
  SD_BUS_METHOD_WITH_NAMES("OpenSession", "ssa{sv}", NAMED(name) NAMED(category) NAMED(options),
                           "ho", NAMED(session) NAMED(path), on_call, SD_BUS_VTABLE_UNPRIVILEGED),
  METHOD("Press", "su", NAMED(control) NAMED(hold_milliseconds), outcome),
  METHOD("Turn", "si", NAMED(control) NAMED(detents), outcome),
  METHOD("Switch", "sb", NAMED(control) NAMED(on), outcome),
  CONSTANT("Version", "s"),
  PROPERTY("Board", "s"),
  PROPERTY("Level", "d"),
  PROPERTY("Ringer", "d"),
  PROPERTY("KeysSet", "s"),
  PROPERTY("Muted", "b"),
  PROPERTY("SilentSwitch", "b"),
  PROPERTY("Silent", "b"),
  PROPERTY("SilenceReasons", "as"),
  PROPERTY("Route", "s"),
  PROPERTY("Routes", "as"),
  PROPERTY("Balance", "i"),
  PROPERTY("LimitArmed", "b"),
  PROPERTY("Sources", "as"),
  PROPERTY("Faults", "as"),
  SD_BUS_SIGNAL_WITH_NAMES("Event", "tsss",
                           NAMED(tick) NAMED(kind) NAMED(object) NAMED(text), 0),
  SD_BUS_SIGNAL_WITH_NAMES("Repeated", "tssu",
                           NAMED(tick) NAMED(kind) NAMED(object) NAMED(count), 0),
  SD_BUS_SIGNAL("Settled", "", 0),
  SD_BUS_VTABLE_END,
};

static const sd_bus_vtable session[] = {
  SD_BUS_VTABLE_START(0),
  METHOD("Activate", "", "", outcome),
  METHOD("Deactivate", "b", NAMED(notify_others), outcome),
  METHOD("SetCategory", "s", NAMED(category), outcome),
  METHOD("SetMode", "s", NAMED(mode), outcome),
  METHOD("SetOptions", "as", NAMED(options), outcome),
  METHOD("SetGain", "d", NAMED(decibels), outcome),
  METHOD("SetPlaying", "b", NAMED(playing), outcome),
  METHOD("SetBackground", "b", NAMED(background), outcome),
  METHOD("SetCommands", "as", NAMED(commands), outcome),
  METHOD("SetPauseOnUnplug", "b", NAMED(pauses), outcome),
  CONSTANT("Name", "s"),
  PROPERTY("Category", "s"),
  PROPERTY("Mode", "s"),
  PROPERTY("Options", "as"),
  PROPERTY("State", "s"),
  SD_BUS_PROPERTY("Gain", "d", on_get, 0, 0),
  PROPERTY("Audible", "b"),
  PROPERTY("SilenceReasons", "as"),
  PROPERTY("Silence", "s"),
  SD_BUS_SIGNAL_WITH_NAMES("InterruptionBegan", "s", NAMED(reason), 0),
  SD_BUS_SIGNAL_WITH_NAMES("InterruptionEnded", "b", NAMED(should_resume), 0),
  SD_BUS_SIGNAL_WITH_NAMES("RouteChanged", "ss", NAMED(reason) NAMED(previous), 0),
  SD_BUS_SIGNAL_WITH_NAMES("SilenceSecondaryAudioHint", "b", NAMED(begin), 0),
  SD_BUS_SIGNAL_WITH_NAMES("Command", "s", NAMED(name), 0),
  SD_BUS_VTABLE_END,
};

int tactus_bus_export(sd_bus *bus, tactus_bus_call call, tactus_bus_get get, tactus_bus_find find,
                      void *context) {
  swift_call = call;
  swift_get = get;
  swift_find = find;
  int result = sd_bus_add_object_vtable(bus, NULL, TACTUS_BUS_PATH, TACTUS_BUS_INTERFACE, manager,
                                        context);
  if (result < 0) return result;
  return sd_bus_add_fallback_vtable(bus, NULL, TACTUS_BUS_SESSIONS, TACTUS_BUS_SESSION_INTERFACE,
                                    session, on_find, context);
}

int tactus_bus_reply(sd_bus_message *call, const char *text) {
  return sd_bus_reply_method_return(call, "s", text);
}

int tactus_bus_reply_session(sd_bus_message *call, int descriptor, const char *path) {
  int result = sd_bus_reply_method_return(call, "ho", descriptor, path);
  close(descriptor);
  return result;
}

int tactus_session_open(int *kept, int *given) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0) return -errno;
  *kept = ends[0];
  *given = ends[1];
  return 0;
}
