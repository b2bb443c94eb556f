/* crawl/robots/robots.h - robots.txt (RFC 9309). */
#ifndef CRAWL_ROBOTS_ROBOTS_H
#define CRAWL_ROBOTS_ROBOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/limit.h"
#include "store/slice.h"

struct arena;
struct robots;

enum {
	MAX_ROBOTS_BYTES =
		LIMIT(512 * 1024, 2048), /* RFC 9309, 2.5, asks for 500 KiB */
	MAX_ROBOTS_SITEMAPS = LIMIT(100, 8),
};

/*
 * Parse the file for the product token `agent` ("templated"). Of a file of
 * MAX_ROBOTS_BYTES or more only the first so many are read, without the
 * incomplete line at the end, so a body that was cut at that size may be
 * passed. The result belongs to `arena`; the file is copied. Cannot fail: a
 * file without rules allows everything. O(n log n), at most 10 bytes of memory
 * a byte.
 */
const struct robots *robots_parse(struct arena *arena, struct slice file,
				  const char *agent);

/*
 * The rules that follow from an answer without a file (RFC 9309, 2.3.1): 4xx
 * allows everything; 5xx, no answer (status 0) and 429, which tell nothing
 * about the rules, forbid everything.
 */
const struct robots *robots_from_status(struct arena *arena, unsigned status);

/* True when the server's failure forbids everything. */
bool robots_is_forbidden(const struct robots *robots);

/*
 * Whether `path` (with its query, as in a URL) may be fetched. The longest
 * matching rule decides, allow wins a tie, /robots.txt is always allowed; a
 * path over MAX_URL_BYTES is not. The work is bounded: a path for which the
 * wildcards of the rules would make it search more than 4 MiB is not allowed
 * either (so 2,000 rules with wildcards against the longest path are tried, or
 * 80,000 against one of 50 bytes).
 */
bool robots_allows(const struct robots *robots, struct slice path);

/* The decision of robots_allows() and its reason. */
struct robots_reason {
	bool is_allowed;
	unsigned line;  /* of the file, from 1; 0: no rule decided */
	bool is_named;  /* the group is our agent's, not that of "*" */
	char rule[128]; /* the line without its comment, cut to fit; valid UTF-8
			   without control characters */
};

struct robots_reason robots_explain(const struct robots *robots,
				    struct slice path);

/*
 * Crawl-delay in milliseconds, the longest of the group; 0 when none is named.
 * At most 1 hour.
 */
uint32_t robots_delay_ms(const struct robots *robots);

/* Whether a Crawl-delay was over 1 hour, or no number. */
bool robots_is_delay_clamped(const struct robots *robots);

/*
 * The values of the file's Sitemap lines, whatever their group: as written,
 * maybe relative, in order, without duplicates and those over MAX_URL_BYTES,
 * the first MAX_ROBOTS_SITEMAPS. They belong to the arena.
 */
size_t robots_sitemap_count(const struct robots *robots);
struct slice robots_sitemap(const struct robots *robots, size_t index);

#endif
