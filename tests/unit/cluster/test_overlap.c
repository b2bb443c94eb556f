#include "cluster/overlap.h"

#include "base/memory.h"
#include "tests/unit/random.h"
#include "tests/unit/run.h"

static struct shingle_id_set make_set(const uint32_t *shingle_ids,
				      uint32_t count)
{
	uint32_t words = shingle_id_set_words(shingle_ids, count);
	uint64_t *bits = mem_alloc(words, sizeof(*bits));

	shingle_id_set_fill(shingle_ids, count, bits, words);
	return (struct shingle_id_set){shingle_ids, count, words, bits};
}

static void free_set(struct shingle_id_set set)
{
	free((void *)set.bits);
}

static void check_common(const struct probe *probe, struct shingle_id_set other,
			 uint32_t expected)
{
	ck_assert_uint_eq(probe_common(probe, other), expected);
	ck_assert_uint_eq(probe_common_plain(probe, other), expected);
}

TEST(close_shingle_ids_have_a_bitmap)
{
	/* 4 words a shingle and 128 in all are the limits. */
	const uint32_t one[] = {64 * 5 - 1};
	const uint32_t two[] = {0, 64 * 8};
	uint32_t many[64] = {0};

	ck_assert_uint_eq(shingle_id_set_words(NULL, 0), 0);
	ck_assert_uint_eq(shingle_id_set_words(one, 1), 0);
	ck_assert_uint_eq(
		shingle_id_set_words((const uint32_t[]){64 * 4 - 1}, 1), 4);
	ck_assert_uint_eq(shingle_id_set_words((const uint32_t[]){0}, 1), 1);
	ck_assert_uint_eq(shingle_id_set_words(two, 2), 0);
	ck_assert_uint_eq(shingle_id_set_words((const uint32_t[]){0, 511}, 2),
			  8);
	for (uint32_t i = 0; i < 64; i++)
		many[i] = i;
	many[63] = 128 * 64 - 1;
	ck_assert_uint_eq(shingle_id_set_words(many, 64), 128);
	many[63] = 128 * 64;
	ck_assert_uint_eq(shingle_id_set_words(many, 64), 0);
}

TEST(nothing_has_nothing_in_common)
{
	const uint32_t shingle_ids[] = {0, 9};
	struct shingle_id_set some = make_set(shingle_ids, 2);
	struct probe probe = {0};

	check_common(&probe, (struct shingle_id_set){0}, 0);
	check_common(&probe, some, 0);
	check_common(&probe, (struct shingle_id_set){shingle_ids, 2, 0, NULL},
		     0);
	probe_set(&probe, some);
	check_common(&probe, (struct shingle_id_set){0}, 0);
	check_common(&probe, some, 2);
	probe_set(&probe, (struct shingle_id_set){0});
	check_common(&probe, some, 0);
	probe_free(&probe);
	free_set(some);
}

TEST(shingle_ids_may_be_of_any_size)
{
	const uint32_t a[] = {3, 31, 32, 63, 64, 1000000, 20000000};
	const uint32_t b[] = {3, 63, 1000000, 4000000000, UINT32_MAX};
	struct probe probe = {0};

	probe_set(&probe, make_set(a, 7));
	check_common(&probe, (struct shingle_id_set){b, 5, 0, NULL}, 3);
	check_common(&probe, (struct shingle_id_set){a, 7, 0, NULL}, 7);
	free_set(probe.set);
	probe_free(&probe);
}

/* `max` numbers, 1 to `step` apart. */
static void random_shingles(uint32_t *shingle_ids, uint32_t count,
			    uint32_t step)
{
	uint32_t shingle_id = random_below(step);

	for (uint32_t i = 0; i < count; i++) {
		shingle_ids[i] = shingle_id;
		shingle_id += 1 + random_below(step);
	}
}

static uint32_t merge_count(struct shingle_id_set a, struct shingle_id_set b)
{
	uint32_t common = 0;
	uint32_t j = 0;

	for (uint32_t i = 0; i < a.count; i++) {
		while (j < b.count && b.shingle_ids[j] < a.shingle_ids[i])
			j++;
		common += j < b.count && b.shingle_ids[j] == a.shingle_ids[i];
	}
	return common;
}

/* Dense and sparse sets, with and without a bitmap, aimed one after another. */
TEST(counts_are_those_of_a_merge)
{
	enum { SHINGLES = 300, ROUNDS = 20000 };
	struct probe probe = {0};
	struct shingle_id_set before = {0};
	uint32_t shingle_ids[2][SHINGLES];
	uint32_t with_bitmap = 0;

	random_begin(20261121);
	for (int i = 0; i < ROUNDS; i++) {
		uint32_t *own = shingle_ids[i % 2];
		uint32_t count = random_below(SHINGLES);
		struct shingle_id_set set;

		random_shingles(own, count, 1U << random_below(10));
		set = make_set(own, count);
		with_bitmap += set.words > 0;
		check_common(&probe, set, merge_count(probe.set, set));
		probe_set(&probe, set);
		check_common(&probe, set, set.count);
		check_common(&probe, before, merge_count(before, set));
		free_set(before);
		before = set;
	}
	ck_assert_uint_gt(with_bitmap, ROUNDS / 4);
	ck_assert_uint_lt(with_bitmap, ROUNDS - ROUNDS / 8);
	free_set(before);
	probe_free(&probe);
}
