#include "extract/text/block.h"

#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

#define HEBREW "\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D"
#define ARABIC "\xD8\xB3\xD9\x84\xD8\xA7\xD9\x85"

static void assert_direction(const char *html, const char *text,
			     const char *expected)
{
	AUTO_PAGE *page = parse(html);

	ck_assert_str_eq(direction_name(direction_of(page, slice_of(text))),
			 expected);
}

TEST(the_page_may_say_it)
{
	assert_direction("<html dir=RTL><p dir=ltr>a", "a", "rtl");
	assert_direction("<body dir=rtl>a", "a", "rtl");
	assert_direction("<html dir=auto><body dir=ltr>a", HEBREW, "ltr");
	assert_direction("<div dir=rtl>a</div>", "a", "ltr");
}

TEST(else_most_letters_say_it)
{
	assert_direction("", "", "ltr");
	assert_direction("", "1 2 3", "ltr");
	assert_direction("", HEBREW ", abc", "rtl");
	assert_direction("", HEBREW " abcd", "ltr");
	assert_direction("", ARABIC " 2024 (...) ab", "rtl");
	assert_direction("", "\xE4\xB8\xAD\xE6\x96\x87 " /* Han */, "ltr");
}
