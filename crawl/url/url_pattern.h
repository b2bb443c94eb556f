/*
 * crawl/url/url_pattern.h - patterns of URLs. Pages whose URLs have the same
 * pattern probably have the same template. The file also matches the patterns
 * of robots.txt. Pure.
 */
#ifndef CRAWL_URL_URL_PATTERN_H
#define CRAWL_URL_URL_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "crawl/url/url.h"

struct arena;

enum { MAX_PATTERN_TEXT = 160 };

/*
 * The fine pattern contains the names of the first two folders and of the
 * parameters in the query. Everything else is replaced by its kind: {n} for
 * digits, {id} for hexadecimal numbers or mixed identifiers, {date}, and {w}
 * for a word or several consecutive words, as in
 * "/news/{n}/{n}/{w}.html?page={n}". After a folder that is no name (a number,
 * a sentence, or percent-encoded), no further names are kept. Last segments
 * such as "index.html", "feed/" or "page/{n}/" are kept, and so are the
 * beginnings and ends of file names by doxygen and javadoc:
 * "class{w}-members.html". Parameters are sorted by name.
 *
 * The coarse pattern contains only the first folder (if it has a name), the
 * number of segments (up to 4), the ending, and whether there is a query:
 * "/news/+3.html?". The wide pattern is the coarse pattern without the folder:
 * "/+3.html?".
 *
 * Ten real sites with 5,853 labelled pages have 282 fine and 166 coarse
 * patterns. The labels of 97 % of the pages are the most frequent ones of their
 * fine patterns.
 */
struct url_pattern {
	uint64_t fine;   /* hash64() of the texts below */
	uint64_t coarse; /* never equal to fine */
	uint64_t wide;   /* equal to coarse if there is no first folder */
	char fine_text[MAX_PATTERN_TEXT];
	char coarse_text[MAX_PATTERN_TEXT];
	char wide_text[MAX_PATTERN_TEXT];
};

void url_pattern_of(const struct url *url, struct url_pattern *out);

/* The path in a rule of robots.txt (RFC 9309, 2.2.3). */

struct pattern {
	struct slice text; /* in canonical form; '*' matches any bytes */
	struct slice
		encoded;  /* the same text with the reserved characters of its
			     query encoded; data is NULL if it has no query */
	uint32_t length;  /* bytes of the rule in canonical form. The longest
			     rule that matches is the most specific one */
	bool is_anchored; /* it must match up to the end of the path */
};

/*
 * Make a pattern from the value of a rule, which must not be empty. The pattern
 * is in `arena`, or points to the value. Return false if it is longer than any
 * path. O(value).
 */
bool pattern_make(struct arena *arena, struct slice value,
		  struct pattern *pattern_out);

/*
 * A path in the two forms with which patterns are compared. The slices may
 * point into the struct, so it must not be copied.
 */
struct pattern_path {
	struct slice text;
	struct slice encoded; /* see struct pattern */
	char memory[2][3 * MAX_URL_BYTES];
};

/* Set `path` to `raw`, a path with its query of at most MAX_URL_BYTES. */
void pattern_path_set(struct pattern_path *path, struct slice raw);

/*
 * Return whether the pattern matches the path or its beginning. Add the number
 * of bytes that stars have searched to *steps. O(path + pattern).
 */
bool pattern_matches(const struct pattern *pattern,
		     const struct pattern_path *path, size_t *steps);

#endif
