/*
 * crawl/warc_header.h - parse the head of a WARC record (ISO 28500:2017,
 * 4). Pure.
 */
#ifndef CRAWL_WARC_HEADER_H
#define CRAWL_WARC_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

/* The slices point into the parsed text; a missing field has no value. */
struct warc_header {
	struct slice type;         /* WARC-Type */
	struct slice url;          /* WARC-Target-URI, without the <> of wget */
	struct slice content_type; /* of the block */
	uint64_t time_ms;          /* WARC-Date; 0 = none */
	uint64_t length;           /* Content-Length; UINT64_MAX = none */
	bool is_truncated;         /* WARC-Truncated */
};

/* Return whether a record begins here; needs eight bytes: "WARC/1.0". */
bool warc_begins(struct slice text);

/* A stricter check, for arbitrary bytes: a first field must follow. */
bool warc_begins_surely(struct slice text);

/*
 * Return the size of the head, including the blank line that ends it; 0 if the
 * blank line is missing. Lines may end with only LF, or with several CRs and
 * LF. If another record begins before, the head ends there, and *is_whole_out
 * is false.
 */
size_t warc_header_size(struct slice text, bool *is_whole_out);

/* Parse the fields of a head that begins with its version. */
void warc_header_parse(struct slice head, struct warc_header *header_out);

#endif
