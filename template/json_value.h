/*
 * template/json_value.h - JSON values of the API that jansson does not provide.
 */
#ifndef TEMPLATE_JSON_VALUE_H
#define TEMPLATE_JSON_VALUE_H

#include <jansson.h>
#include <stdint.h>

#include "base/slice.h"

/* Return a string; invalid UTF-8 becomes '?'. */
json_t *json_text(struct slice text);

/* Like json_text(), but null if the text is empty. */
json_t *json_text_or_null(struct slice text);

/* Return Unix milliseconds as RFC 3339 in UTC, in seconds; null for 0. */
json_t *json_time(uint64_t time_ms);

/* Return "HOST/N", or null if `cluster` is 0. */
json_t *json_cluster_id(struct slice host, uint32_t cluster);

#endif
