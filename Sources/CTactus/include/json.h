// SPDX-License-Identifier: Apache-2.0
//
// json-c, all of which Swift can call.
#ifndef TACTUS_JSON_H
#define TACTUS_JSON_H

#include <json-c/json_object.h>
#include <json-c/json_object_iterator.h>
#include <json-c/json_tokener.h>

#endif
