/*
 * crawl/fetch/unpack.h - decoding the content codings of an answer as its bytes
 * arrive. libcurl (7.88) cannot be used: it decodes codings that were not
 * offered, up to five deep, does not tell how many bytes of the input are used
 * up, and accepts a truncated gzip body as complete.
 */
#ifndef CRAWL_FETCH_UNPACK_H
#define CRAWL_FETCH_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

#include "store/decode.h"
#include "store/error.h"
#include "store/slice.h"

enum { MAX_CODINGS = 2 };

/*
 * The codings of a body in the order in which they were applied, without words
 * that name none. Begin with {0}.
 */
struct codings {
	enum coding list[MAX_CODINGS];
	size_t count;
};

/*
 * Add the codings of a Content-Encoding: gzip, br, deflate and zstd, without
 * parameters. A word that names no coding, such as "none", "UTF-8" or
 * "text/html", is ignored: browsers show such a body as it is. False for a
 * coding that cannot be decoded, such as "compress", and for more than
 * MAX_CODINGS.
 */
bool codings_add(struct codings *codings, struct slice value);

struct unpacker;

/* For at least one coding. Memory: see decoder_create(). */
struct unpacker *unpacker_create(struct codings codings);
void unpacker_destroy(struct unpacker *unpacker); /* NULL is a no-op */

/* The next bytes as they came; they must stay until they are used up. */
void unpacker_feed(struct unpacker *unpacker, struct slice packed);

/* Bytes of the input that are not used up. */
size_t unpacker_left(const struct unpacker *unpacker);

/*
 * Write the next bytes of the body to `out`; 0 bytes: it needs more input.
 * Several gzip members are one body; other bytes behind the end are ignored.
 * ERR_CORRUPT: the coding is damaged.
 */
enum error unpacker_next(struct unpacker *unpacker, char *out, size_t capacity,
			 size_t *size_out);

/* Whether the body is complete with the input so far. */
bool unpacker_is_whole(const struct unpacker *unpacker);

#endif
