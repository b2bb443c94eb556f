/*
 * daemon/http/entity_tag.h - entity tags (ETag, RFC 9110, 8.8.3). With one, a
 * client checks whether its copy of a response is current (If-None-Match,
 * 13.1.2).
 */
#ifndef DAEMON_HTTP_ENTITY_TAG_H
#define DAEMON_HTTP_ENTITY_TAG_H

#include <stdbool.h>

#include "base/slice.h"

enum { ENTITY_TAG_BYTES = 2 + 32 + 1 };

/*
 * Make the strong tag of the bytes, with quotes. It depends only on the bytes,
 * so that it remains valid after a restart.
 */
void entity_tag_make(struct slice body, char tag_out[ENTITY_TAG_BYTES]);

/*
 * Return whether the value of If-None-Match is "*" or contains the tag, by the
 * weak comparison of 8.8.3.2. NULL: false.
 */
bool entity_tag_is_listed(const char *tag, const char *list);

#endif
