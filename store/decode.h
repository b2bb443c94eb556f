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
	CODING_BROTLI,  /* RFC 7932 */
	CODING_ZSTD,    /* one frame (RFC 8878); skippable ones are skipped */
};

/*
 * By the first bytes (4 are enough): gzip, zstd (also when it begins with a
 * skippable frame), or CODING_NONE.
 */
enum coding coding_of_bytes(struct slice begin);

/* By a Content-Encoding: "gzip", "x-gzip", "deflate", "br", "zstd", "identity"
 * and "" (none), in any case. False when it is another one, or several. */
bool coding_of_name(struct slice name, enum coding *coding_out);

struct decoder;

/*
 * What a stream can make it hold: gzip and deflate 43 KB; zstd 8 MB, a frame
 * that asks for a larger window is ERR_CORRUPT; brotli 16 MB. It is taken as
 * the stream needs it, not before.
 */
struct decoder *decoder_create(enum coding coding);
void decoder_destroy(struct decoder *decoder); /* NULL is a no-op */

/*
 * The dictionary that the frames to come were packed with: a trained one or
 * any bytes; it is copied and stays until the next; an empty one takes it away.
 * Between frames only. False for another coding than zstd, or when it is
 * damaged: then there is none.
 */
bool decoder_set_dictionary(struct decoder *decoder, struct slice dictionary);

/*
 * Take bytes off the front of *input and write at most `capacity` (at least
 * one) to `out`; *size_out is how many. Nothing taken and nothing written: it
 * needs more input, or is at its end; as long as it fills `out`, more may come
 * without input. How the input is cut into pieces changes neither the bytes
 * nor the verdict. ERR_CORRUPT: the stream is damaged, and only decoder_reset()
 * helps; what was written before, *size_out of this call too, stands.
 */
enum error decoder_run(struct decoder *decoder, struct slice *input, char *out,
		       size_t capacity, size_t *size_out);

/* Nothing of a member or frame has come yet, skipped ones aside. */
bool decoder_is_at_begin(const struct decoder *decoder);

/* The member or frame is over; what is left of the input is behind it. */
bool decoder_is_at_end(const struct decoder *decoder);

/* Begin anew: with the next member or frame. */
void decoder_reset(struct decoder *decoder);

#endif
