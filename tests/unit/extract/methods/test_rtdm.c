#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/* The scores of the texts of `mine`, mapped only to `theirs`. */
static void assert_scores(const char *mine, const char *theirs,
			  const float *scores, uint32_t count)
{
	struct page *pages[] = {parse(mine), parse(theirs)};
	const struct verdict *verdicts =
		run_sampled((const struct page *const *)pages, 2, "rtdm", NULL);

	ck_assert_uint_eq(pages[0]->text_count, count);
	for (uint32_t i = 0; i < count; i++) {
		ck_assert_float_eq(verdicts[i].score, scores[i]);
		ck_assert(verdicts[i].is_content == (scores[i] > 0));
	}
	page_destroy(pages[0]);
	page_destroy(pages[1]);
}

TEST(mapped_text_that_is_the_same_is_template)
{
	assert_scores("<div><p>menu</p><p>one</p></div>",
		      "<div><p>menu</p><p>two</p></div>", (const float[]){0, 1},
		      2);
}

TEST(the_mapping_goes_downwards_only)
{
	/* x is on both pages, but not in elements that can be mapped */
	assert_scores("<div><p>x</p></div><p>y</p>",
		      "<ul><li>x</li></ul><p>y</p>", (const float[]){1, 0}, 2);
}

TEST(children_are_aligned)
{
	/* the second div is one too many, d is another and e has moved */
	assert_scores("<div>a</div><div>z</div><div>b</div><div>c</div><p>d",
		      "<div>a</div><div>b</div><div>c<i>e</i></div><p>f",
		      (const float[]){0, 1, 0, 0, 1}, 5);
	assert_scores("<p>e</p><p>a</p><p>b</p>", "<p>a</p><p>b</p><p>e</p>",
		      (const float[]){1, 0, 0}, 3);
}

/* Three other pages: one of them has the text at its place. */
TEST(the_ratio_of_the_pages_decides)
{
	struct page *pages[] = {
		parse("<p>one</p>"),
		parse("<p>one</p><p>two</p>"),
		parse("<p>three</p>"),
		parse("<p>four</p>"),
	};
	const struct verdict *verdicts = run_sampled(
		(const struct page *const *)pages, 4, "rtdm", "max_ratio=0.3");

	ck_assert_float_eq_tol(verdicts[0].score, 2 / 3.0F, 1e-6F);
	ck_assert(!verdicts[0].is_content);
	ck_assert(run_sampled((const struct page *const *)pages, 4, "rtdm",
			      "max_ratio=0.34")[0]
			  .is_content);
	for (unsigned i = 0; i < 4; i++)
		page_destroy(pages[i]);
}

/* `count` paragraphs between two that are the page's own. */
static struct page *list_page(const char *first, unsigned count, unsigned from,
			      const char *last)
{
	struct buffer html = {0};
	char item[64];
	struct page *page;

	buffer_append_text(&html, first);
	for (unsigned i = from; i < count; i++) {
		snprintf(item, sizeof(item), "<p>item %u</p>", i);
		buffer_append_text(&html, item);
	}
	buffer_append_text(&html, last);
	buffer_append_text(&html, "");
	page = parse(html.data);
	free(html.data);
	return page;
}

/* The band of the alignment is 65 wide; here it is 20 off the diagonal. */
TEST(long_lists_are_aligned)
{
	struct page *pages[] = {
		list_page("<p>one</p>", 500, 20, "<p>two</p>"),
		list_page("<p>three</p>", 500, 0, "<p>four</p>"),
	};
	const struct verdict *verdicts =
		run_sampled((const struct page *const *)pages, 2, "rtdm", NULL);

	ck_assert_uint_eq(pages[0]->text_count, 482);
	ck_assert(verdicts[0].is_content);
	for (unsigned i = 1; i < 481; i++)
		ck_assert(!verdicts[i].is_content);
	ck_assert(verdicts[481].is_content);
	page_destroy(pages[0]);
	page_destroy(pages[1]);
}

/* One child against a thousand, and the reverse. */
TEST(uneven_lists_are_survived)
{
	struct page *pages[] = {
		list_page("<p>one</p>", 1000, 0, "<p>two</p>"),
		parse("<p>three</p>"),
	};
	const struct page *reversed[] = {pages[1], pages[0]};
	const struct verdict *verdicts =
		run_sampled((const struct page *const *)pages, 2, "rtdm", NULL);

	ck_assert(verdicts[500].is_content);
	ck_assert(run_sampled(reversed, 2, "rtdm", NULL)[0].is_content);
	page_destroy(pages[0]);
	page_destroy(pages[1]);
}
