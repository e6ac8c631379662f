// SPDX-License-Identifier: Apache-2.0
//
// GPIO lines over libgpiod 1.6 (Debian 12) and 2.x (Debian 13), whose interfaces have nothing in
// common: Swift sees this one. Functions return 0 or a count, or a negative errno.
#ifndef TACTUS_GPIO_H
#define TACTUS_GPIO_H

#include <stdbool.h>
#include <stdint.h>

#define TACTUS_LINES_MAX 8    // lines of one request
#define TACTUS_EDGES_MAX 128  // edges of one drain, and the kernel's queue where it can be chosen
#define TACTUS_TEXT_MAX 32    // the kernel's bound for names and labels, final 0 included

struct tactus_chip {
  char name[TACTUS_TEXT_MAX], label[TACTUS_TEXT_MAX];
  uint32_t line_count;
  uint64_t device;  // st_rdev: two paths with one number are one chip
};

enum tactus_bias {
  TACTUS_BIAS_UNKNOWN,
  TACTUS_BIAS_DISABLED,
  TACTUS_BIAS_PULL_UP,
  TACTUS_BIAS_PULL_DOWN,
};

struct tactus_line {
  char name[TACTUS_TEXT_MAX], consumer[TACTUS_TEXT_MAX];
  bool used, output, active_low;
  enum tactus_bias bias;
};

struct tactus_edge {
  uint64_t timestamp;  // CLOCK_MONOTONIC, ns
  uint32_t sequence;   // counts the request's edges from 1, also those lost; 0: not counted
  uint8_t index;       // which line of the request
  bool active;         // the logical level after the edge
};

struct tactus_drained {
  int32_t count;                    // of edges, or a negative errno
  bool queue_full;                  // an unnumbered queue was read full: edges may have been lost
  const struct tactus_edge *edges;  // valid until the next drain or release
};

struct tactus_lines;

/// The version of the library that the program runs with.
const char *tactus_gpio_version(void);
int tactus_chip_read(const char *path, struct tactus_chip *chip);
int tactus_line_read(const char *path, uint32_t offset, struct tactus_line *line);

/// Inputs with both edges, as one request where the kernel can do that.
int tactus_lines_request_inputs(const char *path, const char *consumer, const uint32_t *offsets,
                                uint32_t count, enum tactus_bias bias, bool active_low,
                                struct tactus_lines **lines);
int tactus_lines_request_output(const char *path, const char *consumer, uint32_t offset,
                                bool active_low, bool active, struct tactus_lines **lines);
/// The descriptor to poll; index counts from 0, -1 when there are no more.
int tactus_lines_descriptor(struct tactus_lines *lines, uint32_t index);
/// Bit i is the logical level of line i.
int tactus_lines_levels(struct tactus_lines *lines, uint32_t *levels);
int tactus_lines_set(struct tactus_lines *lines, bool active);
/// Takes what is queued, at most capacity edges, without blocking.
struct tactus_drained tactus_lines_drain(struct tactus_lines *lines, uint32_t capacity);
void tactus_lines_release(struct tactus_lines *lines);

#endif
