/*
 * store/decode.h - unpacking as a stream: compressed data from disk or from the
 * network is unpacked piece by piece, so that the whole is never in memory.
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
	CODING_ZSTD,    /* one frame (RFC 8878); skippable frames are skipped */
};

/*
 * The coding by the first bytes (4 are enough): gzip, zstd (also when it begins
 * with a skippable frame), or CODING_NONE.
 */
enum coding coding_of_bytes(struct slice begin);

/*
 * The coding by a Content-Encoding: "gzip", "x-gzip", "deflate", "br", "zstd",
 * "identity" and "" (none), in any case. False for any other coding, or
 * several.
 */
bool coding_of_name(struct slice name, enum coding *coding_out);

struct decoder;

/*
 * Memory that a hostile stream can make a decoder use: gzip and deflate 43 KB;
 * zstd 8 MB, because a frame with a larger window is ERR_CORRUPT; brotli 16 MB.
 * It is allocated when the stream needs it.
 */
struct decoder *decoder_create(enum coding coding);
void decoder_destroy(struct decoder *decoder); /* NULL is a no-op */

/*
 * Set the dictionary of the following frames, trained or any bytes; it is
 * copied and used until the next call; empty: no dictionary. Only between
 * frames. False, and no dictionary is set, when the coding is not zstd or the
 * dictionary is damaged.
 */
bool decoder_set_dictionary(struct decoder *decoder, struct slice dictionary);

/*
 * Take bytes off the front of *input and write at most `capacity` (at least
 * one) to `out`; *size_out is how many. Nothing taken and nothing written: it
 * needs more input, or is at its end; as long as it fills `out`, more may come
 * without input. How the input is cut into pieces changes neither the output
 * nor the error. ERR_CORRUPT: the stream is damaged, and only decoder_reset()
 * helps; what was written before, *size_out of this call too, stands.
 */
enum error decoder_run(struct decoder *decoder, struct slice *input, char *out,
		       size_t capacity, size_t *size_out);

/* No byte of a member or frame was taken yet, except of skippable frames. */
bool decoder_is_at_begin(const struct decoder *decoder);

/* The member or frame is over; what is left of the input is behind it. */
bool decoder_is_at_end(const struct decoder *decoder);

/* Begin anew: with the next member or frame. */
void decoder_reset(struct decoder *decoder);

#endif
