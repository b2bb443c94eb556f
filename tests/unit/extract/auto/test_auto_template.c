#include "extract/auto/auto_template.h"

#include <math.h>

#include "page/page.h"
#include "store/arena.h"
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
	const struct known_passages *known;
};

/* Learn from the pages from..PAGES-1. */
static struct pages setup(uint32_t from)
{
	struct pages pages = {.arena = arena_create()};
	struct sample sample = {.count = PAGES - from};

	for (uint32_t i = 0; i < PAGES; i++)
		pages.items[i] = parse(sources[i]);
	sample.pages = (const struct page *const *)pages.items + from;
	pages.known = known_passages_learn(&sample, SCOPE_NONE, pages.arena);
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

/*
 * Page 0 among the three others. The menu: on 3 of 3, never new. The text: on
 * none, always new. The line: on 1 of 3, and of the 8 words in its slot on four
 * pages 4 ("a b", "c d") stand there once.
 */
static void assert_evidence(const struct passage_evidence *evidence)
{
	ck_assert_float_eq(evidence[0].frequency, 1);
	ck_assert_float_eq(evidence[0].variability, 0);
	ck_assert_float_eq(evidence[0].presence, 1);
	ck_assert_float_eq(evidence[1].frequency, 0);
	ck_assert_float_eq(evidence[1].variability, 1);
	ck_assert_float_eq_tol(evidence[2].frequency, 1 / 3.0F, 1e-6F);
	ck_assert_float_eq_tol(evidence[2].variability, 0.5F, 1e-6F);
}

START_TEST(a_page_of_the_sample_is_not_its_own_witness)
{
	struct pages pages = setup(0);
	const float scores[PASSAGES] = {0.1F, 0.9F, 0.5F};

	assert_evidence(known_passages_view(pages.known, pages.arena,
					    &pages.first, scores));
	teardown(&pages);
}
END_TEST

START_TEST(a_page_that_is_not_in_the_sample_sees_the_same)
{
	struct pages pages = setup(1);
	const float scores[PASSAGES] = {0.1F, 0.9F, 0.5F};

	assert_evidence(known_passages_view(pages.known, pages.arena,
					    &pages.first, scores));
	teardown(&pages);
}
END_TEST

START_TEST(one_other_page_is_no_template)
{
	struct pages pages = setup(PAGES - 1);
	const float scores[PASSAGES] = {0.1F, 0.9F, 0.5F};

	ck_assert_ptr_null(known_passages_view(pages.known, pages.arena,
					       &pages.first, scores));
	teardown(&pages);
}
END_TEST

/*
 * Log odds: of .8 ln 4, of .5 0. Half of each is ln 2; the slot that is always
 * new adds half of 2: e^(ln 2 + 1) = 2 e. The second text is on more than a
 * third of the pages, in a slot that never changes: ln 2 - 1 - 3.
 */
START_TEST(evidence_adds_up_in_log_odds)
{
	static const struct evidence_weights weights = {
		.page = 0.5, .slot = 2, .repetition = 3};
	static const struct passage_evidence evidence[] = {
		{.frequency = 0.33F, .slot_score = 0.5F, .variability = 1},
		{.frequency = 0.34F, .slot_score = 0.5F, .variability = 0},
	};
	float scores[] = {0.8F, 0.8F};
	double first = 2 * exp(1);
	double second = 2 * exp(-4);

	evidence_apply(evidence, 2, &weights, scores);
	ck_assert_float_eq_tol(scores[0], (float)(first / (1 + first)), 1e-5F);
	ck_assert_float_eq_tol(scores[1], (float)(second / (1 + second)),
			       1e-5F);
}
END_TEST

/* Certain scores stay finite, and move. */
START_TEST(no_score_is_beyond_doubt)
{
	static const struct evidence_weights weights = {.page = 1,
							.repetition = 20};
	static const struct passage_evidence evidence[] = {{.frequency = 1},
							   {.frequency = 0}};
	float scores[] = {1, 0};

	evidence_apply(evidence, 2, &weights, scores);
	ck_assert_float_lt(scores[0], 0.01F);
	ck_assert_float_ge(scores[1], 0);
	ck_assert_float_lt(scores[1], 0.01F);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("auto_template");
	TCase *tcase = tcase_create("auto_template");

	tcase_add_test(tcase, a_page_of_the_sample_is_not_its_own_witness);
	tcase_add_test(tcase, a_page_that_is_not_in_the_sample_sees_the_same);
	tcase_add_test(tcase, one_other_page_is_no_template);
	tcase_add_test(tcase, evidence_adds_up_in_log_odds);
	tcase_add_test(tcase, no_score_is_beyond_doubt);
	suite_add_tcase(suite, tcase);
	return suite;
}
