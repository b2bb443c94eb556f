#include "cluster/signature_table.h"

#include "base/memory.h"
#include "tests/unit/run.h"

static struct shingle_dictionary dictionary;

static void begin(void)
{
	shingle_dictionary_begin(&dictionary, 20261123);
}

static void end(void)
{
	shingle_dictionary_end(&dictionary);
}

static const uint32_t *take(const uint64_t *shingles, size_t count)
{
	return shingle_dictionary_use(&dictionary,
				      (struct signature){shingles, count});
}

FIXTURE(.setup = begin, .teardown = end);

TEST(a_shingle_has_one_shingle_id)
{
	const uint64_t a[] = {5, 7, UINT64_MAX};
	const uint64_t b[] = {0, 7};
	const uint32_t *shingle_ids = take(a, 3);

	ck_assert_uint_eq(shingle_ids[0], 0);
	ck_assert_uint_eq(shingle_ids[1], 1);
	ck_assert_uint_eq(shingle_ids[2], 2);
	ck_assert_uint_eq(dictionary.rows[2].shingle, UINT64_MAX);
	/* The new 0 gets the number 3, after the number of 7. */
	shingle_ids = take(b, 2);
	ck_assert_uint_eq(shingle_ids[0], 1);
	ck_assert_uint_eq(shingle_ids[1], 3);
	ck_assert_uint_eq(dictionary.added.count, 4);
	take(NULL, 0);
	ck_assert_uint_eq(dictionary.added.count, 4);
}

TEST(a_shingle_id_stays_while_a_set_has_it)
{
	const uint64_t a[] = {5, 7};
	const uint32_t both[] = {0, 1};

	take(a, 2);
	take(a + 1, 1);
	shingle_dictionary_clear_log(&dictionary);
	shingle_dictionary_release(&dictionary, both, 2);
	ck_assert_uint_eq(dictionary.dropped.count, 1);
	ck_assert_uint_eq(dictionary.dropped.items[0], 0);
	shingle_dictionary_release(&dictionary, both + 1, 1);
	ck_assert_uint_eq(dictionary.dropped.count, 2);
	ck_assert_uint_eq(dictionary.id_of_shingle.count, 0);
}

TEST(numbers_are_used_again)
{
	const uint64_t a[] = {5, 7};
	const uint64_t b[] = {6, 8, 9};
	const uint32_t both[] = {0, 1};
	const uint32_t *shingle_ids;

	take(a, 2);
	shingle_dictionary_release(&dictionary, both, 2);
	shingle_ids = take(b, 3);
	ck_assert_uint_eq(shingle_ids[0], 0);
	ck_assert_uint_eq(shingle_ids[2], 2);
	ck_assert_uint_eq(dictionary.row_count, 3);
}

/* Numbers of three bytes: the sort has three rounds. */
TEST(many_shingle_ids_come_in_order)
{
	enum { SHINGLES = 70000 };
	uint64_t *shingles = mem_alloc(SHINGLES, sizeof(*shingles));
	const uint32_t *shingle_ids;

	for (uint64_t i = 0; i < SHINGLES; i++)
		shingles[i] =
			SHINGLES - i; /* so that shingles are descending */
	take(shingles, SHINGLES);
	for (uint64_t i = 0; i < SHINGLES; i++)
		shingles[i] = i + 1;
	shingle_ids = take(shingles, SHINGLES);
	for (uint32_t i = 0; i < SHINGLES; i++) {
		if (shingle_ids[i] != i)
			ck_abort_msg("%u is %u", i, shingle_ids[i]);
	}
	ck_assert_uint_eq(dictionary.added.count, SHINGLES);
	ck_assert(shingle_dictionary_has_room(
		&dictionary,
		(struct signature){NULL, DICTIONARY_MAX_SHINGLES - SHINGLES}));
	ck_assert(!shingle_dictionary_has_room(
		&dictionary, (struct signature){NULL, DICTIONARY_MAX_SHINGLES -
							      SHINGLES + 1}));
	ck_assert_uint_ge(shingle_dictionary_bytes(&dictionary),
			  SHINGLES * 16UL);
	free(shingles);
}

TEST(a_restored_dictionary_fills_its_gaps)
{
	const uint64_t more[] = {1, 2, 3, 4};
	const uint32_t shingle_ids[] = {1, 4};
	const uint32_t *taken;

	ASSERT_OK(shingle_dictionary_restore(&dictionary, 4, 40));
	ASSERT_OK(shingle_dictionary_restore(&dictionary, 1, 10));
	ck_assert_int_eq(shingle_dictionary_restore(&dictionary, 1, 11),
			 ERR_CORRUPT);
	ck_assert_int_eq(shingle_dictionary_restore(
				 &dictionary, DICTIONARY_MAX_SHINGLES, 11),
			 ERR_CORRUPT);
	ck_assert(shingle_dictionary_reuse(&dictionary, shingle_ids, 2));
	ck_assert(shingle_dictionary_check(&dictionary));
	taken = take(more, 4);
	ck_assert_uint_eq(taken[0], 0);
	ck_assert_uint_eq(taken[1], 2);
	ck_assert_uint_eq(taken[2], 3);
	ck_assert_uint_eq(taken[3], 5);
}
