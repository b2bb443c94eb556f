#include "extract/text/characters.h"

#include "page/scanner.h"
#include "tests/unit/run.h"

static size_t size_of(const char *text)
{
	return character_size((const unsigned char *)text, strlen(text));
}

TEST(the_bytes_of_a_character)
{
	ck_assert_uint_eq(size_of("ab"), 1);
	ck_assert_uint_eq(size_of("\xC3\xA9x"), 2);
	ck_assert_uint_eq(size_of("\xE4\xB8\xAD"), 3);
	ck_assert_uint_eq(size_of("\xF0\x9F\x90\x98\xF0"), 4);
}

TEST(an_entity_is_one_character)
{
	ck_assert_uint_eq(size_of("&amp;b"), 5);
	ck_assert_uint_eq(size_of("&#233;"), 6);
	ck_assert_uint_eq(size_of("&#xE9;"), 6);
	ck_assert_uint_eq(size_of("&amp b"), 1);
	ck_assert_uint_eq(size_of("&;"), 1);
	ck_assert_uint_eq(size_of("&"), 1);
	ck_assert_uint_eq(size_of("&#"), 1);
	/* 32 characters of a name, and one more */
	ck_assert_uint_eq(size_of("&abcdefghijklmnopqrstuvwxyz012345;"), 34);
	ck_assert_uint_eq(size_of("&abcdefghijklmnopqrstuvwxyz0123456;"), 1);
}

TEST(white_space_is_that_of_html)
{
	ck_assert(is_space(' '));
	ck_assert(is_space('\t'));
	ck_assert(is_space('\n'));
	ck_assert(is_space('\f'));
	ck_assert(is_space('\r'));
	ck_assert(!is_space('\v'));
	ck_assert(!is_space(0xA0));
}
