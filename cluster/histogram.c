#include "cluster/histogram.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

void histogram_add(struct distance_histogram *histogram, unsigned height,
		   uint64_t pairs)
{
	assert(height <= HISTOGRAM_WIDTH * HISTOGRAM_BINS);
	histogram->pairs[height == 0 ? 0 : (height - 1) / HISTOGRAM_WIDTH] +=
		pairs;
	histogram->total += pairs;
}

static bool histogram_gap_is_better(struct histogram_gap gap,
				    struct histogram_gap best)
{
	unsigned width = gap.end - gap.begin;
	unsigned widest = best.end - best.begin;

	return width > widest || (width == widest && gap.pairs < best.pairs);
}

struct histogram_gap histogram_gap(const struct distance_histogram *histogram)
{
	struct histogram_gap best = {0};
	struct histogram_gap gap = {0};
	bool has_left = false;

	for (unsigned i = 0; i < HISTOGRAM_BINS; i++) {
		uint64_t pairs = histogram->pairs[i];

		if (pairs <= histogram->total / HISTOGRAM_THIN) {
			gap.pairs += pairs;
			continue;
		}
		gap.end = i * HISTOGRAM_WIDTH;
		if (has_left && gap.end > gap.begin &&
		    histogram_gap_is_better(gap, best))
			best = gap;
		has_left = true;
		gap = (struct histogram_gap){.begin =
						     (i + 1) * HISTOGRAM_WIDTH};
	}
	assert(best.begin <= best.end &&
	       best.end <= HISTOGRAM_WIDTH * HISTOGRAM_BINS);
	return best;
}
