/*
 * crawl/fetch/unpack.h - the content codings of an answer undone as its bytes
 * come. Not by libcurl, which (7.88) undoes what nobody asked for, five deep,
 * does not say how many of the bytes of the wire are used up, and takes a gzip
 * body that was cut short for a whole one.
 */
#ifndef CRAWL_FETCH_UNPACK_H
#define CRAWL_FETCH_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

#include "store/decode.h"
#include "store/error.h"
#include "store/slice.h"

enum { MAX_CODINGS = 2 };

/* What was done to a body, in this order; "identity" is left out. Begin with
 * {0}. */
struct codings {
	enum coding list[MAX_CODINGS];
	size_t count;
};

/*
 * Add those of a Content-Encoding. False for one that was not offered (gzip and
 * br are; deflate is taken, too) and for more than MAX_CODINGS.
 */
bool codings_add(struct codings *codings, struct slice value);

struct unpacker;

/* At least one coding. For what it holds see decoder_create(). */
struct unpacker *unpacker_create(struct codings codings);
void unpacker_destroy(struct unpacker *unpacker); /* NULL is a no-op */

/* The next bytes as they came; they must stay until they are used up. */
void unpacker_feed(struct unpacker *unpacker, struct slice packed);

/* How many bytes of those are not used up. */
size_t unpacker_left(const struct unpacker *unpacker);

/*
 * Write what comes next of the body to `out`; 0 bytes: it needs to be fed.
 * Several gzip members are one body; other bytes behind the end are ignored.
 * ERR_CORRUPT: the coding is damaged.
 */
enum error unpacker_next(struct unpacker *unpacker, char *out, size_t capacity,
			 size_t *size_out);

/* Nothing is missing at the end of what was fed. */
bool unpacker_is_whole(const struct unpacker *unpacker);

#endif
