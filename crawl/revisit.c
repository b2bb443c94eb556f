#include "crawl/revisit.h"

#include <assert.h>

#include "base/hash.h"

enum { SLOWNESS = 8, JITTER = 10 };

static uint64_t revisit_shortest_interval(uint64_t default_ms)
{
	return default_ms < REVISIT_SHORTEST ? 1
					     : default_ms / REVISIT_SHORTEST;
}

static uint64_t revisit_longest_interval(uint64_t default_ms)
{
	return default_ms > UINT64_MAX / REVISIT_LONGEST
		       ? UINT64_MAX
		       : default_ms * REVISIT_LONGEST;
}

/* Halve the interval, or lengthen it by half. */
static uint64_t revisit_adapt_interval(uint64_t interval, bool is_changed)
{
	uint64_t half = interval / 2;

	if (is_changed) {
		assert(half <= interval);
		return half;
	}
	return interval > UINT64_MAX - half ? UINT64_MAX : interval + half;
}

uint64_t revisit_interval(uint64_t before, bool is_changed, uint64_t of_cluster,
			  uint64_t default_ms)
{
	uint64_t interval = of_cluster == 0 ? default_ms : of_cluster;

	if (before != 0)
		interval = revisit_adapt_interval(before, is_changed);
	if (interval < revisit_shortest_interval(default_ms))
		return revisit_shortest_interval(default_ms);
	assert(revisit_shortest_interval(default_ms) <=
	       revisit_longest_interval(default_ms));
	return interval < revisit_longest_interval(default_ms)
		       ? interval
		       : revisit_longest_interval(default_ms);
}

uint64_t revisit_of_cluster(uint64_t before, uint64_t interval)
{
	if (before == 0)
		return interval;
	return before - before / SLOWNESS + interval / SLOWNESS;
}

uint64_t revisit_due(uint64_t now_ms, uint64_t interval, uint64_t key)
{
	uint64_t tenth = interval / JITTER;
	uint64_t least_ms = interval - tenth;
	uint64_t more_ms = hash_chain(key, 0) % (2 * tenth + 1);

	if (now_ms > UINT64_MAX - least_ms ||
	    now_ms + least_ms > UINT64_MAX - more_ms)
		return UINT64_MAX;
	return now_ms + least_ms + more_ms;
}
