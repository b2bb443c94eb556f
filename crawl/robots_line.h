/*
 * crawl/robots_line.h - reads robots.txt line by line, and accepts the
 * mistakes that Google's parser and crawler-commons accept. Internal to crawl/.
 */
#ifndef CRAWL_ROBOTS_LINE_H
#define CRAWL_ROBOTS_LINE_H

#include <stdbool.h>

#include "base/slice.h"

struct arena;

enum robots_key {
	ROBOTS_OTHER,
	ROBOTS_LINE_AGENT,
	ROBOTS_ALLOW,
	ROBOTS_DISALLOW,
	ROBOTS_SITEMAP,
	ROBOTS_DELAY,
};

struct robots_line {
	enum robots_key key;
	struct slice value; /* trimmed, without the comment */
	struct slice text;  /* the whole line, trimmed, without the comment */
	unsigned number;    /* from 1 */
};

/* The remaining lines. Plain data: a copy reads the same lines again. */
struct robots_lines {
	struct slice rest;
	unsigned number; /* number of the last line */
};

/*
 * Copy the file to the arena, as UTF-8 without a byte order mark (or a part of
 * one, or the mark of UTF-16). Read only the first MAX_ROBOTS_BYTES of a larger
 * file, without the incomplete line at the end, because half a rule is another
 * rule.
 */
struct robots_lines robots_lines_begin(struct arena *arena, struct slice file);

/*
 * Step to the next line that has a key and a value, which may be empty; return
 * false at the end. The slices belong to the arena. A line ends at CR, LF or
 * both, or before a NUL.
 */
bool robots_lines_next(struct robots_lines *lines,
		       struct robots_line *line_out);

#endif
