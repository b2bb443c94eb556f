/*
 * extract/core/numeric.h - numbers and vectors: a Gaussian blur, in time linear
 * in the vector for any radius and any number of passes; vectors that are
 * shortened for drawing; a hash table with 64-bit keys; logarithms and ratios
 * for features.
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
 * Repeated Gaussians are the same as one Gaussian with the sum of their
 * variances. Three running means, applied one after the other, approximate this
 * Gaussian; they cost O(1) an entry for any radius. For one pass, the means are
 * over 2 * radius + 1 entries and have together exactly the variance of the
 * Gaussian.
 */
struct blur {
	uint32_t radius; /* entries, >= 1 */
	uint32_t passes; /* >= 1; radius * sqrt(passes) <= 1,000,000 */
	/*
	 * Continue the vector at both ends by its mirror image, so that the
	 * variances add up at every entry. Otherwise a mean is only over the
	 * entries inside the vector, and the variances add up only at entries
	 * farther than blur_reach() from both ends.
	 */
	bool mirrors;
};

/*
 * Return the largest distance, in entries, at which an entry changes a blurred
 * entry.
 */
uint32_t blur_reach(const struct blur *blur);

/*
 * Return the blurred values [count], in `arena`. Overwrites `values`. O(count)
 * for any radius.
 */
float *blur_run(struct arena *arena, float *values, uint32_t count,
		const struct blur *blur);

/*
 * Return the number of passes until a pass changes no entry by more than
 * `epsilon`, including that last pass ("repeat blurring until convergence",
 * Gottron, TIR 2008). The values are in [0, 1] and mirrored at the ends. The
 * function searches on a shorter vector, the means of radius / 2 entries each,
 * and for each guess it blurs with one wide Gaussian instead of many passes:
 * O(count + count / radius * log(1 / epsilon)). It needs 16 bytes of scratch
 * memory for each mean.
 */
uint32_t blur_passes_to_converge(struct arena *arena, const float *values,
				 uint32_t count, uint32_t radius,
				 double epsilon);

/*
 * Return an upper bound of blur_passes_to_converge() for any vector of values
 * in [0, 1].
 */
uint32_t blur_max_passes(double epsilon);

/*
 * Maximum number of values in a drawn curve: about the width of a wide screen
 * in pixels.
 */
enum { MAX_CURVE_VALUES = 2000 };

/* Return how many of `count` entries one value of a drawn curve represents. */
uint32_t curve_step(uint32_t count);

/*
 * Return a series for a drawn curve. Each value is the mean of curve_step()
 * entries. The series belongs to `arena`.
 */
struct figure_series curve_series(struct arena *arena, const char *name,
				  const float *values, uint32_t count);

/*
 * Return the label of the x axis, such as "characters / 37" if curve_step() is
 * 37. It belongs to `arena`.
 */
const char *curve_label(struct arena *arena, const char *entries,
			uint32_t count);

/*
 * A hash table whose 64-bit keys are hashes already. Methods use it for counts
 * over many pages.
 */

/*
 * Each entry is a struct that begins with `uint64_t key`. `entries` has the
 * entries in the order of their addition, at most UINT32_MAX / 4.
 */
struct hash_table {
	void *entries; /* [count], each of entry_bytes bytes */
	uint32_t count;
	uint32_t capacity;
	uint32_t *slots; /* [slot_count]: index of an entry + 1, or 0 */
	uint32_t slot_count;
	size_t entry_bytes;
	struct arena *arena;
	void *spare; /* a temporary entry for the keys that get no slot */
};

/* Return an empty table in `arena`. */
struct hash_table hash_table_make(struct arena *arena, size_t entry_bytes);

/* Allocate the memory for `count` entries. The table must be empty. */
void hash_table_reserve(struct hash_table *table, uint32_t count);

/*
 * Return the entry of `key`. If it is missing, add it, zeroed except its key.
 * The pointer is valid until the next call. If a key collides with too many
 * others, return a temporary entry, which the table does not store; so the time
 * is O(1) for any keys. About 3 * entry_bytes + 16 bytes an entry in total.
 */
void *hash_table_add(struct hash_table *table, uint64_t key);

/* Return the entry of `key`, or NULL. O(1). */
void *hash_table_find(const struct hash_table *table, uint64_t key);

/* Return a copy in `arena`, without unused capacity. */
struct hash_table hash_table_copy(struct arena *arena,
				  const struct hash_table *table);

#define NO_ENTRY UINT32_MAX

/*
 * Return the number of an entry of the table; NO_ENTRY for a temporary entry.
 * hash_table_number() adds the entry of `key` as hash_table_add() does.
 */
uint32_t hash_table_index(const struct hash_table *table, const void *entry);
uint32_t hash_table_number(struct hash_table *table, uint64_t key);

/* Return the entry with the number `index`, which must be below `count`. */
static inline void *hash_table_entry(const struct hash_table *table,
				     uint32_t index)
{
	return (char *)table->entries + index * table->entry_bytes;
}

/*
 * Return ln(1 + x) for x >= 0, faster than log1pf() and exact enough for
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

/*
 * Return the larger number; the first one if they are equal, as 0 and -0 are.
 * No number is NaN. Shorter than fmaxf(), which is a call.
 */
static inline float float_larger(float a, float b)
{
	return a < b ? b : a;
}

/* Return the smaller of `value` and `limit`. */
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
