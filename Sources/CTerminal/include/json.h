// SPDX-License-Identifier: Apache-2.0
//
// Reading JSON by json-c, whose iteration is macros. Objects are borrowed from the root, which
// json_close frees.
#ifndef CTERMINAL_JSON_H
#define CTERMINAL_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_object;

enum json_kind {
  JSON_NULL,
  JSON_BOOLEAN,
  JSON_INTEGER,
  JSON_REAL,
  JSON_TEXT,
  JSON_LIST,
  JSON_OBJECT,
};

struct json_text {
  const char *bytes;
  size_t length;
};

/// The value of a whole text, strictly read; false when it is not JSON. A JSON null is NULL.
bool json_open(const char *text, size_t length, struct json_object **root);
void json_close(struct json_object *root);
enum json_kind json_kind_of(struct json_object *value);
bool json_boolean(struct json_object *value);
int64_t json_integer(struct json_object *value);
double json_real(struct json_object *value);
struct json_text json_text_of(struct json_object *value);
/// How many values a list has.
size_t json_count(struct json_object *list);
struct json_object *json_element(struct json_object *list, size_t index);
/// Calls back for each member of an object, in the order of the text.
void json_members(struct json_object *object, void *context,
                  void (*member)(void *context, const char *key, struct json_object *value));

#endif
