/* crawl/schedule.h - exponential backoff: the pause after failures. */
#ifndef CRAWL_SCHEDULE_H
#define CRAWL_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Return the pause after `failures` (>= 1) consecutive failures: `first_ms`,
 * doubled with each of them up to `max_ms`, and then changed by up to a
 * quarter. The change depends only on `seed` and `failures`, so that it can be
 * replayed. It prevents that requests that failed at the same time are retried
 * at the same time.
 */
uint64_t backoff_ms(uint64_t first_ms, uint64_t max_ms, uint32_t failures,
		    uint64_t seed);

/*
 * Decides when a host may be requested again. Pure functions of a small state
 * and the time that is passed in.
 */

/*
 * Consecutive failures that open the circuit breaker: then requests are single
 * trials.
 */
enum { BREAKER_FAILURES = 5 };

struct politeness {
	uint64_t next_ms;     /* no request before this time */
	uint32_t delay_ms;    /* from the end of one request to the start of the
				 next */
	uint32_t failures;    /* consecutive failures */
	uint16_t running;     /* requests in progress */
	uint16_t max_running; /* 1 by default */
	uint32_t first_pause_ms; /* pause after a failure; 0 = 5 s */
	uint64_t seed;           /* seed of the jitter, one per host */
};

/* Set the delay to the larger of the operator's and the robots.txt's delay. */
void politeness_set_delay(struct politeness *polite, uint32_t own_ms,
			  uint32_t robots_ms);

/*
 * Return whether a request may start now. With an open breaker, only one at a
 * time.
 */
bool politeness_may_start(const struct politeness *polite, uint64_t now_ms);
void politeness_start(struct politeness *polite);

/*
 * Return whether the breaker is open: then release the leased URLs of the host.
 */
bool politeness_is_broken(const struct politeness *polite);

/*
 * Record the end of a request. `is_pressed` means 429, 5xx, timeout or no
 * connection. Then the pause is first_pause_ms, doubled by every consecutive
 * failure up to 6 h (with 5 s, the four failures before the breaker opens cause
 * 40 s), with a jitter of a quarter (by seed and failures, so that it can be
 * replayed), and at least `retry_after_s` (at most one day). Failures of
 * requests that were in progress when the pause began count as one. A response
 * ends the series.
 */
void politeness_finish(struct politeness *polite, bool is_pressed,
		       uint64_t retry_after_s, uint64_t now_ms);

/*
 * Decides when to visit a page again: more often if it changes, less often if
 * it does not (an adaptive interval of incremental crawlers: Cho and
 * Garcia-Molina 2003, Estimating frequency of change). Pure.
 */

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
