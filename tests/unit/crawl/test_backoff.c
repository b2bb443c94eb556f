#include "crawl/schedule.h"

#include "tests/unit/run.h"

enum { FIRST = 1000, MAX = 3600000, SEEDS = 1000 };

/* a quarter less, and a quarter more */
enum { LEAST = 2700000, MOST = 4500000 };

/* 1, 2, 4 ... 2048 s, then the hour: a quarter more or less of each. */
TEST(the_pause_doubles_up_to_its_maximum)
{
	static const uint64_t means[] = {1000,    2000,    4000,    8000,
					 16000,   32000,   64000,   128000,
					 256000,  512000,  1024000, 2048000,
					 3600000, 3600000, 3600000};

	for (uint32_t failures = 1; failures <= 15; failures++) {
		uint64_t mean = means[failures - 1];
		uint64_t pause = backoff_ms(FIRST, MAX, failures, 7);

		ck_assert_uint_ge(pause, mean / 4 * 3);
		ck_assert_uint_le(pause, mean / 4 * 5);
	}
}

TEST(it_never_overflows)
{
	uint64_t pause = backoff_ms(FIRST, MAX, UINT32_MAX, 7);

	ck_assert_uint_ge(pause, LEAST);
	ck_assert_uint_le(pause, MOST);
}

TEST(it_is_the_same_for_the_same_and_differs_with_the_seed)
{
	uint64_t smallest = UINT64_MAX;
	uint64_t largest = 0;

	ck_assert_uint_eq(backoff_ms(FIRST, MAX, 3, 9),
			  backoff_ms(FIRST, MAX, 3, 9));
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		uint64_t pause = backoff_ms(FIRST, MAX, 1, seed);

		smallest = pause < smallest ? pause : smallest;
		largest = pause > largest ? pause : largest;
	}
	/* of a thousand some are near either end */
	ck_assert_uint_ge(smallest, 750);
	ck_assert_uint_le(smallest, 780);
	ck_assert_uint_ge(largest, 1220);
	ck_assert_uint_le(largest, 1250);
}
