#include "tests/bench/stopwatch.h"

#include <stdlib.h>
#include <time.h>

#include "base/arena.h"

double thread_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left;
	double b = *(const double *)right;

	return (a > b) - (a < b);
}

/* Of an even count the lower one of the middle. */
static double median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare);
	return values[(count - 1) / 2];
}

double time_parse(struct slice body, const struct page_limits *limits,
		  unsigned rounds)
{
	double times[MAX_ROUNDS];

	for (unsigned i = 0; i < rounds; i++) {
		struct page *page = NULL;
		double begin = thread_us();

		(void)page_parse(&page, body, slice_of(NULL), limits);
		page_destroy(page);
		times[i] = thread_us() - begin;
	}
	return median(times, rounds);
}

double time_run(const struct extractor *extractor,
		const struct extractor_input *input, unsigned rounds)
{
	double times[MAX_ROUNDS];

	for (unsigned i = 0; i < rounds; i++) {
		double begin = thread_us();
		struct extractor_input own = *input;
		struct verdict *verdicts;

		own.arena = arena_create();
		verdicts = ARENA_NEW(own.arena, struct verdict,
				     own.page->text_count);
		extractor->run(&own, verdicts);
		arena_destroy(own.arena);
		times[i] = thread_us() - begin;
	}
	return median(times, rounds);
}

double time_learn(const struct extractor *extractor,
		  const struct sample *sample, const double *parameters,
		  unsigned rounds)
{
	double times[MAX_ROUNDS];

	for (unsigned i = 0; i < rounds; i++) {
		double begin = thread_us();
		struct arena *arena = arena_create();

		(void)extractor->learn(sample, parameters, arena);
		arena_destroy(arena);
		times[i] = thread_us() - begin;
	}
	return median(times, rounds);
}
