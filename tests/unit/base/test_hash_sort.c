#include "base/hash.h"

#include "tests/unit/run.h"

enum { MAX = 5000 };

/* The bits in which the numbers differ: spread, the lowest, the highest,
 * none. */
static const uint64_t masks[] = {UINT64_MAX, 0xFFFF, UINT64_MAX << 60, 0};

TEST_ROWS(numbers_ascend_as_by_qsort, masks)
{
	static const size_t counts[] = {0, 1, 2, 24, 25, 511, 512, MAX};
	AUTO_ARENA *arena = arena_create();
	uint64_t have[MAX];
	uint64_t want[MAX];

	for (size_t c = 0; c < COUNT_OF(counts); c++) {
		for (size_t i = 0; i < counts[c]; i++)
			want[i] = have[i] =
				hash64(&i, sizeof(i), c) & masks[_i];
		qsort(want, counts[c], sizeof(*want), order_u64);
		hash_sort(arena, have, counts[c]);
		ck_assert_mem_eq(have, want, counts[c] * sizeof(*have));
	}
}
