/*
 * store/record.h - an analysis record: the analysis of a page without its
 * source, as one flat relocatable buffer. The same bytes are sent through
 * queues, between processes and into LMDB, so opening a record checks every
 * bound.
 */
#ifndef STORE_RECORD_H
#define STORE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

enum { RECORD_VERSION = 2, RECORD_SIGNATURES = 5 };

/* A distinct text fragment of the page. */
struct record_fragment {
	uint64_t hash;   /* hash of the collapsed, trimmed text */
	uint32_t length; /* length of that text */
	uint32_t flags;  /* TEXT_* of page/page.h, of the first occurrence */
};

struct record_link {
	struct slice url;    /* canonical, absolute */
	struct slice anchor; /* text of the link, collapsed */
	uint32_t flags; /* TEXT_* of page/page.h for the first occurrence, and
			   LINK_IS_REFRESH if any has it */
	uint64_t path;  /* path_hash() of cluster/signature.h, width 4, of the
			   first a  or area element with this link; 0 = none */
};

/* An opened record. It points into its source buffer. */
struct record {
	uint64_t content_hash; /* hash64 of the body */
	uint32_t flags;        /* RECORD_*, and record_class() */
	uint32_t text_count;   /* text nodes of the page */
	uint32_t node_count;
	struct slice title;
	struct slice language;
	struct slice description;
	/* by enum measure; each strictly ascending; empty = unknown */
	const uint64_t *signatures[RECORD_SIGNATURES];
	uint32_t signature_counts[RECORD_SIGNATURES];
	const struct record_fragment *fragments; /* ascending by hash */
	uint32_t fragment_count;
	uint32_t link_count; /* read by record_link_at() */
	const void *links;
	const char *strings;
};

enum {
	RECORD_IS_TRUNCATED = 1, /* the page was truncated at a limit */
	RECORD_IS_NOFOLLOW = 2,  /* its links are not followed */
	RECORD_CLASS_SHIFT = 8,  /* 8 bits from here on: record_class() */
};

/*
 * Return the class of the page, an enum page_class of page/page_class.h; 0
 * is a real page.
 */
static inline unsigned record_class(const struct record *record)
{
	return record->flags >> RECORD_CLASS_SHIFT & 0xFF;
}

/* Append the record, with `links` [record->link_count], to `out`. */
void record_encode(const struct record *record, const struct record_link *links,
		   struct buffer *out);

/*
 * Check the buffer and open it without copying. `buffer` must be aligned to 8
 * bytes (copy it with mem_copy_text() if it comes from LMDB). ERR_CORRUPT or
 * ERR_VERSION.
 */
enum error record_open(struct slice buffer, struct record *record_out);

/* Return a link; `index` < link_count. */
struct record_link record_link_at(const struct record *record, uint32_t index);

/*
 * Return whether both records are equal, except for signatures that one of the
 * two does not know.
 */
bool record_is_same(const struct record *left, const struct record *right);

/*
 * The form in which a record is compressed (store/content.h). It omits data
 * that follow from the rest, such as the offsets of strings, which differ in
 * every page, and stores similar data of the links together.
 */

/*
 * Append the slim form of the encoded record to `out`. Return false and leave
 * `out` unchanged if the record is damaged or a string of a link contains a
 * NUL. `bytes` must be aligned to 8.
 */
bool record_pack(struct slice bytes, struct buffer *out);

/*
 * Append the encoded record to `out`, byte for byte. ERR_CORRUPT; ERR_TOO_LARGE
 * if it exceeds `max_bytes`; ERR_VERSION.
 */
enum error record_unpack(struct slice slim, size_t max_bytes,
			 struct buffer *out);

#endif
