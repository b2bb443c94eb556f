#include "extract/auto/context_rank.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/order.h"

/*
 * Return a key that sorts by falling score, then by rising index: the bits of
 * floats that are not negative have the order of their values.
 */
static uint64_t sort_key(float score, uint32_t index)
{
	const float positive = fmaxf(score, 0);
	uint32_t bits;

	memcpy(&bits, &positive, sizeof(bits));
	return (uint64_t)~bits << 32 | index;
}

struct context_ranks context_ranks_make(struct arena *arena,
					const struct masses *masses)
{
	const uint32_t count = masses->passages->count;
	uint64_t *keys = ARENA_NEW(arena, uint64_t, count);
	float *words = ARENA_NEW(arena, float, count);
	struct context_ranks ranks = {.words = words};
	struct mass chosen = {0, 0};

	for (uint32_t i = 0; i < count; i++)
		keys[i] = sort_key(masses->scores[i], i);
	if (count > 0)
		qsort(keys, count, sizeof(*keys), order_u64);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t index = (uint32_t)keys[i];
		struct mass own = mass_between(
			masses, (struct passage_range){index, index + 1});

		chosen.words += own.words;
		chosen.content += own.content;
		assert(index < count);
		words[index] = (float)chosen.words;
		ranks.f1 = fmaxf(ranks.f1, mass_f1(masses, chosen));
		ranks.highest = fmaxf(ranks.highest, masses->scores[index]);
	}
	return ranks;
}
