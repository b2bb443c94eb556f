/* base/compress.h - compresses page bodies and files with zstd. */
#ifndef BASE_COMPRESS_H
#define BASE_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/error.h"

struct packer;

/*
 * The level of compress_slice(). HTML shrinks to a sixth; higher levels take
 * more CPU time than a fetch.
 */
enum { COMPRESS_LEVEL = 3 };

/*
 * Append `data` to `out`, compressed into one frame with its size and its
 * checksum. The function is hidden because zlib.so has one of the same name,
 * which it would replace in all libraries of the process.
 */
__attribute__((visibility("hidden"))) void compress_slice(struct slice data,
							  struct buffer *out);

/*
 * Compress at a higher level: smaller, but at a tenth of the speed, for data
 * that are compressed once and read often.
 */
void compress_well(struct slice data, struct buffer *out);

/*
 * Append the decompressed bytes to `out`. ERR_TOO_LARGE if they exceed
 * `max_bytes`; ERR_CORRUPT if the frame is damaged.
 */
enum error decompress_slice(struct slice packed, size_t max_bytes,
			    struct buffer *out);

/*
 * Compresses many values with one dictionary, which contains similar bytes, or
 * without one. One thread at a time.
 */

/*
 * Return whether the bytes can be a dictionary: their first byte is not '7',
 * the first byte of dictionaries that zstd has trained.
 */
bool is_dictionary(struct slice bytes);

/*
 * Create a packer. It copies the dictionary, for which is_dictionary() must
 * hold. `level` is zstd's: 1 to 19, or below 0 for faster and larger.
 */
struct packer *packer_create(struct slice dictionary, int level);
void packer_destroy(struct packer *packer); /* NULL is a no-op */

/*
 * Compress as compress_slice() does, for decompress_by() with the same
 * dictionary, or for decompress_slice() if there is none.
 */
void packer_pack(struct packer *packer, struct slice data, struct buffer *out);

/* Decompress as decompress_slice() does, with the dictionary of the packer. */
enum error decompress_by(struct slice dictionary, struct slice packed,
			 size_t max_bytes, struct buffer *out);

#endif
