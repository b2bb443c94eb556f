#include "extract/methods/block_methods.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

enum { PAGES = 4 };

#define PROSE                                                                \
	"tells of what happened there on that day, and of those who saw it " \
	"with their own eyes, as they have told it to us since then. "

/*
 * Four articles of one template: a menu, a headline that is in the lists of the
 * others, prose, a unique date and unique links.
 */
static const char *const articles[PAGES] = {
	"<ul class=menu><li><a href=/>Home</a></ul>"
	"<h1>Headline of the first</h1><div class=text-1><p>First "
	"prose " PROSE "The <b>DNS</b> too.</p></div>"
	"<ul class=more><li><a href=b>Headline of the second</a>"
	"<li><a href=c>Headline of the third</a></ul>",
	"<ul class=menu><li><a href=/>Home</a></ul>"
	"<h1>Headline of the second</h1><div class=text-2><p>Second "
	"prose " PROSE "The <b>DNS</b> too.</p></div>"
	"<ul class=more><li><a href=a>Headline of the first</a>"
	"<li><a href=c>Headline of the third</a></ul>",
	"<ul class=menu><li><a href=/>Home</a></ul>"
	"<h1>Headline of the third</h1><div class=text-3><p>Third "
	"prose " PROSE "The <b>DNS</b> too.</p></div>"
	"<ul class=more><li><a href=a>Headline of the first</a>"
	"<li><a href=b>Headline of the second</a></ul>",
	"<ul class=menu><li><a href=/>Home</a></ul>"
	"<h1>Headline of the fourth</h1><div class=text-4><p>Fourth "
	"prose " PROSE "The <b>DNS</b> too.</p></div>"
	"<ul class=more><li><a href=a>Headline of the first</a>"
	"<li><a href=d>Another one, of the fifth</a></ul>",
};

static struct page *pages[PAGES];

static void setup(void)
{
	for (int i = 0; i < PAGES; i++)
		pages[i] = parse(articles[i]);
}

static void teardown(void)
{
	for (int i = 0; i < PAGES; i++)
		page_destroy(pages[i]);
}

static struct slot_view view_of(uint32_t sampled, const struct page *page)
{
	const struct sample sample = {
		.pages = (const struct page *const *)pages, .count = sampled};

	return slots_view(slot_model_build(&sample, page->arena), page,
			  page->arena);
}

static uint32_t text_with(const struct page *page, const char *begin)
{
	for (uint32_t i = 0; i < page->text_count; i++)
		if (strncmp(page_text(page, i).data, begin, strlen(begin)) == 0)
			return i;
	ck_abort_msg("no such text: %s", begin);
}

static float variability_of(const struct slot_view *view,
			    const struct page *page, const char *begin)
{
	return view
		->variabilities[view->tree.text_blocks[text_with(page, begin)]];
}

FIXTURE(.setup = setup, .teardown = teardown);

/*
 * Of pages 1 to 3: the slot of the menu holds "Home" on all of them, 3 words,
 * none unique: 0. The slot of h1 holds three headlines of 4 words, each on one
 * page: 1. The slot of the list holds second, third, first, third, first,
 * second, each on two pages: 0. "Headline of the third" is on all pages, in its
 * own slot on one.
 */
TEST(slots_worked_by_hand)
{
	struct slot_view view = view_of(3, pages[0]);

	ck_assert_uint_eq(view.page_count, 3);
	ck_assert_float_eq(variability_of(&view, pages[0], "Home"), 0);
	ck_assert_float_eq(variability_of(&view, pages[0], "Headline of"), 1);
	ck_assert_float_eq(
		variability_of(&view, pages[0], "Headline of the third"), 0);
	ck_assert_float_eq(variability_of(&view, pages[0], "First"), 1);
	ck_assert_uint_eq(view.frequencies[text_with(pages[0], "Home")], 3);
	ck_assert_uint_eq(view.frequencies[text_with(pages[0], "DNS")], 3);
	ck_assert_uint_eq(
		view.frequencies[text_with(pages[0], "Headline of the first")],
		1);
}

/*
 * Page 4 is not in the sample: one page more. In the list it adds "first", on
 * three pages now, and "Another one, of the fifth", 5 words that it alone has:
 * 5 of 6 * 4 + 4 + 5 = 33. With all four in the sample it is the same.
 */
TEST(a_page_outside_of_the_sample_counts_too)
{
	struct slot_view outside = view_of(3, pages[3]);
	struct slot_view inside = view_of(4, pages[3]);

	ck_assert_uint_eq(outside.page_count, 4);
	ck_assert_float_eq_tol(variability_of(&outside, pages[3], "Another"),
			       5 / 33.0F, 1e-6F);
	ck_assert_uint_eq(outside.frequencies[text_with(pages[3], "DNS")], 4);
	ck_assert_uint_eq(inside.page_count, 4);
	for (uint32_t i = 0; i < outside.tree.count; i++)
		ck_assert_float_eq(outside.variabilities[i],
				   inside.variabilities[i]);
	for (uint32_t i = 0; i < pages[3]->text_count; i++)
		ck_assert_uint_eq(outside.frequencies[i],
				  inside.frequencies[i]);
}

/* The other page has the only copy until now: its words are not unique any
 * longer. */
TEST(what_two_pages_have_is_not_unique)
{
	AUTO_PAGE *one = parse("<p>a b<p>c");
	AUTO_PAGE *two = parse("<p>a b<p>d<!-- another source -->");
	const struct page *const sampled[] = {one};
	const struct sample sample = {.pages = sampled, .count = 1};
	struct slot_view view = slots_view(
		slot_model_build(&sample, two->arena), two, two->arena);

	/* a b twice, c, d: 2 of 6 words */
	ck_assert_float_eq_tol(variability_of(&view, two, "d"), 2 / 6.0F,
			       1e-6F);
}

TEST(headline_and_inline_fragments_stay_links_and_menu_go)
{
	const struct page *page = pages[0];
	const struct verdict *verdicts = run_sampled(
		(const struct page *const *)pages, PAGES, "df+", NULL);
	const struct verdict *by_df = run_sampled(
		(const struct page *const *)pages, PAGES, "df", NULL);
	uint32_t headline = text_with(page, "Headline of the first");
	uint32_t inline_text = text_with(page, "DNS");
	uint32_t link = text_with(page, "Headline of the third");

	ck_assert(verdicts[text_with(page, "First")].is_content);
	ck_assert(verdicts[headline].is_content);
	ck_assert(!by_df[headline].is_content);
	ck_assert(verdicts[inline_text].is_content);
	ck_assert(!by_df[inline_text].is_content);
	ck_assert(!verdicts[link].is_content);
	ck_assert(!verdicts[text_with(page, "Home")].is_content);
}

/* Ten words, six of them links: over .3 outside prose, but not amid prose. */
TEST(links_amid_prose_are_content)
{
	static const char *const lists[] = {
		"<p>" PROSE PROSE PROSE "</p><ul><li><a href=a>Six words in a "
		"single link</a> and four words more</ul><p>" PROSE PROSE PROSE
		"</p>",
		"<ul><li><a href=a>Six words in a single link</a> and four "
		"words more</ul>",
	};
	AUTO_PAGE *amid = parse(lists[0]);
	AUTO_PAGE *alone = parse(lists[1]);

	ck_assert(run(amid, "df+", "min_evidence=0",
		      &(struct template_counts){1,
						ARENA_NEW(amid->arena, uint32_t,
							  amid->text_count)})[1]
			  .is_content);
	ck_assert(!run(alone, "df+", "min_evidence=0",
		       &(struct template_counts){
			       1, ARENA_NEW(alone->arena, uint32_t,
					    alone->text_count)})[0]
			   .is_content);
}
