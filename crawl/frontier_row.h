/*
 * crawl/frontier_row.h - writes rows of the frontier together with the
 * counters that depend on them. Private to frontier*.c.
 */
#ifndef CRAWL_FRONTIER_ROW_H
#define CRAWL_FRONTIER_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "crawl/frontier.h"

/* Due times that are ranks. Requested URLs come first. */
enum { DUE_ON_DEMAND = 1, DUE_FIRST = 2 };

/*
 * Return a due time: 0 is not allowed, because it would mean that the row is
 * never due.
 */
uint64_t frontier_due(uint64_t time_ms);

/*
 * Return a due time of now; a page before its first visit keeps its rank, so
 * that it does not move after all others of its pattern.
 */
uint64_t frontier_due_again(const struct frontier_row *row, uint64_t now_ms);

/* Return whether the row is no page of the site: a sitemap or the probe. */
bool frontier_is_auxiliary(const struct frontier_row *row);

/*
 * Return whether the URL is never skipped: a seed, a requested URL, or the
 * target of its redirects.
 */
bool frontier_is_never_skipped(enum admission rule, uint32_t flags);

/*
 * Read a row like frontier_row_get(), with texts truncated to fit into a lease.
 */
bool frontier_load(struct txn *txn, uint32_t site, uint64_t key,
		   struct frontier_row *row_out);

/*
 * Set the state of the row and write it. No other function writes rows or
 * changes the counters of states. The previous state of a new row is
 * FRONTIER_STATES. Slices of the row may point into the map.
 */
void frontier_store(struct txn *txn, struct site_row *site, uint64_t key,
		    struct frontier_row *row, enum frontier_state state);

/* The rows of a URL's patterns; zero if a row does not exist. */
struct frontier_patterns {
	uint64_t fine_key;
	uint64_t coarse_key;
	struct pattern_row fine; /* its texts are the copies below */
	struct pattern_row coarse;
	char fine_text[MAX_PATTERN_TEXT];
	char coarse_text[MAX_PATTERN_TEXT];
};

void patterns_load(struct txn *txn, uint32_t site, uint64_t fine,
		   uint64_t coarse, struct frontier_patterns *out);
void patterns_store(struct txn *txn, uint32_t site,
		    const struct frontier_patterns *patterns);

/* Return the result of admission_of_state() by the rules. */
enum admission frontier_state_rule(const struct site_row *site,
				   const struct frontier_rules *rules,
				   const struct frontier_patterns *patterns);

#endif
