/*
 * crawl/frontier/revisit.h - when a page is visited again: more often when it
 * changes, less when it does not (an adaptive interval, as of incremental
 * crawlers: Cho and Garcia-Molina 2003, Estimating frequency of change). Pure.
 */
#ifndef CRAWL_FRONTIER_REVISIT_H
#define CRAWL_FRONTIER_REVISIT_H

#include <stdbool.h>
#include <stdint.h>

/* Intervals stay between an eighth of the site's and 30 times it. */
enum { REVISIT_SHORTEST = 8, REVISIT_LONGEST = 30 };

/*
 * The interval after a visit: halved when the page had changed, half as long
 * again when it had not. `before` 0: this was the first visit; the interval
 * is then `of_cluster`, or when that is 0, too, `default_ms` (the site's, not
 * 0).
 */
uint64_t revisit_interval(uint64_t before, bool is_changed, uint64_t of_cluster,
			  uint64_t default_ms);

/*
 * The running mean of a cluster: an eighth of the new interval, seven eighths
 * of the old mean.
 */
uint64_t revisit_of_cluster(uint64_t before, uint64_t interval);

/*
 * The time of the next visit: `now_ms` plus the interval, varied by up to a
 * tenth by `key`, so that pages that were found at the same time are not
 * visited at the same time.
 */
uint64_t revisit_due(uint64_t now_ms, uint64_t interval, uint64_t key);

#endif
