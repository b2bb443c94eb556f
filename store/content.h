/*
 * store/content.h - the values of TABLE_BODIES and TABLE_RECORDS, and the
 * records in TABLE_SAMPLE_PAGES, in whatever form they are kept. A value says
 * itself which one that is: a record as it is (its magic number), one frame of
 * zstd, or a byte 1, the number of a dictionary (u32, host-endian) and a frame
 * that needs it; with a byte 2 there is a slim record in the frame
 * (store/record_slim.h).
 */
#ifndef STORE_CONTENT_H
#define STORE_CONTENT_H

#include <stdbool.h>
#include <stdint.h>

#include "store/buffer.h"
#include "store/error.h"
#include "store/record.h"
#include "store/slice.h"
#include "store/txn.h"

/* A record that is larger is kept as it is. */
enum { CONTENT_MAX_RECORD_BYTES = 64 << 20 };

/* Whether a value is packed, and by which dictionary; 0: by none. */
bool content_is_packed(struct slice value, uint32_t *dictionary_out);

/* Append `data`, packed by the dictionary of that number, to `out`. */
struct packer;
void content_pack(struct packer *packer, uint32_t dictionary, struct slice data,
		  struct buffer *out);

/* The same of an encoded record; a dictionary is of slim records. */
void content_pack_record(struct packer *packer, uint32_t dictionary,
			 struct slice record, struct buffer *out);

/*
 * Append the unpacked bytes of `dictionary` for the values of `table` to `out`.
 * ERR_NOT_FOUND; ERR_CORRUPT, also when they are not as many as the row says.
 */
enum error content_dictionary(struct txn *txn, enum table table, uint32_t site,
			      uint32_t dictionary, struct buffer *out);

/* Where a value is from. */
struct content_place {
	enum table table;
	uint32_t site;
};

/*
 * Append what `value` holds to `out`.
 * ERR_TOO_LARGE when that is more than `max_bytes`; ERR_CORRUPT when it is
 * damaged, or its dictionary is damaged or missing. Costs the unpacking of the
 * dictionary, too, unless that was among the last 16.
 */
enum error content_unpack(struct txn *txn, struct content_place place,
			  struct slice value, size_t max_bytes,
			  struct buffer *out);

/*
 * Append the body of a page of `body_bytes` to `out`. ERR_NOT_FOUND when there
 * is none; otherwise as content_unpack(). Here and below the error of the
 * transaction, when that has one.
 */
enum error content_body(struct txn *txn, uint32_t site, uint64_t page,
			uint32_t body_bytes, struct buffer *out);

/*
 * Open the record of a page, or one of TABLE_SAMPLE_PAGES. It points into
 * `bytes_out`, which is {0} or cleared before, and freed afterwards in any
 * case. ERR_NOT_FOUND, ERR_CORRUPT, ERR_VERSION.
 */
enum error content_record(struct txn *txn, uint32_t site, uint64_t page,
			  struct buffer *bytes_out, struct record *record_out);
enum error content_record_open(struct txn *txn, uint32_t site,
			       struct slice value, struct buffer *bytes_out,
			       struct record *record_out);

#endif
