/* template/json_value.h - values of the API's JSON that jansson does not make.
 */
#ifndef TEMPLATE_JSON_VALUE_H
#define TEMPLATE_JSON_VALUE_H

#include <jansson.h>
#include <stdint.h>

#include "store/slice.h"

/* A string; what is not valid UTF-8 in it becomes '?'. */
json_t *json_text(struct slice text);

/* As json_text(), but null when the text is empty. */
json_t *json_text_or_null(struct slice text);

/* Unix milliseconds as RFC 3339 in UTC, in seconds; null for 0. */
json_t *json_time(uint64_t time_ms);

/* "HOST/N", or null when `cluster` is 0. */
json_t *json_cluster_id(struct slice host, uint32_t cluster);

#endif
