#include "crawl/schedule.h"

#include <assert.h>

#include "base/hash.h"

uint64_t backoff_ms(uint64_t first_ms, uint64_t max_ms, uint32_t failures,
		    uint64_t seed)
{
	uint64_t random = hash_chain(failures, seed);
	uint64_t pause = first_ms;

	for (uint32_t i = 1; i < failures && pause < max_ms; i++)
		pause *= 2;
	if (pause > max_ms)
		pause = max_ms;
	return pause - pause / 4 + random % (pause / 2 + 1);
}

enum {
	FIRST_PAUSE_MS = 5 * 1000,
	MAX_PAUSE_MS = 6 * 60 * 60 * 1000,
	MAX_RETRY_AFTER_S = 24 * 60 * 60,
};

void politeness_set_delay(struct politeness *polite, uint32_t own_ms,
			  uint32_t robots_ms)
{
	polite->delay_ms = own_ms > robots_ms ? own_ms : robots_ms;
}

bool politeness_may_start(const struct politeness *polite, uint64_t now_ms)
{
	uint16_t max = polite->max_running;

	if (max == 0 || politeness_is_broken(polite))
		max = 1;
	return polite->running < max && now_ms >= polite->next_ms;
}

void politeness_start(struct politeness *polite)
{
	if (polite->running < UINT16_MAX)
		polite->running++;
}

bool politeness_is_broken(const struct politeness *polite)
{
	return polite->failures >= BREAKER_FAILURES;
}

static uint64_t polite_max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Count a failure, unless its request began before the current pause. */
static void count_failure(struct politeness *polite, uint64_t now_ms)
{
	bool is_new = polite->failures == 0 || now_ms >= polite->next_ms;

	if (is_new && polite->failures < UINT32_MAX)
		polite->failures++;
}

void politeness_finish(struct politeness *polite, bool is_pressed,
		       uint64_t retry_after_s, uint64_t now_ms)
{
	uint64_t pause = polite->delay_ms;

	if (polite->running > 0)
		polite->running--;
	if (!is_pressed) {
		polite->failures = 0;
	} else {
		count_failure(polite, now_ms);
		if (retry_after_s > MAX_RETRY_AFTER_S)
			retry_after_s = MAX_RETRY_AFTER_S;
		pause = polite_max_u64(
			pause, backoff_ms(polite->first_pause_ms == 0
						  ? FIRST_PAUSE_MS
						  : polite->first_pause_ms,
					  MAX_PAUSE_MS, polite->failures,
					  polite->seed));
		pause = polite_max_u64(pause, retry_after_s * 1000);
	}
	/* another response may have set a longer pause */
	polite->next_ms = polite_max_u64(polite->next_ms, now_ms + pause);
}

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
