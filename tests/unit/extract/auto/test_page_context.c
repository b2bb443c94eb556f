#include "extract/auto/page_context.h"

#include <math.h>

#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/* Row of passage `index` of `html`, whose title element has `title`. */
static void row_of(const char *html, const char *title, uint32_t index,
		   float *row)
{
	AUTO_PAGE *page = parse(html);
	struct passages passages = passages_make(page->arena, page);
	const struct page_hints claims = {.title = slice_of(title)};
	struct page_context *page_context =
		page_context_make(page->arena, &passages, &claims);

	for (int i = 0; i < PAGE_CONTEXT_COUNT; i++)
		row[i] = NAN;
	ck_assert_uint_lt(index, passages.count);
	page_context_row(page_context, index, row);
	for (int i = 0; i < PAGE_CONTEXT_COUNT; i++)
		ck_assert(isfinite(row[i]));
}

TEST(without_headings)
{
	float row[PAGE_CONTEXT_COUNT];

	row_of("<p>a<p>b", "c", 1, row);
	ck_assert_float_eq(row[PAGE_CONTEXT_heading_distance], 99);
	ck_assert_float_eq(row[PAGE_CONTEXT_heading_level], 0);
	ck_assert_float_eq(row[PAGE_CONTEXT_heading_words], -1);
	ck_assert_float_eq(row[PAGE_CONTEXT_title_distance], -9);
	ck_assert_float_eq(row[PAGE_CONTEXT_title_words], -20);
	ck_assert_float_eq(row[PAGE_CONTEXT_title_steps], 30);
	ck_assert_float_eq(row[PAGE_CONTEXT_steps_to_title], 30);
	ck_assert_float_eq(row[PAGE_CONTEXT_title_ratio], 0);
	ck_assert_float_eq(row[PAGE_CONTEXT_title_covered], 0);
	ck_assert_float_eq(row[PAGE_CONTEXT_description_ratio], -1);
	ck_assert_float_eq(row[PAGE_CONTEXT_body_ratio], -1);
	ck_assert_float_eq_tol(row[PAGE_CONTEXT_page_words], logf(3), 1e-6F);
	ck_assert_float_eq(row[PAGE_CONTEXT_page_article_ratio], -1);
}

#define SECTIONS \
	"<p>a</p><h2>b</h2><p>c d</p><p>e</p><h3><div>f</div></h3><p>g</p>"

TEST(the_heading_above_counts)
{
	float row[PAGE_CONTEXT_COUNT];

	row_of(SECTIONS, "", 0, row);
	ck_assert_float_eq(row[PAGE_CONTEXT_heading_distance], 99);
	row_of(SECTIONS, "", 1, row);
	ck_assert_float_eq(row[PAGE_CONTEXT_heading_distance], 0);
	ck_assert_float_eq(row[PAGE_CONTEXT_heading_level], 2);
	ck_assert_float_eq(row[PAGE_CONTEXT_heading_words], 0);
	row_of(SECTIONS, "", 3, row);
	ck_assert_float_eq(row[PAGE_CONTEXT_heading_distance], 2);
	ck_assert_float_eq(row[PAGE_CONTEXT_heading_level], 2);
	ck_assert_float_eq_tol(row[PAGE_CONTEXT_heading_words], logf(4), 1e-6F);
	row_of(SECTIONS, "", 5, row);
	ck_assert_float_eq(row[PAGE_CONTEXT_heading_distance], 1);
	ck_assert_float_eq(row[PAGE_CONTEXT_heading_level], 3);
}

TEST(the_heading_of_each_passage_is_reported)
{
	AUTO_PAGE *page = parse(SECTIONS "<noscript><h2>h</h2></noscript>");
	struct passages passages = passages_make(page->arena, page);
	const struct page_hints claims = {0};
	struct page_context *page_context =
		page_context_make(page->arena, &passages, &claims);

	ck_assert_uint_eq(passages.count, 7);
	ck_assert_uint_eq(page_context_heading(page_context, 0), NO_PASSAGE);
	ck_assert_uint_eq(page_context_heading(page_context, 1), 1);
	ck_assert_uint_eq(page_context_heading(page_context, 3), 1);
	ck_assert_uint_eq(page_context_heading(page_context, 4), 4);
	ck_assert_uint_eq(page_context_heading(page_context, 6), 4);
}

/* Five passages: a, b, "x y", "c d" and e. */
#define ARTICLE \
	"<body><p>a</p><h1>b</h1><div><h1>x y</h1><p>c d</p></div><p>e</p>"

TEST(the_title_is_the_heading_that_covers_most)
{
	float row[PAGE_CONTEXT_COUNT];

	row_of(ARTICLE, "X, Y | b", 2, row);
	ck_assert_float_eq(row[PAGE_CONTEXT_title_distance], 0);
	ck_assert_float_eq(row[PAGE_CONTEXT_title_words], 0);
	ck_assert_float_eq(row[PAGE_CONTEXT_title_steps], 0);
	ck_assert_float_eq(row[PAGE_CONTEXT_steps_to_title], 0);
	ck_assert_float_eq(row[PAGE_CONTEXT_title_ratio], 1);
	ck_assert_float_eq(row[PAGE_CONTEXT_title_covered], 2 / 3.0F);
	/* from the end of "a" to the end of "x y" are b, x and y */
	row_of(ARTICLE, "X, Y | b", 0, row);
	ck_assert_float_eq_tol(row[PAGE_CONTEXT_title_distance], -logf(3),
			       1e-6F);
	ck_assert_float_eq_tol(row[PAGE_CONTEXT_title_words], -logf(4), 1e-6F);
	/* h1 div body, and p body */
	ck_assert_float_eq(row[PAGE_CONTEXT_title_steps], 2);
	ck_assert_float_eq(row[PAGE_CONTEXT_steps_to_title], 1);
	row_of(ARTICLE, "X, Y | b", 3, row);
	ck_assert_float_eq_tol(row[PAGE_CONTEXT_title_distance], logf(2),
			       1e-6F);
	ck_assert_float_eq_tol(row[PAGE_CONTEXT_title_words], logf(3), 1e-6F);
	ck_assert_float_eq(row[PAGE_CONTEXT_title_steps], 1);
	ck_assert_float_eq(row[PAGE_CONTEXT_steps_to_title], 1);
}

TEST(of_equal_headings_the_first_is_the_title)
{
	float row[PAGE_CONTEXT_COUNT];

	row_of("<h1>a</h1><h1>b</h1>", "", 0, row);
	ck_assert_float_eq(row[PAGE_CONTEXT_title_distance], 0);
}

/* "a b" covers 2 of 3, "a b d" the same with a word too many. */
TEST(without_a_first_heading_the_most_alike_is_the_title)
{
	float row[PAGE_CONTEXT_COUNT];

	row_of("<h2>z</h2><p>a b d</p><p>a b</p><p>a</p>", "a b c", 2, row);
	ck_assert_float_eq(row[PAGE_CONTEXT_title_distance], 0);
	/* 1 * 1/3 is too little */
	row_of("<p>a</p>", "a b c", 0, row);
	ck_assert_float_eq(row[PAGE_CONTEXT_title_distance], -9);
}

TEST(distances_have_a_limit)
{
	struct buffer html = {0};
	float row[PAGE_CONTEXT_COUNT];

	buffer_append_text(&html, "<h1>a</h1>");
	for (int i = 0; i < 150; i++)
		buffer_append_text(&html, "<p>b</p>");
	for (int i = 0; i < 100; i++)
		buffer_append_text(&html, "<div>");
	buffer_append_text(&html, "c");
	buffer_append_byte(&html, '\0');
	row_of(html.data, "", 151, row);
	free(html.data);
	ck_assert_float_eq(row[PAGE_CONTEXT_heading_distance], 99);
	ck_assert_float_eq(row[PAGE_CONTEXT_heading_level], 1);
	ck_assert_float_eq(row[PAGE_CONTEXT_title_steps], 1);
	ck_assert_float_eq(row[PAGE_CONTEXT_steps_to_title], 30);
}

TEST(an_empty_page_has_a_page_context)
{
	AUTO_PAGE *page = parse("");
	struct passages passages = passages_make(page->arena, page);
	const struct page_hints claims = {.title = slice_of("a")};

	ck_assert_ptr_nonnull(
		page_context_make(page->arena, &passages, &claims));
}
