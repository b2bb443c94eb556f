/*
 * extract/core/blur.h - the Gaussian blur of a vector, once, many times, or
 * until it converges: linear in the vector whatever the radius and however many
 * times.
 */
#ifndef EXTRACT_CORE_BLUR_H
#define EXTRACT_CORE_BLUR_H

#include <stdbool.h>
#include <stdint.h>

struct arena;

/*
 * A Gaussian of variance radius * (radius + 1), applied `passes` times.
 * Repeated Gaussians are one Gaussian whose variance is the sum of theirs. It
 * is approximated by three running means, which cost O(1) an entry for any
 * width; one pass is three means over 2 * radius + 1 entries, which have
 * exactly that variance.
 */
struct blur {
	uint32_t radius; /* entries, >= 1 */
	uint32_t passes; /* >= 1; radius * sqrt(passes) <= 1,000,000 */
	/*
	 * The vector is continued by its mirror image, so that the variances
	 * add up at every entry. Otherwise windows end with the vector, and the
	 * variances add up only at entries farther than the reach from its
	 * ends.
	 */
	bool mirrors;
};

/* Entries that lie farther off than this have no influence. */
uint32_t blur_reach(const struct blur *blur);

/*
 * The blurred values [count]; `values` is overwritten, and both may be the
 * same. O(count), whatever the radius. Scratch: `count` floats.
 */
float *blur_run(struct arena *arena, float *values, uint32_t count,
		const struct blur *blur);

/*
 * How many passes of `radius` it takes until a pass changes no entry by more
 * than `epsilon`, the last one included, for values in [0, 1], mirrored at the
 * ends ("repeat blurring until convergence", Gottron, TIR 2008). It is searched
 * for, each time with a single wide blur, on means of radius / 2 entries:
 * O(count + count / radius * log(1 / epsilon)). Scratch: 16 bytes for each of
 * them.
 */
uint32_t blur_passes_to_converge(struct arena *arena, const float *values,
				 uint32_t count, uint32_t radius,
				 double epsilon);

/* No vector of values in [0, 1] takes more passes than that. */
uint32_t blur_max_passes(double epsilon);

#endif
