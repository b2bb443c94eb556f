/*
 * crawl/schedule.h - when requests are sent: exponential backoff after
 * failures, politeness to a host, and the time of the next visit of a page.
 */
#ifndef CRAWL_SCHEDULE_H
#define CRAWL_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Return the pause after `failures` (>= 1) consecutive failures. It is
 * `first_ms` after the first failure, and doubles with each further one up to
 * `max_ms`. Then it is changed by up to a quarter, so that requests that failed
 * together are not repeated together. The change depends only on `seed` and
 * `failures`.
 */
uint64_t backoff_ms(uint64_t first_ms, uint64_t max_ms, uint32_t failures,
		    uint64_t seed);

/*
 * Number of consecutive failures that opens the circuit breaker of a host.
 * While it is open, only one request at a time is sent, as a trial.
 */
enum { BREAKER_FAILURES = 5 };

struct politeness {
	uint64_t next_ms;  /* no request may start before this time */
	uint32_t delay_ms; /* pause between the end of a request and the start
			      of the next one */
	uint32_t failures; /* consecutive failures */
	uint16_t running;  /* requests in progress */
	uint16_t max_running;    /* maximum of `running`; 1 by default */
	uint32_t first_pause_ms; /* pause after the first failure; 0 = 5 s */
	uint32_t max_pause_ms;   /* longest pause after failures; 0 = 6 h */
	uint64_t seed;           /* for backoff_ms(), different for each host */
};

/* Set the delay to `own_ms` or `robots_ms`, whichever is larger. */
void politeness_set_delay(struct politeness *polite, uint32_t own_ms,
			  uint32_t robots_ms);

/*
 * politeness_may_start() returns whether a request may start now; while the
 * circuit breaker is open, only one may run at a time. politeness_start()
 * records the start of a request.
 */
bool politeness_may_start(const struct politeness *polite, uint64_t now_ms);
void politeness_start(struct politeness *polite);

/*
 * Return whether the circuit breaker is open. Then the caller should release
 * the leased URLs of the host.
 */
bool politeness_is_broken(const struct politeness *polite);

/*
 * Record the end of a request. `is_pressed` means that it failed with 429, 5xx,
 * a timeout or no connection. Then the host gets a pause of first_pause_ms,
 * which doubles with every consecutive failure up to max_pause_ms and is
 * changed by up to a quarter; it is at least `retry_after_s` (which counts up
 * to one day). If several requests were running when a pause began, their
 * failures count as one. Any other response resets the number of failures.
 */
void politeness_finish(struct politeness *polite, bool is_pressed,
		       uint64_t retry_after_s, uint64_t now_ms);

/*
 * When a page is visited again: sooner if it has changed, later if it has not
 * (Cho and Garcia-Molina 2003, Estimating frequency of change). Pure.
 */

/*
 * Limits of the interval of a page: an eighth of the interval of its site, and
 * 30 times that interval.
 */
enum { REVISIT_SHORTEST = 8, REVISIT_LONGEST = 30 };

/*
 * Return the interval of a page after a visit: half of the interval `before` if
 * the page had changed, otherwise one and a half times. After the first visit
 * `before` must be 0; then the mean `of_cluster` is used instead or, if that is
 * 0, `default_ms`, the interval of the site (not 0).
 */
uint64_t revisit_interval(uint64_t before, bool is_changed, uint64_t of_cluster,
			  uint64_t default_ms);

/*
 * Return the new mean interval of a cluster: seven eighths of the old mean
 * `before` and one eighth of `interval`.
 */
uint64_t revisit_of_cluster(uint64_t before, uint64_t interval);

/*
 * Return the time of the next visit: `now_ms` plus `interval`, which is changed
 * by up to a tenth depending on `key`.
 */
uint64_t revisit_due(uint64_t now_ms, uint64_t interval, uint64_t key);

#endif
