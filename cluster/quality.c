#include "cluster/quality.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"

/* Counts of one partition, or of the intersection of two partitions. */
struct groups {
	uint64_t pairs;      /* pairs of items in the same group */
	long double entropy; /* entropy with the natural logarithm, >= 0 */
};

static uint64_t quality_count_pairs(uint64_t count)
{
	return count % 2 == 0 ? count / 2 * (count - 1)
			      : (count - 1) / 2 * count;
}

/*
 * Count the groups of items with equal keys. `count` must be > 0. The function
 * sorts the keys.
 */
static struct groups groups_of(uint64_t *keys, size_t count)
{
	struct groups groups = {0, 0};
	size_t begin = 0;

	assert(count > 0);
	qsort(keys, count, sizeof(*keys), order_u64);
	while (begin < count) {
		size_t end = begin;
		long double ratio;

		while (end < count && keys[end] == keys[begin])
			end++;
		ratio = (long double)(end - begin) / (long double)count;
		groups.pairs += quality_count_pairs(end - begin);
		groups.entropy -= ratio * logl(ratio);
		begin = end;
	}
	return groups;
}

static double quality_clamp_ratio(long double value)
{
	return value < 0 ? 0 : value > 1 ? 1 : (double)value;
}

/*
 * Hubert & Arabie 1985, eq. 5: (index - expected) / (maximum - expected). The
 * denominator is 0 only if both partitions put all pairs together, or both put
 * no pair together. In these cases the partitions are equal.
 */
static double adjusted_rand(uint64_t both, uint64_t found, uint64_t truth,
			    uint64_t all)
{
	long double expected =
		(long double)found * (long double)truth / (long double)all;
	long double maximum = ((long double)found + (long double)truth) / 2;

	assert(all > 0 && found <= all && truth <= all);
	assert(both <= found && both <= truth);
	if (found == truth && (found == 0 || found == all))
		return 1;
	return (double)(((long double)both - expected) / (maximum - expected));
}

/*
 * Rosenberg & Hirschberg 2007, section 2: 1 - H(of | given) / H(of). The
 * conditional entropy H(of | given) is the entropy of the intersection minus
 * the entropy of `given`.
 */
static double ratio_explained(struct groups of, struct groups given,
			      struct groups cross)
{
	if (of.entropy <= 0)
		return 1;
	return quality_clamp_ratio(1 - (cross.entropy - given.entropy) /
					       of.entropy);
}

struct agreement quality_agreement(const uint32_t *found, const uint32_t *truth,
				   size_t count)
{
	struct agreement agreement = {1, 1, 1, 1, 1};
	uint64_t all = count < 2 ? 0 : quality_count_pairs(count);
	uint64_t *keys;
	struct groups f;
	struct groups t;
	struct groups cross;
	double sum;

	if (count < 2)
		return agreement;
	keys = mem_alloc(count, sizeof(*keys));
	for (size_t i = 0; i < count; i++)
		keys[i] = found[i];
	f = groups_of(keys, count);
	for (size_t i = 0; i < count; i++)
		keys[i] = truth[i];
	t = groups_of(keys, count);
	for (size_t i = 0; i < count; i++)
		keys[i] = (uint64_t)found[i] << 32 | truth[i];
	cross = groups_of(keys, count);
	free(keys);

	/*
	 * Two items agree if they are together in both partitions, or separate
	 * in both.
	 */
	agreement.rand = (double)((long double)(all - f.pairs - t.pairs +
						2 * cross.pairs) /
				  (long double)all);
	agreement.adjusted_rand =
		adjusted_rand(cross.pairs, f.pairs, t.pairs, all);
	agreement.homogeneity = ratio_explained(t, f, cross);
	agreement.completeness = ratio_explained(f, t, cross);
	sum = agreement.homogeneity + agreement.completeness;
	agreement.v_measure = sum <= 0 ? 0
				       : 2 * agreement.homogeneity *
						 agreement.completeness / sum;
	return agreement;
}

double quality_dunn_of(quality_distance *distance, const void *items,
		       const uint32_t *groups, size_t count)
{
	double nearest =
		INFINITY;  /* smallest distance of items of different groups */
	double widest = 0; /* largest distance of items of the same group */

	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < i; j++) {
			if (groups[i] == groups[j])
				widest = fmax(widest, distance(items, i, j));
			else
				nearest = fmin(nearest, distance(items, i, j));
		}
	}
	if (isinf(nearest))
		return NAN; /* there are fewer than two groups */
	if (nearest <= 0)
		return 0;
	return widest <= 0 ? INFINITY : nearest / widest;
}

static double distance_of_signatures(const void *items, size_t i, size_t j)
{
	const struct signature *signatures = items;

	return signature_distance(signatures[i], signatures[j]);
}

double quality_dunn(const struct signature *signatures, const uint32_t *groups,
		    size_t count)
{
	return quality_dunn_of(distance_of_signatures, signatures, groups,
			       count);
}
