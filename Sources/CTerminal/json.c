// SPDX-License-Identifier: Apache-2.0
#include "CTerminal.h"

#include <json-c/json.h>
#include <limits.h>

bool json_open(const char *text, size_t length, struct json_object **root) {
  *root = NULL;
  if (length > INT_MAX) return false;
  struct json_tokener *tokener = json_tokener_new();
  if (!tokener) return false;
  json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
  struct json_object *value = json_tokener_parse_ex(tokener, text, (int)length);
  // A number at the very end needs to see that nothing follows.
  if (json_tokener_get_error(tokener) == json_tokener_continue)
    value = json_tokener_parse_ex(tokener, "", 1);
  bool good = json_tokener_get_error(tokener) == json_tokener_success;
  json_tokener_free(tokener);
  if (good) *root = value;
  else json_object_put(value);
  return good;
}

void json_close(struct json_object *root) { json_object_put(root); }

enum json_kind json_kind_of(struct json_object *value) {
  switch (json_object_get_type(value)) {
  case json_type_null: return JSON_NULL;
  case json_type_boolean: return JSON_BOOLEAN;
  case json_type_int: return JSON_INTEGER;
  case json_type_double: return JSON_REAL;
  case json_type_string: return JSON_TEXT;
  case json_type_array: return JSON_LIST;
  case json_type_object: return JSON_OBJECT;
  }
  return JSON_NULL;
}

bool json_boolean(struct json_object *value) { return json_object_get_boolean(value); }

int64_t json_integer(struct json_object *value) { return json_object_get_int64(value); }

double json_real(struct json_object *value) { return json_object_get_double(value); }

struct json_text json_text_of(struct json_object *value) {
  return (struct json_text){
    .bytes = json_object_get_string(value),
    .length = (size_t)json_object_get_string_len(value),
  };
}

size_t json_count(struct json_object *list) { return json_object_array_length(list); }

struct json_object *json_element(struct json_object *list, size_t index) {
  return json_object_array_get_idx(list, index);
}

void json_members(struct json_object *object, void *context,
                  void (*member)(void *, const char *, struct json_object *)) {
  json_object_object_foreach(object, key, value) member(context, key, value);
}
