/*
 * daemon/query/payload.h - a small language for the texts that hooks send. A
 * payload is a text with tags:
 *
 *     {NAME}             the value
 *     {NAME.100}         at most 100 UTF-16 code units of it
 *     {NAME|FILTER}      the value, safe in a markup: slack, markdown or html
 *     {NAME:A=X,B=Y,*=Z} X if the value is A, Y if it is B, Z otherwise
 *     {?NAME} ... {/NAME} this part only if the value is not empty
 *
 * A "{" begins a tag if a lower-case letter, "?" or "/" follows. Each value is
 * escaped for the type of the payload, so no value can change its structure.
 * There are no loops, and the size of the result is bounded. Pure.
 */
#ifndef DAEMON_QUERY_PAYLOAD_H
#define DAEMON_QUERY_PAYLOAD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/limit.h"

/* Where a function writes the reason of its failure, as a sentence. */
struct failure_text {
	char *text; /* [size] */
	size_t size;
};

enum payload_type {
	/* values are parts of JSON strings; numbers, lists and objects are
	   JSON */
	PAYLOAD_JSON,
	PAYLOAD_TEXT,
	PAYLOAD_FORM, /* percent-encoded, also for parts of URLs */
	PAYLOAD_XML,
	PAYLOAD_LINE, /* one line, such as a header */
};

enum { MAX_PAYLOAD_BYTES = LIMIT(256 * 1024, 512) };

/* Return the type for the media type of a request, such as text/plain. */
enum payload_type payload_type_of(const char *media_type);

/*
 * Append the text with the values, an object. If the text is malformed, names
 * no value, or becomes too large, write the error text to `why` and
 * return false; then `out` has a part of it.
 */
bool payload_write(struct slice text, enum payload_type type,
		   const json_t *values, struct buffer *out,
		   const struct failure_text *why);

#endif
