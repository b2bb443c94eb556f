/* crawl/schedule.h - exponential backoff: the pause after failures. */
#ifndef CRAWL_SCHEDULE_H
#define CRAWL_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Return the pause after `failures` (>= 1) consecutive failures: `first_ms`,
 * doubled with each up to `max_ms`, then changed by up to a quarter, by `seed`
 * and `failures` alone, so that requests that failed together are not retried
 * together.
 */
uint64_t backoff_ms(uint64_t first_ms, uint64_t max_ms, uint32_t failures,
		    uint64_t seed);

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

/* Set the delay to the larger of both. */
void politeness_set_delay(struct politeness *polite, uint32_t own_ms,
			  uint32_t robots_ms);

/*
 * Return whether a request may start now; with an open breaker one at a time.
 */
bool politeness_may_start(const struct politeness *polite, uint64_t now_ms);
void politeness_start(struct politeness *polite);

/* Return whether the breaker is open: release the leased URLs of the host. */
bool politeness_is_broken(const struct politeness *polite);

/*
 * Record the end of a request. `is_pressed` means 429, 5xx, timeout or no
 * connection: the pause is first_pause_ms, doubled by every consecutive failure
 * up to 6 h, with a jitter of a quarter, and at least `retry_after_s` (at most
 * one day). Failures of requests that were in progress when the pause began
 * count as one. A response ends the series.
 */
void politeness_finish(struct politeness *polite, bool is_pressed,
		       uint64_t retry_after_s, uint64_t now_ms);

/*
 * Decides when to visit a page again: more often if it changes, less often if
 * not (Cho and Garcia-Molina 2003, Estimating frequency of change). Pure.
 */

/* Intervals stay between an eighth of the site's interval and 30 times it. */
enum { REVISIT_SHORTEST = 8, REVISIT_LONGEST = 30 };

/*
 * Return the interval after a visit: halved if the page had changed, lengthened
 * by half if not. `before` 0 is the first visit: `of_cluster`, or if that is 0
 * `default_ms` (the site's interval, not 0).
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
 * to a tenth by `key`.
 */
uint64_t revisit_due(uint64_t now_ms, uint64_t interval, uint64_t key);

#endif
