/*
 * store/content.h - the values of TABLE_BODIES and TABLE_RECORDS, and the
 * records in TABLE_SAMPLE_PAGES
 *
 * The beginning of a value identifies its form. A plain record begins with its
 * magic number. A frame of zstd begins with the magic number of zstd. A byte 1
 * is followed by the number of a dictionary (u32, host-endian) and a frame that
 * needs this dictionary. A byte 2 is followed by the same two, and the frame
 * contains a record in packed form (store/record.h).
 *
 * LMDB stores a value of more than about half a page in separate pages, and
 * wastes the rest of the last page. A body or record may therefore be divided:
 * its first bytes are rows of TABLE_BODY_PIECES or TABLE_RECORD_PIECES, and its
 * row in TABLE_BODIES or TABLE_RECORDS, the head, is a byte 3, the number of
 * the pieces (u8), the size of the value (u32, host-endian), and the last bytes
 * of the value. Use the functions below for all rows of the two tables.
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

/* The number of a piece is a byte. */
enum { CONTENT_MAX_PIECES = 255 };

/*
 * How a value is divided: `count` pieces of `piece_bytes` each; the head has
 * the rest. A count of 0 means that the value is not divided.
 */
struct content_division {
	unsigned count;
	size_t piece_bytes;
};

/*
 * Divide a value of `size` bytes for a database with pages of `page_bytes`. For
 * rows that are inserted in any order: one piece, which fills its pages.
 */
struct content_division content_divide(size_t size, size_t page_bytes);

/*
 * Do the same for rows that are appended in ascending order. Three pieces fill
 * a page. If such rows were inserted in another order, LMDB would fill only a
 * half of its pages.
 */
struct content_division content_divide_finely(size_t size, size_t page_bytes);

/* Append the head of the divided value to `out`. */
void content_make_head(struct slice value, struct content_division division,
		       struct buffer *out);

/* Return piece `number` of the value; the first one has the number 1. */
struct slice content_piece(struct slice value, struct content_division division,
			   unsigned number);

/* Return the size of a value from its row, which may be a head. */
size_t content_size(struct slice stored);

/*
 * Insert or replace a value of TABLE_BODIES, TABLE_RECORDS or
 * TABLE_SAMPLE_PAGES, and delete the pieces of the former value.
 */
void content_put(struct txn *txn, enum table table, struct slice key,
		 struct slice value);

/* Delete a value and its pieces. */
void content_delete(struct txn *txn, enum table table, struct slice key);

/*
 * Return the value whose row of `table` is `key` and `stored`. If it is
 * divided, join it in `joined`, which is cleared first. If a piece is missing
 * or damaged, the result is an empty value, which is never valid.
 */
struct slice content_join(struct txn *txn, enum table table, struct slice key,
			  struct slice stored, struct buffer *joined);

/* Do the same for the row at `key`; {NULL, 0} if it does not exist. */
struct slice content_get(struct txn *txn, enum table table, struct slice key,
			 struct buffer *joined);

/*
 * Return the table with the pieces of the values of `table`; TABLE_COUNT if
 * these are never divided. content_heads_of() is the inverse function.
 */
enum table content_pieces_of(enum table table);
enum table content_heads_of(enum table pieces);

/* Return whether the rows of `table` with such a key may have pieces. */
bool content_is_divisible(enum table table, struct slice key);

/* Return whether the row at `key` of the table `pieces` belongs to a head. */
bool content_piece_has_head(struct txn *txn, enum table pieces,
			    struct slice key);

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
 * Append the body of a page in the form in which it is stored, a frame, to
 * `out`. Set *dictionary_out to the number of the dictionary that
 * decompress_by() needs for it; 0 = none. Errors as for content_body().
 */
enum error content_body_frame(struct txn *txn, uint32_t site, uint64_t page,
			      struct buffer *out, uint32_t *dictionary_out);

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
