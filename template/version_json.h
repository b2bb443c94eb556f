/*
 * template/version_json.h - versions as JSON, for the API, and JSON values that
 * jansson does not provide.
 */
#ifndef TEMPLATE_VERSION_JSON_H
#define TEMPLATE_VERSION_JSON_H

#include <jansson.h>
#include <stdint.h>

#include "base/buffer.h"
#include "template/version.h"

/* Return the JSON that version_encode() writes. */
json_t *version_json(const struct version *version);

/*
 * Return {"paths":{"moved","gone":[...],"come":[...]},"fragments":{...}}; an
 * item is as in a version.
 */
json_t *version_diff_json(const struct version_diff *diff);

/* Return a string; invalid UTF-8 becomes '?'. */
json_t *json_text(struct slice text);

/* Like json_text(), but null if the text is empty. */
json_t *json_text_or_null(struct slice text);

/* Return Unix milliseconds as RFC 3339 in UTC, in seconds; null for 0. */
json_t *json_time(uint64_t time_ms);

/* Return "HOST/N", or null if `cluster` is 0. */
json_t *json_cluster_id(struct slice host, uint32_t cluster);

/* Parse a text; NULL if it is not JSON. */
json_t *json_read(struct slice text);

/* Append `value` in the compact form of `flags` (json_dumps()); release it. */
void json_append(struct buffer *out, json_t *value, size_t flags);

/* Return a member as text; NULL if it is not one. As a number; or 0. */
const char *json_member_text(const json_t *object, const char *name);
json_int_t json_member_whole(const json_t *object, const char *name);

#endif
