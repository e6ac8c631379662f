// SPDX-License-Identifier: Apache-2.0
//
// json-c, and the one thing that Swift does at length: a number in as few digits as give it back.
#ifndef TACTUS_JSON_H
#define TACTUS_JSON_H

#include <json-c/json_object.h>
#include <json-c/json_object_iterator.h>
#include <json-c/json_tokener.h>

/// A number that is finite, written in as few digits as give the same number back.
struct json_object *tactus_json_number(double number);

#endif
