/*
 * store/record.h - a record: the analysis of a page without its source, as one
 * relocatable buffer. The same bytes are sent through queues and between
 * processes, and are stored in LMDB. Therefore opening a record checks every
 * size and offset.
 */
#ifndef STORE_RECORD_H
#define STORE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

enum { RECORD_VERSION = 2, RECORD_SIGNATURES = 5 };

/* A text fragment of the page; each occurs only once in a record. */
struct record_fragment {
	/* hash of the text, after white space was collapsed and trimmed */
	uint64_t hash;
	uint32_t length; /* length of the text that was hashed */
	/* TEXT_* flags (page/page.h) of its first occurrence */
	uint32_t flags;
};

struct record_link {
	struct slice url;    /* canonical, absolute URL */
	struct slice anchor; /* text of the link, with white space collapsed */
	/*
	 * TEXT_* flags (page/page.h) of the first occurrence of the link; also
	 * LINK_IS_REFRESH if it is set for any occurrence
	 */
	uint32_t flags;
	/*
	 * path_hash() (cluster/signature.h) with width 4 of the first a or area
	 * element with this link; 0 = there is no such element
	 */
	uint64_t path;
};

/* An opened record. It points into the buffer that it was opened from. */
struct record {
	uint64_t content_hash; /* hash64() of the body */
	/* RECORD_* flags, and the numbers for record_class(), record_kind() */
	uint32_t flags;
	uint32_t text_count; /* number of text nodes of the page */
	struct slice title;
	struct slice language;
	struct slice description;
	/*
	 * signatures by enum measure, each strictly ascending; empty = unknown
	 */
	const uint64_t *signatures[RECORD_SIGNATURES];
	uint32_t signature_counts[RECORD_SIGNATURES];
	uint32_t node_count;
	/* fragments, ascending by hash */
	const struct record_fragment *fragments;
	uint32_t fragment_count;
	uint32_t link_count; /* read the links with record_link_at() */
	const void *links;
	/*
	 * the elements of the page (template/page_outline.h); empty = unknown,
	 * as in all records of older programs
	 */
	struct slice outline;
	const char *strings;
};

enum {
	RECORD_IS_TRUNCATED = 1, /* the page was truncated at a limit */
	/* the page tells crawlers not to follow its links */
	RECORD_IS_NOFOLLOW = 2,
	RECORD_IS_RENDERED = 4, /* a browser has rendered the page */
	RECORD_CLASS_SHIFT = 8, /* position of the 8 bits for record_class() */
	RECORD_KIND_SHIFT = 16, /* position of the 8 bits for record_kind() */
};

/*
 * Return the class of the page, an enum page_class (page/page_class.h). 0 means
 * a real page.
 */
static inline unsigned record_class(const struct record *record)
{
	return record->flags >> RECORD_CLASS_SHIFT & 0xFF;
}

/*
 * Return the kind of the page, an enum page_kind (page/page_kind.h). 0 means
 * that it is unknown.
 */
static inline unsigned record_kind(const struct record *record)
{
	return record->flags >> RECORD_KIND_SHIFT & 0xFF;
}

/* Append the record, with `links` [record->link_count], to `out`. */
void record_encode(const struct record *record, const struct record_link *links,
		   struct buffer *out);

/*
 * Check the buffer, and open it as a record without copying. `buffer` must be
 * aligned to 8 bytes; copy it with mem_copy_text() if it comes from LMDB.
 * ERR_CORRUPT, ERR_VERSION.
 */
enum error record_open(struct slice buffer, struct record *record_out);

/* Return link number `index`, which must be below link_count. */
struct record_link record_link_at(const struct record *record, uint32_t index);

/*
 * Return whether both records are equal. A signature or an outline that is
 * unknown in one of them is not compared, and the kind never is.
 */
bool record_is_same(const struct record *left, const struct record *right);

/*
 * The packed form of a record. It is used for compression (store/content.h). It
 * omits data that follows from other data, such as the offsets of strings,
 * which are different for every page. It stores similar data of all links
 * together.
 */

/*
 * Append the packed form of the encoded record `bytes` to `out`. `bytes` must
 * be aligned to 8 bytes. Return false and do not change `out` if the record is
 * damaged, or if a string of a link contains a NUL.
 */
bool record_pack(struct slice bytes, struct buffer *out);

/*
 * Append the encoded record to `out`. It has exactly the bytes that
 * record_pack() got. ERR_CORRUPT. ERR_TOO_LARGE: it would exceed `max_bytes`.
 * ERR_VERSION.
 */
enum error record_unpack(struct slice slim, size_t max_bytes,
			 struct buffer *out);

#endif
