// SPDX-License-Identifier: Apache-2.0
//
// The vtable of org.tactus1.Manager. deploy/dbus/org.tactus1.xml says what each member means, and a
// test compares the two.
#define _GNU_SOURCE
#include "bus.h"

static tactus_bus_call swift_call;
static tactus_bus_get swift_get;

static int on_call(sd_bus_message *call, void *context, sd_bus_error *error) {
  return swift_call(call, context, error);
}

static int on_get(sd_bus *bus, const char *path, const char *interface, const char *property,
                  sd_bus_message *reply, void *context, sd_bus_error *error) {
  (void)bus, (void)path, (void)interface, (void)error;
  return swift_get(property, reply, context);
}

// Who may call is said by the bus's policy (deploy/dbus/org.tactus1.conf), hence UNPRIVILEGED.
#define METHOD(name, types, arguments, result)                                          \
  SD_BUS_METHOD_WITH_NAMES(name, types, arguments, "s", SD_BUS_PARAM(result), on_call, \
                           SD_BUS_VTABLE_UNPRIVILEGED)
#define NAMED(argument) SD_BUS_PARAM(argument)
#define PROPERTY(name, type) \
  SD_BUS_PROPERTY(name, type, on_get, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE)
#define CONSTANT(name, type) SD_BUS_PROPERTY(name, type, on_get, 0, SD_BUS_VTABLE_PROPERTY_CONST)

static const sd_bus_vtable vtable[] = {
  SD_BUS_VTABLE_START(0),
  METHOD("Describe", "", "", json),
  METHOD("Trace", "", "", path),
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
  SD_BUS_SIGNAL("Settled", "", 0),
  SD_BUS_VTABLE_END,
};

int tactus_bus_export(sd_bus *bus, tactus_bus_call call, tactus_bus_get get, void *context) {
  swift_call = call;
  swift_get = get;
  return sd_bus_add_object_vtable(bus, NULL, TACTUS_BUS_PATH, TACTUS_BUS_INTERFACE, vtable,
                                  context);
}

int tactus_bus_reply(sd_bus_message *call, const char *text) {
  return sd_bus_reply_method_return(call, "s", text);
}
