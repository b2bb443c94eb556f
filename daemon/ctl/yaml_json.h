/*
 * daemon/ctl/yaml_json.h - JSON values as YAML, for files that users edit
 */
#ifndef DAEMON_CTL_YAML_JSON_H
#define DAEMON_CTL_YAML_JSON_H

#include <jansson.h>

#include "base/buffer.h"

enum { MAX_YAML_BYTES = 16 * 1024 * 1024 };

/*
 * Parse a YAML document with mappings, sequences and scalars. Quoted scalars
 * and those that are no null, boolean or number are strings. Aliases, anchors
 * and tags are not allowed. If the text is invalid, return NULL and write the
 * line and the reason to `reason`.
 */
json_t *yaml_json_parse(struct slice text, char reason[256]);

/*
 * Append an array of objects as a YAML sequence, indented by `indent` spaces.
 * The members of an object are scalars, arrays of scalars, or arrays of such
 * objects without further ones.
 */
void yaml_json_append(struct buffer *out, const json_t *objects,
		      unsigned indent);

#endif
