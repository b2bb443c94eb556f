/*
 * crawl/revisit.h - decides when to visit a page again: more often if
 * it changes, less often if it does not (an adaptive interval of incremental
 * crawlers: Cho and Garcia-Molina 2003, Estimating frequency of change). Pure.
 */
#ifndef CRAWL_REVISIT_H
#define CRAWL_REVISIT_H

#include <stdbool.h>
#include <stdint.h>

/* Intervals stay between an eighth of the site's interval and 30 times it. */
enum { REVISIT_SHORTEST = 8, REVISIT_LONGEST = 30 };

/*
 * Return the interval after a visit: halved if the page had changed, lengthened
 * by half if not. `before` 0 means the first visit; then return `of_cluster`
 * or, if that is 0, `default_ms` (the site's interval, not 0).
 */
uint64_t revisit_interval(uint64_t before, bool is_changed, uint64_t of_cluster,
			  uint64_t default_ms);

/*
 * Return the running mean of a cluster: an eighth of the new interval, seven
 * eighths of the old mean.
 */
uint64_t revisit_of_cluster(uint64_t before, uint64_t interval);

/*
 * Return the time of the next visit: `now_ms` plus the interval, changed by up
 * to a tenth by `key`, so that pages that were found at the same time are not
 * visited at the same time.
 */
uint64_t revisit_due(uint64_t now_ms, uint64_t interval, uint64_t key);

#endif
