/*
 * daemon/http/entity_tag.h - the tag of an answer (ETag, RFC 9110, 8.8.3), by
 * which a client asks whether it is still what it has (If-None-Match, 13.1.2).
 */
#ifndef DAEMON_HTTP_ENTITY_TAG_H
#define DAEMON_HTTP_ENTITY_TAG_H

#include <stdbool.h>

#include "store/slice.h"

enum { ENTITY_TAG_BYTES = 2 + 32 + 1 };

/* The strong tag of the bytes, with its quotes: it follows from them alone, so
 * that it outlives the daemon. */
void entity_tag_make(struct slice body, char tag_out[ENTITY_TAG_BYTES]);

/*
 * Whether the value of If-None-Match names the tag, by the weak comparison of
 * 8.8.3.2, or is "*". `list` may be NULL: it does not.
 */
bool entity_tag_is_listed(const char *tag, const char *list);

#endif
