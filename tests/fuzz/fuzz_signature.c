/*
 * Two pages, split at the first NUL: their signatures are sorted, and distance
 * and link test keep their laws whatever the bytes, the width and the path are.
 * So do those of their units, with weights made of the bytes.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/memory.h"
#include "cluster/shingle_weights.h"
#include "cluster/signature.h"
#include "page/page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool claim)
{
	if (!claim)
		abort();
}

static struct signature sign(struct arena *arena, struct slice body,
			     struct signature_rule rule)
{
	struct signature signature;
	struct page *page;

	if (page_parse(&page, body, slice_of("UTF-8"), &page_limits_default) !=
	    ERR_NONE)
		return (struct signature){NULL, 0};
	signature = signature_compute(arena, page, rule);
	require(page->node_count > 0 || rule.measure == MEASURE_CTSS ||
		signature.count == 0);
	page_destroy(page);
	for (size_t i = 1; i < signature.count; i++)
		require(signature.shingles[i - 1] < signature.shingles[i]);
	return signature;
}

static void check(struct signature a, struct signature b)
{
	size_t larger = a.count > b.count ? a.count : b.count;
	size_t common = signature_common(a, b);

	require(common == signature_common(b, a));
	require(signature_common(a, a) == a.count);
	for (unsigned threshold = 0; threshold <= 1000; threshold += 50) {
		bool linked = signature_linked(a, b, threshold);

		require(linked == signature_linked(b, a, threshold));
		require(linked ==
			((larger - common) * 1000 <= larger * threshold));
	}
}

/* Levels for the shingles of the first page; the bytes are `data` [size]. */
static struct shingle_weights make_weights(struct signature signature,
					   const uint8_t *data, size_t size)
{
	struct shingle_weights weights = {
		.shingles = mem_alloc(signature.count + 1, sizeof(uint64_t)),
		.levels = mem_alloc(signature.count + 1, 1),
		.heavy_units = size == 0
				       ? 0
				       : data[size - 1] %
						 (SHINGLE_MAX_HEAVY_UNITS + 1),
	};

	for (size_t i = 0; i < signature.count && size > 0; i++) {
		uint8_t level = data[i % size] % (SHINGLE_MAX_LEVEL + 1);

		if (level == 1 || signature.shingles[i] == SIGNATURE_ROOT)
			continue;
		weights.shingles[weights.count] = signature.shingles[i];
		weights.levels[weights.count++] = level;
	}
	return weights;
}

static struct signature expand(struct arena *arena,
			       const struct shingle_weights *weights,
			       struct signature signature)
{
	struct signature units =
		shingle_weights_expand(arena, weights, signature);

	require(units.count == signature_units(weights, signature));
	require(units.count <= shingle_weights_max_units(weights, signature));
	require(u64_ascend(units.shingles, units.count));
	return units;
}

static void check_weighted(struct arena *arena, struct signature a,
			   struct signature b, struct slice bytes)
{
	struct shingle_weights weights =
		make_weights(a, bytes.data, bytes.size);
	struct shingle_weights copy;
	struct buffer encoded = {0};

	shingle_weights_encode(&weights, &encoded);
	require(shingle_weights_decode(buffer_slice(&encoded), &copy));
	check(expand(arena, &weights, a), expand(arena, &copy, b));
	shingle_weights_free(&weights);
	shingle_weights_free(&copy);
	buffer_free(&encoded);
	/* any bytes are weights or damaged */
	if (shingle_weights_decode(bytes, &copy))
		check(expand(arena, &copy, a), expand(arena, &copy, b));
	shingle_weights_free(&copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = size == 0 ? NULL : memchr(data, 0, size);
	size_t first = nul == NULL ? size : (size_t)(nul - data);
	struct slice a = {data, first};
	struct slice b = {data + first, size - first};
	struct arena *arena = arena_create();

	for (unsigned i = 0; i < MEASURE_COUNT; i++) {
		/* the first bytes are also a width and a path */
		struct signature_rule rule = {
			.measure = (enum measure)i,
			.width = first == 0
					 ? 0
					 : data[0] % (SIGNATURE_MAX_WIDTH + 1),
			.path = a,
		};

		struct signature of_a = sign(arena, a, rule);
		struct signature of_b = sign(arena, b, rule);

		check(of_a, of_b);
		if (measure_has_weights(rule.measure))
			check_weighted(arena, of_a, of_b, a);
	}
	arena_destroy(arena);
	return 0;
}
