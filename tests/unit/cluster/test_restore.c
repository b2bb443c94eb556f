#include "cluster/linkage.h"
#include "tests/unit/run.h"

static struct linkage *linkage;

/* Terms 0 and 1 for the numbers 7 and 8, and sets 0 and 1 that have one each.
 */
static void begin(void)
{
	const uint32_t shingle_ids[] = {0, 1};

	linkage = linkage_create(&(struct linkage_options){.threshold = 500});
	ASSERT_OK(linkage_restore_shingle(linkage, 0, 7));
	ASSERT_OK(linkage_restore_shingle(linkage, 1, 8));
	ASSERT_OK(linkage_restore_set(linkage, 0, shingle_ids, 1));
	ASSERT_OK(linkage_restore_set(linkage, 1, shingle_ids + 1, 1));
}

static void end(void)
{
	linkage_destroy(linkage);
}

static void restore_page(uint64_t page, uint32_t set, uint32_t label)
{
	ASSERT_OK(linkage_restore_page(linkage, page, set, label));
}

FIXTURE(.setup = begin, .teardown = end);

TEST(what_is_restored_is_there)
{
	restore_page(1, 0, 5);
	restore_page(2, 1, 6);
	restore_page(3, 0, 5);
	ASSERT_OK(linkage_restore_end(linkage));
	ck_assert_uint_eq(linkage_size(linkage).pages, 3);
	ck_assert_uint_eq(linkage_size(linkage).clusters, 2);
	ck_assert_uint_eq(linkage_label(linkage, 3), 5);
	ck_assert_uint_eq(linkage_set(linkage, 2), 1);
	ck_assert_uint_eq(linkage_shingle(linkage, 1), 8);
}

TEST(numbers_are_restored_once)
{
	const uint32_t shingle_ids[] = {0, 1};

	ck_assert_int_eq(linkage_restore_shingle(linkage, 1, 9), ERR_CORRUPT);
	ck_assert_int_eq(linkage_restore_set(linkage, 0, shingle_ids, 2),
			 ERR_CORRUPT);
	restore_page(1, 0, 5);
	ck_assert_int_eq(linkage_restore_page(linkage, 1, 0, 5), ERR_CORRUPT);
}

TEST(unknown_and_disordered_shingle_ids_are_refused)
{
	const uint32_t unknown[] = {0, 2};
	const uint32_t disordered[] = {1, 0};
	const uint32_t twice[] = {1, 1};

	ck_assert_int_eq(linkage_restore_set(linkage, 2, unknown, 2),
			 ERR_CORRUPT);
	ck_assert_int_eq(linkage_restore_set(linkage, 2, disordered, 2),
			 ERR_CORRUPT);
	ck_assert_int_eq(linkage_restore_set(linkage, 2, twice, 2),
			 ERR_CORRUPT);
	ck_assert_int_eq(linkage_restore_page(linkage, 1, 2, 5), ERR_CORRUPT);
	ck_assert_int_eq(linkage_restore_page(linkage, 1, 0, 0), ERR_CORRUPT);
}

TEST(sets_and_shingle_ids_without_use_are_found)
{
	restore_page(1, 0, 5);
	ck_assert_int_eq(linkage_restore_end(linkage), ERR_CORRUPT);
	end();
	begin();
	ASSERT_OK(linkage_restore_shingle(linkage, 9, 9));
	restore_page(1, 0, 5);
	restore_page(2, 1, 6);
	ck_assert_int_eq(linkage_restore_end(linkage), ERR_CORRUPT);
}

TEST(collisions_are_found)
{
	const uint32_t shingle_ids[] = {0, 2};

	/* Two shingles for 7. */
	ASSERT_OK(linkage_restore_shingle(linkage, 2, 7));
	ASSERT_OK(linkage_restore_set(linkage, 2, shingle_ids, 2));
	for (uint32_t i = 0; i < 3; i++)
		restore_page(i, i, 5 + i);
	ck_assert_int_eq(linkage_restore_end(linkage), ERR_CORRUPT);
	end();
	/* Two sets with only 7. */
	begin();
	ASSERT_OK(linkage_restore_set(linkage, 2, shingle_ids, 1));
	restore_page(1, 0, 5);
	restore_page(2, 1, 6);
	restore_page(3, 2, 5);
	ck_assert_int_eq(linkage_restore_end(linkage), ERR_CORRUPT);
}

TEST(labels_of_another_partition_are_found)
{
	/* One label for two clusters. */
	restore_page(1, 0, 5);
	restore_page(2, 1, 5);
	ck_assert_int_eq(linkage_restore_end(linkage), ERR_CORRUPT);
	end();
	/* Two labels for one set. */
	begin();
	restore_page(1, 0, 5);
	restore_page(2, 0, 6);
	restore_page(3, 1, 7);
	ck_assert_int_eq(linkage_restore_end(linkage), ERR_CORRUPT);
	end();
	/* Two labels for one cluster: {7 8} links with both. */
	begin();
	ASSERT_OK(linkage_restore_set(linkage, 2, (const uint32_t[]){0, 1}, 2));
	restore_page(1, 0, 5);
	restore_page(2, 1, 5);
	restore_page(3, 2, 6);
	ck_assert_int_eq(linkage_restore_end(linkage), ERR_CORRUPT);
}

TEST(what_was_stored_stays_over_a_limit)
{
	const uint32_t shingle_ids[] = {0, 1};

	end();
	linkage = linkage_create(&(struct linkage_options){
		.threshold = 500,
		.max_shingles = 1,
		.max_sets = 1,
		.max_pages = 1,
	});
	ASSERT_OK(linkage_restore_shingle(linkage, 0, 7));
	ASSERT_OK(linkage_restore_shingle(linkage, 1, 8));
	ASSERT_OK(linkage_restore_set(linkage, 0, shingle_ids, 2));
	ASSERT_OK(linkage_restore_set(linkage, 1, shingle_ids, 1));
	restore_page(1, 0, 5);
	restore_page(2, 1, 5);
	ASSERT_OK(linkage_restore_end(linkage));
	ck_assert_uint_eq(linkage_size(linkage).sets, 2);
}

TEST(numbers_that_nobody_gave_out_are_refused)
{
	const uint32_t shingle_ids[] = {0};

	ck_assert_int_eq(linkage_restore_shingle(linkage, UINT32_MAX, 9),
			 ERR_CORRUPT);
	ck_assert_int_eq(
		linkage_restore_set(linkage, UINT32_MAX - 1, shingle_ids, 1),
		ERR_CORRUPT);
}
