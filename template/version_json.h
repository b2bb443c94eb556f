/* template/version_json.h - versions as JSON, for the API. */
#ifndef TEMPLATE_VERSION_JSON_H
#define TEMPLATE_VERSION_JSON_H

#include <jansson.h>

#include "template/version.h"

/* Return the JSON that version_encode() writes. */
json_t *version_json(const struct version *version);

/*
 * Return {"paths":{"moved","gone":[...],"come":[...]},"fragments":{...}}; an
 * item is as in a version.
 */
json_t *version_diff_json(const struct version_diff *diff);

#endif
