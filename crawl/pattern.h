/* crawl/pattern.h - the path pattern of a robots.txt rule (RFC 9309, 2.2.3). */
#ifndef CRAWL_PATTERN_H
#define CRAWL_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "crawl/percent.h"

struct arena;

struct pattern {
	struct slice text; /* canonical; '*' stands for any bytes */
	bool is_anchored;  /* it ended in '$': up to the end of the path */
};

/*
 * Make a pattern of a rule's value, which is not empty. It belongs to `arena`.
 * False when its canonical form is longer than any path's.
 */
bool pattern_make(struct arena *arena, struct slice value,
		  struct pattern *pattern_out);

/* Octets of the rule: the most specific rule is the longest. */
size_t pattern_length(const struct pattern *pattern);

/*
 * Write the path in the form that patterns are compared with: a '*' or '$' in
 * it is matched by its escape alone.
 */
void pattern_normalize_path(struct slice path, struct bounded *out);

/*
 * Does the pattern match the normalized path, or a prefix of it? O(path +
 * pattern), whatever the wildcards.
 */
bool pattern_matches(const struct pattern *pattern, struct slice path);

#endif
