/* tests/bench/stopwatch.h - CPU time of an extractor, parsing apart. */
#ifndef TESTS_BENCH_STOPWATCH_H
#define TESTS_BENCH_STOPWATCH_H

#include <stddef.h>

#include "base/buffer.h"
#include "extract/core/extractor.h"
#include "page/page.h"

enum { MAX_ROUNDS = 101 };

/* Of this thread, microseconds. */
double thread_us(void);

/*
 * Microseconds of one call: the median of `rounds`, 1..MAX_ROUNDS. Each round
 * allocates and frees scratch memory, as for every page.
 */
double time_parse(struct slice body, const struct page_limits *limits,
		  unsigned rounds);
double time_run(const struct extractor *extractor,
		const struct extractor_input *input, unsigned rounds);
double time_learn(const struct extractor *extractor,
		  const struct sample *sample, const double *parameters,
		  unsigned rounds);

#endif
