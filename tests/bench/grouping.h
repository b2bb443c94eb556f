/*
 * tests/bench/grouping.h - single linkage in three ways: as the source paper
 * does it, by all pairs of distinct signatures, and as the engine does it page
 * by page.
 */
#ifndef TESTS_BENCH_GROUPING_H
#define TESTS_BENCH_GROUPING_H

#include <stddef.h>
#include <stdint.h>

#include "cluster/shingle_weights.h"
#include "cluster/signature.h"

struct grouping {
	uint64_t partition; /* equal partitions of equal pages, equal hashes */
	size_t sets;        /* distinct signatures; 0 = unknown */
	size_t clusters;
	double seconds; /* CPU */
	uint64_t comparisons;
	size_t bytes;    /* of the engine, by its own account */
	size_t resident; /* that the process got more while it was made */
};

/* All pairs of pages are compared: Gottron 2008, section 5. */
struct grouping group_pages(const struct signature *pages, size_t count,
			    unsigned threshold);

/* Pairs of distinct signatures, except those already together. */
struct grouping group_sets(const struct signature *pages, size_t count,
			   unsigned threshold);

/*
 * linkage_put() of one page after the other; of some runs the fastest. Without
 * weights every shingle counts once.
 */
struct grouping group_engine(const struct signature *pages, size_t count,
			     unsigned threshold,
			     const struct shingle_weights *weights);

/* The weights that the pages get if all are there when they are chosen. */
struct shingle_weights group_weights(const struct signature *pages,
				     size_t count);

#endif
