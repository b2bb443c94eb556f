#include "extract/core/trace.h"
#include "extract/extractors.h"
#include "extract/methods/ridge.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

#define MENU                                                            \
	"<ul class=\"menu\"><li class=\"item\"><a href=\"/a\">Home</a>" \
	"</li><li class=\"item\"><a href=\"/b\">News</a></li>"          \
	"<li class=\"item\"><a href=\"/c\">About</a></li></ul>"         \
	"<div class=\"a-wide-gap\"></div><div class=\"a-wide-gap\">"    \
	"</div><div class=\"a-wide-gap\"></div><div class=\"a-wide-"    \
	"gap\"></div><div class=\"a-wide-gap\"></div><div "             \
	"class=\"a-wide-gap\"></div><div class=\"a-wide-gap\"></div>"   \
	"<div class=\"a-wide-gap\"></div><div class=\"a-wide-gap\">"    \
	"</div><div class=\"a-wide-gap\"></div><div class=\"a-wide-"    \
	"gap\"></div>"
#define ARTICLE                                                            \
	"<p>The company looks after two of the net's 13 servers that "     \
	"tell computers where to find each other. It also controls "       \
	"those that contain the master list of domain name suffixes "      \
	"such as .com and .net.</p><p>If there is a silver lining in all " \
	"of this, its officer said, it is that users will become more "    \
	"aware and more conscious of who they do business with.</p>"

/*
 * One cell, of score (13/75 + 2) * 1.5 * 13/16.5 (eq. 1): it is its own mean,
 * so the only ridge, and kept whatever the model says.
 */
TEST(one_text_is_one_ridge)
{
	AUTO_PAGE *page = parse("<p>Hello, world.</p>");
	const struct verdict *verdicts = run(page, "mountain", NULL, NULL);

	ck_assert_float_eq_tol(verdicts[0].score,
			       (13 / 75.0F + 2) * 1.5F * 13 / 16.5F, 1e-5F);
	ck_assert(verdicts[0].is_content);
}

static struct ridge_model *read_model(const char *text)
{
	struct ridge_model *model = NULL;

	ASSERT_OK(ridge_model_read(&model, slice_of(text)));
	return model;
}

static const struct verdict *run_with(const struct page *page,
				      const struct ridge_model *model,
				      struct trace *trace)
{
	const struct extractor *extractor = extractor_find("mountain");
	double parameters[MAX_PARAMETERS];
	struct verdict *verdicts =
		ARENA_NEW(page->arena, struct verdict, page->text_count);

	extractor_defaults(extractor, parameters);
	extractor->run(
		&(struct extractor_input){
			.page = page,
			.ridges = model,
			.parameters = parameters,
			.arena = page->arena,
			.trace = trace,
		},
		verdicts);
	return verdicts;
}

/* Two distant articles: a model with only the position, 1 at the place RP = .5
 * and less elsewhere, keeps the first or the second. */
#define GAP MENU MENU
#define POSITION(sign, rho)                                                  \
	"ridge-model 1\nfeatures height width RP CP\nC 1\ngamma 1\nrho " rho \
	"\nsupports 1\n" sign "1 1 1 0.5 0\n"

TEST(a_sites_own_model_decides)
{
	AUTO_PAGE *page = parse(ARTICLE GAP ARTICLE);
	struct ridge_model *first = read_model(POSITION("", "0.6"));
	struct ridge_model *last = read_model(POSITION("-", "-0.6"));
	uint32_t end = page->text_count - 1;

	ck_assert(run_with(page, first, NULL)[0].is_content);
	ck_assert(!run_with(page, first, NULL)[end].is_content);
	ck_assert(!run_with(page, last, NULL)[0].is_content);
	ck_assert(run_with(page, last, NULL)[end].is_content);
	ridge_model_destroy(first);
	ridge_model_destroy(last);
}

TEST(without_a_primary_ridge_the_nearest_is_kept)
{
	AUTO_PAGE *page = parse(ARTICLE GAP ARTICLE);
	/* no decision is over 0: it is 1 at most, less 5 */
	struct ridge_model *model = read_model(POSITION("", "5"));
	const struct verdict *verdicts = run_with(page, model, NULL);

	ck_assert(verdicts[0].is_content);
	ck_assert(!verdicts[page->text_count - 1].is_content);
	ridge_model_destroy(model);
}

TEST(every_text_has_its_reason)
{
	AUTO_PAGE *page = parse("<p hidden>no</p>" MENU ARTICLE);
	struct trace *trace = trace_create(page->arena, page->text_count);

	run_with(page, NULL, trace);
	ck_assert_uint_eq(page->text_count, 6);
	ck_assert_ptr_nonnull(strstr(trace->reasons[0], "no reader"));
	ck_assert_ptr_nonnull(strstr(trace->reasons[1], "in no ridge"));
	ck_assert_ptr_nonnull(strstr(trace->reasons[5], "decision"));
}

TEST(the_figure_shows_the_ridges)
{
	AUTO_PAGE *page = parse(MENU ARTICLE);
	struct trace *trace = trace_create(page->arena, page->text_count);
	const struct figure *figure = &trace->figures[0];

	run_with(page, NULL, trace);
	ck_assert_uint_eq(trace->figure_count, 1);
	ck_assert_int_eq(figure->kind, FIGURE_CURVE);
	ck_assert_uint_eq(figure->range_count, 1);
	ck_assert(figure->ranges[0].is_content);
	/* its two texts are the last of the cells */
	ck_assert_float_eq(figure->ranges[0].end,
			   (float)figure->series[0].count);
	ck_assert_float_eq(figure->ranges[0].begin, figure->ranges[0].end - 2);
	ck_assert_ptr_nonnull(strstr(figure->ranges[0].label, "height 1.00"));
}
