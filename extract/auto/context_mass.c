#include "extract/auto/context_mass.h"

#include "base/arena.h"

struct masses masses_make(struct arena *arena, const struct passages *passages,
			  const float *scores)
{
	struct mass *before =
		ARENA_NEW(arena, struct mass, (size_t)passages->count + 1);
	struct mass sum = {0, 0};

	for (uint32_t i = 0; i < passages->count; i++) {
		double words = passages->items[i].words;

		sum.words += words;
		sum.content += words * (double)scores[i];
		before[i + 1] = sum;
	}
	return (struct masses){
		.passages = passages,
		.scores = scores,
		.before = before,
		.all = sum,
	};
}
