#include "crawl/polite.h"

enum {
	FIRST_PAUSE_MS = 5 * 1000,
	MAX_PAUSE_MS = 10 * 60 * 1000,
	MAX_RETRY_AFTER_S = 24 * 60 * 60,
};

void polite_set_delay(struct polite *polite, uint32_t own_ms,
		      uint32_t robots_ms)
{
	polite->delay_ms = own_ms > robots_ms ? own_ms : robots_ms;
}

bool polite_may_start(const struct polite *polite, uint64_t now_ms)
{
	uint16_t max = polite->max_running == 0 ? 1 : polite->max_running;

	return polite->running < max && now_ms >= polite->next_ms;
}

void polite_started(struct polite *polite)
{
	if (polite->running < UINT16_MAX)
		polite->running++;
}

/* The pause after `failures` in a row, at least one. */
static uint64_t pause_ms(uint32_t failures)
{
	uint64_t pause = FIRST_PAUSE_MS;

	for (uint32_t i = 1; i < failures && pause < MAX_PAUSE_MS; i++)
		pause *= 2;
	return pause < MAX_PAUSE_MS ? pause : MAX_PAUSE_MS;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void polite_finished(struct polite *polite, bool is_pressed,
		     uint64_t retry_after_s, uint64_t now_ms)
{
	uint64_t pause = polite->delay_ms;

	if (polite->running > 0)
		polite->running--;
	if (!is_pressed) {
		polite->failures = 0;
	} else {
		if (polite->failures < UINT32_MAX)
			polite->failures++;
		if (retry_after_s > MAX_RETRY_AFTER_S)
			retry_after_s = MAX_RETRY_AFTER_S;
		pause = larger(pause, pause_ms(polite->failures));
		pause = larger(pause, retry_after_s * 1000);
	}
	/* another answer may have asked for a longer pause */
	polite->next_ms = larger(polite->next_ms, now_ms + pause);
}
