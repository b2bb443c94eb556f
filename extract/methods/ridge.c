#include "extract/methods/ridge.h"

#include <assert.h>
#include <math.h>

#include "base/arena.h"

enum { HEIGHT, WIDTH, RIDGE_POSITION, CELL_POSITION };

static struct ridges measure_thresholds(const struct cells *cells,
					double peak_factor)
{
	double sum = 0;
	double highest = 0;

	for (uint32_t i = 0; i < cells->count; i++) {
		double score = (double)cells->items[i].score;

		sum += score;
		highest = fmax(highest, score);
	}
	if (cells->count > 0)
		sum /= cells->count;
	return (struct ridges){
		.primary_threshold = fmin(sum, highest),
		.peak_threshold = fmin(sum * peak_factor, highest),
	};
}

static bool is_primary_cell(const struct cells *cells, uint32_t index,
			    const struct ridges *ridges)
{
	double score = (double)cells->items[index].score;

	assert(index < cells->count);
	return score > 0 && score >= ridges->primary_threshold;
}

/*
 * Return the next run of cells from `begin` on that meets conditions two and
 * three; empty at the end. *highest_out is its peak.
 */
static struct ridge next_run(const struct cells *cells, uint32_t begin,
			     uint32_t span, const struct ridges *ridges,
			     double *highest_out)
{
	struct ridge run;

	while (begin < cells->count && !is_primary_cell(cells, begin, ridges))
		begin++;
	run = (struct ridge){.begin = begin, .end = begin};
	*highest_out = 0;
	for (uint32_t i = begin; i < cells->count && i - run.end <= span; i++)
		if (is_primary_cell(cells, i, ridges)) {
			run.end = i + 1;
			*highest_out = fmax(*highest_out,
					    (double)cells->items[i].score);
		}
	assert(run.begin <= run.end && run.end <= cells->count);
	return run;
}

/*
 * Return the maximum number of runs: between two runs there are at least `span`
 * + 1 cells.
 */
static uint32_t count_runs(const struct cells *cells, uint32_t span,
			   const struct ridges *ridges)
{
	double highest;
	uint32_t count = 0;

	for (uint32_t at = 0; at < cells->count; count++)
		at = next_run(cells, at, span, ridges, &highest).end;
	return count;
}

static double mean_score(const struct cells *cells, const struct ridge *ridge)
{
	double sum = 0;

	assert(ridge->begin < ridge->end && ridge->end <= cells->count);
	for (uint32_t i = ridge->begin; i < ridge->end; i++)
		sum += (double)cells->items[i].score;
	return fmax(sum / (ridge->end - ridge->begin), 0);
}

/* Set the features by eq. 4 to 7; positions of ridges and cells begin at 1. */
static void set_features(const struct cells *cells, struct ridge *ridges,
			 uint32_t count)
{
	double highest = 0;
	double widest = 0;

	for (uint32_t i = 0; i < count; i++) {
		double *features = ridges[i].features;

		features[HEIGHT] = mean_score(cells, &ridges[i]);
		features[WIDTH] = ridges[i].end - ridges[i].begin;
		highest = fmax(highest, features[HEIGHT]);
		widest = fmax(widest, features[WIDTH]);
	}
	for (uint32_t i = 0; i < count; i++) {
		double *features = ridges[i].features;

		features[HEIGHT] /= highest > 0 ? highest : 1;
		features[WIDTH] /= widest;
		features[RIDGE_POSITION] = (i + 1.0) / count;
		features[CELL_POSITION] =
			(ridges[i].begin + 1.0) / cells->count;
	}
}

struct ridges ridges_of_cells(struct arena *arena, const struct cells *cells,
			      uint32_t span, double peak_factor)
{
	struct ridges ridges = measure_thresholds(cells, peak_factor);
	struct ridge *items = ARENA_NEW(arena, struct ridge,
					count_runs(cells, span, &ridges));
	uint32_t at = 0;

	while (at < cells->count) {
		double highest;
		struct ridge run = next_run(cells, at, span, &ridges, &highest);

		if (run.begin < run.end && highest >= ridges.peak_threshold)
			items[ridges.count++] = run;
		at = run.end;
	}
	set_features(cells, items, ridges.count);
	ridges.items = items;
	return ridges;
}
