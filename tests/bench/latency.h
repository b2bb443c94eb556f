/* tests/bench/latency.h - what a single change of a linkage costs. */
#ifndef TESTS_BENCH_LATENCY_H
#define TESTS_BENCH_LATENCY_H

#include <stddef.h>

#include "cluster/signature.h"

/* Microseconds of CPU of one call each. */
struct latency {
	double median;
	double percentile_99;
	double worst;
};

struct latencies {
	struct latency fill;   /* all pages are inserted */
	struct latency insert; /* then remove and add pages at random, */
	struct latency remove; /* as often as there are pages */
};

struct latencies measure_latencies(const struct signature *pages, size_t count,
				   unsigned threshold);

#endif
