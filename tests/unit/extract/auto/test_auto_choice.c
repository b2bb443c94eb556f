#include "extract/auto/auto.h"

#include "page/page.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

enum { MAX_PASSAGES = 8 };

/* Which of the passages of `html` are chosen, a digit each, over .5. */
static void assert_choice(const char *html, const float *scores,
			  const char *expected)
{
	AUTO_PAGE *page = parse(html);
	const struct passages passages = passages_make(page->arena, page);
	const bool *is_chosen =
		passages_choose(page->arena, &passages, scores, 0.5);

	ck_assert_uint_eq(passages.count, strlen(expected));
	for (uint32_t i = 0; i < passages.count; i++)
		ck_assert_msg(is_chosen[i] == (expected[i] == '1'),
			      "passage %u of %s", i, html);
}

static const float high[MAX_PASSAGES] = {1, 1, 1, 1, 1, 1, 1, 1};

TEST(a_score_must_exceed_the_threshold)
{
	assert_choice("<p>a<p>b<p>c<p>d", (const float[]){.4F, .5F, .51F, 1},
		      "0011");
}

TEST(five_words_are_not_shown_twice)
{
	assert_choice("<p>one two three four five<p>else<p>One two three "
		      "<b>four</b> five",
		      high, "110");
	assert_choice("<p>one two three four<p>one two three four", high, "11");
}

/* The first copy has a low score: the second one is shown. */
TEST(what_is_not_chosen_is_not_repeated)
{
	assert_choice("<p>one two three four five<p>one two three four five"
		      "<p>one two three four five",
		      (const float[]){0, 1, 1}, "010");
}

TEST(fields_and_templates_are_never_chosen)
{
	assert_choice("<p>a<textarea>b</textarea><select><option>c</select>"
		      "<template>d</template><svg><text>e</text></svg><p>f",
		      high, "100001");
}

/* Scripts may show it: half of the text of some pages is hidden at first. */
TEST(hidden_text_may_be_chosen)
{
	assert_choice("<p hidden>a<div style='display:none'>b</div>"
		      "<noscript>c</noscript>",
		      high, "111");
}

/* Runs are of words * (score - .7 of the highest, .28). */
TEST(where_nothing_is_good_enough_the_best_run_is_chosen)
{
	assert_choice("<p>a<p>b c<p>d<p>e f<p>g h i j",
		      (const float[]){.1F, .4F, .2F, .4F, .1F}, "01110");
	/* invisible */
	assert_choice("<p hidden>a b c<p>d<svg><text>e</text></svg>",
		      (const float[]){.5F, .1F, .5F}, "010");
	assert_choice("<p hidden>a b c", (const float[]){.5F}, "0");
	assert_choice("<p>-<p>a", (const float[]){1, .1F}, "11");
}

TEST(a_run_that_had_to_be_chosen_is_unsure)
{
	AUTO_PAGE *page = parse("<p>a b<p>c d");
	const struct passages passages = passages_make(page->arena, page);
	const float scores[] = {.4F, .1F};
	const bool *is_chosen =
		passages_choose(page->arena, &passages, scores, .5);

	ck_assert(choice_assess(&passages, scores, is_chosen, .5).is_unsure);
	ck_assert(!choice_assess(&passages, scores, is_chosen, .3).is_unsure);
}

TEST(an_empty_page_has_no_choice)
{
	assert_choice("", high, "");
}

#define TWENTY "a b c d e f g h i j k l m n o p q r s t"

static double threshold_of(const char *html, const float *scores,
			   double threshold)
{
	AUTO_PAGE *page = parse(html);
	const struct passages passages = passages_make(page->arena, page);

	return page_threshold(&passages, scores, threshold);
}

/* The mean of .6, .6 and .9 is .7, below .807; that of .7, .9 and .9 is .83. */
TEST(an_unsure_page_has_a_higher_threshold)
{
	const char *html = "<p>" TWENTY "<p>" TWENTY "<p>" TWENTY;
	const float unsure[] = {.6F, .6F, .9F};

	ck_assert_double_eq(threshold_of(html, unsure, .5), .74);
	ck_assert_double_eq(
		threshold_of(html, (const float[]){.7F, .9F, .9F}, .5), .5);
	/* the request favours recall or precision */
	ck_assert_double_eq(threshold_of(html, unsure, .4), .4);
	ck_assert_double_eq(threshold_of(html, unsure, .78), .78);
	/* too few words have a high score, or any */
	ck_assert_double_eq(
		threshold_of(html, (const float[]){.6F, .6F, .6F}, .5), .5);
	ck_assert_double_eq(threshold_of("<p>a<p>b<p>c", unsure, .5), .5);
	ck_assert_double_eq(threshold_of("", NULL, .5), .5);
}

/*
 * Six words at .5 are chosen, two at .25 are not: 3 words right are expected,
 * of 6 chosen and 3.5 of the content: 2 * 3 / 9.5.
 */
TEST(the_expected_f1_is_that_of_the_expected_words)
{
	AUTO_PAGE *page = parse("<p>a b c d e f<p>g h");
	const struct passages passages = passages_make(page->arena, page);
	const float scores[] = {0.5F, 0.25F};
	const bool is_chosen[] = {true, false};

	ck_assert_float_eq_tol(
		choice_assess(&passages, scores, is_chosen, .4).expected_f1,
		6 / 9.5F, 1e-6F);
}

TEST(a_page_without_words_has_no_expected_f1)
{
	AUTO_PAGE *page = parse("<p>-");
	const struct passages passages = passages_make(page->arena, page);

	ck_assert_float_eq(choice_assess(&passages, (const float[]){1},
					 (const bool[]){true}, .5)
				   .expected_f1,
			   0);
}
