/*
 * store/content.h - the values of TABLE_BODIES and TABLE_RECORDS, and the
 * records in TABLE_SAMPLE_PAGES. Their first bytes tell the form: a plain
 * record (its magic number); a frame of zstd; a byte 1, the number of a
 * dictionary (u32, host-endian) and a frame that needs it; or a byte 2, the
 * same two, and a slim record in the frame (store/record.h).
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

/* Larger records are stored without compression. */
enum { CONTENT_MAX_RECORD_BYTES = 64 << 20 };

/*
 * Return whether a value is compressed, and the number of its dictionary; 0 =
 * none.
 */
bool content_is_packed(struct slice value, uint32_t *dictionary_out);

/* Append `data`, compressed with the dictionary of that number, to `out`. */
void content_pack(struct packer *packer, uint32_t dictionary, struct slice data,
		  struct buffer *out);

/* Do the same for an encoded record; its dictionary contains slim records. */
void content_pack_record(struct packer *packer, uint32_t dictionary,
			 struct slice record, struct buffer *out);

/*
 * Append the decompressed bytes of `dictionary` for the values of `table` to
 * `out`. ERR_NOT_FOUND; ERR_CORRUPT, also if their number differs from the row.
 */
enum error content_dictionary(struct txn *txn, enum table table, uint32_t site,
			      uint32_t dictionary, struct buffer *out);

/* The row that a value comes from. */
struct content_source {
	enum table table;
	uint32_t site;
};

/*
 * Append the decompressed `value` to `out`. ERR_TOO_LARGE if it exceeds
 * `max_bytes`; ERR_CORRUPT if it is damaged, or its dictionary is damaged or
 * missing. Also decompresses the dictionary, unless it is among the 16 that
 * were used last.
 */
enum error content_unpack(struct txn *txn, struct content_source place,
			  struct slice value, size_t max_bytes,
			  struct buffer *out);

/*
 * Append the body of a page, `body_bytes` long, to `out`. ERR_NOT_FOUND if
 * there is no body; otherwise the errors of content_unpack(). Here and below an
 * earlier error of the transaction comes first.
 */
enum error content_body(struct txn *txn, uint32_t site, uint64_t page,
			uint32_t body_bytes, struct buffer *out);

/*
 * Open the record of a page, or a record of TABLE_SAMPLE_PAGES. It points into
 * `bytes_out`, which the caller must initialise with {0} or clear, and free in
 * any case. ERR_NOT_FOUND, ERR_CORRUPT, ERR_VERSION.
 */
enum error content_record(struct txn *txn, uint32_t site, uint64_t page,
			  struct buffer *bytes_out, struct record *record_out);
enum error content_record_open(struct txn *txn, uint32_t site,
			       struct slice value, struct buffer *bytes_out,
			       struct record *record_out);

/*
 * Caches the decompressed dictionaries that were used last. A committed
 * dictionary never changes, and its site never reuses its number, so only
 * readers add dictionaries. Two sites may use the same number: each node
 * counts separately. Any thread.
 */

/* At most 16 dictionaries of DICTIONARY_MAX_BYTES, 4 MiB in total. */

struct dictionary_cache *dictionary_cache_create(void);
/* The caller has released all dictionaries. Do nothing for NULL. */
void dictionary_cache_destroy(struct dictionary_cache *cache);

#endif
