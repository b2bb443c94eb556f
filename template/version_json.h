/*
 * template/version_json.h - versions as JSON, for the API; and functions for
 * JSON values that the library jansson does not have.
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
 * Return the differences as {"paths":{"moved","gone":[...],"come":[...]},
 * "fragments":{...}}. The items are as in version_json().
 */
json_t *version_diff_json(const struct version_diff *diff);

/* Return the text as a JSON string; invalid UTF-8 becomes '?'. */
json_t *json_text(struct slice text);

/* Return json_text(), or null if the text is empty. */
json_t *json_text_or_null(struct slice text);

/*
 * Return a time in Unix milliseconds as a string: RFC 3339 in UTC, without
 * fractions of a second. Return null for 0.
 */
json_t *json_time(uint64_t time_ms);

/* Return the identifier "HOST/N" of a cluster, or null if `cluster` is 0. */
json_t *json_cluster_id(struct slice host, uint32_t cluster);

/* Parse JSON; return NULL if the text is not valid. */
json_t *json_read(struct slice text);

/*
 * Append the JSON text of `value`, formatted by the `flags` of json_dumps(),
 * and release `value`.
 */
void json_append(struct buffer *out, json_t *value, size_t flags);

/*
 * json_member_text() returns a string member of the object; NULL if it is
 * missing or no string. json_member_whole() returns an integer member; 0 if it
 * is missing or no integer. json_member_lists() returns whether a member is an
 * array that has the text.
 */
const char *json_member_text(const json_t *object, const char *name);
json_int_t json_member_whole(const json_t *object, const char *name);
bool json_member_lists(const json_t *object, const char *name,
		       const char *text);

/*
 * Set "short_title" of pages: "title" without the parts that the titles of the
 * list have in common (template/template_name.h). The items of `rows` are
 * pages, or templates with pages in "sample".
 */
void json_shorten_titles(json_t *rows);

#endif
