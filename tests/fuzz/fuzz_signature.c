/*
 * Two pages, split at the first NUL: their signatures are sorted, and distance
 * and link test keep their laws whatever the bytes, the width and the path are.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
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

		check(sign(arena, a, rule), sign(arena, b, rule));
	}
	arena_destroy(arena);
	return 0;
}
