#include "extract/text/fragment.h"

#include "base/hash.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

TEST(a_fragment_is_one_text_node_collapsed)
{
	AUTO_PAGE *page = parse("<body><p>  one \n two<p hidden>three");
	const struct fragment *fragments = fragments_of_page(page->arena, page);

	ck_assert_uint_eq(page->text_count, 2);
	ck_assert_uint_eq(fragments[0].hash, hash64("one two", 7, 0));
	ck_assert_uint_eq(fragments[0].length, 7);
	ck_assert_uint_eq(fragments[0].flags, 0);
	ck_assert_uint_eq(fragments[1].hash, hash64("three", 5, 0));
	ck_assert_uint_eq(fragments[1].flags, TEXT_IS_HIDDEN);
}

TEST(an_empty_page_has_none)
{
	AUTO_PAGE *page = parse("");
	uint32_t count = 7;

	fragments_distinct(page->arena, fragments_of_page(page->arena, page),
			   page->text_count, &count);
	ck_assert_uint_eq(count, 0);
}

TEST(distinct_ones_ascend_and_keep_the_first_occurrence)
{
	AUTO_ARENA *arena = arena_create();
	const struct fragment fragments[] = {
		{9, 1, 10}, {3, 2, 20},          {9, 3, 30},
		{3, 4, 40}, {UINT64_MAX, 5, 50},
	};
	uint32_t count;
	const struct fragment *distinct =
		fragments_distinct(arena, fragments, 5, &count);

	ck_assert_uint_eq(count, 3);
	ck_assert_uint_eq(distinct[0].hash, 3);
	ck_assert_uint_eq(distinct[0].flags, 20);
	ck_assert_uint_eq(distinct[1].hash, 9);
	ck_assert_uint_eq(distinct[1].length, 1);
	ck_assert_uint_eq(distinct[2].hash, UINT64_MAX);
}
