#include "page/tag.h"

#include "base/hash.h"
#include "tests/unit/run.h"

START_TEST(every_name_has_its_number)
{
	for (unsigned tag = 0; tag < TAG_COUNT; tag++)
		ck_assert_uint_eq(tag_from_name(tag_name((uint16_t)tag)), tag);
}
END_TEST

START_TEST(names_are_sorted)
{
	for (unsigned tag = 1; tag < TAG_COUNT; tag++)
		ck_assert_str_lt(tag_name((uint16_t)(tag - 1)).data,
				 tag_name((uint16_t)tag).data);
}
END_TEST

START_TEST(other_names_are_unknown)
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
END_TEST

START_TEST(flags_are_those_of_the_list)
{
	ck_assert_uint_eq(tag_flags(TAG_h3), TAG_IS_BLOCK | TAG_IS_HEADING);
	ck_assert_uint_eq(tag_flags(TAG_br), TAG_IS_VOID);
	ck_assert_uint_eq(tag_flags(TAG_script), TAG_IS_RAW);
	ck_assert_uint_eq(tag_flags(TAG_span), 0);
	ck_assert_uint_eq(tag_flags(TAG_COUNT), 0);
	ck_assert_uint_eq(tag_flags(UINT16_MAX), 0);
}
END_TEST

START_TEST(the_hash_is_that_of_the_name)
{
	ck_assert_uint_eq(tag_hash(TAG_div), hash64("div", 3, 0));
	ck_assert_uint_eq(tag_hash(TAG_blockquote),
			  hash64("blockquote", 10, 0));
}
END_TEST

SUITE(tag)
{
	Suite *suite = suite_create("tag");
	TCase *tcase = tcase_create("tag");

	tcase_add_test(tcase, every_name_has_its_number);
	tcase_add_test(tcase, names_are_sorted);
	tcase_add_test(tcase, other_names_are_unknown);
	tcase_add_test(tcase, flags_are_those_of_the_list);
	tcase_add_test(tcase, the_hash_is_that_of_the_name);
	suite_add_tcase(suite, tcase);
	return suite;
}
