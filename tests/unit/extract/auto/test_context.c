#include "extract/auto/context.h"

#include <math.h>

#include "extract/auto/features.h"
#include "extract/auto/page_context.h"
#include "page/page.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

enum { MAX_ROWS = 8 };

#define ASSERT_NEAR(actual, expected) \
	ck_assert_float_eq_tol(actual, (float)(expected), 1e-5F)

/* The rows of a page of at most MAX_ROWS passages; how many there are. */
static uint32_t make_rows(const char *html, const float *scores,
			  float rows[MAX_ROWS][CONTEXT_COUNT])
{
	AUTO_PAGE *page = parse(html);
	const struct passages passages = passages_make(page->arena, page);
	const struct page_context *page_context = page_context_make(
		page->arena, &passages, &(struct page_hints){.body_count = 0});
	const struct repetition repetition =
		repetition_make(page->arena, &passages);
	struct context *context = context_make(
		page->arena, &passages, page_context, &repetition, scores);

	ck_assert_uint_le(passages.count, MAX_ROWS);
	for (uint32_t i = 0; i < passages.count; i++)
		context_next(context, rows[i]);
	return passages.count;
}

/*
 * 7 words, of which 3 * .9 + .5 + .1 + .1 + .4 = 3.8 are content: div has 4 and
 * 3.2, ul has 3 and .6.
 */
static const char *const html = "<div><p>a b c</p><p>d</p></div>"
				"<ul><li>e</li><li>f</li><li>g</li></ul>";
static const float scores[] = {.9F, .5F, .1F, .1F, .4F};

TEST(scores_of_neighbours)
{
	float rows[MAX_ROWS][CONTEXT_COUNT];

	ck_assert_uint_eq(make_rows(html, scores, rows), 5);
	ASSERT_NEAR(rows[1][CONTEXT_score], .5);
	ASSERT_NEAR(rows[1][CONTEXT_score_previous], .9);
	ASSERT_NEAR(rows[1][CONTEXT_score_previous_2], -.1);
	ASSERT_NEAR(rows[3][CONTEXT_score_previous_3], .9);
	ASSERT_NEAR(rows[1][CONTEXT_score_next], .1);
	ASSERT_NEAR(rows[1][CONTEXT_score_next_3], .4);
	ASSERT_NEAR(rows[3][CONTEXT_score_next_2], -.1);
}

TEST(means_in_windows_are_weighted_by_words)
{
	float rows[MAX_ROWS][CONTEXT_COUNT];

	make_rows(html, scores, rows);
	ASSERT_NEAR(rows[0][CONTEXT_score_within_3], 3.4 / 6);
	ASSERT_NEAR(rows[4][CONTEXT_score_within_3], 1.1 / 4);
	ASSERT_NEAR(rows[0][CONTEXT_score_within_10], 3.8 / 7);
	ASSERT_NEAR(rows[4][CONTEXT_score_within_30], 3.8 / 7);
	ASSERT_NEAR(rows[2][CONTEXT_score_before_10], 3.2 / 4);
	ASSERT_NEAR(rows[2][CONTEXT_score_after_10], .5 / 2);
	ASSERT_NEAR(rows[4][CONTEXT_score_after_10], 0);
	ASSERT_NEAR(rows[0][CONTEXT_content_before], 0);
	ASSERT_NEAR(rows[2][CONTEXT_content_before], 3.2 / 3.8);
}

TEST(means_in_the_elements_around)
{
	float rows[MAX_ROWS][CONTEXT_COUNT];

	make_rows(html, scores, rows);
	ASSERT_NEAR(rows[0][CONTEXT_score_element], .9);
	ASSERT_NEAR(rows[0][CONTEXT_score_1_up], .8);
	ASSERT_NEAR(rows[2][CONTEXT_score_1_up], .2);
	ASSERT_NEAR(rows[0][CONTEXT_score_2_up], 3.8 / 7);
	ASSERT_NEAR(rows[0][CONTEXT_score_5_up], 3.8 / 7);
	ASSERT_NEAR(rows[0][CONTEXT_content_2_up], 1);
	ASSERT_NEAR(rows[0][CONTEXT_score_others], .5);
	ASSERT_NEAR(rows[1][CONTEXT_score_others], .9);
	/* li has two siblings of its kind, p one */
	ASSERT_NEAR(rows[0][CONTEXT_score_item], -.1);
	ASSERT_NEAR(rows[0][CONTEXT_score_list], -.1);
	ASSERT_NEAR(rows[4][CONTEXT_score_item], .4);
	ASSERT_NEAR(rows[4][CONTEXT_score_list], .2);
}

/* html, body, a deep div: four elements up is not yet the page. */
TEST(ratios_of_content_around)
{
	float rows[MAX_ROWS][CONTEXT_COUNT];

	ck_assert_uint_eq(make_rows("<div><div><div><div><p>a</p></div></div>"
				    "</div></div><p>b</p>",
				    (const float[]){.6F, .2F}, rows),
			  2);
	ASSERT_NEAR(rows[0][CONTEXT_content_2_up], .75);
	ASSERT_NEAR(rows[0][CONTEXT_content_4_up], .75);
	ASSERT_NEAR(rows[0][CONTEXT_score_4_up], .6);
	ASSERT_NEAR(rows[0][CONTEXT_score_5_up], .4);
	ASSERT_NEAR(rows[1][CONTEXT_content_4_up], 1);
}

TEST(half_of_the_content)
{
	float rows[MAX_ROWS][CONTEXT_COUNT];

	make_rows(html, scores, rows);
	/* p has 2.7 of 3.8 itself; of the second the div, of li the body */
	ASSERT_NEAR(rows[0][CONTEXT_score_half], .9);
	ASSERT_NEAR(rows[0][CONTEXT_distance_half], 0);
	ASSERT_NEAR(rows[1][CONTEXT_score_half], .8);
	ASSERT_NEAR(rows[1][CONTEXT_distance_half], 1);
	ASSERT_NEAR(rows[2][CONTEXT_score_half], 3.8 / 7);
	ASSERT_NEAR(rows[2][CONTEXT_distance_half], 2);
	/* .5 of .95 is more than half, .45 is not */
	make_rows("<p>a</p><p>b</p>", (const float[]){.5F, .45F}, rows);
	ASSERT_NEAR(rows[0][CONTEXT_distance_half], 0);
	ASSERT_NEAR(rows[1][CONTEXT_distance_half], 1);
}

TEST(elements_by_their_expected_f1)
{
	float rows[MAX_ROWS][CONTEXT_COUNT];

	make_rows(html, scores, rows);
	/* the first p 5.4 / 6.8, div 6.4 / 7.8, ul 1.2 / 6.8, all 7.6 / 10.8 */
	ASSERT_NEAR(rows[0][CONTEXT_f1_around], 6.4 / 7.8);
	ASSERT_NEAR(rows[2][CONTEXT_f1_around], 1.2 / 6.8);
	ASSERT_NEAR(rows[2][CONTEXT_f1_element], 6.4 / 7.8);
	ASSERT_NEAR(rows[1][CONTEXT_in_f1_element], 1);
	ASSERT_NEAR(rows[2][CONTEXT_in_f1_element], 0);
	/* 80 % of 3.8 is 3.04 */
	ASSERT_NEAR(rows[1][CONTEXT_in_main_element], 1);
	ASSERT_NEAR(rows[2][CONTEXT_in_main_element], 0);
}

TEST(paths_with_and_without_classes)
{
	float rows[MAX_ROWS][CONTEXT_COUNT];

	ck_assert_uint_eq(
		make_rows("<p class=a>a b</p><p class=b>c</p><p class=a>d</p>"
			  "<h2>e</h2>",
			  (const float[]){.5F, .1F, .2F, .7F}, rows),
		4);
	ASSERT_NEAR(rows[0][CONTEXT_score_path], 1.2 / 3);
	ASSERT_NEAR(rows[2][CONTEXT_score_path], 1.2 / 3);
	ASSERT_NEAR(rows[1][CONTEXT_score_path], .1);
	ASSERT_NEAR(rows[2][CONTEXT_score_path_highest], .5);
	ASSERT_NEAR(rows[1][CONTEXT_score_path_highest], .1);
	ASSERT_NEAR(rows[1][CONTEXT_score_tags], 1.3 / 4);
	ASSERT_NEAR(rows[1][CONTEXT_score_tags_highest], .5);
	ASSERT_NEAR(rows[3][CONTEXT_score_tags], .7);
}

TEST(sections_begin_with_their_heading)
{
	float rows[MAX_ROWS][CONTEXT_COUNT];

	ck_assert_uint_eq(
		make_rows("<p>a</p><p>b</p><h2>c</h2><p>d e</p><h3>f</h3>",
			  (const float[]){.1F, .3F, .6F, .9F, .2F}, rows),
		5);
	ASSERT_NEAR(rows[1][CONTEXT_score_heading], -.1);
	ASSERT_NEAR(rows[1][CONTEXT_score_section], .2);
	ASSERT_NEAR(rows[2][CONTEXT_score_heading], .6);
	ASSERT_NEAR(rows[2][CONTEXT_score_section], 2.4 / 3);
	ASSERT_NEAR(rows[3][CONTEXT_score_heading], .6);
	ASSERT_NEAR(rows[3][CONTEXT_score_section], 2.4 / 3);
	ASSERT_NEAR(rows[4][CONTEXT_score_heading], .2);
	ASSERT_NEAR(rows[4][CONTEXT_score_section], .2);
}

/* By score: 3 words, 1, 1 (the last passage), 1, 1. */
TEST(ranks_sum_up_the_words_of_higher_scores)
{
	float rows[MAX_ROWS][CONTEXT_COUNT];

	make_rows(html, scores, rows);
	ASSERT_NEAR(rows[0][CONTEXT_rank], 3 / 7.);
	ASSERT_NEAR(rows[1][CONTEXT_rank], 4 / 7.);
	ASSERT_NEAR(rows[4][CONTEXT_rank], 5 / 7.);
	ASSERT_NEAR(rows[2][CONTEXT_rank], 6 / 7.);
	ASSERT_NEAR(rows[3][CONTEXT_rank], 1);
	ASSERT_NEAR(rows[4][CONTEXT_rank_content], 5 / 3.8);
	ASSERT_NEAR(rows[4][CONTEXT_content], log(1 + 3.8));
	ASSERT_NEAR(rows[4][CONTEXT_content_ratio], 3.8 / 7);
	ASSERT_NEAR(rows[4][CONTEXT_score_highest], .9);
	/* 5.4 / 6.8 = .79, 6.4 / 7.8 = .82, 7.2 / 8.8 = .818, ... */
	ASSERT_NEAR(rows[4][CONTEXT_f1_highest], 6.4 / 7.8);
}

TEST(distances_from_the_confident)
{
	float rows[MAX_ROWS][CONTEXT_COUNT];

	make_rows(html, scores, rows);
	/* no passage has 8 words: the ends of the page */
	ASSERT_NEAR(rows[2][CONTEXT_distance_first], log(1 + 2));
	ASSERT_NEAR(rows[2][CONTEXT_distance_last], -log(1 + 2));
	ASSERT_NEAR(rows[0][CONTEXT_near_content], 0);
	ASSERT_NEAR(rows[2][CONTEXT_near_content], log(1 + 2));
	ASSERT_NEAR(rows[0][CONTEXT_near_boilerplate], log(1 + 2));
	ASSERT_NEAR(rows[3][CONTEXT_near_boilerplate], 0);
	ASSERT_NEAR(rows[4][CONTEXT_near_boilerplate], log(1 + 1));
}

/* Of two on both sides the nearer one counts. */
TEST(distances_look_both_ways)
{
	float rows[MAX_ROWS][CONTEXT_COUNT];

	ck_assert_uint_eq(
		make_rows("<p>a<p>a b c d e f g h<p>c<p>d<p>e"
			  "<p>a b c d e f g h<p>g",
			  (const float[]){.5F, .9F, .5F, .5F, .5F, .85F, .75F},
			  rows),
		7);
	ASSERT_NEAR(rows[2][CONTEXT_near_content], log(1 + 1));
	ASSERT_NEAR(rows[3][CONTEXT_near_content], log(1 + 2));
	ASSERT_NEAR(rows[4][CONTEXT_near_content], log(1 + 1));
	ASSERT_NEAR(rows[4][CONTEXT_near_boilerplate], 20);
	ASSERT_NEAR(rows[0][CONTEXT_distance_first], -log(1 + 1));
	ASSERT_NEAR(rows[3][CONTEXT_distance_first], log(1 + 2));
	ASSERT_NEAR(rows[6][CONTEXT_distance_last], log(1 + 1));
}

TEST(without_words_or_scores_there_are_no_means)
{
	float rows[MAX_ROWS][CONTEXT_COUNT];

	ck_assert_uint_eq(
		make_rows("<p>-</p><p>-</p>", (const float[]){0, 0}, rows), 2);
	ASSERT_NEAR(rows[0][CONTEXT_score_element], 0);
	ASSERT_NEAR(rows[0][CONTEXT_score_others], -.1);
	ASSERT_NEAR(rows[0][CONTEXT_content_ratio], 0);
	ASSERT_NEAR(rows[1][CONTEXT_rank], 0);
	ASSERT_NEAR(rows[1][CONTEXT_f1_highest], 0);
	ASSERT_NEAR(rows[1][CONTEXT_f1_around], 0);
	ck_assert_uint_eq(make_rows("<br>", NULL, rows), 0);
}

TEST(numbers_are_finite_whatever_the_page)
{
	for (uint64_t seed = 1; seed <= 200; seed++) {
		AUTO_TEXT *random = random_html(seed);
		AUTO_PAGE *page = parse(random);
		const struct passages passages =
			passages_make(page->arena, page);
		const struct page_context *page_context = page_context_make(
			page->arena, &passages,
			&(struct page_hints){.body_count = 0});
		const struct repetition repetition =
			repetition_make(page->arena, &passages);
		float *any = ARENA_NEW(page->arena, float, passages.count);
		uint64_t state = seed;
		struct context *context;
		float row[CONTEXT_COUNT];

		for (uint32_t i = 0; i < passages.count; i++)
			any[i] = (float)(random_next(&state) % 1001) / 1000;
		context = context_make(page->arena, &passages, page_context,
				       &repetition, any);
		for (uint32_t i = 0; i < passages.count; i++) {
			context_next(context, row);
			for (int k = 0; k < CONTEXT_COUNT; k++)
				ck_assert_msg(isfinite(row[k]),
					      "seed %lu, feature %d",
					      (unsigned long)seed, k);
		}
	}
}
