/*
 * crawl/frontier/polite.h - when a host may be requested again. Pure functions
 * of a small state and the time that is passed in.
 */
#ifndef CRAWL_FRONTIER_POLITE_H
#define CRAWL_FRONTIER_POLITE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Failures in a row that open the circuit breaker: then only single trial
 * requests are made.
 */
enum { BREAKER_FAILURES = 5 };

struct polite {
	uint64_t next_ms; /* no request before this */
	uint32_t
		delay_ms; /* between the end of one and the start of the next */
	uint32_t failures;       /* in a row */
	uint16_t running;        /* requests under way */
	uint16_t max_running;    /* 1 by default */
	uint32_t first_pause_ms; /* after a failure; 0: 5 s */
	uint64_t seed;           /* of the jitter: the host's own */
};

/* Set the delay to the larger of the operator's and the robots' one. */
void polite_set_delay(struct polite *polite, uint32_t own_ms,
		      uint32_t robots_ms);

/*
 * Whether a request may start now. With an open breaker one at a time is tried.
 */
bool polite_may_start(const struct polite *polite, uint64_t now_ms);
void polite_started(struct polite *polite);

/*
 * Whether the breaker is open: URLs leased for the host should be given back.
 */
bool polite_is_broken(const struct polite *polite);

/*
 * `is_pressed`: 429, 5xx, timeout or no connection. Then the pause doubles from
 * the first one with every failure in a row, up to 6 h (from 5 s on, four in a
 * row, before the breaker opens, are 40 s), with a jitter of a quarter up or
 * down (by seed and failures, so that it replays), and is at least
 * `retry_after_s` (cut at one day). Failures of requests that were under way
 * when the pause began count as one. An answer ends them all.
 */
void polite_finished(struct polite *polite, bool is_pressed,
		     uint64_t retry_after_s, uint64_t now_ms);

#endif
