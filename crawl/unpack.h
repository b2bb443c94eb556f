/*
 * crawl/unpack.h - decode the content codings of a response as its bytes
 * arrive. libcurl (7.88) is not usable for this: it decodes codings that the
 * request did not accept, up to five nested ones, does not report the number of
 * consumed bytes, and accepts a truncated gzip body as complete.
 */
#ifndef CRAWL_UNPACK_H
#define CRAWL_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/decode.h"
#include "base/error.h"
#include "base/slice.h"

enum { MAX_CODINGS = 2 };

/*
 * The codings of a body in the order in which they were applied, without
 * invalid words. Start with {0}.
 */
struct codings {
	enum coding list[MAX_CODINGS];
	size_t count;
};

/*
 * Add the codings of a Content-Encoding: gzip, br, deflate and zstd, without
 * parameters. Ignore words that are not codings, such as "none", "UTF-8" or
 * "text/html": browsers show such a body unchanged. Return false for a coding
 * that cannot be decoded, such as "compress", and for more than MAX_CODINGS.
 */
bool codings_add(struct codings *codings, struct slice value);

struct unpacker;

/* Create it for at least one coding. Memory: see decoder_create(). */
struct unpacker *unpacker_create(struct codings codings);
void unpacker_destroy(struct unpacker *unpacker); /* NULL is a no-op */

/*
 * Add the next received bytes, which must stay valid until they are consumed.
 */
void unpacker_feed(struct unpacker *unpacker, struct slice packed);

/* Return the number of input bytes that are not consumed. */
size_t unpacker_left(const struct unpacker *unpacker);

/*
 * Write the next bytes of the body to `out`; 0 bytes: it needs more input.
 * Several gzip members are one body; bytes after the end are ignored.
 * ERR_CORRUPT: the coding is damaged.
 */
enum error unpacker_next(struct unpacker *unpacker, char *out, size_t capacity,
			 size_t *size_out);

/* Return whether the body is complete with the input until now. */
bool unpacker_is_whole(const struct unpacker *unpacker);

#endif
