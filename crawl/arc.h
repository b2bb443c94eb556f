/*
 * crawl/arc.h - parse the head of an ARC record: a line of five fields
 * (version 1) or ten (version 2), the first a URL, the last the length of the
 * content (archive.org/web/researcher/ArcFileFormat.php). Pure.
 */
#ifndef CRAWL_ARC_H
#define CRAWL_ARC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/limit.h"
#include "base/slice.h"

enum { MAX_ARC_LINE = LIMIT(8192, 1024) };

struct arc_header {
	struct slice url; /* part of the parsed line */
	uint64_t time_ms; /* 0 = none */
	uint64_t length;  /* UINT64_MAX = invalid */
};

/*
 * Parse a line, without its end. Return false if it is not the head of an ARC
 * record. The URL may contain blanks: it ends before the address and the date.
 * If both are present, the length may be invalid.
 */
bool arc_header_parse(struct slice line, struct arc_header *header_out);

/*
 * Return whether the first line of `text`, which is complete, begins a record.
 */
bool arc_begins(struct slice text);

#endif
