/* tests/bench/contestant.h - a method of the table, ready to run on pages. */
#ifndef TESTS_BENCH_CONTESTANT_H
#define TESTS_BENCH_CONTESTANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "extract/core/extractor.h"

enum { MAX_CONTESTANTS = 128 };

struct contestant {
	const struct extractor *extractor;
	double parameters[MAX_PARAMETERS]; /* the defaults */
	struct arena *arena;               /* of what it learned */
	const void *learned;
	/* CPU microseconds of everything until now */
	double run_us;
	double learn_us;
	size_t learn_pages; /* of the samples */
};

struct contestants {
	struct contestant items[MAX_CONTESTANTS]; /* [count] */
	size_t count;
};

/* Begin with {0}; end with contestants_free(). False: no such method. */
bool contestants_add(struct contestants *contestants, const char *name);

/* All of the table. */
void contestants_add_all(struct contestants *contestants);

void contestants_free(struct contestants *contestants);

/* Whether one of them must know the cluster. */
bool contestants_need_template(const struct contestants *contestants);

/*
 * If the method learns, build its model from the sample and add the cost. This
 * replaces the model built before.
 */
void contestant_learn(struct contestant *contestant,
		      const struct sample *sample, unsigned rounds);

/* CPU microseconds of a method on a page; counts may be NULL. */
double contestant_run(const struct contestant *contestant,
		      const struct page *page,
		      const struct template_counts *counts, unsigned rounds);

#endif
