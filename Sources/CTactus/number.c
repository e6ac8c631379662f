// SPDX-License-Identifier: Apache-2.0
#include "system.h"

#include <stdio.h>
#include <string.h>

const char *tactus_number(double number) {
  static _Thread_local char text[40];
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof text - 2, "%.*g", digits, number);
    if (strtod(text, NULL) == number) break;
  }
  // A dot tells that it need not be whole; "inf" and "nan" have an n.
  if (strpbrk(text, ".en") == NULL) strcat(text, ".0");
  return text;
}
