#include "page/tag.h"

#include "base/hash.h"
#include "tests/unit/run.h"

TEST(every_name_has_its_number)
{
	for (unsigned tag = 0; tag < TAG_COUNT; tag++)
		ck_assert_uint_eq(tag_from_name(tag_name((uint16_t)tag)), tag);
}

TEST(names_are_sorted)
{
	for (unsigned tag = 1; tag < TAG_COUNT; tag++)
		ck_assert_str_lt(tag_name((uint16_t)(tag - 1)).data,
				 tag_name((uint16_t)tag).data);
}

TEST(other_names_are_unknown)
{
	ck_assert_uint_eq(tag_from_name(slice_of("")), TAG_COUNT);
	ck_assert_uint_eq(tag_from_name(slice_of("DIV")), TAG_COUNT);
	ck_assert_uint_eq(tag_from_name(slice_of("di")), TAG_COUNT);
	ck_assert_uint_eq(tag_from_name(slice_of("divs")), TAG_COUNT);
	ck_assert_uint_eq(tag_from_name(slice_of("zebra")), TAG_COUNT);
	ck_assert_uint_eq(tag_from_name(slice_of("{div")), TAG_COUNT);
	ck_assert_uint_eq(tag_from_name(slice_of("blockquoteblockquote")),
			  TAG_COUNT);
	ck_assert_uint_eq(tag_from_name((struct slice){"a\0\0", 3}), TAG_COUNT);
}

TEST(flags_are_those_of_the_list)
{
	ck_assert_uint_eq(tag_flags(TAG_h3), TAG_IS_BLOCK | TAG_IS_HEADING);
	ck_assert_uint_eq(tag_flags(TAG_br), TAG_IS_VOID);
	ck_assert_uint_eq(tag_flags(TAG_script), TAG_IS_RAW);
	ck_assert_uint_eq(tag_flags(TAG_span), 0);
	ck_assert_uint_eq(tag_flags(TAG_COUNT), 0);
	ck_assert_uint_eq(tag_flags(UINT16_MAX), 0);
}

TEST(the_hash_is_that_of_the_name)
{
	ck_assert_uint_eq(tag_hash(TAG_div), hash64("div", 3, 0));
	ck_assert_uint_eq(tag_hash(TAG_blockquote),
			  hash64("blockquote", 10, 0));
}
