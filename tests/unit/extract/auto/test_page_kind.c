#include "extract/auto/page_context.h"

#include <math.h>

#include "extract/text/passage.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

static void row_of(const char *html, float *row)
{
	AUTO_PAGE *page = parse(html);
	struct passages passages = passages_make(page->arena, page);

	for (int i = 0; i < PAGE_KIND_COUNT; i++)
		row[i] = NAN;
	page_kind_row(&passages, row);
}

/* 8 words in 4 passages: "a b.", "$5.", "in 1999" and "c d e" in a link. */
TEST(a_page_worked_by_hand)
{
	float row[PAGE_KIND_COUNT];

	row_of("<html><body><main><p>a b.</p><article>$5.</article></main>"
	       "<article><h2>in 1999</h2><ul><li><a>c d e</a></ul></article>",
	       row);
	ck_assert_float_eq_tol(row[PAGE_KIND_page_words], logf(9), 1e-6F);
	ck_assert_float_eq_tol(row[PAGE_KIND_page_passages], logf(5), 1e-6F);
	/* html head body main p article article h2 ul li a */
	ck_assert_float_eq_tol(row[PAGE_KIND_page_elements], logf(12), 1e-6F);
	/* 4, 3, 7 and 5 characters */
	ck_assert_float_eq(row[PAGE_KIND_page_link_ratio], 5 / 19.0F);
	ck_assert_float_eq(row[PAGE_KIND_page_long_ratio], 0);
	ck_assert_float_eq(row[PAGE_KIND_page_prices], 0.25F);
	ck_assert_float_eq(row[PAGE_KIND_page_dates], 0.25F);
	ck_assert_float_eq(row[PAGE_KIND_page_ends], 0.5F);
	ck_assert_float_eq_tol(row[PAGE_KIND_page_paragraphs], logf(2), 1e-6F);
	ck_assert_float_eq_tol(row[PAGE_KIND_page_items], logf(2), 1e-6F);
	ck_assert_float_eq_tol(row[PAGE_KIND_page_headings], logf(2), 1e-6F);
	ck_assert_float_eq_tol(row[PAGE_KIND_page_articles], logf(3), 1e-6F);
	ck_assert_float_eq(row[PAGE_KIND_page_fields], 0);
	ck_assert_float_eq(row[PAGE_KIND_page_linked_headings], 0);
	ck_assert_float_eq(row[PAGE_KIND_page_main_ratio], 3 / 8.0F);
	ck_assert_float_eq(row[PAGE_KIND_page_article_ratio], 5 / 8.0F);
}

TEST(headings_are_linked_or_not)
{
	float row[PAGE_KIND_COUNT];

	row_of("<p>a", row);
	ck_assert_float_eq(row[PAGE_KIND_page_linked_headings], -1);
	row_of("<h1>title</h1><a><h2>a</h2></a><h3><a>b</a></h3><h3>c d<a>e"
	       "</a></h3><p><a>f</a></p>",
	       row);
	ck_assert_float_eq(row[PAGE_KIND_page_linked_headings], 0.5F);
}

TEST(elements_are_counted_by_kind)
{
	float row[PAGE_KIND_COUNT];

	row_of("<form><input><input></form><table><tr><td>a<tr><td>b</table>"
	       "<pre><code>c</code></pre><time>d</time><h2>e</h2><h3>f</h3>",
	       row);
	ck_assert_float_eq_tol(row[PAGE_KIND_page_fields], logf(4), 1e-6F);
	ck_assert_float_eq_tol(row[PAGE_KIND_page_rows], logf(3), 1e-6F);
	ck_assert_float_eq_tol(row[PAGE_KIND_page_codes], logf(3), 1e-6F);
	ck_assert_float_eq_tol(row[PAGE_KIND_page_times], logf(2), 1e-6F);
	ck_assert_float_eq_tol(row[PAGE_KIND_page_headings], logf(3), 1e-6F);
}

TEST(an_empty_page_is_of_no_kind)
{
	float row[PAGE_KIND_COUNT];

	row_of("", row);
	for (int i = 0; i < PAGE_KIND_page_linked_headings; i++)
		ck_assert_float_eq(row[i], 0);
	ck_assert_float_eq(row[PAGE_KIND_page_linked_headings], -1);
	ck_assert_float_eq(row[PAGE_KIND_page_main_ratio], -1);
	ck_assert_float_eq(row[PAGE_KIND_page_article_ratio], -1);
}
