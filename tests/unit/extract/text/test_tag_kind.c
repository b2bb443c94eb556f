#include "extract/text/token_stream.h"

#include "page/page.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/* The first element with that tag; NO_NODE if missing. */
static uint32_t find(const struct page *page, uint16_t tag)
{
	for (uint32_t i = 0; i < page->node_count; i++)
		if (page->nodes[i].tag == tag)
			return i;
	return NO_NODE;
}

TEST(kinds_are_those_of_the_elements)
{
	AUTO_PAGE *page = parse("<h5>a</h5><h6>b</h6><p>c</p><ins>d</ins>");

	ck_assert_uint_eq(tag_kind(page, find(page, TAG_body)), KIND_BODY);
	ck_assert_uint_eq(tag_kind(page, find(page, TAG_h5)), KIND_H5);
	ck_assert_uint_eq(tag_kind(page, find(page, TAG_h6)), KIND_H5);
	ck_assert_uint_eq(tag_kind(page, find(page, TAG_p)), KIND_P);
	ck_assert_uint_eq(tag_kind(page, find(page, TAG_ins)), KIND_OTHER);
}

TEST(what_html_does_not_have_is_other)
{
	AUTO_PAGE *page = parse("<x-tag>a</x-tag>");

	ck_assert_uint_eq(tag_kind(page, find(page, TAG_COUNT)), KIND_OTHER);
	ck_assert_uint_eq(tag_kind(page, NO_NODE), KIND_OTHER);
}

/* Trained models compare the numbers. */
TEST(numbers_stay)
{
	ck_assert_uint_eq(KIND_P, 1);
	ck_assert_uint_eq(KIND_H1, 3);
	ck_assert_uint_eq(KIND_DIV, 12);
	ck_assert_uint_eq(KIND_BODY, 24);
	ck_assert_uint_eq(KIND_FIGURE, 33);
}
