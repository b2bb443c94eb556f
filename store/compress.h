/* store/compress.h - page bodies and files, packed by zstd. */
#ifndef STORE_COMPRESS_H
#define STORE_COMPRESS_H

#include "store/buffer.h"
#include "store/error.h"
#include "store/slice.h"

/*
 * The level of compress(). HTML shrinks to a sixth; higher levels take more CPU
 * time than fetching does.
 */
enum { COMPRESS_LEVEL = 3 };

/*
 * Append `data`, packed into one frame that knows its size and its checksum, to
 * `out`. Hidden, because zlib.so has a function of the same name, which this
 * one would replace in all libraries of the process.
 */
__attribute__((visibility("hidden"))) void compress(struct slice data,
						    struct buffer *out);

/*
 * The same at a higher level: smaller, a tenth as fast, for data that are
 * packed once and read often.
 */
void compress_well(struct slice data, struct buffer *out);

/*
 * Append the unpacked bytes to `out`. ERR_TOO_LARGE when they would be more
 * than `max_bytes`, ERR_CORRUPT when the frame is damaged.
 */
enum error decompress(struct slice packed, size_t max_bytes,
		      struct buffer *out);

/*
 * Packs many data by one dictionary: bytes like those that are in them, or
 * none. A thread at a time.
 */
struct packer;

/*
 * Whether the bytes can be a dictionary: their first byte is not '7', with
 * which those begin that zstd has trained.
 */
bool is_dictionary(struct slice bytes);

/* The dictionary, which is one, is copied. `level` is zstd's, 1 to 19, or below
 * 0: faster and larger. */
struct packer *packer_create(struct slice dictionary, int level);
void packer_destroy(struct packer *packer); /* NULL is a no-op */

/* As compress(), for decompress_by() with the same dictionary; without one for
 * decompress(). */
void packer_pack(struct packer *packer, struct slice data, struct buffer *out);

/* As decompress(), of what was packed by that dictionary. */
enum error decompress_by(struct slice dictionary, struct slice packed,
			 size_t max_bytes, struct buffer *out);

#endif
