/*
 * store/content.h - the values of TABLE_BODIES and TABLE_RECORDS, and the
 * records in TABLE_SAMPLE_PAGES
 *
 * The beginning of a value identifies its form. A plain record begins with its
 * magic number. A frame of zstd begins with the magic number of zstd. A byte 1
 * is followed by the number of a dictionary (u32, host-endian) and a frame that
 * needs this dictionary. A byte 2 is followed by the same two, and the frame
 * contains a record in packed form (store/record.h).
 */
#ifndef STORE_CONTENT_H
#define STORE_CONTENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "store/record.h"
#include "store/txn.h"

struct dictionary_cache;
struct packer;

/* Records that are larger are stored without compression. */
enum { CONTENT_MAX_RECORD_BYTES = 64 << 20 };

/*
 * Return whether a value is compressed. Set *dictionary_out to the number of
 * its dictionary; 0 = none.
 */
bool content_is_packed(struct slice value, uint32_t *dictionary_out);

/*
 * Append `data`, compressed by `packer`, to `out`. `dictionary` is the number
 * of the packer's dictionary.
 */
void content_pack(struct packer *packer, uint32_t dictionary, struct slice data,
		  struct buffer *out);

/*
 * Do the same for an encoded record, which is first converted to packed form.
 * The dictionary contains records in packed form.
 */
void content_pack_record(struct packer *packer, uint32_t dictionary,
			 struct slice record, struct buffer *out);

/*
 * Return the frame of a value that was compressed with a dictionary by
 * content_pack().
 */
struct slice content_frame(struct slice value);

/*
 * Append a value that content_pack() or content_pack_record() has compressed
 * with a dictionary to `out`, with another number of this dictionary.
 */
void content_renumber(struct slice value, uint32_t dictionary,
		      struct buffer *out);

/*
 * Append the decompressed bytes of dictionary number `dictionary` for the
 * values of `table` to `out`. ERR_NOT_FOUND. ERR_CORRUPT: the row is damaged,
 * or its size differs from the number of bytes.
 */
enum error content_dictionary(struct txn *txn, enum table table, uint32_t site,
			      uint32_t dictionary, struct buffer *out);

/* The row of a value: only its table and site matter here. */
struct content_source {
	enum table table;
	uint32_t site;
};

/*
 * Append the decompressed `value` to `out`. ERR_TOO_LARGE: it exceeds
 * `max_bytes`. ERR_CORRUPT: it is damaged, or its dictionary is damaged or
 * missing. The dictionary is decompressed too, unless it is in the cache.
 */
enum error content_unpack(struct txn *txn, struct content_source place,
			  struct slice value, size_t max_bytes,
			  struct buffer *out);

/*
 * Append the body of a page, which is `body_bytes` long, to `out`.
 * ERR_NOT_FOUND: the body is not stored. Other errors as for content_unpack().
 * If the transaction already has an error, this function and those below return
 * that error.
 */
enum error content_body(struct txn *txn, uint32_t site, uint64_t page,
			uint32_t body_bytes, struct buffer *out);

/*
 * Find the body of a page in the form in which it is stored: the frame, which
 * points into the memory map, and the number of the dictionary that
 * decompress_by() needs for it; 0 = none. Errors as for content_body().
 */
enum error content_body_frame(struct txn *txn, uint32_t site, uint64_t page,
			      struct slice *frame_out,
			      uint32_t *dictionary_out);

/*
 * Open the record of a page, or a record from TABLE_SAMPLE_PAGES (`value`). The
 * record points into `bytes_out`. The caller must initialise `bytes_out` with
 * {0} or clear it, and free it also after an error. ERR_NOT_FOUND, ERR_CORRUPT,
 * ERR_VERSION.
 */
enum error content_record(struct txn *txn, uint32_t site, uint64_t page,
			  struct buffer *bytes_out, struct record *record_out);
enum error content_record_open(struct txn *txn, uint32_t site,
			       struct slice value, struct buffer *bytes_out,
			       struct record *record_out);

/*
 * A cache of the decompressed dictionaries that were used last. A committed
 * dictionary never changes, and a site never uses its number again, so the
 * cache has nothing to invalidate and only readers add dictionaries. Two sites
 * may have dictionaries with the same number. Any thread may use the cache.
 */

/*
 * Create a cache for at most 16 dictionaries of DICTIONARY_MAX_BYTES, which is
 * 4 MiB in total.
 */

struct dictionary_cache *dictionary_cache_create(void);
/*
 * Free the cache. The caller must have released all dictionaries. If the cache
 * is NULL, do nothing.
 */
void dictionary_cache_destroy(struct dictionary_cache *cache);

#endif
