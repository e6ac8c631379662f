// SPDX-License-Identifier: Apache-2.0
//
// What the standard library asks of Unicode, answered on a device without its 50 KB of tables: no
// scalar combines with another, decomposes or has another case. Text is then the same where its
// bytes are the same, which is what names in files, in the kernel and on the bus need, and each
// scalar is a character.
#ifdef TACTUS_EMBEDDED
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

const uint8_t *const _swift_stdlib_nfd_decompositions = NULL;

uint16_t _swift_stdlib_getNormData(uint32_t scalar) { return (void)scalar, 0; }

uint32_t _swift_stdlib_getDecompositionEntry(uint32_t scalar) { return (void)scalar, 0; }

uint32_t _swift_stdlib_getComposition(uint32_t first, uint32_t second) {
  return (void)first, (void)second, UINT32_MAX;
}

uint8_t _swift_stdlib_getGraphemeBreakProperty(uint32_t scalar) { return (void)scalar, UINT8_MAX; }

bool _swift_stdlib_isInCB_Consonant(uint32_t scalar) { return (void)scalar, false; }

bool _swift_stdlib_isExtendedPictographic(uint32_t scalar) { return (void)scalar, false; }

int32_t _swift_stdlib_getMapping(uint32_t scalar, uint8_t mapping) {
  return (void)scalar, (void)mapping, 0;
}

const uint8_t *_swift_stdlib_getSpecialMapping(uint32_t scalar, uint8_t mapping, size_t *length) {
  return (void)scalar, (void)mapping, *length = 0, NULL;
}
#endif
