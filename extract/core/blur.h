/*
 * extract/core/blur.h - the Gaussian blur of a vector: once, many times, or
 * until it converges. The time is linear in the vector for any radius and any
 * number of passes.
 */
#ifndef EXTRACT_CORE_BLUR_H
#define EXTRACT_CORE_BLUR_H

#include <stdbool.h>
#include <stdint.h>

struct arena;

/*
 * A Gaussian of variance radius * (radius + 1), applied `passes` times.
 * Repeated Gaussians are one Gaussian whose variance is their sum. Three
 * running means approximate it; they cost O(1) an entry for any width. One pass
 * is three means over 2 * radius + 1 entries, which have exactly that variance.
 */
struct blur {
	uint32_t radius; /* entries, >= 1 */
	uint32_t passes; /* >= 1; radius * sqrt(passes) <= 1,000,000 */
	/*
	 * Continue the vector by its mirror image, so that the variances add up
	 * at every entry. Otherwise windows end with the vector, and the
	 * variances add up only at entries farther than the reach from its
	 * ends.
	 */
	bool mirrors;
};

/* Return the largest distance at which an entry has influence, in entries. */
uint32_t blur_reach(const struct blur *blur);

/*
 * Return the blurred values [count]. Overwrites `values`, which may be the
 * result. O(count) for any radius. Scratch: `count` floats.
 */
float *blur_run(struct arena *arena, float *values, uint32_t count,
		const struct blur *blur);

/*
 * Return the number of passes of `radius` until a pass changes no entry by more
 * than `epsilon`, including that last pass, for values in [0, 1], mirrored at
 * the ends ("repeat blurring until convergence", Gottron, TIR 2008). The search
 * uses a single wide blur per guess, on means of radius / 2 entries: O(count +
 * count / radius * log(1 / epsilon)). Scratch: 16 bytes for each mean.
 */
uint32_t blur_passes_to_converge(struct arena *arena, const float *values,
				 uint32_t count, uint32_t radius,
				 double epsilon);

/*
 * Return an upper bound of blur_passes_to_converge() for any vector of values
 * in [0, 1].
 */
uint32_t blur_max_passes(double epsilon);

#endif
