// SPDX-License-Identifier: Apache-2.0
//
// Two implementations of gpio.h. GPIOD_BIT is defined by the header of libgpiod 1 only.
#define _GNU_SOURCE
#include "gpio.h"

#include <errno.h>
#include <fcntl.h>
#include <gpiod.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void copy_text(char target[TACTUS_TEXT_MAX], const char *source) {
  if (source == NULL) source = "";
  strncpy(target, source, TACTUS_TEXT_MAX - 1);
  target[TACTUS_TEXT_MAX - 1] = 0;
}

// The failed call's errno, also where a library forgot to set it.
static int failure(void) { return errno > 0 ? -errno : -EIO; }

static int read_device(const char *path, uint64_t *device) {
  struct stat status;
  if (stat(path, &status) < 0) return failure();
  *device = status.st_rdev;
  return 0;
}

// Reading must give up, not wait, when another thread of the kernel has not queued the edge yet.
static int set_nonblocking(int descriptor) {
  int flags = fcntl(descriptor, F_GETFL);
  return flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) < 0 ? failure() : 0;
}

#ifdef GPIOD_BIT  // libgpiod 1

#define QUEUE_LENGTH 16  // of each line, fixed by the kernel

struct tactus_lines {
  struct gpiod_chip *chip;  // must stay open: closing it releases its lines
  struct gpiod_line_bulk bulk;
  struct tactus_edge edges[TACTUS_EDGES_MAX];
};

const char *tactus_gpio_version(void) { return gpiod_version_string(); }

int tactus_chip_read(const char *path, struct tactus_chip *chip) {
  int result = read_device(path, &chip->device);
  if (result < 0) return result;
  struct gpiod_chip *opened = gpiod_chip_open(path);
  if (opened == NULL) return failure();
  copy_text(chip->name, gpiod_chip_name(opened));
  copy_text(chip->label, gpiod_chip_label(opened));
  chip->line_count = gpiod_chip_num_lines(opened);
  gpiod_chip_close(opened);
  return 0;
}

static enum tactus_bias bias_of(struct gpiod_line *line) {
  switch (gpiod_line_bias(line)) {
  case GPIOD_LINE_BIAS_DISABLE: return TACTUS_BIAS_DISABLED;
  case GPIOD_LINE_BIAS_PULL_UP: return TACTUS_BIAS_PULL_UP;
  case GPIOD_LINE_BIAS_PULL_DOWN: return TACTUS_BIAS_PULL_DOWN;
  default: return TACTUS_BIAS_UNKNOWN;
  }
}

int tactus_line_read(const char *path, uint32_t offset, struct tactus_line *line) {
  struct gpiod_chip *chip = gpiod_chip_open(path);
  if (chip == NULL) return failure();
  struct gpiod_line *read = gpiod_chip_get_line(chip, offset);
  int result = read == NULL ? failure() : 0;
  if (read != NULL) {
    copy_text(line->name, gpiod_line_name(read));
    copy_text(line->consumer, gpiod_line_consumer(read));
    line->used = gpiod_line_is_used(read);
    line->output = gpiod_line_direction(read) == GPIOD_LINE_DIRECTION_OUTPUT;
    line->active_low = gpiod_line_active_state(read) == GPIOD_LINE_ACTIVE_STATE_LOW;
    line->bias = bias_of(read);
  }
  gpiod_chip_close(chip);
  return result;
}

static struct tactus_lines *open_lines(const char *path, const uint32_t *offsets, uint32_t count) {
  struct tactus_lines *lines = calloc(1, sizeof *lines);
  if (lines == NULL) return NULL;
  lines->chip = gpiod_chip_open(path);
  bool complete = lines->chip != NULL;
  for (uint32_t i = 0; complete && i < count; i++) {
    struct gpiod_line *line = gpiod_chip_get_line(lines->chip, offsets[i]);
    complete = line != NULL;
    if (complete) gpiod_line_bulk_add(&lines->bulk, line);
  }
  if (complete) return lines;
  int cause = errno;
  tactus_lines_release(lines);
  errno = cause;
  return NULL;
}

static int flags_for(enum tactus_bias bias, bool active_low) {
  int flags = active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0;
  switch (bias) {
  case TACTUS_BIAS_UNKNOWN: return flags;
  case TACTUS_BIAS_DISABLED: return flags | GPIOD_LINE_REQUEST_FLAG_BIAS_DISABLE;
  case TACTUS_BIAS_PULL_UP: return flags | GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP;
  case TACTUS_BIAS_PULL_DOWN: return flags | GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_DOWN;
  }
  return flags;
}

int tactus_lines_request_inputs(const char *path, const char *consumer, const uint32_t *offsets,
                                uint32_t count, enum tactus_bias bias, bool active_low,
                                struct tactus_lines **result) {
  if (count == 0 || count > TACTUS_LINES_MAX) return -E2BIG;
  struct tactus_lines *lines = open_lines(path, offsets, count);
  if (lines == NULL) return failure();
  int error = 0;
  if (gpiod_line_request_bulk_both_edges_events_flags(&lines->bulk, consumer,
                                                      flags_for(bias, active_low)) < 0)
    error = failure();
  for (uint32_t i = 0; error == 0 && i < count; i++)
    error = set_nonblocking(tactus_lines_descriptor(lines, i));
  if (error < 0)
    tactus_lines_release(lines);
  else
    *result = lines;
  return error;
}

int tactus_lines_request_output(const char *path, const char *consumer, uint32_t offset,
                                bool active_low, bool active, struct tactus_lines **result) {
  struct tactus_lines *lines = open_lines(path, &offset, 1);
  if (lines == NULL) return failure();
  int value = active;
  int flags = flags_for(TACTUS_BIAS_UNKNOWN, active_low);
  if (gpiod_line_request_bulk_output_flags(&lines->bulk, consumer, flags, &value) < 0) {
    int error = failure();
    tactus_lines_release(lines);
    return error;
  }
  *result = lines;
  return 0;
}

int tactus_lines_descriptor(struct tactus_lines *lines, uint32_t index) {
  if (index >= lines->bulk.num_lines) return -1;
  return gpiod_line_event_get_fd(lines->bulk.lines[index]);
}

int tactus_lines_levels(struct tactus_lines *lines, uint32_t *levels) {
  int values[GPIOD_LINE_BULK_MAX_LINES];
  if (gpiod_line_get_value_bulk(&lines->bulk, values) < 0) return failure();
  *levels = 0;
  for (uint32_t i = 0; i < lines->bulk.num_lines; i++) *levels |= (uint32_t)(values[i] == 1) << i;
  return 0;
}

int tactus_lines_set(struct tactus_lines *lines, bool active) {
  return gpiod_line_set_value(lines->bulk.lines[0], active) < 0 ? failure() : 0;
}

// What one line has queued, behind the edges that are there: their number or a negative errno.
static int take_queue(struct tactus_lines *lines, uint32_t index, int count) {
  struct gpiod_line_event events[QUEUE_LENGTH];
  int taken = gpiod_line_event_read_multiple(lines->bulk.lines[index], events, QUEUE_LENGTH);
  if (taken < 0) return errno == EAGAIN || errno == EINTR ? 0 : failure();
  for (int i = 0; i < taken; i++)
    lines->edges[count + i] = (struct tactus_edge){
      .timestamp = (uint64_t)events[i].ts.tv_sec * 1000000000 + (uint64_t)events[i].ts.tv_nsec,
      .index = (uint8_t)index,
      .active = events[i].event_type == GPIOD_LINE_EVENT_RISING_EDGE,
    };
  return taken;
}

// Each line has its own queue. An edge of the first line may come while the second is read, so the
// queues are read until a round finds them empty: then no earlier edge can be left behind.
struct tactus_drained tactus_lines_drain(struct tactus_lines *lines, uint32_t capacity) {
  struct tactus_drained drained = {.edges = lines->edges};
  if (capacity > TACTUS_EDGES_MAX) capacity = TACTUS_EDGES_MAX;
  bool more = true;
  while (more) {
    more = false;
    for (uint32_t i = 0; i < lines->bulk.num_lines; i++) {
      if (drained.count + QUEUE_LENGTH > (int)capacity) return drained;
      int taken = take_queue(lines, i, drained.count);
      if (taken < 0) return (struct tactus_drained){.count = taken};
      drained.count += taken;
      drained.queue_full |= taken == QUEUE_LENGTH;
      more |= taken == QUEUE_LENGTH || (taken > 0 && lines->bulk.num_lines > 1);
    }
  }
  return drained;
}

void tactus_lines_release(struct tactus_lines *lines) {
  if (lines->chip != NULL) gpiod_chip_close(lines->chip);
  free(lines);
}

#else  // libgpiod 2

struct tactus_lines {
  struct gpiod_line_request *request;
  struct gpiod_edge_event_buffer *queue;  // of inputs only
  uint32_t count;
  uint32_t offsets[TACTUS_LINES_MAX];
  struct tactus_edge edges[TACTUS_EDGES_MAX];
};

const char *tactus_gpio_version(void) { return gpiod_api_version(); }

int tactus_chip_read(const char *path, struct tactus_chip *chip) {
  int result = read_device(path, &chip->device);
  if (result < 0) return result;
  struct gpiod_chip *opened = gpiod_chip_open(path);
  if (opened == NULL) return failure();
  struct gpiod_chip_info *info = gpiod_chip_get_info(opened);
  if (info == NULL) {
    result = failure();
  } else {
    copy_text(chip->name, gpiod_chip_info_get_name(info));
    copy_text(chip->label, gpiod_chip_info_get_label(info));
    chip->line_count = (uint32_t)gpiod_chip_info_get_num_lines(info);
    gpiod_chip_info_free(info);
  }
  gpiod_chip_close(opened);
  return result;
}

static enum tactus_bias bias_of(struct gpiod_line_info *info) {
  switch (gpiod_line_info_get_bias(info)) {
  case GPIOD_LINE_BIAS_DISABLED: return TACTUS_BIAS_DISABLED;
  case GPIOD_LINE_BIAS_PULL_UP: return TACTUS_BIAS_PULL_UP;
  case GPIOD_LINE_BIAS_PULL_DOWN: return TACTUS_BIAS_PULL_DOWN;
  default: return TACTUS_BIAS_UNKNOWN;
  }
}

int tactus_line_read(const char *path, uint32_t offset, struct tactus_line *line) {
  struct gpiod_chip *chip = gpiod_chip_open(path);
  if (chip == NULL) return failure();
  struct gpiod_line_info *info = gpiod_chip_get_line_info(chip, offset);
  int result = info == NULL ? failure() : 0;
  if (info != NULL) {
    copy_text(line->name, gpiod_line_info_get_name(info));
    copy_text(line->consumer, gpiod_line_info_get_consumer(info));
    line->used = gpiod_line_info_is_used(info);
    line->output = gpiod_line_info_get_direction(info) == GPIOD_LINE_DIRECTION_OUTPUT;
    line->active_low = gpiod_line_info_is_active_low(info);
    line->bias = bias_of(info);
    gpiod_line_info_free(info);
  }
  gpiod_chip_close(chip);
  return result;
}

static enum gpiod_line_bias library_bias(enum tactus_bias bias) {
  switch (bias) {
  case TACTUS_BIAS_UNKNOWN: return GPIOD_LINE_BIAS_AS_IS;
  case TACTUS_BIAS_DISABLED: return GPIOD_LINE_BIAS_DISABLED;
  case TACTUS_BIAS_PULL_UP: return GPIOD_LINE_BIAS_PULL_UP;
  case TACTUS_BIAS_PULL_DOWN: return GPIOD_LINE_BIAS_PULL_DOWN;
  }
  return GPIOD_LINE_BIAS_AS_IS;
}

static struct gpiod_line_request *request_lines(const char *path, const char *consumer,
                                                const uint32_t *offsets, uint32_t count,
                                                struct gpiod_line_settings *settings) {
  struct gpiod_line_request *request = NULL;
  struct gpiod_chip *chip = gpiod_chip_open(path);
  struct gpiod_request_config *options = gpiod_request_config_new();
  struct gpiod_line_config *config = gpiod_line_config_new();
  if (chip != NULL && options != NULL && config != NULL &&
      gpiod_line_config_add_line_settings(config, offsets, count, settings) == 0) {
    gpiod_request_config_set_consumer(options, consumer);
    gpiod_request_config_set_event_buffer_size(options, TACTUS_EDGES_MAX);
    request = gpiod_chip_request_lines(chip, options, config);
  }
  int cause = errno;
  if (config != NULL) gpiod_line_config_free(config);
  if (options != NULL) gpiod_request_config_free(options);
  if (chip != NULL) gpiod_chip_close(chip);
  errno = cause;
  return request;
}

static int open_lines(const char *path, const char *consumer, const uint32_t *offsets,
                      uint32_t count, struct gpiod_line_settings *settings,
                      struct tactus_lines **result) {
  struct tactus_lines *lines = calloc(1, sizeof *lines);
  if (lines == NULL) return -ENOMEM;
  lines->count = count;
  memcpy(lines->offsets, offsets, count * sizeof *offsets);
  lines->request = request_lines(path, consumer, offsets, count, settings);
  lines->queue = gpiod_edge_event_buffer_new(TACTUS_EDGES_MAX);
  int error = lines->request == NULL || lines->queue == NULL ? failure() : 0;
  if (error == 0) error = set_nonblocking(gpiod_line_request_get_fd(lines->request));
  if (error < 0)
    tactus_lines_release(lines);
  else
    *result = lines;
  return error;
}

int tactus_lines_request_inputs(const char *path, const char *consumer, const uint32_t *offsets,
                                uint32_t count, enum tactus_bias bias, bool active_low,
                                struct tactus_lines **result) {
  if (count == 0 || count > TACTUS_LINES_MAX) return -E2BIG;
  struct gpiod_line_settings *settings = gpiod_line_settings_new();
  if (settings == NULL) return -ENOMEM;
  gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_INPUT);
  gpiod_line_settings_set_edge_detection(settings, GPIOD_LINE_EDGE_BOTH);
  gpiod_line_settings_set_event_clock(settings, GPIOD_LINE_CLOCK_MONOTONIC);
  gpiod_line_settings_set_bias(settings, library_bias(bias));
  gpiod_line_settings_set_active_low(settings, active_low);
  int error = open_lines(path, consumer, offsets, count, settings, result);
  gpiod_line_settings_free(settings);
  return error;
}

int tactus_lines_request_output(const char *path, const char *consumer, uint32_t offset,
                                bool active_low, bool active, struct tactus_lines **result) {
  struct gpiod_line_settings *settings = gpiod_line_settings_new();
  if (settings == NULL) return -ENOMEM;
  gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_OUTPUT);
  gpiod_line_settings_set_active_low(settings, active_low);
  gpiod_line_settings_set_output_value(
    settings, active ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE);
  int error = open_lines(path, consumer, &offset, 1, settings, result);
  gpiod_line_settings_free(settings);
  return error;
}

int tactus_lines_descriptor(struct tactus_lines *lines, uint32_t index) {
  return index == 0 ? gpiod_line_request_get_fd(lines->request) : -1;
}

int tactus_lines_levels(struct tactus_lines *lines, uint32_t *levels) {
  enum gpiod_line_value values[TACTUS_LINES_MAX];
  if (gpiod_line_request_get_values(lines->request, values) < 0) return failure();
  *levels = 0;
  for (uint32_t i = 0; i < lines->count; i++)
    *levels |= (uint32_t)(values[i] == GPIOD_LINE_VALUE_ACTIVE) << i;
  return 0;
}

int tactus_lines_set(struct tactus_lines *lines, bool active) {
  enum gpiod_line_value value = active ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE;
  return gpiod_line_request_set_value(lines->request, lines->offsets[0], value) < 0 ? failure() : 0;
}

static uint8_t index_of(const struct tactus_lines *lines, uint32_t offset) {
  uint8_t index = 0;
  while (index + 1u < lines->count && lines->offsets[index] != offset) index++;
  return index;
}

struct tactus_drained tactus_lines_drain(struct tactus_lines *lines, uint32_t capacity) {
  struct tactus_drained drained = {.edges = lines->edges};
  if (capacity > TACTUS_EDGES_MAX) capacity = TACTUS_EDGES_MAX;
  int taken = gpiod_line_request_read_edge_events(lines->request, lines->queue, capacity);
  if (taken < 0) {
    drained.count = errno == EAGAIN || errno == EINTR ? 0 : failure();
    return drained;
  }
  for (int i = 0; i < taken; i++) {
    struct gpiod_edge_event *event =
      gpiod_edge_event_buffer_get_event(lines->queue, (unsigned long)i);
    lines->edges[i] = (struct tactus_edge){
      .timestamp = gpiod_edge_event_get_timestamp_ns(event),
      .sequence = (uint32_t)gpiod_edge_event_get_global_seqno(event),
      .index = index_of(lines, gpiod_edge_event_get_line_offset(event)),
      .active = gpiod_edge_event_get_event_type(event) == GPIOD_EDGE_EVENT_RISING_EDGE,
    };
  }
  drained.count = taken;
  return drained;
}

void tactus_lines_release(struct tactus_lines *lines) {
  if (lines->queue != NULL) gpiod_edge_event_buffer_free(lines->queue);
  if (lines->request != NULL) gpiod_line_request_release(lines->request);
  free(lines);
}

#endif
