/* base/compress.h - compresses page bodies and files with zstd. */
#ifndef BASE_COMPRESS_H
#define BASE_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/error.h"

struct packer;
struct shared_dictionary;

/*
 * The zstd level of compress_slice(). It makes HTML six times smaller; higher
 * levels take more CPU time than a fetch.
 */
enum { COMPRESS_LEVEL = 3 };

/*
 * Compress `data` into one zstd frame, which contains the size and a checksum,
 * and append it to `out`. The function has hidden visibility because zlib.so
 * has a function of the same name, which it would otherwise replace in all
 * libraries of the process.
 */
__attribute__((visibility("hidden"))) void compress_slice(struct slice data,
							  struct buffer *out);

/*
 * Compress at a higher level. The result is smaller, but takes four times as
 * long; use it for data that are compressed once and read often.
 */
void compress_well(struct slice data, struct buffer *out);

/*
 * Decompress the frame `packed` and append the bytes to `out`. ERR_TOO_LARGE if
 * they exceed `max_bytes`; ERR_CORRUPT if the frame is damaged.
 */
enum error decompress_slice(struct slice packed, size_t max_bytes,
			    struct buffer *out);

/*
 * A packer compresses many values, optionally with a dictionary: bytes similar
 * to the values. Only one thread at a time may use a packer.
 */

/*
 * Return whether `bytes` can be a dictionary. They cannot if their first byte
 * is '7', because zstd would take them for a dictionary that it has trained.
 */
bool is_dictionary(struct slice bytes);

/* The levels of packers with a dictionary. */
enum {
	LEVEL_FAST = 1,  /* for pages that arrive */
	LEVEL_SHORT = 6, /* for values of up to about 64 KB */
	LEVEL_SMALL = 9, /* for pages if there is time: smaller */
};

/*
 * Create a packer. It copies the dictionary, for which is_dictionary() must
 * hold; an empty one means no dictionary. `level` is one of the above; without
 * a dictionary also another level of zstd: 1 to 19, or below 0 for faster
 * compression and larger results.
 */
struct packer *packer_create(struct slice dictionary, int level);
void packer_destroy(struct packer *packer); /* do nothing for NULL */

/*
 * Compress `data` into a frame and append it to `out`, as compress_slice()
 * does. Decompress it by decompress_by() with the same dictionary, or by
 * decompress_slice() if the packer has no dictionary.
 */
void packer_pack(struct packer *packer, struct slice data, struct buffer *out);

/*
 * A dictionary that several packers, and so several threads, may use at the
 * same time. `bytes` are as for packer_create(), but not empty; the caller
 * keeps them valid.
 */
struct shared_dictionary *shared_dictionary_create(struct slice bytes,
						   int level);
/* Return the size in memory, without `bytes`. */
size_t shared_dictionary_bytes(const struct shared_dictionary *dictionary);
/* No packer may use it any longer. Do nothing for NULL. */
void shared_dictionary_destroy(struct shared_dictionary *dictionary);

/*
 * Make the packer, which was created without a dictionary, use `dictionary` and
 * its level from now on; NULL = no dictionary. The caller keeps it valid.
 */
void packer_share(struct packer *packer,
		  const struct shared_dictionary *dictionary);

/*
 * Decompress as decompress_slice() does, but with the dictionary of the packer
 * that compressed the frame.
 */
enum error decompress_by(struct slice dictionary, struct slice packed,
			 size_t max_bytes, struct buffer *out);

#endif
