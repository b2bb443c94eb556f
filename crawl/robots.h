/* crawl/robots.h - robots.txt (RFC 9309). */
#ifndef CRAWL_ROBOTS_H
#define CRAWL_ROBOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/limit.h"

struct arena;
struct robots;

enum {
	MAX_ROBOTS_BYTES = LIMIT(512 * 1024, 2048), /* RFC 9309: 500 KiB */
	MAX_ROBOTS_SITEMAPS = LIMIT(100, 8),
};

/*
 * Parse a copy of the file for the product token `agent` ("templated"), into
 * `arena`. Read only the first MAX_ROBOTS_BYTES, without the incomplete line at
 * the end. Cannot fail: a file without rules allows everything. O(n log n), at
 * most 10 bytes of memory per byte.
 */
const struct robots *robots_parse(struct arena *arena, struct slice file,
				  const char *agent);

/*
 * Return the rules after a response without a file (RFC 9309, 2.3.1): 4xx
 * allows everything; 5xx, no response (status 0) and 429 forbid everything.
 */
const struct robots *robots_from_status(struct arena *arena, unsigned status);

/* Return whether the server's failure forbids everything. */
bool robots_is_forbidden(const struct robots *robots);

/*
 * Return whether `path` (with its query) may be fetched. The longest matching
 * rule decides, allow wins a tie, /robots.txt is always allowed, a path over
 * MAX_URL_BYTES never. If the wildcards would search more than 4 MiB for a
 * path, it is not allowed.
 */
bool robots_allows(const struct robots *robots, struct slice path);

/* The decision of robots_allows() and its reason. */
struct robots_reason {
	bool is_allowed;
	unsigned line;  /* line of the file, from 1; 0: no rule decided */
	bool is_named;  /* the group names our agent and not "*" */
	char rule[128]; /* the line without its comment, truncated; valid UTF-8
			   without control characters */
};

struct robots_reason robots_explain(const struct robots *robots,
				    struct slice path);

/*
 * Return the longest Crawl-delay of the group in milliseconds, at most 1 hour;
 * 0 if there is none.
 */
uint32_t robots_delay_ms(const struct robots *robots);

/* Return whether a Crawl-delay was over 1 hour, or no number. */
bool robots_is_delay_clamped(const struct robots *robots);

/*
 * Return the values of the Sitemap lines of all groups, as written, without
 * duplicates and without values over MAX_URL_BYTES, at most
 * MAX_ROBOTS_SITEMAPS.
 */
size_t robots_sitemap_count(const struct robots *robots);
struct slice robots_sitemap(const struct robots *robots, size_t index);

#endif
