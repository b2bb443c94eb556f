/*
 * crawl/polite.h - decides when a host may be requested again. Pure
 * functions of a small state and the time that is passed in.
 */
#ifndef CRAWL_POLITE_H
#define CRAWL_POLITE_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
