#include "extract/core/numeric.h"

#include <math.h>

#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/*
 * Radius 1, three means over 3 entries:
 *   0 0 0   1   0 0 0
 *   0 0 1/3 1/3 1/3 0 0
 *   0 1/9 2/9 3/9 2/9 1/9 0
 * and, the first over the 2 entries that are there,
 *   1/18 3/27 6/27 7/27 6/27 3/27 1/18
 */
TEST(a_blur_worked_by_hand)
{
	const float expected[] = {1 / 18.0F, 3 / 27.0F, 6 / 27.0F, 7 / 27.0F,
				  6 / 27.0F, 3 / 27.0F, 1 / 18.0F};
	const struct blur blur = {.radius = 1, .passes = 1};
	float values[] = {0, 0, 0, 1, 0, 0, 0};
	const float *blurred = blur_run(test_arena, values, 7, &blur);

	ck_assert_uint_eq(blur_reach(&blur), 3);
	for (size_t i = 0; i < 7; i++)
		ck_assert_float_eq_tol(blurred[i], expected[i], 1e-6F);
}

/*
 * 1 0, mirrored: .. 0 1 1 0 0 1 1 ..; the means over 3 are
 *   2/3 1/3    mirrored: .. 1/3 2/3 2/3 1/3 1/3 ..
 *   5/9 4/9
 *   14/27 13/27
 */
TEST(a_mirrored_blur_worked_by_hand)
{
	const struct blur blur = {.radius = 1, .passes = 1, .mirrors = true};
	float values[] = {1, 0};
	const float *blurred = blur_run(test_arena, values, 2, &blur);

	ck_assert_float_eq_tol(blurred[0], 14 / 27.0F, 1e-6F);
	ck_assert_float_eq_tol(blurred[1], 13 / 27.0F, 1e-6F);
}

/* Three passes of radius 1 have the variance 6 = 2 * 3: those of radius 2. */
TEST(passes_are_one_wider_blur)
{
	const struct blur three = {.radius = 1, .passes = 3};
	const struct blur one = {.radius = 2, .passes = 1};
	float values[] = {0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1};
	float copy[] = {0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1};
	const float *blurred = blur_run(test_arena, values, 14, &three);
	const float *wider = blur_run(test_arena, copy, 14, &one);

	ck_assert_uint_eq(blur_reach(&three), 6);
	for (size_t i = 0; i < 14; i++)
		ck_assert_float_eq(blurred[i], wider[i]);
}

TEST(short_vectors)
{
	const struct blur wide = {
		.radius = 1000, .passes = 100, .mirrors = true};
	const struct blur cut = {.radius = 1000, .passes = 100};
	float values[] = {1, 0, 0, 0};
	float one[] = {1};

	blur_run(test_arena, values, 0, &wide);
	ck_assert_float_eq_tol(blur_run(test_arena, one, 1, &wide)[0], 1,
			       1e-6F);
	one[0] = 1;
	ck_assert_float_eq_tol(blur_run(test_arena, one, 1, &cut)[0], 1, 1e-6F);
	ck_assert_float_eq_tol(blur_run(test_arena, values, 4, &wide)[3], .25F,
			       1e-3F);
	ck_assert_uint_eq(
		blur_passes_to_converge(test_arena, values, 0, 9, .01), 1);
	ck_assert_uint_eq(blur_passes_to_converge(test_arena, one, 1, 9, .01),
			  1);
}

enum { COUNT = 1000 };

/* Runs of 0 and 1, of 12 entries in the mean. */
static void fill(float *values, size_t count, uint64_t *state)
{
	bool is_content = false;

	for (size_t i = 0; i < count; i++) {
		is_content ^= random_next(state) % 12 == 0;
		values[i] = is_content ? 1 : 0;
	}
}

static size_t mirrored(long index, long count)
{
	while (index < 0 || index >= count)
		index = index < 0 ? -1 - index : 2 * count - 1 - index;
	return (size_t)index;
}

/* One blur by the Gaussian itself, out to four standard deviations; returns the
   largest change. */
static double blur_naively(double *values, size_t count, double variance,
			   bool mirrors)
{
	double blurred[COUNT];
	double largest = 0;
	long reach = (long)(4 * sqrt(variance)) + 1;

	for (long i = 0; i < (long)count; i++) {
		double sum = 0;
		double weights = 0;

		for (long k = i - reach; k <= i + reach; k++) {
			double apart = (double)(i - k);
			double weight = exp(-apart * apart / variance / 2);

			if (!mirrors && (k < 0 || k >= (long)count))
				continue;
			sum += weight * values[mirrored(k, (long)count)];
			weights += weight;
		}
		blurred[i] = sum / weights;
	}
	for (size_t i = 0; i < count; i++) {
		largest = fmax(largest, fabs(blurred[i] - values[i]));
		values[i] = blurred[i];
	}
	return largest;
}

/*
 * Three running means are nearly a Gaussian: away from the ends, where both
 * renormalise in their own way, a ratio is at most .04 off.
 */
TEST(running_means_are_near_the_iterated_gaussian)
{
	for (uint64_t seed = 1; seed <= 40; seed++) {
		uint64_t state = seed;
		const struct blur blur = {
			.radius = 1 + (uint32_t)(random_next(&state) % 20),
			.passes = 1 + (uint32_t)(random_next(&state) % 3),
		};
		float values[COUNT];
		double naive[COUNT];
		const float *blurred;
		int reach = (int)blur_reach(&blur);

		fill(values, COUNT, &state);
		for (int i = 0; i < COUNT; i++)
			naive[i] = (double)values[i];
		blurred = blur_run(test_arena, values, COUNT, &blur);
		for (uint32_t i = 0; i < blur.passes; i++)
			blur_naively(naive, COUNT,
				     blur.radius * (blur.radius + 1.0), false);
		for (int i = reach; i < COUNT - reach; i++)
			ck_assert_msg(fabs((double)blurred[i] - naive[i]) <
					      0.04,
				      "seed %d entry %d: %f, not %f", (int)seed,
				      i, (double)blurred[i], naive[i]);
	}
}

/* Blur by `radius` until a pass changes nothing by more than epsilon. */
static uint32_t converge_naively(double *values, size_t count, uint32_t radius,
				 double epsilon)
{
	uint32_t passes = 1;

	while (blur_naively(values, count, radius * (radius + 1.0), true) >
	       epsilon)
		passes++;
	return passes;
}

/*
 * "Repeat blurring until convergence": against Gaussian sums, one pass after
 * the other, on vectors of 100 to 1,000 entries. Every ratio is at most .03
 * off, at small radii, where three means are least like a Gaussian, and one
 * verdict in a hundred is another, at any threshold; here .5. The number of
 * passes may be a fifth, or two, off: the change is nearly flat there.
 */
TEST(converged_ratios_are_those_of_repeated_gaussians)
{
	size_t entries = 0;
	size_t differing = 0;

	for (uint64_t seed = 1; seed <= 30; seed++) {
		uint64_t state = seed;
		size_t count = 100 + random_next(&state) % (COUNT - 99);
		uint32_t radius = 2 + (uint32_t)(random_next(&state) % 30);
		double epsilon = seed % 2 == 0 ? .01 : .004;
		struct blur blur = {.radius = radius, .mirrors = true};
		float values[COUNT];
		double naive[COUNT];
		const float *blurred;
		uint32_t passes;

		fill(values, count, &state);
		for (size_t i = 0; i < count; i++)
			naive[i] = (double)values[i];
		passes = converge_naively(naive, count, radius, epsilon);
		blur.passes = blur_passes_to_converge(
			test_arena, values, (uint32_t)count, radius, epsilon);
		blurred = blur_run(test_arena, values, (uint32_t)count, &blur);
		ck_assert_msg(fabs((double)blur.passes - passes) <=
				      2 + passes / 5.0,
			      "seed %d: %u passes, not %u", (int)seed,
			      blur.passes, passes);
		for (size_t i = 0; i < count; i++) {
			ck_assert_msg(
				fabs((double)blurred[i] - naive[i]) < 0.03,
				"seed %d entry %d of %d radius %u: %f, not %f",
				(int)seed, (int)i, (int)count, radius,
				(double)blurred[i], naive[i]);
			differing += (blurred[i] > .5F) != (naive[i] > .5);
		}
		entries += count;
	}
	ck_assert_uint_lt(differing * 50, entries);
}

/*
 * A step from 0 to 1 is after q passes of variance v the normal distribution of
 * variance q v, and one more pass changes it by phi(1) / (2 q) = .121 / q,
 * where the four running means of the search have .111: at epsilon .01 the pass
 * after the 12th, or the 11th, is the first that is below.
 */
TEST(a_step_converges_as_worked_by_hand)
{
	static float values[20000];
	uint32_t passes;

	for (size_t i = 10000; i < 20000; i++)
		values[i] = 1;
	passes = blur_passes_to_converge(test_arena, values, 20000, 40, .01);
	ck_assert_uint_ge(passes, 12);
	ck_assert_uint_le(passes, 14);
	passes = blur_passes_to_converge(test_arena, values, 20000, 40, .001);
	ck_assert_uint_ge(passes, 110);
	ck_assert_uint_le(passes, 127);
	ck_assert_uint_eq(blur_max_passes(.01), 26);
}
