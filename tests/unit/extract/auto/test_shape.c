#include "extract/auto/features.h"

#include <math.h>

#include "tests/unit/run.h"

TEST(a_row_worked_by_hand)
{
	const struct passage passage = {
		.tags = 250,
		.markup = 99,
		.words = 12,
		.characters = 50,
		.link_characters = 20,
		.digits = 5,
		.punctuation = 10,
		.clauses = 1,
		.sentences = 2,
		.links = 3,
		.inlines = 7,
		.bolds = 4,
		.images = 5,
		.breaks = 6,
		.codes = 8,
		.repeats = 21,
		.place = PLACE_TEXTAREA,
		.hiding = HIDING_STYLE,
		.is_repeat = true,
		.ends_sentence = true,
		.has_price = true,
	};
	float row[SHAPE_COUNT];

	shape_row(&passage, row);
	ck_assert_float_eq_tol(row[SHAPE_words], logf(13), 1e-6F);
	ck_assert_float_eq_tol(row[SHAPE_characters], logf(51), 1e-6F);
	ck_assert_float_eq_tol(row[SHAPE_markup_before], logf(100), 1e-6F);
	ck_assert_float_eq(row[SHAPE_tags_before], 200);
	ck_assert_float_eq(row[SHAPE_link_ratio], 0.4F);
	ck_assert_float_eq(row[SHAPE_digit_ratio], 0.1F);
	ck_assert_float_eq(row[SHAPE_mark_ratio], 0.2F);
	ck_assert_float_eq(row[SHAPE_words_per_clause], 3);
	ck_assert_float_eq(row[SHAPE_words_per_sentence], 4);
	ck_assert_float_eq(row[SHAPE_clauses], 1);
	ck_assert_float_eq(row[SHAPE_sentences], 2);
	ck_assert_float_eq(row[SHAPE_links], 3);
	ck_assert_float_eq(row[SHAPE_bolds], 4);
	ck_assert_float_eq(row[SHAPE_images], 5);
	ck_assert_float_eq(row[SHAPE_breaks], 6);
	ck_assert_float_eq(row[SHAPE_inlines], 7);
	ck_assert_float_eq(row[SHAPE_codes], 8);
	ck_assert_float_eq(row[SHAPE_copies], 20);
	ck_assert_float_eq(row[SHAPE_is_copy], 1);
	ck_assert_float_eq(row[SHAPE_place], 4);
	ck_assert_float_eq(row[SHAPE_hiding], 3);
	ck_assert_float_eq(row[SHAPE_ends_sentence], 1);
	ck_assert_float_eq(row[SHAPE_ends_colon], 0);
	ck_assert_float_eq(row[SHAPE_ends_question], 0);
	ck_assert_float_eq(row[SHAPE_has_price], 1);
	ck_assert_float_eq(row[SHAPE_has_date], 0);
	ck_assert_float_eq(row[SHAPE_has_rights], 0);
}

TEST(an_empty_passage_has_a_row)
{
	const struct passage passage = {0};
	float row[SHAPE_COUNT];

	for (int i = 0; i < SHAPE_COUNT; i++)
		row[i] = NAN;
	shape_row(&passage, row);
	for (int i = 0; i < SHAPE_COUNT; i++)
		ck_assert_float_eq(row[i], 0);
}
