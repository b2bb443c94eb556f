#include "tests/bench/contestant.h"

#include "base/arena.h"
#include "extract/extractors.h"
#include "tests/bench/stopwatch.h"

static void add(struct contestants *contestants,
		const struct extractor *extractor)
{
	struct contestant *contestant;

	if (contestants->count == MAX_CONTESTANTS)
		return;
	contestant = &contestants->items[contestants->count++];
	contestant->extractor = extractor;
	extractor_defaults(extractor, contestant->parameters);
}

bool contestants_add(struct contestants *contestants, const char *name)
{
	const struct extractor *extractor = extractor_find(name);

	if (extractor != NULL)
		add(contestants, extractor);
	return extractor != NULL;
}

void contestants_add_all(struct contestants *contestants)
{
	for (size_t i = 0; extractors[i] != NULL; i++)
		add(contestants, extractors[i]);
}

void contestants_free(struct contestants *contestants)
{
	for (size_t i = 0; i < contestants->count; i++)
		arena_destroy(contestants->items[i].arena);
}

bool contestants_need_template(const struct contestants *contestants)
{
	for (size_t i = 0; i < contestants->count; i++)
		if (needs_template(contestants->items[i].extractor))
			return true;
	return false;
}

void contestant_learn(struct contestant *contestant,
		      const struct sample *sample, unsigned rounds)
{
	const struct extractor *extractor = contestant->extractor;

	if (extractor->needs != NEEDS_SAMPLE)
		return;
	arena_destroy(contestant->arena);
	contestant->arena = arena_create();
	contestant->learn_us +=
		time_learn(extractor, sample, contestant->parameters, rounds);
	contestant->learn_pages += sample->count;
	contestant->learned = extractor->learn(sample, contestant->parameters,
					       contestant->arena);
}

double contestant_run(const struct contestant *contestant,
		      const struct page *page,
		      const struct template_counts *counts, unsigned rounds)
{
	const struct extractor_input input = {
		.page = page,
		.template_counts = counts,
		.learned = contestant->learned,
		.parameters = contestant->parameters,
	};

	return time_run(contestant->extractor, &input, rounds);
}
