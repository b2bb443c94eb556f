/* crawl/backoff.h - exponential backoff: the pause after failures. */
#ifndef CRAWL_BACKOFF_H
#define CRAWL_BACKOFF_H

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

#endif
