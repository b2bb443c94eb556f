#include "crawl/backoff.h"

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
