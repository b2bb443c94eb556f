#include "extract/auto/forest.h"

#if defined(__x86_64__) && !defined(NO_VECTORS)
#include <immintrin.h>

/* The compiler may use AVX2 only in functions with this attribute. */
#define AVX2 __attribute__((target("avx2")))
/* The same attribute, for a function that is inlined into its caller. */
#define AVX2_PART static inline __attribute__((target("avx2"), always_inline))

enum {
	FLOATS = 8, /* floats in a register */
	PARTS = FOREST_ROWS / FLOATS,
	LAST_LEVEL = FOREST_INNER /
		     2, /* index of the first node of the last level */
};

_Static_assert(FOREST_ROWS == sizeof(__m256i), "a register has a bin a row");
_Static_assert(FOREST_LEAVES == PARTS * FLOATS, "the leaves fill registers");

bool forest_has_avx2(void)
{
	return __builtin_cpu_supports("avx2");
}

AVX2_PART __m256 load_apart(const float *values, size_t stride)
{
	return _mm256_setr_ps(values[0], values[stride], values[2 * stride],
			      values[3 * stride], values[4 * stride],
			      values[5 * stride], values[6 * stride],
			      values[7 * stride]);
}

/*
 * Compare each value with all thresholds; this is faster than a binary search.
 */
AVX2 void forest_bin_avx2(const float *thresholds, size_t count,
			  const float *values, size_t stride, int8_t *bins)
{
	/*
	 * the pack instructions interleave the halves of the registers; this
	 * order undoes it
	 */
	const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
	__m256i reached[PARTS];
	__m256 parts[PARTS];

	for (size_t k = 0; k < PARTS; k++) {
		reached[k] = _mm256_setzero_si256();
		parts[k] = load_apart(values + k * FLOATS * stride, stride);
	}
	for (size_t i = 0; i < count; i++) {
		const __m256 threshold = _mm256_set1_ps(thresholds[i]);

		for (size_t k = 0; k < PARTS; k++)
			reached[k] = _mm256_sub_epi32(
				reached[k],
				_mm256_castps_si256(_mm256_cmp_ps(
					parts[k], threshold, _CMP_GE_OQ)));
	}
	_mm256_storeu_si256(
		(__m256i *)(void *)bins,
		_mm256_permutevar8x32_epi32(
			_mm256_packs_epi16(
				_mm256_packs_epi32(reached[0], reached[1]),
				_mm256_packs_epi32(reached[2], reached[3])),
			order));
}

/*
 * Return the leaf of each row, 0..FOREST_LEAVES - 1. From the last level up,
 * every node gets the leaf that its subtree selects. A leaf on the right has a
 * larger number than a leaf on the left. So set the right child's leaf to 0 for
 * the rows that continue on the left; then the maximum of both children is the
 * leaf.
 */
AVX2_PART __m256i find_leaves(const struct forest_tree *tree,
			      const struct forest_block *block)
{
	__m256i is_left[FOREST_INNER]; /* -1 or 0 */
	__m256i leaves[FOREST_INNER];

#pragma GCC unroll 32
	for (int i = 0; i < FOREST_INNER; i++)
		is_left[i] = _mm256_cmpgt_epi8(
			_mm256_set1_epi8(tree->bins[i]),
			_mm256_load_si256((const __m256i *)(const void *)block
						  ->bins[tree->columns[i]]));
#pragma GCC unroll 32
	for (int i = LAST_LEVEL; i < FOREST_INNER; i++)
		leaves[i] = _mm256_add_epi8(
			is_left[i],
			_mm256_set1_epi8((char)(2 * (i - LAST_LEVEL) + 1)));
#pragma GCC unroll 32
	for (int i = LAST_LEVEL - 1; i >= 0; i--)
		leaves[i] = _mm256_max_epu8(
			leaves[2 * i + 1],
			_mm256_andnot_si256(is_left[i], leaves[2 * i + 2]));
	return leaves[0];
}

/*
 * Select for each lane the float at index `at` of the 32 floats in four
 * registers.
 */
AVX2_PART __m256 look_up(const __m256 *floats, __m256i at)
{
	/* a blend tests only the sign bit, so shift bit 3 or 4 of `at` there */
	const __m256 is_odd = _mm256_castsi256_ps(_mm256_slli_epi32(at, 28));
	const __m256 is_upper = _mm256_castsi256_ps(_mm256_slli_epi32(at, 27));
	const __m256 lower = _mm256_blendv_ps(
		_mm256_permutevar8x32_ps(floats[0], at),
		_mm256_permutevar8x32_ps(floats[1], at), is_odd);
	const __m256 upper = _mm256_blendv_ps(
		_mm256_permutevar8x32_ps(floats[2], at),
		_mm256_permutevar8x32_ps(floats[3], at), is_odd);

	return _mm256_blendv_ps(lower, upper, is_upper);
}

AVX2 void forest_add_avx2(const struct forest *forest,
			  const struct forest_block *block, float *margins)
{
	__m256 sums[PARTS];

	for (size_t k = 0; k < PARTS; k++)
		sums[k] = _mm256_loadu_ps(margins + k * FLOATS);
	for (size_t i = 0; i < forest->tree_count; i++) {
		const struct forest_tree *tree = &forest->trees[i];
		const __m256i leaves = find_leaves(tree, block);
		int64_t parts[PARTS];
		__m256 values[PARTS];

		_mm256_storeu_si256((__m256i *)(void *)parts, leaves);
		for (size_t k = 0; k < PARTS; k++)
			values[k] = _mm256_loadu_ps(tree->values +
						    FOREST_INNER + k * FLOATS);
		for (size_t k = 0; k < PARTS; k++)
			sums[k] = _mm256_add_ps(
				sums[k],
				look_up(values,
					_mm256_cvtepu8_epi32(
						_mm_cvtsi64_si128(parts[k]))));
	}
	for (size_t k = 0; k < PARTS; k++)
		_mm256_storeu_ps(margins + k * FLOATS, sums[k]);
}

#else

#include <assert.h>

bool forest_has_avx2(void)
{
	return false;
}

/*
 * NOLINTBEGIN(readability-non-const-parameter): the other variant writes to
 * them
 */
void forest_bin_avx2(const float *thresholds, size_t count, const float *values,
		     size_t stride, int8_t *bins)
{
	(void)thresholds, (void)count, (void)values, (void)stride, (void)bins;
	assert(false);
}

void forest_add_avx2(const struct forest *forest,
		     const struct forest_block *block, float *margins)
{
	(void)forest, (void)block, (void)margins;
	assert(false);
}
/* NOLINTEND(readability-non-const-parameter) */

#endif
