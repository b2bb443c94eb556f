#include "extract/auto/auto_score.h"

#include <math.h>

#include "extract/auto/forest.h"
#include "page/page.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/* Both forests over whole rows, one at a time: the first, and this second. */
static void assert_scores(const struct passage_scores *scores,
			  const struct page_hints *claims,
			  const struct forest *second)
{
	const struct passages *passages = scores->passages;
	struct arena *arena = passages->page->arena;
	struct features *features =
		features_make(arena, passages, claims, NULL);
	struct context *context =
		context_make(arena, passages, features_page_context(features),
			     features_repetition(features), scores->page);
	float row[AUTO_FEATURE_COUNT];
	float margin;

	for (uint32_t i = 0; i < passages->count; i++) {
		features_next(features, row + CONTEXT_COUNT);
		context_next(context, row);
		forest_margins(&auto_page_forest,
			       &(struct forest_rows){row + CONTEXT_COUNT, 1, 0},
			       &margin);
		ck_assert_float_eq(scores->page[i], forest_probability(margin));
		forest_margins(second, &(struct forest_rows){row, 1, 0},
			       &margin);
		ck_assert_float_eq(scores->scores[i],
				   forest_probability(margin));
	}
}

static void check_page(struct page *page)
{
	static const struct forest *const seconds[SCOPE_COUNT] = {
		&auto_context_forest,
		&auto_scope_body_forest,
		&auto_scope_page_forest,
	};
	const struct page_hints claims = page_hints_of(page->arena, page);
	const struct passages passages = passages_make(page->arena, page);

	for (unsigned i = 0; i < SCOPE_COUNT; i++) {
		const struct passage_scores scores =
			passage_scores_make(page->arena, &passages, &claims,
					    (enum preference_scope)i, false);

		ck_assert_ptr_null(scores.moves);
		assert_scores(&scores, &claims, seconds[i]);
	}
}

TEST(scores_are_those_of_the_forests_of_the_scope)
{
	for (uint64_t seed = 1; seed <= 100; seed++) {
		AUTO_TEXT *html = random_html(seed);
		AUTO_PAGE *page = parse(html);

		check_page(page);
	}
}

TEST(the_strongest_move_comes_first)
{
	AUTO_PAGE *page = parse("<h1>One two</h1><p>Three four five, six and "
				"<a href=x>seven</a>.<ul><li>Eight</ul>");
	const struct passages passages = passages_make(page->arena, page);
	const struct page_hints claims = {.body_count = 0};
	const struct passage_scores scores = passage_scores_make(
		page->arena, &passages, &claims, SCOPE_NONE, true);

	ck_assert_uint_eq(passages.count, 3);
	for (uint32_t i = 0; i < passages.count; i++) {
		const struct strongest_moves *moves = &scores.moves[i];

		ck_assert_float_ne(moves->moves[0], 0);
		for (unsigned k = 1; k < MAX_MOVES; k++)
			ck_assert_float_ge(fabsf(moves->moves[k - 1]),
					   fabsf(moves->moves[k]));
	}
}

TEST(an_empty_page_has_no_scores)
{
	AUTO_PAGE *page = parse("");
	const struct passages passages = passages_make(page->arena, page);
	const struct page_hints claims = {.body_count = 0};

	ck_assert_uint_eq(passage_scores_make(page->arena, &passages, &claims,
					      SCOPE_NONE, true)
				  .passages->count,
			  0);
}
