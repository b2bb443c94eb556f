/* crawl/url/pattern.h - the path pattern of a robots.txt rule (RFC
 * 9309, 2.2.3). */
#ifndef CRAWL_URL_PATTERN_H
#define CRAWL_URL_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crawl/url/url.h"
#include "store/slice.h"

struct arena;

struct pattern {
	struct slice text;    /* canonical; '*' stands for any bytes */
	struct slice encoded; /* the same with the reserved characters of its
				 query encoded; no value without a query */
	uint32_t length;      /* octets of the rule in canonical form: the most
				 specific rule is the longest */
	bool is_anchored;     /* up to the end of the path */
};

/*
 * Make a pattern of a rule's value, which is not empty. It belongs to `arena`,
 * or keeps the value, if that is canonical as it is. False when it has more
 * bytes than any path and so matches none. O(value).
 */
bool pattern_make(struct arena *arena, struct slice value,
		  struct pattern *pattern_out);

/* A path in the two forms that patterns are compared with. Not to be copied. */
struct pattern_path {
	struct slice text;
	struct slice encoded; /* as in struct pattern */
	char memory[2][3 * MAX_URL_BYTES];
};

/*
 * Fill `path` with a path and query of at most MAX_URL_BYTES. A '*' or '$' in
 * it is matched by its escape alone.
 */
void pattern_path_set(struct pattern_path *path, struct slice raw);

/*
 * Whether the pattern matches the path or a prefix of it. O(path + pattern),
 * whatever the wildcards; the bytes searched for wildcards are added to
 * `steps`.
 */
bool pattern_matches(const struct pattern *pattern,
		     const struct pattern_path *path, size_t *steps);

#endif
