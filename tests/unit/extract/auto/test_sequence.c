#include "extract/auto/sequence.h"

#include <math.h>

#include "extract/auto/features.h"
#include "extract/text/token_stream.h"
#include "page/page.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

enum { MAX_ROWS = 32 };

#define ASSERT_NEAR(actual, expected) \
	ck_assert_float_eq_tol(actual, (float)(expected), 1e-5F)

/* The rows of a page of at most MAX_ROWS passages; how many there are. */
static uint32_t make_rows(const char *html,
			  float rows[MAX_ROWS][SEQUENCE_COUNT])
{
	AUTO_PAGE *page = parse(html);
	const struct passages passages = passages_make(page->arena, page);
	const struct repetition repetition =
		repetition_make(page->arena, &passages);
	const struct passage_sequence *sequence =
		sequence_make(page->arena, &passages, &repetition, NULL);

	ck_assert_uint_le(passages.count, MAX_ROWS);
	for (uint32_t i = 0; i < passages.count; i++)
		sequence_row(sequence, i, rows[i]);
	return passages.count;
}

/* `count` times "<p>", `middle` in the middle, and `text` else. */
static char *paragraphs(unsigned count, const char *text, const char *middle)
{
	struct buffer out = {0};

	for (unsigned i = 0; i < count; i++) {
		buffer_append_text(&out, "<p>");
		buffer_append_text(&out, i == count / 2 ? middle : text);
	}
	return out.data;
}

/* 3 words and 1: of 4 words 1.5 are before the middle of the first. */
TEST(positions_count_words_and_passages)
{
	float rows[MAX_ROWS][SEQUENCE_COUNT];

	ck_assert_uint_eq(make_rows("<p>a b c</p><p>d</p>", rows), 2);
	ASSERT_NEAR(rows[0][SEQUENCE_position], 1.5 / 4);
	ASSERT_NEAR(rows[1][SEQUENCE_position], 3.5 / 4);
	ASSERT_NEAR(rows[1][SEQUENCE_passage_position], .5);
	ASSERT_NEAR(rows[0][SEQUENCE_words_before], 0);
	ASSERT_NEAR(rows[1][SEQUENCE_words_before], log(4));
	ASSERT_NEAR(rows[0][SEQUENCE_words_after], log(2));
	ASSERT_NEAR(rows[1][SEQUENCE_words_after], 0);
	ASSERT_NEAR(rows[1][SEQUENCE_passages_before], 1);
	ASSERT_NEAR(rows[1][SEQUENCE_passages_after], 1);
}

/*
 * Radius 1 blurs with 1 3 6 7 6 3 1 over 27. One tag a passage, one character,
 * and 28 in the middle: 1 + 27 * 7 / 27 = 8 there, 1 + 27 * 6 / 27 = 7 next to
 * it. <p> and </p> are 7 bytes.
 */
TEST(narrow_blurs_worked_by_hand)
{
	AUTO_TEXT *html = paragraphs(9, "a", "abcdefghijklmnopqrstuvwxyzab");
	float rows[MAX_ROWS][SEQUENCE_COUNT];

	ck_assert_uint_eq(make_rows(html, rows), 9);
	ASSERT_NEAR(rows[4][SEQUENCE_tag_ratio_1], log(1 + 8));
	ASSERT_NEAR(rows[5][SEQUENCE_tag_ratio_1], log(1 + 7));
	ASSERT_NEAR(rows[4][SEQUENCE_text_ratio_1], 8 / (8 + 7.));
	ASSERT_NEAR(rows[5][SEQUENCE_text_ratio_1], 7 / (7 + 7.));
}

/* Farther than 24 passages from html and body all passages are equal. */
TEST(equal_passages_stay_what_they_are)
{
	AUTO_TEXT *html = paragraphs(30, "<a>abcd</a>", "<a>abcd</a>");
	float rows[MAX_ROWS][SEQUENCE_COUNT];

	ck_assert_uint_eq(make_rows(html, rows), 30);
	/* p and a: two tags, 14 bytes */
	ASSERT_NEAR(rows[29][SEQUENCE_tag_ratio_1], log(1 + 2));
	ASSERT_NEAR(rows[29][SEQUENCE_tag_ratio_3], log(1 + 2));
	ASSERT_NEAR(rows[29][SEQUENCE_tag_ratio_8], log(1 + 2));
	/* their deviation is less than 1 */
	ASSERT_NEAR(rows[29][SEQUENCE_tag_ratio_deviations], 2);
	ASSERT_NEAR(rows[29][SEQUENCE_text_ratio_1], 4 / 18.);
	ASSERT_NEAR(rows[29][SEQUENCE_text_ratio_3], 4 / 18.);
	ASSERT_NEAR(rows[29][SEQUENCE_text_ratio_8], 4 / 18.);
	ASSERT_NEAR(rows[29][SEQUENCE_link_quota_3], 1);
	ASSERT_NEAR(rows[29][SEQUENCE_link_quota_8], 1);
}

/* 15 words of text, 1 in a link, 1 next to a price; html, body, 3 p, 1 a. */
TEST(windows_are_ratios_of_their_words)
{
	float rows[MAX_ROWS][SEQUENCE_COUNT];

	ck_assert_uint_eq(
		make_rows("<p>a b c d e f g h i j k l m n o<p><a>x</a><p>$5",
			  rows),
		3);
	ASSERT_NEAR(rows[0][SEQUENCE_words_5], log(1 + 17));
	ASSERT_NEAR(rows[0][SEQUENCE_slope_5], 17 / (17 + 6.));
	ASSERT_NEAR(rows[0][SEQUENCE_long_ratio_5], 15 / 17.);
	ASSERT_NEAR(rows[2][SEQUENCE_link_ratio_5], 1 / 17.);
	ASSERT_NEAR(rows[1][SEQUENCE_prices_5], 1 / 3.);
	ASSERT_NEAR(rows[1][SEQUENCE_slope_20], rows[1][SEQUENCE_slope_5]);
	ASSERT_NEAR(rows[1][SEQUENCE_long_ratio_20], 15 / 17.);
	ASSERT_NEAR(rows[1][SEQUENCE_link_ratio_20], 1 / 17.);
	ASSERT_NEAR(rows[1][SEQUENCE_prices_20], 1 / 3.);
}

TEST(windows_reach_5_and_20_passages)
{
	AUTO_TEXT *html = paragraphs(30, "a", "a");
	float rows[MAX_ROWS][SEQUENCE_COUNT];

	make_rows(html, rows);
	ASSERT_NEAR(rows[0][SEQUENCE_words_5], log(1 + 6));
	ASSERT_NEAR(rows[6][SEQUENCE_words_5], log(1 + 11));
	ASSERT_NEAR(rows[29][SEQUENCE_words_5], log(1 + 6));
	ASSERT_NEAR(rows[0][SEQUENCE_words_20], log(1 + 21));
	ASSERT_NEAR(rows[15][SEQUENCE_words_20], log(1 + 30));
	ASSERT_NEAR(rows[25][SEQUENCE_words_20], log(1 + 25));
}

TEST(the_ridge_is_around_the_passage_of_most_words)
{
	AUTO_TEXT *html =
		paragraphs(21, "a", "b c d e f g h i j k l m n o p q r s");
	float rows[MAX_ROWS][SEQUENCE_COUNT];

	make_rows(html, rows);
	ASSERT_NEAR(rows[10][SEQUENCE_tag_ratio_ratio], 1);
	ASSERT_NEAR(rows[10][SEQUENCE_ridge_height], 1);
	ASSERT_NEAR(rows[10][SEQUENCE_ridge_distance], 0);
	ASSERT_NEAR(rows[8][SEQUENCE_ridge_distance], -log(1 + 2));
	ASSERT_NEAR(rows[13][SEQUENCE_ridge_distance], log(1 + 3));
	/* from end to end: the 18 words after the peak are skipped */
	ASSERT_NEAR(rows[9][SEQUENCE_ridge_words], -log(1 + 18));
	ASSERT_NEAR(rows[12][SEQUENCE_ridge_words], log(1 + 2));
	ASSERT_NEAR(rows[10][SEQUENCE_ridge_valley], 1);
	ASSERT_NEAR(rows[9][SEQUENCE_ridge_valley],
		    rows[9][SEQUENCE_ridge_height]);
}

TEST(words_in_links_make_no_ridge)
{
	AUTO_TEXT *html = paragraphs(21, "a", "<a>b c d e f g h i j k l m</a>");
	float rows[MAX_ROWS][SEQUENCE_COUNT];

	make_rows(html, rows);
	ck_assert_float_lt(rows[10][SEQUENCE_ridge_height],
			   rows[0][SEQUENCE_ridge_height]);
}

/* Two heaps, the first the higher one: the second lies after a valley. */
TEST(a_valley_separates_two_ridges)
{
	AUTO_BUFFER html = {0};
	float rows[MAX_ROWS][SEQUENCE_COUNT];

	for (unsigned i = 0; i < 30; i++) {
		buffer_append_text(&html, "<p>a");
		if (i == 2)
			buffer_append_text(&html, " b c d e f g h i j k l m n");
		if (i == 26)
			buffer_append_text(&html, " b c d e f g h i j");
	}
	make_rows(html.data, rows);
	ck_assert_float_gt(rows[26][SEQUENCE_ridge_height],
			   2 * rows[14][SEQUENCE_ridge_height]);
	ASSERT_NEAR(rows[26][SEQUENCE_ridge_valley],
		    rows[14][SEQUENCE_ridge_height]);
}

/*
 * Words - tags: 1 - 3, 3 - 1, 1 - 3, 6 - 1, 1 - 1. 2 - 2 + 5 is not above 5,
 * and neither is 5 + 0. No passage has 10 words, and the empty run is before
 * the first one.
 */
TEST(the_run_of_most_words_and_fewest_tags)
{
	float rows[MAX_ROWS][SEQUENCE_COUNT];

	ck_assert_uint_eq(make_rows("<p>a<p>a b c<div><div><p>d</div></div>"
				    "<p>a b c d e f<p>e",
				    rows),
			  5);
	ASSERT_NEAR(rows[1][SEQUENCE_bte], 0);
	ASSERT_NEAR(rows[2][SEQUENCE_bte], 0);
	ASSERT_NEAR(rows[3][SEQUENCE_bte], 1);
	ASSERT_NEAR(rows[4][SEQUENCE_bte], 0);
	ASSERT_NEAR(rows[0][SEQUENCE_bte_distance], -log(1 + 3));
	ASSERT_NEAR(rows[3][SEQUENCE_bte_distance], 0);
	ASSERT_NEAR(rows[4][SEQUENCE_bte_distance], log(1 + 1));
	ASSERT_NEAR(rows[3][SEQUENCE_mss], 0);
	ASSERT_NEAR(rows[0][SEQUENCE_mss_distance], log(1 + 1));
	ASSERT_NEAR(rows[0][SEQUENCE_mss_ratio], 0);
}

/* 6 - 3, 1 - 1 and 2 - 1. */
TEST(a_tag_takes_one_word)
{
	float rows[MAX_ROWS][SEQUENCE_COUNT];

	ck_assert_uint_eq(make_rows("<p>a b c d e f<p>g<p>h i", rows), 3);
	ASSERT_NEAR(rows[0][SEQUENCE_bte], 1);
	ASSERT_NEAR(rows[2][SEQUENCE_bte], 1);
}

/*
 * Ten words weigh 10 - 2, with all of them in links -10 - 4 * 2, and eleven
 * with six in links 11 - 12 - 2 * 2. For MSS links are most characters of both:
 * -6 and less.
 */
TEST(links_weigh_against_a_run)
{
	float rows[MAX_ROWS][SEQUENCE_COUNT];

	ck_assert_uint_eq(make_rows("<p><a>a b c d e f g h i j</a>"
				    "<p>a b c d e f g h i j"
				    "<p><a>a b c d e f</a> g h i j k",
				    rows),
			  3);
	ASSERT_NEAR(rows[0][SEQUENCE_bte], 1);
	ASSERT_NEAR(rows[2][SEQUENCE_bte], 1);
	ASSERT_NEAR(rows[0][SEQUENCE_link_bte], 0);
	ASSERT_NEAR(rows[0][SEQUENCE_link_bte_distance], -log(1 + 1));
	ASSERT_NEAR(rows[1][SEQUENCE_link_bte], 1);
	ASSERT_NEAR(rows[2][SEQUENCE_link_bte], 0);
	ASSERT_NEAR(rows[0][SEQUENCE_mss], 0);
	ASSERT_NEAR(rows[1][SEQUENCE_mss], 1);
	ASSERT_NEAR(rows[2][SEQUENCE_mss], 0);
	ASSERT_NEAR(rows[0][SEQUENCE_mss_ratio], 10 / 31.);
}

TEST(neighbours_are_told_from_both_sides)
{
	float rows[MAX_ROWS][SEQUENCE_COUNT];

	ck_assert_uint_eq(make_rows("<p>a b</p><h1>c.</h1>"
				    "<ul><li><a>d</a></li></ul>",
				    rows),
			  3);
	ASSERT_NEAR(rows[1][SEQUENCE_previous_words], log(1 + 2));
	ASSERT_NEAR(rows[1][SEQUENCE_next_words], log(1 + 1));
	ASSERT_NEAR(rows[2][SEQUENCE_previous_2_words], log(1 + 2));
	ASSERT_NEAR(rows[0][SEQUENCE_next_2_link_ratio], 1);
	ASSERT_NEAR(rows[1][SEQUENCE_previous_link_ratio], 0);
	ASSERT_NEAR(rows[1][SEQUENCE_next_link_ratio], 1);
	ASSERT_NEAR(rows[1][SEQUENCE_previous_kind], KIND_P);
	ASSERT_NEAR(rows[1][SEQUENCE_next_kind], KIND_LI);
	ASSERT_NEAR(rows[2][SEQUENCE_previous_2_kind], KIND_P);
	ASSERT_NEAR(rows[0][SEQUENCE_next_ends_sentence], 1);
	ASSERT_NEAR(rows[2][SEQUENCE_previous_ends_sentence], 1);
	ASSERT_NEAR(rows[1][SEQUENCE_previous_ends_sentence], 0);
	/* ul, li, a */
	ASSERT_NEAR(rows[1][SEQUENCE_next_tags], 3);
}

TEST(at_the_ends_there_are_no_neighbours)
{
	float rows[MAX_ROWS][SEQUENCE_COUNT];

	ck_assert_uint_eq(make_rows("<p>a.", rows), 1);
	ASSERT_NEAR(rows[0][SEQUENCE_previous_words], 0);
	ASSERT_NEAR(rows[0][SEQUENCE_next_2_words], 0);
	ASSERT_NEAR(rows[0][SEQUENCE_previous_link_ratio], -1);
	ASSERT_NEAR(rows[0][SEQUENCE_next_kind], -1);
	ASSERT_NEAR(rows[0][SEQUENCE_next_tags], -1);
	ASSERT_NEAR(rows[0][SEQUENCE_next_ends_sentence], 0);
	ASSERT_NEAR(rows[0][SEQUENCE_previous_same_path], 0);
}

TEST(digits_of_a_class_are_no_other_path)
{
	float rows[MAX_ROWS][SEQUENCE_COUNT];

	ck_assert_uint_eq(make_rows("<div class='a post-1'><p>x</p></div>"
				    "<div class='a post-22'><p>y</p></div>"
				    "<div class=a><p>z</p></div>"
				    "<section class=a><p>z</p></section>"
				    "<p>q</p><p>r</p><h2>s</h2>",
				    rows),
			  7);
	ASSERT_NEAR(rows[1][SEQUENCE_previous_same_path], 1);
	ASSERT_NEAR(rows[2][SEQUENCE_previous_same_path], 0);
	ASSERT_NEAR(rows[3][SEQUENCE_previous_same_path], 0);
	ASSERT_NEAR(rows[4][SEQUENCE_previous_same_path], 0);
	ASSERT_NEAR(rows[5][SEQUENCE_previous_same_path], 1);
	ASSERT_NEAR(rows[6][SEQUENCE_previous_same_path], 0);
}

TEST(a_page_without_passages_has_no_rows)
{
	float rows[MAX_ROWS][SEQUENCE_COUNT];

	ck_assert_uint_eq(make_rows("<title>a</title><br>", rows), 0);
}

/* Computes each feature separately. */
static void assert_alone(const struct passages *passages,
			 const struct repetition *repetition)
{
	struct arena *arena = passages->page->arena;
	const struct passage_sequence *all =
		sequence_make(arena, passages, repetition, NULL);

	for (size_t feature = 0; feature < SEQUENCE_COUNT; feature++) {
		bool wanted[SEQUENCE_COUNT] = {false};
		const struct passage_sequence *alone;

		wanted[feature] = true;
		alone = sequence_make(arena, passages, repetition, wanted);
		for (uint32_t i = 0; i < passages->count; i++) {
			float row[SEQUENCE_COUNT];
			float expected[SEQUENCE_COUNT];

			sequence_row(alone, i, row);
			sequence_row(all, i, expected);
			ck_assert_float_eq(row[feature], expected[feature]);
		}
	}
}

TEST(a_feature_does_not_depend_on_other_requested_features)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		AUTO_TEXT *html = random_html(seed);
		AUTO_PAGE *page = parse(html);
		const struct passages passages =
			passages_make(page->arena, page);
		const struct repetition repetition =
			repetition_make(page->arena, &passages);

		assert_alone(&passages, &repetition);
	}
}

TEST(numbers_are_finite_whatever_the_page)
{
	for (uint64_t seed = 1; seed <= 200; seed++) {
		AUTO_TEXT *html = random_html(seed);
		AUTO_PAGE *page = parse(html);
		const struct passages passages =
			passages_make(page->arena, page);
		const struct repetition repetition =
			repetition_make(page->arena, &passages);
		const struct passage_sequence *sequence = sequence_make(
			page->arena, &passages, &repetition, NULL);
		float row[SEQUENCE_COUNT];

		for (uint32_t i = 0; i < passages.count; i++) {
			sequence_row(sequence, i, row);
			for (int k = 0; k < SEQUENCE_COUNT; k++)
				ck_assert_msg(isfinite(row[k]),
					      "seed %lu, feature %d",
					      (unsigned long)seed, k);
		}
	}
}
