/* tests/unit/auto_json.h - a JSON value that its block releases, as in run.h.
 */
#ifndef TESTS_UNIT_AUTO_JSON_H
#define TESTS_UNIT_AUTO_JSON_H

#include <jansson.h>

#define AUTO_JSON __attribute__((cleanup(auto_json))) json_t

static inline void auto_json(json_t **value)
{
	json_decref(*value);
}

#endif
