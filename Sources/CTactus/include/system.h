// SPDX-License-Identifier: Apache-2.0
//
// Linux and C library calls that Swift makes directly, and what it cannot call.
#ifndef TACTUS_SYSTEM_H
#define TACTUS_SYSTEM_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/// errno is a macro, which Swift does not import.
int tactus_errno(void);

#endif
