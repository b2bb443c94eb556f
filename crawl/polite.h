/*
 * crawl/polite.h - when a host may be asked again. Pure functions of a small
 * state and the time that is passed in.
 */
#ifndef CRAWL_POLITE_H
#define CRAWL_POLITE_H

#include <stdbool.h>
#include <stdint.h>

struct polite {
	uint64_t next_ms; /* no request before this */
	uint32_t
		delay_ms; /* between the end of one and the start of the next */
	uint32_t failures;    /* in a row: 429, 5xx, timeouts */
	uint16_t running;     /* requests under way */
	uint16_t max_running; /* 1 by default */
};

/* Set the delay to the larger of the operator's and the robots' one. */
void polite_set_delay(struct polite *polite, uint32_t own_ms,
		      uint32_t robots_ms);

bool polite_may_start(const struct polite *polite, uint64_t now_ms);
void polite_started(struct polite *polite);

/*
 * `is_pressed`: 429, 503, timeout or no connection. Then the pause doubles from
 * 5 s with every failure in a row, up to 10 min, and is at least
 * `retry_after_s` (cut at one day).
 */
void polite_finished(struct polite *polite, bool is_pressed,
		     uint64_t retry_after_s, uint64_t now_ms);

#endif
