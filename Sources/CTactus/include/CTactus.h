// SPDX-License-Identifier: Apache-2.0
//
// The umbrella of everything that TactusLinux takes from C.
#ifndef CTACTUS_H
#define CTACTUS_H

#include "bus.h"
#include "force.h"
#include "gpio.h"
#include "input.h"
#include "json.h"
#include "loop.h"
#include "sound.h"
#include "system.h"
#include "trap.h"

#include <yaml.h>

#endif
