#include "extract/methods/block_methods.h"

#include "extract/core/document_walk.h"
#include "extract/text/token_stream.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

static struct cell_features features_of(const char *text)
{
	return cell_features_of(slice_of(text));
}

TEST(features_are_those_of_the_text_that_is_seen)
{
	struct cell_features features = features_of("\n  Hello,\n\tworld. \n");

	ck_assert_uint_eq(features.length, 13); /* "Hello, world." */
	ck_assert_uint_eq(features.punctuation, 2);
	ck_assert(features.is_stopped);
	features = features_of("");
	ck_assert_uint_eq(features.length, 0);
	ck_assert(!features.is_stopped);
	features = features_of(" \n\xC2\xA0 ");
	ck_assert_uint_eq(features.length, 0);
}

TEST(a_mark_inside_a_number_or_a_name_is_no_punctuation)
{
	ck_assert_uint_eq(features_of("3.14 at 10:30").punctuation, 0);
	ck_assert_uint_eq(features_of("www.example.com").punctuation, 0);
	ck_assert_uint_eq(features_of("so: 3,5; 4.").punctuation, 3);
	ck_assert_uint_eq(features_of("What?!").punctuation, 2);
}

TEST(a_quotation_mark_may_follow_the_full_stop)
{
	ck_assert(features_of("He said \"no.\"").is_stopped);
	ck_assert(features_of("(She left.) ").is_stopped);
	ck_assert(!features_of("He said. Then").is_stopped);
	ck_assert(!features_of("Contents:").is_stopped);
}

TEST(chinese_has_marks_of_its_own)
{
	/* five characters, a comma, four characters, a full stop */
	struct cell_features features =
		features_of("\u4e2d\u6587\u4e2d\u6587\u4e2d\uff0c"
			    "\u4e2d\u6587\u4e2d\u6587\u3002");

	ck_assert_uint_eq(features.length, 11);
	ck_assert_uint_eq(features.punctuation, 2);
	ck_assert(features.is_stopped);
}

/* Eq. 1: (150/75 + 3) * 1.5 * 1 * .8 = 6; as a link half of it. */
TEST(score_worked_by_hand)
{
	struct cell_features features = {
		.length = 150,
		.punctuation = 3,
		.is_stopped = true,
		.visible = 0.8,
	};

	ck_assert_double_eq_tol(cell_score(&features, 75), 6, 1e-12);
	features.is_anchor = true;
	ck_assert_double_eq_tol(cell_score(&features, 75), 3, 1e-12);
	features.is_stopped = false;
	ck_assert_double_eq_tol(cell_score(&features, 75), 2, 1e-12);
	/* (150/12 + 3) * .5 * .8 */
	ck_assert_double_eq_tol(cell_score(&features, 12), 6.2, 1e-12);
}

static double gamma_of(const char *html)
{
	AUTO_PAGE *page = parse(html);
	double gamma = cells_gamma(page, visible_texts(page->arena, page));

	return gamma;
}

TEST(gamma_is_that_of_the_pages_own_characters)
{
	ck_assert_double_eq(gamma_of("<p>Some words."), 75);
	ck_assert_double_eq(gamma_of("<p>\u0438 \u0441\u043b\u043e"), 75);
	ck_assert_double_eq(gamma_of("<p>1 2 3"), 1);
	ck_assert_double_eq(gamma_of(""), 1);
	/* two of 12 are more of a sentence than eleven of 75 */
	ck_assert_double_eq(gamma_of("<p>\u4e2d\u6587 hello world"), 12);
	ck_assert_double_eq(gamma_of("<p>\u4e2d hello world"), 75);
	/* invisible text has no language */
	ck_assert_double_eq(gamma_of("<p hidden>\u4e2d\u6587</p>Word"), 75);
}

/*
 * 20 bytes of source, of which the text is 13, with 3 on its left and 4 on its
 * right: V = 13/16.5, CS = (13/75 + 2) * 1.5 * V = 2.5685.
 */
TEST(a_cell_reaches_to_the_middle_of_the_gaps)
{
	AUTO_PAGE *page = parse("<p>Hello, world.</p>");
	struct cells cells = cells_of_page(
		page->arena, page, visible_texts(page->arena, page), 50);

	ck_assert_uint_eq(cells.count, 1);
	ck_assert_uint_eq(cells.items[0].text, 0);
	ck_assert_float_eq_tol(cells.items[0].score,
			       (13 / 75.0F + 2) * 1.5F * 13 / 16.5F, 1e-5F);
}

/* "</p>", a comment of 43 bytes and "<p>" are 50: one blank cell. */
TEST(source_between_two_texts_makes_blank_cells)
{
	AUTO_PAGE *page = parse(
		"<p>a</p><!-- 4567890123456789012345678901234567 -->"
		"<p>b</p><p hidden>what is hidden at the end is no cell, and"
		" what stands behind the last cell is between none</p>");
	const bool *is_visible = visible_texts(page->arena, page);
	struct cells cells = cells_of_page(page->arena, page, is_visible, 50);

	ck_assert_uint_eq(cells.count, 3);
	ck_assert_uint_eq(cells.items[1].text, NO_TEXT);
	ck_assert_float_eq(cells.items[1].score, 0);
	ck_assert_uint_eq(cells.items[2].text, 1);
	ck_assert_uint_eq(
		cells_of_page(page->arena, page, is_visible, 51).count, 2);
	ck_assert_uint_eq(
		cells_of_page(page->arena, page, is_visible, 25).count, 4);
}

/* Eq. 2 and 3, window 5:
 * at 2: mean 2, -2 * (.6 + .8 + .8 + .6) / 4 = -1.4;
 * at 1: mean 2.5 of four, (-2.5 * .8 + 7.5 * .8 - 2.5 * .6) / 4 = .625;
 * at 0: mean 10/3 of three, (-10/3 * .8 + 20/3 * .6) / 4 = 1/3. */
TEST(smoothing_worked_by_hand)
{
	struct mountain_cell items[5] = {[2] = {.score = 10}};
	struct cells cells = {items, 5};
	AUTO_ARENA *arena = arena_create();

	cells_smooth(arena, &cells, 5);
	ck_assert_float_eq_tol(items[0].score, 1 / 3.0F, 1e-6F);
	ck_assert_float_eq_tol(items[1].score, 0.625F, 1e-6F);
	ck_assert_float_eq_tol(items[2].score, 8.6F, 1e-6F);
	ck_assert_float_eq_tol(items[3].score, items[1].score, 1e-6F);
	ck_assert_float_eq_tol(items[4].score, items[0].score, 1e-6F);
}

/* Window 11 has weights of .1 beyond 4 cells: at 0 the mean is 6/6 = 1, and
 * (-1 * (.8 + .6 + .4 + .2) + 5 * .1) / 10 = -.15. */
TEST(far_cells_have_a_tenth_of_the_weight)
{
	struct mountain_cell items[6] = {[5] = {.score = 6}};
	struct cells cells = {items, 6};
	AUTO_ARENA *arena = arena_create();

	cells_smooth(arena, &cells, 11);
	ck_assert_float_eq_tol(items[0].score, -0.15F, 1e-6F);
}

TEST(a_window_of_one_cell_smooths_nothing)
{
	struct mountain_cell items[2] = {{.score = 1}, {.score = 5}};
	struct cells cells = {items, 2};
	AUTO_ARENA *arena = arena_create();

	cells_smooth(arena, &cells, 1);
	ck_assert_float_eq(items[0].score, 1);
	ck_assert_float_eq(items[1].score, 5);
}
