// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "system.h"

int tactus_errno(void) { return errno; }
