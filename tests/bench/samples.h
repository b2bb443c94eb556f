/* tests/bench/samples.h - real pages of known templates, ready to be compared.
 */
#ifndef TESTS_BENCH_SAMPLES_H
#define TESTS_BENCH_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cluster/signature.h"
#include "tests/bench/rtdm.h"

struct arena;

/* The measures of signatures, then the baseline. */
enum { KIND_RTDM = MEASURE_COUNT, KIND_COUNT };

struct sample {
	struct rtdm_tree tree;
	struct signature signatures[MEASURE_COUNT];
};

/* Begin with {.arena = arena_create()}, and kinds; end with samples_free(). */
struct samples {
	struct arena *arena;
	unsigned kinds;       /* a bit for each measure to compute; 0 = all */
	struct sample *items; /* [count] */
	uint32_t *labels;     /* [count], from 0 */
	size_t count;
	size_t item_capacity;
	size_t label_capacity;
	uint64_t elements;
	double parse_seconds; /* CPU */
	double make_seconds[KIND_COUNT];
};

void samples_free(struct samples *samples);

/*
 * Add pages with the label: of a folder all .html and .htm below it, plain or
 * gzip-compressed, with their paths as those of the URLs; or of "@FILE" the
 * paths that FILE lists, one a line. Of more than `most` pages, use `most` at
 * equal distances. If a page cannot be read or parsed, print that and return
 * false.
 */
bool samples_add(struct samples *samples, const char *source, uint32_t label,
		 size_t most);

/* Of this process, seconds. */
double cpu_seconds(void);

#endif
