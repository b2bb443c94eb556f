#include "extract/auto/auto_template.h"

#include <math.h>

#include "extract/auto/auto_score.h"
#include "extract/auto/forest.h"
#include "page/page.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

enum { PAGES = 4, PASSAGES = 3 };

/* A menu that never changes, text that always does, a line that one shares. */
static const char *const sources[PAGES] = {
	"<ul><li>home news</ul><p>one two three<i class=x>.</i><div>same line",
	"<ul><li>home news</ul><p>four five six<i class=x>.</i><div>same line",
	"<ul><li>home news</ul><p>seven eight nine<i class=x>.</i><div>a b",
	"<ul><li>home news</ul><p>ten eleven twelve<i class=x>.</i><div>c d",
};

struct pages {
	struct page *items[PAGES];
	struct passages first;
	struct arena *arena;
	const struct passage_model *known;
};

/* Learn from the pages from..PAGES-1. */
static struct pages setup(uint32_t from)
{
	struct pages pages = {.arena = arena_create()};
	struct sample sample = {.count = PAGES - from};

	for (uint32_t i = 0; i < PAGES; i++)
		pages.items[i] = parse(sources[i]);
	sample.pages = (const struct page *const *)pages.items + from;
	pages.known = passage_model_build(&sample, SCOPE_NONE, pages.arena);
	pages.first = passages_make(pages.arena, pages.items[0]);
	ck_assert_uint_eq(pages.first.count, PASSAGES);
	return pages;
}

static void teardown(struct pages *pages)
{
	for (uint32_t i = 0; i < PAGES; i++)
		page_destroy(pages->items[i]);
	arena_destroy(pages->arena);
}

static float value_of(const struct passage_evidence *evidence, uint32_t passage,
		      int feature)
{
	return evidence[passage].values[feature];
}

/*
 * Page 0 among the three others. The menu: on 3 of 3, never new. The text: on
 * none, always new. The line: on 1 of 3, and of the 8 words in its slot on four
 * pages 4 ("a b", "c d") occur once.
 */
static void assert_evidence(const struct passage_evidence *evidence)
{
	static const struct {
		uint32_t passage;
		int feature;
		float value;
	} wanted[] = {
		{0, TEMPLATE_frequency, 1},
		{0, TEMPLATE_frequency_in_slot, 1},
		{0, TEMPLATE_slot_variability, 0},
		{0, TEMPLATE_slot_presence, 1},
		{1, TEMPLATE_frequency, 0},
		{1, TEMPLATE_slot_variability, 1},
		{2, TEMPLATE_frequency, 1 / 3.0F},
		{2, TEMPLATE_slot_variability, 0.5F},
		{0, TEMPLATE_others, 1.38629436F}, /* log 4 */
	};

	for (size_t i = 0; i < COUNT_OF(wanted); i++)
		ck_assert_float_eq_tol(value_of(evidence, wanted[i].passage,
						wanted[i].feature),
				       wanted[i].value, 1e-6F);
}

TEST(a_page_of_the_sample_is_not_its_own_witness)
{
	struct pages pages = setup(0);
	const float scores[PASSAGES] = {0.1F, 0.9F, 0.5F};

	assert_evidence(passage_model_view(pages.known, pages.arena,
					   &pages.first, scores, NULL));
	teardown(&pages);
}

TEST(a_page_that_is_not_in_the_sample_sees_the_same)
{
	struct pages pages = setup(1);
	const float scores[PASSAGES] = {0.1F, 0.9F, 0.5F};

	assert_evidence(passage_model_view(pages.known, pages.arena,
					   &pages.first, scores, NULL));
	teardown(&pages);
}

TEST(one_other_page_is_no_template)
{
	struct pages pages = setup(PAGES - 1);
	const float scores[PASSAGES] = {0.1F, 0.9F, 0.5F};

	ck_assert_ptr_null(passage_model_view(pages.known, pages.arena,
					      &pages.first, scores, NULL));
	teardown(&pages);
}

TEST(the_view_is_the_same_from_inside_and_outside)
{
	struct pages all = setup(0);
	struct pages rest = setup(1);
	struct passages first = rest.first;
	float scores[PASSAGES];
	const struct passage_evidence *inside;
	const struct passage_evidence *outside;
	const struct page_hints claims = page_hints_of(all.arena, all.items[0]);
	const struct passage_scores own = passage_scores_make(
		all.arena, &all.first, &claims, SCOPE_NONE, false);

	for (uint32_t i = 0; i < PASSAGES; i++)
		scores[i] = own.scores[i];
	inside = passage_model_view(all.known, all.arena, &all.first, scores,
				    NULL);
	outside = passage_model_view(rest.known, rest.arena, &first, scores,
				     NULL);
	for (uint32_t i = 0; i < PASSAGES; i++)
		for (int k = 0; k < TEMPLATE_COUNT; k++)
			ck_assert_float_eq(value_of(inside, i, k),
					   value_of(outside, i, k));
	teardown(&all);
	teardown(&rest);
}

TEST(the_order_of_the_sample_does_not_matter)
{
	struct pages pages = setup(0);
	const struct page *turned[] = {pages.items[3], pages.items[1],
				       pages.items[0], pages.items[2]};
	const struct sample sample = {.pages = turned, .count = PAGES};
	const float scores[PASSAGES] = {0.1F, 0.9F, 0.5F};
	const struct passage_evidence *one = passage_model_view(
		pages.known, pages.arena, &pages.first, scores, NULL);
	const struct passage_evidence *other = passage_model_view(
		passage_model_build(&sample, SCOPE_NONE, pages.arena),
		pages.arena, &pages.first, scores, NULL);

	for (uint32_t i = 0; i < PASSAGES; i++)
		for (int k = 0; k < TEMPLATE_COUNT; k++)
			ck_assert_float_eq(value_of(one, i, k),
					   value_of(other, i, k));
	teardown(&pages);
}

/*
 * Scores as given: slot of the text .9 on page 0, .5, .7 and .3 on the others,
 * each of 3 words: mean .6, spread sqrt(.05), two of four over 1/2.
 */
TEST(a_slot_knows_how_its_pages_agree)
{
	static const float given[PAGES][PASSAGES] = {
		{0.1F, 0.9F, 0.5F},
		{0.1F, 0.5F, 0.5F},
		{0.1F, 0.7F, 0.5F},
		{0.1F, 0.3F, 0.5F},
	};
	const float *scores[] = {given[0], given[1], given[2], given[3]};
	struct pages pages = setup(0);
	const struct sample sample = {
		.pages = (const struct page *const *)pages.items,
		.count = PAGES};
	const struct passage_evidence *evidence = passage_model_view(
		passage_model_of_scores(&sample, scores, pages.arena),
		pages.arena, &pages.first, given[0], NULL);

	ck_assert_float_eq_tol(value_of(evidence, 1, TEMPLATE_slot_odds),
			       logf(1.5F), 1e-5F);
	ck_assert_float_eq_tol(value_of(evidence, 1, TEMPLATE_slot_spread),
			       sqrtf(0.05F), 1e-5F);
	ck_assert_float_eq(value_of(evidence, 1, TEMPLATE_slot_agreement),
			   0.5F);
	teardown(&pages);
}

/* The headline of page 0 is a link in a list of each other page. */
TEST(a_teaser_elsewhere_is_seen)
{
	static const char last[] =
		"<h1>more</h1><ul><li><a href=x>one two three</a></ul>"
		"<div>a b c d e f then not";
	static const char *const texts[] = {
		"<h1>one two three</h1><p>a b c d e f g",
		"<h1>other</h1><ul><li><a href=x>one two three</a></ul><p>h",
		last,
	};
	AUTO_ARENA *arena = arena_create();
	struct page *items[3];
	const struct sample sample = {
		.pages = (const struct page *const *)items, .count = 3};
	const struct passage_evidence *evidence;
	struct passages first;
	const float scores[] = {0.5F, 0.5F};

	for (uint32_t i = 0; i < 3; i++)
		items[i] = parse(texts[i]);
	first = passages_make(arena, items[0]);
	evidence = passage_model_view(
		passage_model_build(&sample, SCOPE_NONE, arena), arena, &first,
		scores, NULL);
	ck_assert_uint_eq(first.count, 2);
	ck_assert_float_eq(value_of(evidence, 0, TEMPLATE_frequency), 1);
	ck_assert_float_eq(value_of(evidence, 0, TEMPLATE_frequency_in_slot),
			   0);
	ck_assert_float_eq(value_of(evidence, 0, TEMPLATE_frequency_elsewhere),
			   1);
	ck_assert_float_eq(value_of(evidence, 0, TEMPLATE_frequency_as_link),
			   1);
	ck_assert_float_eq(value_of(evidence, 0, TEMPLATE_frequency_of_begin),
			   0);
	ck_assert_float_eq(value_of(evidence, 1, TEMPLATE_frequency_of_begin),
			   0.5F);
	for (uint32_t i = 0; i < 3; i++)
		page_destroy(items[i]);
}

/* More rows than are scored together; certain scores stay finite. */
TEST(all_rows_get_what_one_gets)
{
	struct passage_evidence evidence[FOREST_ROWS + 2];
	float scores[FOREST_ROWS + 2];
	struct passage_evidence alone = {.values = {0}};
	float score = 1;

	alone.values[TEMPLATE_odds] = 9;
	for (size_t i = 0; i < FOREST_ROWS + 2; i++)
		evidence[i] = alone;
	evidence_apply(&alone, 1, &score);
	evidence_apply(evidence, FOREST_ROWS + 2, scores);
	for (size_t i = 0; i < FOREST_ROWS + 2; i++)
		ck_assert_float_eq(scores[i], score);
	ck_assert_float_gt(score, 0.9F);
	ck_assert_float_le(score, 1);
}

/*
 * Of two passages that the page is torn about, the one that all pages have in
 * one slot gets less than the one that is new on each.
 */
TEST(what_never_changes_loses)
{
	struct passage_evidence evidence[2] = {{.values = {0}}};
	float scores[2];

	for (int i = 0; i < 2; i++) {
		float *values = evidence[i].values;

		values[TEMPLATE_others] = logf(11);
		values[TEMPLATE_sureness] = 3;
		values[TEMPLATE_template_sureness] = 3;
		values[TEMPLATE_slot_presence] = 1;
		values[TEMPLATE_frequency] = i == 0 ? 1 : 0;
		values[TEMPLATE_frequency_in_slot] = i == 0 ? 1 : 0;
		values[TEMPLATE_slot_variability] = i == 0 ? 0 : 1;
		values[TEMPLATE_group_variability] = i == 0 ? 0 : 1;
	}
	evidence_apply(evidence, 2, scores);
	ck_assert_float_lt(scores[0], scores[1]);
}
