// SPDX-License-Identifier: Apache-2.0
//
// Sound: libasound's control interface, and what Swift cannot take from it.
#ifndef TACTUS_SOUND_H
#define TACTUS_SOUND_H

#include <alsa/asoundlib.h>
#include <alsa/control_plugin.h>
#include <grp.h>

// libasound writes its own lines to stderr when something fails; the caller here reports failures
// once and with their cause. A shim, because the handler is variadic and Swift cannot define one.
void tactus_sound_quiet(void);

/// How many programs share a piece of System V memory: a count, or -1. Its structure differs from
/// one Debian to the next.
int tactus_memory_users(int number);

#endif
