/*
 * crawl/robots/robots_line.h - robots.txt line by line, with the mistakes
 * forgiven that Google's parser and crawler-commons forgive. Internal to
 * crawl/.
 */
#ifndef CRAWL_ROBOTS_ROBOTS_LINE_H
#define CRAWL_ROBOTS_ROBOTS_LINE_H

#include <stdbool.h>

#include "store/slice.h"

struct arena;

enum robots_key {
	ROBOTS_OTHER,
	ROBOTS_AGENT,
	ROBOTS_ALLOW,
	ROBOTS_DISALLOW,
	ROBOTS_SITEMAP,
	ROBOTS_DELAY,
};

struct robots_line {
	enum robots_key key;
	struct slice value; /* trimmed, without the comment */
	struct slice text;  /* the whole line, likewise */
	unsigned number;    /* from 1 */
};

/* The lines that are left. Plain data: a copy reads them again. */
struct robots_lines {
	struct slice rest;
	unsigned number; /* of the line read last */
};

/*
 * Copy the file to the arena, as UTF-8 without a byte order mark (a part of
 * one, or the mark of UTF-16, too). Of a file of MAX_ROBOTS_BYTES or more only
 * the first so many are read, without the incomplete line at the end, because
 * half a rule is another rule.
 */
struct robots_lines robots_lines_begin(struct arena *arena, struct slice file);

/*
 * Step to the next line that has a key and a value, which may be empty; false
 * at the end. The slices are the arena's. A line ends in CR, LF or both, and
 * before a NUL.
 */
bool robots_lines_next(struct robots_lines *lines,
		       struct robots_line *line_out);

#endif
