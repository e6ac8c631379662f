// SPDX-License-Identifier: Apache-2.0
//
// To be preloaded: counts allocations, and says how many there were when the program ends.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned long count;

void *malloc(size_t size) {
  static void *(*real)(size_t);
  if (!real) real = dlsym(RTLD_NEXT, "malloc");
  count++;
  return real(size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  static int (*real)(void **, size_t, size_t);
  if (!real) real = dlsym(RTLD_NEXT, "posix_memalign");
  count++;
  return real(result, alignment, size);
}

__attribute__((destructor)) static void report(void) { fprintf(stderr, "%lu\n", count); }
