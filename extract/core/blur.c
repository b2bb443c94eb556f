#include "extract/core/blur.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/*
 * A blur is three running means. The search for convergence uses four, because
 * it depends on the second derivative: at its peak a Gaussian has .40, three
 * means have .25, four have .38.
 */
enum { BLUR_MEANS = 3, SEARCH_MEANS = 4 };

/* Running means that are applied one after the other. */
struct means {
	uint32_t radius[SEARCH_MEANS];
	uint32_t count;
	double variance; /* of all means together */
	bool mirrors;
};

/* Return the variance. A mean over 2 * r + 1 entries has r * (r + 1) / 3. */
static double variance_of(const struct blur *blur)
{
	double radius = blur->radius;

	return blur->passes * radius * (radius + 1);
}

/*
 * Return `count` means whose variances add up to `variance` as nearly as
 * possible: some means are one entry wider than the others.
 */
static struct means means_of(double variance, uint32_t count, bool mirrors)
{
	double each = 3 * variance / count;
	double radius = floor((sqrt(1 + 4 * each) - 1) / 2);
	double missing = count * (each - radius * (radius + 1));
	long wider = lround(missing / (2 * (radius + 1)));
	struct means means = {.count = count, .mirrors = mirrors};

	assert(count >= 1 && count <= SEARCH_MEANS);
	for (uint32_t i = 0; i < count; i++) {
		double r = radius + (i < wider ? 1 : 0);

		means.radius[i] = (uint32_t)r;
		means.variance += r * (r + 1) / 3;
	}
	return means;
}

uint32_t blur_reach(const struct blur *blur)
{
	struct means means =
		means_of(variance_of(blur), BLUR_MEANS, blur->mirrors);
	uint32_t reach = 0;

	for (uint32_t i = 0; i < means.count; i++)
		reach += means.radius[i];
	return reach;
}

/*
 * Return the index of the entry that the endless mirrored vector has at
 * `index`.
 */
static size_t mirror_index(ptrdiff_t index, size_t count)
{
	ptrdiff_t period = 2 * (ptrdiff_t)count;
	ptrdiff_t at = index % period;

	assert(count > 0);
	if (at < 0)
		at += period;
	assert(at >= 0 && at < period);
	return (size_t)(at < (ptrdiff_t)count ? at : period - 1 - at);
}

/* Return the value at `index`, which may be outside of the vector. */
static double blur_value_at(const float *in, size_t count, ptrdiff_t index,
			    bool mirrors)
{
	if (index >= 0 && index < (ptrdiff_t)count)
		return (double)in[index];
	return mirrors ? (double)in[mirror_index(index, count)] : 0;
}

/* Return the number of entries within `radius` of `index` inside the vector. */
static size_t window_entries(size_t count, size_t index, size_t radius)
{
	size_t begin = index < radius ? 0 : index - radius;
	size_t end = count - index <= radius ? count : index + radius + 1;

	assert(begin < end && end <= count);
	assert(index < count);
	return end - begin;
}

/*
 * Set out[i] to the mean of in[i - radius .. i + radius]. Sums are doubles, so
 * that their rounding errors stay far below the errors of a float. The loop in
 * the middle covers nearly all entries: there the whole window is inside the
 * vector.
 */
static void running_mean(const float *in, float *out, size_t count,
			 size_t radius, bool mirrors)
{
	const size_t window = 2 * radius + 1;
	const double ratio = 1 / (double)window;
	const ptrdiff_t reach = (ptrdiff_t)radius;
	double sum = 0;

	for (ptrdiff_t i = -reach; i <= reach; i++)
		sum += blur_value_at(in, count, i, mirrors);
	for (size_t i = 0; i < count; i++) {
		size_t next = i + radius + 1;
		ptrdiff_t last = (ptrdiff_t)i - reach;

		if (i >= radius && next < count) {
			out[i] = (float)(sum * ratio);
			sum += (double)in[next] - (double)in[last];
			continue;
		}
		out[i] = (float)(sum /
				 (double)(mirrors ? window
						  : window_entries(count, i,
								   radius)));
		sum += blur_value_at(in, count, (ptrdiff_t)next, mirrors) -
		       blur_value_at(in, count, last, mirrors);
	}
}

/*
 * Write the blur of `in` to `out`; all vectors are [count]; at least two means.
 * With an odd number of means `scratch` may be `in`, which is then overwritten.
 */
static void blur_gaussian(const float *in, float *out, float *scratch,
			  size_t count, const struct means *means)
{
	float *to = means->count % 2 == 0 ? scratch : out;

	assert(means->count >= 2);
	if (count == 0)
		return;
	for (uint32_t i = 0; i < means->count; i++) {
		running_mean(in, to, count, means->radius[i], means->mirrors);
		in = to;
		to = to == out ? scratch : out;
	}
}

float *blur_run(struct arena *arena, float *values, uint32_t count,
		const struct blur *blur)
{
	const struct means means =
		means_of(variance_of(blur), BLUR_MEANS, blur->mirrors);
	float *blurred = ARENA_NEW(arena, float, count);

	assert(blur->radius >= 1 && blur->passes >= 1);
	blur_gaussian(values, blurred, values, count, &means);
	return blurred;
}

/* A shorter vector of means, on which blur_passes_to_converge() searches. */
struct coarse {
	float *values; /* [count]: each is the mean of `step` entries */
	size_t count;
	double variance; /* of one pass, in steps squared */
	float *wide;     /* [count] */
	float *wider;    /* [count] */
	float *scratch;  /* [count] */
};

static struct coarse blur_coarsen(struct arena *arena, const float *values,
				  size_t count, uint32_t radius)
{
	enum { STEPS_IN_RADIUS = 2 };
	size_t step = radius < STEPS_IN_RADIUS ? 1 : radius / STEPS_IN_RADIUS;
	struct coarse coarse = {.count = (count + step - 1) / step};

	assert(radius >= 1);
	coarse.variance =
		(double)radius * (radius + 1.0) / (double)step / (double)step;
	coarse.values = ARENA_NEW(arena, float, coarse.count);
	coarse.wide = ARENA_NEW(arena, float, coarse.count);
	coarse.wider = ARENA_NEW(arena, float, coarse.count);
	coarse.scratch = ARENA_NEW(arena, float, coarse.count);
	for (size_t i = 0; i < coarse.count; i++) {
		size_t end = (i + 1) * step < count ? (i + 1) * step : count;
		float sum = 0;

		for (size_t k = i * step; k < end; k++)
			sum += values[k];
		coarse.values[i] = sum / (float)(end - i * step);
	}
	return coarse;
}

/*
 * Return the largest change of an entry by one more pass after `passes`. As in
 * any diffusion the change is proportional to the variance of the pass; the
 * running means have that variance only approximately, so the change is scaled.
 */
static double largest_change(const struct coarse *coarse, uint32_t passes)
{
	const struct means one = means_of(coarse->variance, SEARCH_MEANS, true);
	const struct means all =
		means_of(passes * coarse->variance, SEARCH_MEANS, true);
	double largest = 0;

	blur_gaussian(coarse->values, coarse->wide, coarse->scratch,
		      coarse->count, &all);
	blur_gaussian(coarse->wide, coarse->wider, coarse->scratch,
		      coarse->count, &one);
	/* not fmax(): gcc 12 for arm64 fails on its reduction */
	for (size_t i = 0; i < coarse->count; i++) {
		double change = fabs((double)coarse->wider[i] -
				     (double)coarse->wide[i]);

		largest = change > largest ? change : largest;
	}
	return largest * coarse->variance / one.variance;
}

static uint32_t clamp_passes(double value, uint32_t low, uint32_t high)
{
	assert(low <= high);
	if (value < low)
		return low;
	return value > high ? high : (uint32_t)value;
}

/*
 * Blurring is a mean with fixed weights, so the largest change never grows from
 * pass to pass, and the smallest sufficient number of passes can be searched
 * for. The change falls about as 1 / passes, which gives the next guess; every
 * second guess halves the interval instead.
 */
uint32_t blur_passes_to_converge(struct arena *arena, const float *values,
				 uint32_t count, uint32_t radius,
				 double epsilon)
{
	struct coarse coarse = blur_coarsen(arena, values, count, radius);
	uint32_t low = 0;
	uint32_t high = blur_max_passes(epsilon) - 1;
	uint32_t passes = high / 2;

	assert(radius >= 1);
	for (bool halves = false; low < high; halves = !halves) {
		assert(passes <= high);
		double change = largest_change(&coarse, passes);

		if (change <= epsilon)
			high = passes;
		else
			low = passes + 1;
		if (low < high)
			passes =
				halves ? low + (high - low) / 2
				       : clamp_passes(passes * change / epsilon,
						      low, high - 1);
	}
	return low + 1;
}

/*
 * The change is at most half the difference of two Gaussians of variances q and
 * q + 1 in the 1-norm, which is below phi(1) / q = .242 / q.
 */
uint32_t blur_max_passes(double epsilon)
{
	assert(epsilon > 0);
	return (uint32_t)ceil(.25 / epsilon) + 1;
}
