/*
 * bench_blur FILE [RADIUS [EPSILON]] - blur to convergence by repeated Gaussian
 * sums, compared with extract/core/numeric.h: milliseconds and passes of both,
 * and the largest difference of a ratio. The input is the content code vector
 * (CCB) of the page FILE, repeated to 100,000 entries.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/memory.h"
#include "extract/core/document_walk.h"
#include "extract/core/numeric.h"
#include "extract/methods/code_blur_methods.h"
#include "page/page.h"
#include "tests/bench/stopwatch.h"

enum { COUNT = 100000 };

/* One pass: exp(-d^2 / (2 v)) out to four standard deviations, the ends
   mirrored. Returns the largest change. */
static double pass(const float *in, float *out, uint32_t radius)
{
	double variance = radius * (radius + 1.0);
	long reach = lround(4 * sqrt(variance));
	double *weights = mem_alloc((size_t)reach + 1, sizeof(*weights));
	double sum = 0;
	double largest = 0;

	for (long d = 0; d <= reach; d++) {
		weights[d] = exp(-(double)(d * d) / variance / 2);
		sum += d == 0 ? weights[d] : 2 * weights[d];
	}
	for (long i = 0; i < COUNT; i++) {
		double mean = weights[0] * (double)in[i];

		for (long d = 1; d <= reach; d++) {
			long before = i < d ? d - 1 - i : i - d;
			long after =
				i + d < COUNT ? i + d : 2 * COUNT - 1 - i - d;

			mean += weights[d] *
				((double)in[before] + (double)in[after]);
		}
		out[i] = (float)(mean / sum);
		largest = fmax(largest, fabs((double)out[i] - (double)in[i]));
	}
	free(weights);
	return largest;
}

/* Returns the number of passes; the ratios are in values. */
static uint32_t converge(float *values, uint32_t radius, double epsilon)
{
	float *scratch = mem_alloc(COUNT, sizeof(*scratch));
	uint32_t passes = 0;
	double change;

	do {
		change = pass(values, scratch, radius);
		memcpy(values, scratch, COUNT * sizeof(*values));
		passes++;
	} while (change > epsilon);
	free(scratch);
	return passes;
}

/* Return the page's vector, repeated [COUNT]; NULL if it is empty. The caller
 * frees it. */
static float *read_vector(const char *path)
{
	const struct content_code_options options = {.max_code_run = COUNT};
	float *values = mem_alloc(COUNT, sizeof(*values));
	struct buffer body = {0};
	struct page *page = NULL;
	struct content_code code = {0};

	if (file_read(path, (size_t)10 << 20, &body) == ERR_NONE &&
	    page_parse(&page, (struct slice){body.data, body.size},
		       (struct slice){NULL, 0},
		       &page_limits_default) == ERR_NONE)
		code = content_code_vector(page->arena, page,
					   visible_texts(page->arena, page),
					   &options);
	for (uint32_t i = 0; i < COUNT && code.count > 0; i++)
		values[i] = code.ratio[i % code.count];
	if (code.count == 0) {
		free(values);
		values = NULL;
	}
	page_destroy(page);
	buffer_free(&body);
	return values;
}

static void compare(const float *vector, uint32_t radius, double epsilon)
{
	struct arena *arena = arena_create();
	struct blur blur = {.radius = radius, .mirrors = true};
	float *naive = ARENA_NEW(arena, float, COUNT);
	float *ours = ARENA_NEW(arena, float, COUNT);
	double begin = thread_us();
	double naive_us;
	uint32_t passes;
	double largest = 0;

	memcpy(naive, vector, COUNT * sizeof(*naive));
	passes = converge(naive, radius, epsilon);
	naive_us = thread_us() - begin;
	begin = thread_us();
	memcpy(ours, vector, COUNT * sizeof(*ours));
	blur.passes =
		blur_passes_to_converge(arena, ours, COUNT, radius, epsilon);
	ours = blur_run(arena, ours, COUNT, &blur);
	begin = thread_us() - begin;
	for (uint32_t i = 0; i < COUNT; i++)
		largest =
			fmax(largest, fabs((double)ours[i] - (double)naive[i]));
	printf("radius %u, epsilon %g: sums %.1f ms, %u passes; ours %.2f ms, "
	       "%u passes; %.0f times as fast, ratios %.3f off at most\n",
	       radius, epsilon, naive_us / 1e3, passes, begin / 1e3,
	       blur.passes, naive_us / begin, largest);
	arena_destroy(arena);
}

int main(int argc, char **argv)
{
	uint32_t radius = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 8;
	double epsilon = argc > 3 ? strtod(argv[3], NULL) : .01;
	float *vector;

	if (argc < 2 || argc > 4 || radius < 1 || radius > 1000 ||
	    !(epsilon >= .001)) {
		fprintf(stderr, "usage: bench_blur FILE [RADIUS [EPSILON]]\n");
		return 2;
	}
	vector = read_vector(argv[1]);
	if (vector == NULL) {
		fprintf(stderr, "bench_blur: %s: no page\n", argv[1]);
		return 1;
	}
	compare(vector, radius, epsilon);
	free(vector);
	return 0;
}
