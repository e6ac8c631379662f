// SPDX-License-Identifier: Apache-2.0
//
// What the command line alone takes from C: the terminal, by ncurses.
#ifndef CTERMINAL_H
#define CTERMINAL_H

#include <stdlib.h>

#include "terminal.h"

#endif
