/*
 * extract/core/numeric.h - numbers and vectors: the Gaussian blur, once, many
 * times, or until it converges, in time linear in the vector for any radius and
 * any number of passes; vectors shortened for drawing; records by a 64-bit key;
 * logarithms and ratios for features.
 */
#ifndef EXTRACT_CORE_NUMERIC_H
#define EXTRACT_CORE_NUMERIC_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "extract/core/trace.h"

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

/* About the number of pixel columns of a wide screen. */
enum { MAX_CURVE_VALUES = 2000 };

/* Return the number of entries that one value of the curve stands for. */
uint32_t curve_step(uint32_t count);

/*
 * Return a series whose values are means of curve_step() entries each; it
 * belongs to `arena`.
 */
struct figure_series curve_series(struct arena *arena, const char *name,
				  const float *values, uint32_t count);

/* Return the label of the x axis: "characters / 37"; it belongs to `arena`. */
const char *curve_label(struct arena *arena, const char *entries,
			uint32_t count);

/*
 * Records by a 64-bit key, which is itself a hash. Methods use it for counts
 * over many pages.
 */

/*
 * An entry is any struct that begins with `uint64_t key`. Entries are in the
 * order in which they were added; at most UINT32_MAX / 4 entries.
 */
struct hash_table {
	void *entries; /* [count], of entry_bytes each */
	uint32_t count;
	uint32_t capacity;
	uint32_t *slots; /* [slot_count] index + 1, or 0 */
	uint32_t slot_count;
	size_t entry_bytes;
	struct arena *arena;
	void *spare; /* shared by all keys that get no slot */
};

/* Return an empty table in `arena`. */
struct hash_table hash_table_make(struct arena *arena, size_t entry_bytes);

/*
 * Allocate an empty table for `count` entries, so that it need not grow up to
 * that size.
 */
void hash_table_reserve(struct hash_table *table, uint32_t count);

/*
 * Return the entry of `key`; add it (zeroed except its key) if it is missing.
 * The pointer is valid until the next entry is added. O(1) for any keys: a key
 * that collides with too many others gets a temporary entry, which no search
 * finds. About 3 * entry_bytes + 16 bytes an entry in total.
 */
void *hash_table_add(struct hash_table *table, uint64_t key);

/* Return the entry of `key`, or NULL. O(1). */
void *hash_table_find(const struct hash_table *table, uint64_t key);

/* Return a copy in `arena` without the memory that growing wasted. */
struct hash_table hash_table_copy(struct arena *arena,
				  const struct hash_table *table);

#define NO_ENTRY UINT32_MAX

/*
 * Convert an entry to its number (NO_ENTRY if it was dropped), and a number
 * below `count` to its entry.
 */
uint32_t hash_table_index(const struct hash_table *table, const void *entry);
void *hash_table_entry(const struct hash_table *table, uint32_t index);

/*
 * Return ln(1 + x) for x >= 0. Faster than log1pf(), and exact enough for
 * features.
 */
static inline float ln1(float x)
{
	return logf(1 + x);
}

/* Return ln(1 + |x|) with the sign of `x`. */
static inline float signed_ln1(float x)
{
	return copysignf(ln1(fabsf(x)), x);
}

/* Return `value`, at most `limit`. */
static inline float limited(uint32_t value, uint32_t limit)
{
	return (float)(value < limit ? value : limit);
}

/* Return part / whole; 0 if the whole is 0. */
static inline float ratio(uint32_t part, uint32_t whole)
{
	return whole == 0 ? 0 : (float)part / (float)whole;
}

#endif
