#include "crawl/polite.h"

#include "crawl/backoff.h"

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
