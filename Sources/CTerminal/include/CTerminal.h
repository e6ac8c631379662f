// SPDX-License-Identifier: Apache-2.0
//
// What the command line alone takes from C: the terminal, by ncurses.
#ifndef CTERMINAL_H
#define CTERMINAL_H

// Before the first system header; every C module of the package opens with the same.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdlib.h>

#include "terminal.h"

#endif
