// SPDX-License-Identifier: Apache-2.0
//
// The least that can be done between a contact and a codec: each press toggles a volume control
// between silence and a value. No policy, no debouncing, no read-back. What tactusd is measured
// against: bare CHIP OFFSET CARD CONTROL.
#include <alsa/asoundlib.h>
#include <gpiod.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int result, const char *what) {
  if (result < 0) {
    fprintf(stderr, "bare: %s: %d\n", what, result);
    exit(1);
  }
}

int main(int count, char **arguments) {
  if (count != 5) return 64;
  char card[64];
  snprintf(card, sizeof card, "hw:CARD=%s", arguments[3]);
  snd_ctl_t *control;
  check(snd_ctl_open(&control, card, 0), card);
  snd_ctl_elem_value_t *value;
  snd_ctl_elem_value_malloc(&value);
  snd_ctl_elem_value_set_interface(value, SND_CTL_ELEM_IFACE_MIXER);
  snd_ctl_elem_value_set_name(value, arguments[4]);
  struct gpiod_line *line =
      gpiod_line_get(arguments[1], (unsigned)strtoul(arguments[2], NULL, 10));
  check(line ? 0 : -1, "line");
  struct gpiod_line_request_config config = {
      .consumer = "bare",
      .request_type = GPIOD_LINE_REQUEST_EVENT_BOTH_EDGES,
      .flags = GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW | GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP,
  };
  check(gpiod_line_request(line, &config, 0), "request");
  long volume = 0;
  puts("ready");
  fflush(stdout);
  for (;;) {
    struct gpiod_line_event event;
    if (gpiod_line_event_wait(line, NULL) < 0 || gpiod_line_event_read(line, &event) < 0) return 1;
    if (event.event_type != GPIOD_LINE_EVENT_RISING_EDGE) continue;
    volume = volume ? 0 : 100;
    for (unsigned channel = 0; channel < 2; channel++)
      snd_ctl_elem_value_set_integer(value, channel, volume);
    snd_ctl_elem_write(control, value);
  }
}
