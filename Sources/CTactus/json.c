// SPDX-License-Identifier: Apache-2.0
#include "json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct json_object *tactus_json_number(double number) {
  char text[40];
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof text - 2, "%.*g", digits, number);
    if (strtod(text, NULL) == number) break;
  }
  // Else it would be read as a whole number.
  if (strpbrk(text, ".e") == NULL) strcat(text, ".0");
  return json_object_new_double_s(number, text);
}
