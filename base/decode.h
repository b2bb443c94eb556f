/*
 * base/decode.h - decompresses streams from HTTP and files: gzip, deflate,
 * brotli and zstd. It also compresses with gzip.
 */
#ifndef BASE_DECODE_H
#define BASE_DECODE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/error.h"

struct decoder;

/*
 * A decoder decompresses a stream in pieces as they come from disk or the
 * network, so that memory never contains the whole stream.
 */

enum coding {
	CODING_NONE, /* not compressed: bytes pass unchanged, the stream has no
			end */
	CODING_GZIP, /* one member (RFC 1952) */
	CODING_DEFLATE, /* with the header of zlib (RFC 1950), or without it, as
			   many servers send it */
	CODING_BROTLI,  /* RFC 7932 */
	CODING_ZSTD,    /* one frame (RFC 8878), also after skippable frames */
};

/*
 * Return the coding of a stream from `begin`, its first bytes (4 are enough):
 * gzip, zstd (also if a skippable frame comes first), or CODING_NONE.
 */
enum coding coding_of_bytes(struct slice begin);

/*
 * Read the value of a Content-Encoding header: "gzip", "x-gzip", "deflate",
 * "br", "zstd", "identity" or "" (the last two mean CODING_NONE), in upper or
 * lower case. Return false for another coding, or for several.
 */
bool coding_of_name(struct slice name, enum coding *coding_out);

/*
 * Create a decoder for a stream, which may be hostile. It needs up to 43 KB of
 * memory for gzip and deflate, 8 MB for zstd (a frame with a larger window is
 * ERR_CORRUPT) and 16 MB for brotli. It allocates this memory only when a
 * stream requires it.
 */
struct decoder *decoder_create(enum coding coding);
void decoder_destroy(struct decoder *decoder); /* do nothing for NULL */

/*
 * Set the dictionary of the following frames: a trained dictionary or any
 * bytes; empty = none. The decoder copies it. Call this only between frames.
 * Return false and set no dictionary if the coding is not zstd or the
 * dictionary is damaged.
 */
bool decoder_set_dictionary(struct decoder *decoder, struct slice dictionary);

/*
 * Decompress bytes from the front of *input, and write at most `capacity` (>=
 * 1) bytes to `out` and their number to *size_out. A call that reads and writes
 * nothing needs more input, or the decoder is at its end. If a call fills
 * `out`, the next call may write more even without input. The way the input is
 * split into calls changes neither the output nor the error. ERR_CORRUPT: the
 * stream is damaged; the output so far is valid, including the *size_out bytes
 * of this call; call decoder_reset() before using the decoder again.
 */
enum error decoder_run(struct decoder *decoder, struct slice *input, char *out,
		       size_t capacity, size_t *size_out);

/*
 * Return whether the decoder has read no byte of a member (gzip) or frame
 * (zstd) yet. Skippable frames do not count.
 */
bool decoder_is_at_begin(const struct decoder *decoder);

/*
 * Return whether the member or frame is complete. If it is, the rest of the
 * input comes after it.
 */
bool decoder_is_at_end(const struct decoder *decoder);

/* Reset the decoder for the next member or frame. */
void decoder_reset(struct decoder *decoder);

/* Compression with gzip (RFC 1952). For zstd see base/compress.h. */

/* Compress `data` into one gzip member and append it to `out`. */
void gzip_append(struct slice data, struct buffer *out);

#endif
