/* crawl/percent.h - percent-encoding (RFC 3986, 2.1) in one canonical form.
 */
#ifndef CRAWL_PERCENT_H
#define CRAWL_PERCENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"

/* Text in memory of a fixed size. */
struct bounded {
	char *data;
	size_t size;
	size_t capacity;
	bool is_cut; /* text that did not fit was dropped */
};

void bounded_put(struct bounded *out, char byte);
void bounded_put_slice(struct bounded *out, struct slice text);
struct slice bounded_slice(const struct bounded *out);

/*
 * Return whether the byte is a letter, a digit or one of "-._~", which are
 * never encoded (RFC 3986, 2.3).
 */
bool percent_is_unreserved(unsigned char byte);

/* Write `text` with its escapes decoded; a '%' that begins no escape stays. */
void percent_decode(struct slice text, struct bounded *out);

/* Write `byte` as %XX. */
void percent_put(struct bounded *out, unsigned char byte);

/*
 * Write `text` (path, query or both) in canonical form: decode unreserved
 * characters, write hexadecimal digits in upper case, keep reserved characters,
 * and encode everything else: controls, space, quotes, <>\^`{|}, '#', all bytes
 * above 126, the characters in `special`, and a '%' that begins no escape. The
 * canonical form of a canonical form is itself.
 */
void percent_normalize(struct slice text, const char *special,
		       struct bounded *out);

#endif
