#include "crawl/schedule.h"

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

void politeness_finish(struct politeness *polite, bool is_pressed,
		       uint64_t retry_after_s, uint64_t now_ms)
{
	uint64_t first = polite->first_pause_ms == 0 ? FIRST_PAUSE_MS
						     : polite->first_pause_ms;
	uint64_t pause = polite->delay_ms;

	if (polite->running > 0)
		polite->running--;
	if (!is_pressed) {
		polite->failures = 0;
	} else {
		uint64_t backoff;

		/* do not count a request that began before the current pause */
		if ((polite->failures == 0 || now_ms >= polite->next_ms) &&
		    polite->failures < UINT32_MAX)
			polite->failures++;
		if (retry_after_s > MAX_RETRY_AFTER_S)
			retry_after_s = MAX_RETRY_AFTER_S;
		backoff = backoff_ms(first,
				     polite->max_pause_ms == 0
					     ? MAX_PAUSE_MS
					     : polite->max_pause_ms,
				     polite->failures, polite->seed);
		if (pause < backoff)
			pause = backoff;
		if (pause < retry_after_s * 1000)
			pause = retry_after_s * 1000;
	}
	/* do not shorten a longer pause from another response */
	if (polite->next_ms < now_ms + pause)
		polite->next_ms = now_ms + pause;
}

enum { SLOWNESS = 8, JITTER = 10 };

uint64_t revisit_interval(uint64_t before, bool is_changed, uint64_t of_cluster,
			  uint64_t default_ms)
{
	uint64_t shortest = default_ms < REVISIT_SHORTEST
				    ? 1
				    : default_ms / REVISIT_SHORTEST;
	uint64_t longest = default_ms > UINT64_MAX / REVISIT_LONGEST
				   ? UINT64_MAX
				   : default_ms * REVISIT_LONGEST;
	uint64_t interval = of_cluster == 0 ? default_ms : of_cluster;
	uint64_t half = before / 2;

	if (before != 0 && is_changed)
		interval = half;
	else if (before != 0)
		interval =
			before > UINT64_MAX - half ? UINT64_MAX : before + half;
	if (interval < shortest)
		return shortest;
	return interval < longest ? interval : longest;
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
