#include "extract/core/trace.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/*
 * The first blocks have nine words in ten in common: the cosine is 9/10. The
 * second ones are "x" with a link and without: 1 / sqrt 2 = .707. The third is
 * on two of the three other pages: IBDF = 1 - 2/3. The fourth is single.
 */
static void make_pages(struct page *pages[4])
{
	pages[0] = parse("<p>a b c d e f g h i j</p><p><a href=/>x</a></p>"
			 "<p>two</p><p>alone</p>");
	pages[1] = parse("<p>a b c d e f g h i k</p><p>x</p><p>two</p>");
	pages[2] = parse("<p>k i h g f e d c b a</p><p>x</p><p>two</p>");
	pages[3] = parse("<p>a b c d e f g h i k</p><p>x</p><p>three</p>");
}

static void assert_scores(const char *assignment, const float *scores)
{
	struct page *pages[4];
	const struct verdict *verdicts;

	make_pages(pages);
	verdicts = run_sampled((const struct page *const *)pages, 4,
			       "contentextractor", assignment);
	for (unsigned i = 0; i < 4; i++) {
		ck_assert_float_eq_tol(verdicts[i].score, scores[i], 1e-6F);
		ck_assert(verdicts[i].is_content == (scores[i] > 0.5F));
	}
	for (unsigned i = 0; i < 4; i++)
		page_destroy(pages[i]);
}

TEST(similar_blocks_are_the_same)
{
	assert_scores("similarity=0.85,min_ibdf=0.5",
		      (const float[]){0, 1, 1 / 3.0F, 1});
	assert_scores("similarity=0.7,min_ibdf=0.5",
		      (const float[]){0, 0, 1 / 3.0F, 1});
}

TEST(others_are_not)
{
	assert_scores("similarity=0.95,min_ibdf=0.5",
		      (const float[]){1, 1, 1 / 3.0F, 1});
}

TEST(one_page_is_no_template)
{
	AUTO_PAGE *page = parse("<p>a b c</p>");
	const struct page *pages[] = {page};
	const struct verdict *verdicts =
		run_sampled(pages, 1, "contentextractor", NULL);

	ck_assert_float_eq(verdicts[0].score, 1);
	ck_assert(verdicts[0].is_content);
}

/* One point a block; html and body have no text outside their children. */
static void assert_points(const struct figure *figure)
{
	static const float ibdf[] = {0, 1, 1 / 3.0F, 1};

	ck_assert_uint_eq(figure->point_count, 4);
	for (unsigned i = 0; i < 4; i++) {
		ck_assert_float_eq_tol(figure->points[i].x, ibdf[i], 1e-6F);
		ck_assert_uint_eq(figure->points[i].group, ibdf[i] > 0.5F);
	}
}

TEST(the_trace_has_the_frequencies)
{
	struct page *pages[4];
	struct trace *trace;

	make_pages(pages);
	trace = trace_create(pages[0]->arena, 4);
	run_traced((const struct page *const *)pages, 4, "contentextractor",
		   "similarity=0.85,min_ibdf=0.5", trace);
	ck_assert_str_eq(trace->reasons[2],
			 "2 of 3 other pages have such a block, IBDF 0.33, "
			 "minimum 0.50");
	ck_assert_uint_eq(trace->figure_count, 1);
	ck_assert_float_eq(trace->figures[0].threshold, 0.5F);
	assert_points(&trace->figures[0]);
	for (unsigned i = 0; i < 4; i++)
		page_destroy(pages[i]);
}
