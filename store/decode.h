/*
 * store/decode.h - unpacking as a stream: what was compressed on disk or on the
 * wire comes out piece by piece, so that nobody holds the whole of it.
 */
#ifndef STORE_DECODE_H
#define STORE_DECODE_H

#include <stdbool.h>
#include <stddef.h>

#include "store/error.h"
#include "store/slice.h"

enum coding {
	CODING_NONE,    /* bytes pass as they are; there is no end */
	CODING_GZIP,    /* one member (RFC 1952) */
	CODING_DEFLATE, /* zlib's (RFC 1950), or raw as many servers send it */
	CODING_BROTLI,
	CODING_ZSTD, /* one frame; skippable frames are skipped */
};

/* By the first bytes (4 are enough): gzip, zstd, or CODING_NONE. */
enum coding coding_of_bytes(struct slice begin);

/* By a Content-Encoding: "gzip", "x-gzip", "deflate", "br", "zstd", "identity"
 * and "" (none), in any case. False when it is another one, or several. */
bool coding_of_name(struct slice name, enum coding *coding_out);

struct decoder;

/* At most 8 MB of window whatever the stream asks for (zstd, brotli: 16). */
struct decoder *decoder_create(enum coding coding);
void decoder_destroy(struct decoder *decoder); /* NULL is a no-op */

/*
 * Take bytes off the front of *input and write at most `capacity` to `out`;
 * *size_out is how many. Nothing taken and nothing written: it needs more
 * input, or is at its end. ERR_CORRUPT: the stream is damaged; only
 * decoder_reset() helps then.
 */
enum error decoder_run(struct decoder *decoder, struct slice *input, char *out,
		       size_t capacity, size_t *size_out);

/* The member or frame is over; what is left of the input is behind it. */
bool decoder_is_at_end(const struct decoder *decoder);

/* Begin anew: with the next member or frame. */
void decoder_reset(struct decoder *decoder);

#endif
