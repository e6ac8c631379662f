// SPDX-License-Identifier: Apache-2.0
//
// Counting what is allocated, for the tests that prove that nothing is.

#ifndef TACTUS_ALLOCATIONS_H
#define TACTUS_ALLOCATIONS_H

/// Begins to count the allocations of this thread.
void allocations_begin(void);

/// Stops counting; answers how many there were, or -1 where a sanitizer allocates in our place.
long allocations_end(void);

#endif
