/* crawl/frontier/backoff.h - exponential backoff: the pause after failures. */
#ifndef CRAWL_FRONTIER_BACKOFF_H
#define CRAWL_FRONTIER_BACKOFF_H

#include <stdint.h>

/*
 * The pause after so many failures in a row, at least one: `first_ms`, doubled
 * with each of them up to `max_ms`, and then a quarter up or down by `seed` and
 * failures (so that it replays): what failed at the same time is not retried at
 * the same time.
 */
uint64_t backoff_ms(uint64_t first_ms, uint64_t max_ms, uint32_t failures,
		    uint64_t seed);

#endif
