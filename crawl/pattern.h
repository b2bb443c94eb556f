/* crawl/pattern.h - the path pattern of a robots.txt rule (RFC
 * 9309, 2.2.3). */
#ifndef CRAWL_PATTERN_H
#define CRAWL_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "crawl/url.h"

struct arena;

struct pattern {
	struct slice text;    /* canonical; '*' matches any bytes */
	struct slice encoded; /* the same with the reserved characters of its
				 query encoded; no value without a query */
	uint32_t length;  /* bytes of the rule in canonical form: the longest
			     rule is the most specific */
	bool is_anchored; /* must match up to the end of the path */
};

/*
 * Make a pattern of a rule's value, which must not be empty. It belongs to
 * `arena`, or points to the value if that is canonical already. Return false if
 * it is longer than any path and so matches none. O(value).
 */
bool pattern_make(struct arena *arena, struct slice value,
		  struct pattern *pattern_out);

/* A path in the two forms that patterns are compared with. Do not copy it. */
struct pattern_path {
	struct slice text;
	struct slice encoded; /* see struct pattern */
	char memory[2][3 * MAX_URL_BYTES];
};

/*
 * Set `path` to a path and query of at most MAX_URL_BYTES. Only the escape of a
 * '*' or '$' in it matches it.
 */
void pattern_path_set(struct pattern_path *path, struct slice raw);

/*
 * Return whether the pattern matches the path or a prefix of it. O(path +
 * pattern), whatever the wildcards; add the bytes that wildcards searched to
 * `steps`.
 */
bool pattern_matches(const struct pattern *pattern,
		     const struct pattern_path *path, size_t *steps);

#endif
