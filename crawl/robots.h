/* crawl/robots.h - robots.txt (RFC 9309). */
#ifndef CRAWL_ROBOTS_H
#define CRAWL_ROBOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "store/slice.h"

struct arena;
struct robots;

enum { MAX_ROBOTS_BYTES = 512 * 1024 };

/*
 * Parse the file for the product token `agent` ("templated"); what is beyond
 * MAX_ROBOTS_BYTES is ignored, and so are rules beyond the first 10,000 that
 * concern the agent. The result belongs to `arena`. Cannot fail: a
 * file that says nothing allows everything.
 */
const struct robots *robots_parse(struct arena *arena, struct slice file,
				  const char *agent);

/*
 * The rules that follow from an answer without a file (RFC 9309, 2.3.1): 4xx
 * allows everything, 5xx and no answer (status 0) forbid everything.
 */
const struct robots *robots_from_status(struct arena *arena, unsigned status);

/*
 * May `path` (with its query, as in a URL) be fetched? The longest matching
 * rule decides, allow wins a tie, /robots.txt is always allowed; a path over
 * MAX_URL_BYTES is not. O(rules * length), whatever the wildcards.
 */
bool robots_allows(const struct robots *robots, struct slice path);

/* Crawl-delay in milliseconds; 0 when none is named. At most 1 hour. */
uint32_t robots_delay_ms(const struct robots *robots);

#endif
