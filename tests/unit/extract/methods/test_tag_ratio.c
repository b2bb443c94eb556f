#include "extract/methods/tag_ratio_methods.h"

#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/* The lines of `page`, smoothed by 1, broken after 60 characters. */
static struct tag_ratios ratios_of(const struct page *page)
{
	static const double parameters[MAX_PARAMETERS] = {
		[TAG_RATIO_RADIUS] = 1, [TAG_RATIO_WIDTH] = 60};
	const struct extractor_input input = {
		.page = page, .parameters = parameters, .arena = page->arena};

	return tag_ratios_make(&input);
}

static void assert_ratios(const char *html, const float *expected,
			  uint32_t count)
{
	AUTO_PAGE *page = parse(html);
	struct tag_ratios ratios = ratios_of(page);

	ck_assert_uint_eq(ratios.count, count);
	for (uint32_t i = 0; i < count; i++)
		ck_assert_msg(ratios.ratios[i] == expected[i],
			      "line %u: %f, not %f", i,
			      (double)ratios.ratios[i], (double)expected[i]);
}

/* 003, "Tag Ratios": 0 / 1, 0 / 1, 11 / 2, 37 / 0 and 0 / 2. */
TEST(the_example_of_the_paper)
{
	const float expected[] = {0, 0, 5.5F, 37, 0};

	assert_ratios("<div id=\"topnav\">\n<div id=\"storyPageContent2\">\n"
		      "<div id=\"author\">James Smith</div>\n"
		      "OKLAHOMA CITY - Police were told that\n</div></div>\n",
		      expected, 5);
}

/* Scripts and comments go with their lines and tags, empty lines too; a tag is
   on the line where it begins. */
TEST(what_is_removed_first)
{
	const float expected[] = {3, 1, 2};

	assert_ratios("<p>abc\n\n \n<script>\nx<y\n</script><!-- a\nb -->"
		      "<style>a\nb</style>\n<p\nclass=x>a<br\n>b\ncd",
		      expected, 3);
}

/* White space is one character, at most: 5 of "a b\t c", 4 of four entities;
 * hidden text does not count. */
TEST(which_characters_count)
{
	const float expected[] = {5, 4, 0, 2};

	assert_ratios("<p>  a b\t c\n<p>&amp;&#233;\xC3\xA9\xE4\xB8\xAD\n"
		      "<p hidden>abc</p>\n<p>ab\n",
		      expected, 4);
}

/* 507 characters on one line: 3 + 57, seven times 60, 23 + 4. */
TEST(a_long_line_is_broken_after_60_characters)
{
	enum { LENGTH = 500, LINES = 9 };
	const float expected[LINES] = {57, 60, 60, 60, 60, 60, 60, 60, 23};
	char html[LENGTH + 8] = "<p>";

	for (int i = 0; i < LENGTH; i++)
		html[3 + i] = 'x';
	for (int i = 0; i < 4; i++)
		html[3 + LENGTH + i] = "</p>"[i];
	assert_ratios(html, expected, LINES);
}

/*
 * Character 60 is in the second tag, which is 470 long: the line ends after it,
 * 10 / 2. "cd" and two end tags are the next.
 */
TEST(a_long_line_is_broken_after_a_tag)
{
	enum { LENGTH = 470 };
	const float expected[] = {5, 1};
	char html[LENGTH + 32] = "<p>0123456789<b class=";
	size_t at = 22;

	while (at < 13 + LENGTH - 1)
		html[at++] = 'x';
	for (const char *tail = ">cd</b></p>"; *tail != '\0'; tail++)
		html[at++] = *tail;
	assert_ratios(html, expected, 2);
}

/*
 * 0 10 0 with weights e^-.5 1 e^-.5: 10 / 2.21306 in the middle, and at the
 * ends, where a neighbour is missing, 6.0653 / 1.60653.
 */
TEST(smoothing_worked_by_hand)
{
	AUTO_PAGE *page = parse("<br>\n0123456789\n<br>\n");
	struct tag_ratios ratios = ratios_of(page);

	ck_assert_uint_eq(ratios.count, 3);
	ck_assert_float_eq_tol(ratios.smoothed[0], 3.77541F, 1e-4F);
	ck_assert_float_eq_tol(ratios.smoothed[1], 4.51863F, 1e-4F);
	ck_assert_float_eq_tol(ratios.smoothed[2], 3.77541F, 1e-4F);
}

/* A text of 10 + 4 characters on two lines: the line of most of them decides,
   and its score is (10 a + 4 b) / 14. */
TEST(a_text_goes_with_most_of_its_characters)
{
	AUTO_PAGE *page = parse("<p>0123456789\nabcd");
	struct tag_ratios ratios = ratios_of(page);
	const struct extractor_input input = {.page = page};
	struct verdict verdict;

	ck_assert_uint_eq(ratios.count, 2);
	ratios.is_content[0] = true;
	tag_ratios_judge(&input, &ratios, &verdict);
	ck_assert(verdict.is_content);
	ck_assert_float_eq_tol(
		verdict.score,
		(10 * ratios.smoothed[0] + 4 * ratios.smoothed[1]) / 14, 1e-5F);
	ratios.is_content[0] = false;
	ratios.is_content[1] = true;
	tag_ratios_judge(&input, &ratios, &verdict);
	ck_assert(!verdict.is_content);
}
