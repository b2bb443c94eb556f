/*
 * crawl/url/url_pattern.h - patterns of URLs: URLs of the same form probably
 * have the same template. Pure.
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
 * The fine pattern keeps the names of the first two folders and of the query
 * parameters, and replaces everything else with its kind: {n} for digits, {id}
 * for hexadecimal or mixed identifiers, {date}, and {w} for words, several
 * consecutive ones as one: "/news/{n}/{n}/{w}.html?page={n}". A folder that is
 * no name (a number, a sentence, percent-encoded) ends the names. Kept are also
 * "index.html", "feed/", "page/{n}/" and similar last segments, and the affixes
 * of file names by doxygen and javadoc: "class{w}-members.html". Parameters are
 * sorted by name.
 *
 * The coarse pattern keeps only the first folder, if it has a name, the number
 * of segments (up to 4), the ending and whether there is a query:
 * "/news/+3.html?". The wide pattern omits the folder: "/+3.html?".
 *
 * On ten real sites with 5,853 labelled pages there are 282 fine and 166 coarse
 * patterns; for 97 % of the pages the label is the most frequent one of their
 * fine pattern.
 */
struct url_pattern {
	uint64_t fine;   /* hash64 of the texts */
	uint64_t coarse; /* never equal to fine */
	uint64_t wide;   /* equal to coarse if there is no first folder */
	char fine_text[MAX_PATTERN_TEXT];
	char coarse_text[MAX_PATTERN_TEXT];
	char wide_text[MAX_PATTERN_TEXT];
};

void url_pattern_of(const struct url *url, struct url_pattern *out);

/* The path pattern of a robots.txt rule (RFC 9309, 2.2.3). */

struct pattern {
	struct slice text;    /* canonical; '*' matches any bytes */
	struct slice encoded; /* the same with the reserved characters of its
				 query encoded; no value without a query */
	uint32_t length;  /* bytes of the rule in canonical form: the longest
			     rule is the most specific */
	bool is_anchored; /* must match up to the end of the path */
};

/*
 * Make a pattern of a rule's value, not empty, in `arena` or pointing to the
 * value. Return false if it is longer than any path. O(value).
 */
bool pattern_make(struct arena *arena, struct slice value,
		  struct pattern *pattern_out);

/* A path in the two forms that patterns are compared with. Do not copy it. */
struct pattern_path {
	struct slice text;
	struct slice encoded; /* see struct pattern */
	char memory[2][3 * MAX_URL_BYTES];
};

/* Set `path` to a path and query of at most MAX_URL_BYTES. */
void pattern_path_set(struct pattern_path *path, struct slice raw);

/*
 * Return whether the pattern matches the path or a prefix of it. O(path +
 * pattern); add the bytes that wildcards searched to `steps`.
 */
bool pattern_matches(const struct pattern *pattern,
		     const struct pattern_path *path, size_t *steps);

#endif
