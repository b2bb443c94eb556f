#include "base/count_map.h"

#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

TEST(an_empty_tally_has_no_entries)
{
	struct count_map tally = {0};

	count_map_sort(&tally);
	ck_assert_uint_eq(tally.count, 0);
	count_map_free(&tally);
}

TEST(numbers_are_counted_in_order)
{
	static uint64_t model[5000];
	struct count_map tally = {0};
	uint64_t seed = 3;
	size_t at = 0;

	printf("seed %llu\n", (unsigned long long)seed);
	for (int i = 0; i < 100000; i++) {
		uint64_t number = scratch_random(&seed) % 5000;

		model[number]++;
		count_map_add(&tally, number);
	}
	count_map_sort(&tally);
	for (uint64_t n = 0; n < 5000; n++) {
		if (model[n] == 0)
			continue;
		ck_assert_uint_lt(at, tally.count);
		ck_assert_uint_eq(tally.entries[at].number, n);
		ck_assert_uint_eq(tally.entries[at++].count, model[n]);
	}
	ck_assert_uint_eq(at, tally.count);
	ck_assert_uint_le(tally.capacity, 16384); /* not 100000 */
	count_map_free(&tally);
}
