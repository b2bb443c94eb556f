/*
 * extract/auto/maximum_run.h - the maximum-sum run of a sequence of weights,
 * added one by one (Bentley, Programming Pearls, column 8). Of several maximum
 * runs the one that ends first, and of these the shortest; empty if no sum is
 * positive.
 */
#ifndef EXTRACT_AUTO_MAXIMUM_RUN_H
#define EXTRACT_AUTO_MAXIMUM_RUN_H

#include <stdint.h>

/* Initialise it with zeros. */
struct maximum_run {
	uint32_t begin; /* of the best run, half open */
	uint32_t end;
	double sum;
	uint32_t count; /* number of weights added */
	/* the best run that ends with the last weight */
	uint32_t open_begin;
	double open_sum;
};

static inline void maximum_run_add(struct maximum_run *run, double weight)
{
	if (run->open_sum <= 0) {
		run->open_sum = 0;
		run->open_begin = run->count;
	}
	run->open_sum += weight;
	run->count++;
	if (run->open_sum > run->sum) {
		run->sum = run->open_sum;
		run->begin = run->open_begin;
		run->end = run->count;
	}
}

#endif
