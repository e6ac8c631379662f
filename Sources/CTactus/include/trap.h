// SPDX-License-Identifier: Apache-2.0
//
// What a program says before a trap ends it. Embedded Swift itself says nothing.
//
//   tactusd: trap: SIGILL in build 41a2e178351e72af, deploy/symbolize names files and lines
//   tactusd: frame: 0x1a2b4
//
// A frame is the address of an instruction as in the program's file: the first of what trapped,
// then of the calls that led there. Code of libraries stands as `outside`.
#ifndef TACTUS_TRAP_H
#define TACTUS_TRAP_H

// Makes SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE and SIGABRT report to standard error and then
// end the process as they would have. `program` must stay. `finally`, or NULL, runs after the
// report; it may do only what is safe in a signal handler. Returns 0 or a negative errno.
int tactus_report_traps(const char *program, void (*finally)(void));

#endif
