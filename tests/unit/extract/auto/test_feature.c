#include "extract/auto/features.h"

#include <math.h>

#include "extract/auto/auto_score.h"
#include "page/page.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

TEST(names_are_those_of_the_families_in_order)
{
	ck_assert_str_eq(feature_name(FEATURE_words), "words");
	ck_assert_str_eq(feature_name(0), "words");
	ck_assert_str_eq(feature_name(SHAPE_COUNT), "depth");
	ck_assert_uint_eq(FEATURE_depth, SHAPE_COUNT);
	ck_assert_uint_eq(FEATURE_position, SHAPE_COUNT + DOM_PATH_COUNT);
	ck_assert_uint_eq(FEATURE_heading_distance,
			  SHAPE_COUNT + DOM_PATH_COUNT + SEQUENCE_COUNT);
}

TEST(every_feature_is_defined)
{
	for (size_t i = 0; i < FEATURE_COUNT; i++)
		ck_assert_msg(strlen(feature_definition(i)) > 0, "%s",
			      feature_name(i));
}

/* By number, each family writes to its columns of the table. */
TEST(a_row_has_the_numbers_of_every_family)
{
	AUTO_PAGE *page = parse("<h1>a b c</h1><p>d e f g");
	const struct passages passages = passages_make(page->arena, page);
	const struct page_hints claims = {.body_count = 0};
	struct features *features =
		features_make(page->arena, &passages, &claims, NULL);
	float row[FEATURE_COUNT];
	float shape[SHAPE_COUNT];
	float sequence[SEQUENCE_COUNT];

	features_next(features, row);
	features_next(features, row);
	shape_row(&passages.items[1], shape);
	sequence_row(sequence_make(page->arena, &passages,
				   features_repetition(features), NULL),
		     1, sequence);
	ck_assert_mem_eq(row, shape, sizeof(shape));
	ck_assert_mem_eq(row + FEATURE_position, sequence, sizeof(sequence));
	/* html, body, p */
	ck_assert_float_eq(row[FEATURE_depth], 3);
	ck_assert_float_eq(row[FEATURE_heading_distance], 1);
}

TEST(numbers_are_finite)
{
	for (uint64_t seed = 1; seed <= 300; seed++) {
		AUTO_TEXT *html = random_html(seed);
		AUTO_PAGE *page = parse(html);
		const struct passages passages =
			passages_make(page->arena, page);
		const struct page_hints claims =
			page_hints_of(page->arena, page);
		struct features *features =
			features_make(page->arena, &passages, &claims, NULL);
		float row[FEATURE_COUNT];

		for (uint32_t i = 0; i < passages.count; i++) {
			for (size_t k = 0; k < FEATURE_COUNT; k++)
				row[k] = NAN;
			features_next(features, row);
			for (size_t k = 0; k < FEATURE_COUNT; k++)
				ck_assert_msg(isfinite(row[k]),
					      "seed %u, passage %u: %s",
					      (unsigned)seed, i,
					      feature_name(k));
		}
	}
}
