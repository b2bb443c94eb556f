/*
 * base/decode.h - decompress streams of HTTP and files: gzip, deflate, brotli
 * and zstd; compress with gzip.
 */
#ifndef BASE_DECODE_H
#define BASE_DECODE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/error.h"

struct decoder;

/*
 * Decompresses a stream: data from disk or from the network are decompressed
 * in pieces, so that the whole is never in memory.
 */

enum coding {
	CODING_NONE,    /* bytes pass unchanged; there is no end */
	CODING_GZIP,    /* one member (RFC 1952) */
	CODING_DEFLATE, /* with zlib's header (RFC 1950), or raw as many servers
			   send it */
	CODING_BROTLI,  /* RFC 7932 */
	CODING_ZSTD,    /* one frame (RFC 8878); skippable frames are skipped */
};

/*
 * Return the coding of a stream from its first bytes (4 are enough): gzip, zstd
 * (also after a skippable frame), or CODING_NONE.
 */
enum coding coding_of_bytes(struct slice begin);

/*
 * Return the coding of a Content-Encoding: "gzip", "x-gzip", "deflate", "br",
 * "zstd", "identity" and "" (none), in any case. Return false for another
 * coding, or several.
 */
bool coding_of_name(struct slice name, enum coding *coding_out);

/*
 * Memory that a hostile stream can make a decoder use: gzip and deflate 43 KB;
 * zstd 8 MB, because a frame with a larger window is ERR_CORRUPT; brotli 16 MB.
 * It is allocated only for such a stream.
 */
struct decoder *decoder_create(enum coding coding);
void decoder_destroy(struct decoder *decoder); /* NULL is a no-op */

/*
 * Set the dictionary of the following frames, trained or any bytes; empty =
 * none. The decoder copies it and uses it until the next call. Call it only
 * between frames. Return false and set no dictionary if the coding is not zstd
 * or the dictionary is damaged.
 */
bool decoder_set_dictionary(struct decoder *decoder, struct slice dictionary);

/*
 * Read bytes from the front of *input and write at most `capacity` (>= 1) bytes
 * to `out`; *size_out is their number. If it reads and writes nothing, it needs
 * more input or is at its end; as long as it fills `out`, more output may come
 * without input. The split of the input changes neither output nor error.
 * ERR_CORRUPT: the stream is damaged, and only decoder_reset() helps; the
 * output so far, including *size_out of this call, is valid.
 */
enum error decoder_run(struct decoder *decoder, struct slice *input, char *out,
		       size_t capacity, size_t *size_out);

/*
 * Return whether the decoder has read no byte of a member or frame yet, except
 * skippable frames.
 */
bool decoder_is_at_begin(const struct decoder *decoder);

/*
 * Return whether the member or frame is complete; the rest of the input follows
 * it.
 */
bool decoder_is_at_end(const struct decoder *decoder);

/* Reset the decoder for the next member or frame. */
void decoder_reset(struct decoder *decoder);

/* Compresses with gzip (RFC 1952); base/compress.h reads it. */

/* Append `data`, compressed into one member, to `out`. */
void gzip_append(struct slice data, struct buffer *out);

#endif
