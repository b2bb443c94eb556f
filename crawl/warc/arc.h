/*
 * crawl/warc/arc.h - the head of an ARC record: a line of five fields (version
 * 1) or ten (version 2), the first a URL, the last the length of what follows
 * (archive.org/web/researcher/ArcFileFormat.php). Pure.
 */
#ifndef CRAWL_WARC_ARC_H
#define CRAWL_WARC_ARC_H

#include <stdbool.h>
#include <stdint.h>

#include "store/slice.h"

enum { MAX_ARC_LINE = 8192 };

struct arc_header {
	struct slice url; /* a part of what was parsed */
	uint64_t time_ms; /* 0: none */
	uint64_t length;  /* UINT64_MAX: no number */
};

/*
 * Read a line, without its end. False when it is none of an ARC. The URL may
 * have blanks: the address and the date behind it say where it ends. With both
 * of them the length need not be a number.
 */
bool arc_header_parse(struct slice line, struct arc_header *header_out);

/* Is the first line of `text`, which is whole, that of a record? */
bool arc_begins(struct slice text);

#endif
