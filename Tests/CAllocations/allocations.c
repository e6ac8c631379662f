// SPDX-License-Identifier: Apache-2.0
//
// The allocator's entry points, defined in the test program and so found before the C library's.
// Each counts, while its thread asks for it, and calls on. All of them: Embedded Swift allocates by
// posix_memalign alone.

#define _GNU_SOURCE
#include "allocations.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TACTUS_SANITIZED 1
#endif
#endif

#if defined(TACTUS_SANITIZED)

void allocations_begin(void) {}
long allocations_end(void) { return -1; }

#else

// glibc's own names, meant for this use.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static _Thread_local bool is_counting;
static _Thread_local long counted;

static void count(void) {
  if (is_counting) counted += 1;
}

void allocations_begin(void) {
  counted = 0;
  is_counting = true;
}

long allocations_end(void) {
  is_counting = false;
  return counted;
}

void *malloc(size_t size) {
  count();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count();
  return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
  count();
  return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  count();
  void *allocated = __libc_memalign(alignment, size);
  if (allocated == NULL) return ENOMEM;
  *memory = allocated;
  return 0;
}

#endif
