/* crawl/warc/warc_header.h - the head of a WARC record (ISO 28500:2017, 4).
 * Pure. */
#ifndef CRAWL_WARC_WARC_HEADER_H
#define CRAWL_WARC_WARC_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#include "store/slice.h"

/* The slices are parts of what was parsed; no value where a field is missing.
 */
struct warc_header {
	struct slice type;         /* WARC-Type */
	struct slice url;          /* WARC-Target-URI, without the <> of wget */
	struct slice content_type; /* of the block */
	uint64_t time_ms;          /* WARC-Date; 0: none */
	uint64_t length;           /* Content-Length; UINT64_MAX: none */
	bool is_truncated;         /* WARC-Truncated */
};

/* Whether a record begins here; needs eight bytes: "WARC/1.0". */
bool warc_begins(struct slice text);

/* A stricter check, for arbitrary bytes: a first field must follow. */
bool warc_begins_surely(struct slice text);

/*
 * Bytes of the head with the blank line that ends it; 0 when that is not
 * there. Lines may end in LF alone, or in several CRs and LF. Where another
 * record begins before, the head ends there, *is_whole_out false.
 */
size_t warc_header_size(struct slice text, bool *is_whole_out);

/* Read the fields of a head that begins with its version. */
void warc_header_parse(struct slice head, struct warc_header *header_out);

#endif
