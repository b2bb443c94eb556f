/*
 * crawl/robots_group.h - the rules of a robots.txt for one agent, from
 * all of its groups (RFC 9309, 2.2.1). Internal to crawl/.
 */
#ifndef CRAWL_ROBOTS_GROUP_H
#define CRAWL_ROBOTS_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crawl/pattern.h"
#include "crawl/robots_line.h"

struct arena;

struct robots_rule {
	struct pattern pattern;
	struct slice text; /* the line */
	unsigned line;     /* from 1 */
	bool is_allow;
};

struct robots_group {
	const struct robots_rule *rules; /* the first match decides */
	size_t rule_count;
	uint32_t delay_ms;
	bool is_clamped; /* a delay was over the limit, or no number */
};

/*
 * Read the groups of `agent`, or of "*" if it is NULL. Return false if there
 * are none. The result belongs to the arena. O(n log n).
 */
bool robots_group_read(struct arena *arena, struct robots_lines lines,
		       const char *agent, struct robots_group *group_out);

#endif
