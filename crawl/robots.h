/* crawl/robots.h - parses robots.txt (RFC 9309) and applies its rules. */
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
	MAX_ROBOTS_BYTES = LIMIT(512 * 1024,
				 2048), /* RFC 9309 requires at least 500 KiB */
	MAX_ROBOTS_SITEMAPS = LIMIT(100, 8),
};

/*
 * Parse a copy of the file for the product token `agent` ("templated"); the
 * result is in `arena`. Only the first MAX_ROBOTS_BYTES are read, without an
 * incomplete line at their end. Cannot fail, because a file without rules
 * allows everything. O(n log n) time; at most 10 bytes of memory for each byte
 * of the file.
 */
const struct robots *robots_parse(struct arena *arena, struct slice file,
				  const char *agent);

/*
 * Return the rules that apply if a request for the file returned none (RFC
 * 9309, 2.3.1). 4xx except 429 allows everything. 5xx, 429 and status 0 (no
 * response) forbid everything.
 */
const struct robots *robots_from_status(struct arena *arena, unsigned status);

/*
 * Return whether everything is forbidden because the server could not return
 * the file.
 */
bool robots_is_forbidden(const struct robots *robots);

/*
 * Return whether `path`, which includes the query, may be fetched. The longest
 * rule that matches decides; of equally long ones an allow rule. /robots.txt is
 * always allowed. A path over MAX_URL_BYTES is never allowed, and neither is
 * one for which wildcards would search more than 4 MiB.
 */
bool robots_allows(const struct robots *robots, struct slice path);

/* The result of robots_allows(), and its reason. */
struct robots_reason {
	bool is_allowed;
	unsigned line; /* number of the line in the file, from 1; 0: no rule
			  matches */
	bool is_named; /* a group names our agent; otherwise the rules are those
			  for "*" */
	char rule[128]; /* the line without its comment, truncated if necessary;
			   valid UTF-8 without control characters */
};

struct robots_reason robots_explain(const struct robots *robots,
				    struct slice path);

/*
 * Return the longest Crawl-delay for the agent in milliseconds, at most 1 hour;
 * 0 if none exists.
 */
uint32_t robots_delay_ms(const struct robots *robots);

/* Return whether a Crawl-delay was over 1 hour, or was no number. */
bool robots_is_delay_clamped(const struct robots *robots);

/*
 * robots_sitemap() returns the value of a Sitemap line; robots_sitemap_count()
 * returns how many there are, at most MAX_ROBOTS_SITEMAPS. The lines of all
 * groups count. Values are as in the file; duplicates and values over
 * MAX_URL_BYTES are omitted.
 */
size_t robots_sitemap_count(const struct robots *robots);
struct slice robots_sitemap(const struct robots *robots, size_t index);

#endif
