#include "extract/methods/code_blur_methods.h"

#include <math.h>

#include "extract/core/document_walk.h"
#include "extract/core/numeric.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

static const struct content_code_options ccb = {.ignores_anchors = false,
						.max_code_run = 1000};
static const struct content_code_options accb = {.ignores_anchors = true,
						 .max_code_run = 1000};

/* The vector of `html` must be `expected`, a digit an entry. */
static void assert_vector(const char *html,
			  const struct content_code_options *options,
			  const char *expected)
{
	AUTO_PAGE *page = parse(html);
	struct content_code code = content_code_vector(
		page->arena, page, visible_texts(page->arena, page), options);
	char *digits = ARENA_NEW(page->arena, char, code.count + 1);

	for (uint32_t i = 0; i < code.count; i++)
		digits[i] = code.ratio[i] == 1 ? '1' : '0';
	ck_assert_str_eq(digits, expected);
}

TEST(tags_are_code_and_text_is_content)
{
	assert_vector("<p>ab c</p>", &ccb,
		      "000"
		      "1111"
		      "0000");
	assert_vector("<p class='x'>a</p>", &ccb,
		      "0000000000000"
		      "1"
		      "0000");
	assert_vector("", &ccb, "");
}

TEST(white_space_is_one_entry_and_none_between_tags)
{
	assert_vector("<p>a \n\t b</p>\n\n  <p>c</p>", &ccb,
		      "000"
		      "111"
		      "0000"
		      "000"
		      "1"
		      "0000");
	assert_vector("<p  id=a >a</p>", &ccb,
		      "000"
		      "00000"
		      "0"
		      "1"
		      "0000");
}

TEST(an_entity_and_a_character_of_many_bytes_are_one_entry)
{
	assert_vector("<p>&amp;&#233;&#xe9;\xC3\xA9\xE4\xB8\xAD</p>", &ccb,
		      "000"
		      "11111"
		      "0000");
	/* without its semicolon it is read as written: & a m p */
	assert_vector("<p>a&amp b</p>", &ccb,
		      "000"
		      "1111111"
		      "0000");
}

TEST(comments_and_scripts_are_code)
{
	/* 4 + " x y " + 3; 8 + "a b" + 9 */
	assert_vector("<p>a<!-- x  y --><script>a b</script>", &ccb,
		      "000"
		      "1"
		      "000000000000"
		      "00000000"
		      "000"
		      "000000000");
}

TEST(hidden_text_is_code)
{
	assert_vector("<p>a<p hidden>bb", &ccb,
		      "000"
		      "1"
		      "0000000000"
		      "00");
}

TEST(anchors_may_be_left_out)
{
	assert_vector("<p>a<a href=x>b</a>c</p>", &ccb,
		      "000"
		      "1"
		      "0000000000"
		      "1"
		      "0000"
		      "1"
		      "0000");
	assert_vector("<p>a<a href=x>b</a>c</p>", &accb,
		      "000"
		      "111"
		      "0000");
	/* one space, although a tag is inside */
	assert_vector("<p>a <a href=x> b</a>c</p>", &accb,
		      "000"
		      "1111"
		      "0000");
}

TEST(long_code_is_cut)
{
	const struct content_code_options options = {.max_code_run = 5};

	assert_vector("<p>a</p><p>b<!-- xxxxxxxxxxxx --></p>", &options,
		      "000"
		      "1"
		      "00000"
		      "1"
		      "00000");
}

TEST(text_nodes_know_their_entries)
{
	AUTO_PAGE *page = parse("<p>a <b>bc</b>d</p>");
	struct content_code code = content_code_vector(
		page->arena, page, visible_texts(page->arena, page), &ccb);

	ck_assert_uint_eq(page->text_count, 3); /* <p>a <b>bc</b>d</p> */
	ck_assert_uint_eq(code.texts[0].begin, 3);
	ck_assert_uint_eq(code.texts[0].end, 5);
	ck_assert_uint_eq(code.texts[1].begin, 8);
	ck_assert_uint_eq(code.texts[1].end, 10);
	ck_assert_uint_eq(code.texts[2].begin, 14);
	ck_assert_uint_eq(code.texts[2].end, 15);
}

/* The token vector of `html` must be `expected`, a digit an entry. */
static void assert_tokens(const char *html, bool ignores_anchors,
			  const char *expected)
{
	AUTO_PAGE *page = parse(html);
	const struct content_code_options options = {ignores_anchors, 1000};
	struct content_code code = content_code_tokens(
		page->arena, page, visible_texts(page->arena, page), &options);

	ck_assert_uint_eq(code.count, strlen(expected));
	for (uint32_t i = 0; i < code.count; i++)
		ck_assert_float_eq(code.ratio[i], expected[i] == '1' ? 1 : 0);
}

TEST(a_tag_and_a_word_are_one_token)
{
	assert_tokens("<p class=x>ab c<br>d</p>", false, "011010");
	assert_tokens("<p>a<!-- b c --><script>d</script> e</p>", false,
		      "010010");
	assert_tokens("<p>a <a href=x>b c</a> d</p>", false, "01011010");
	assert_tokens("<p>a <a href=x>b c</a> d</p>", true, "011110");
	assert_tokens("<p>a<p hidden>b c", true, "010");
	assert_tokens("", true, "");
}

TEST(text_nodes_know_their_tokens)
{
	/* p a b /p a is out: p 0, ab 1 2, i 3, - none, /i 4, c 5, /p 6 */
	AUTO_PAGE *page = parse("<p><a href=x>a b</a><i>-</i>c</p>");
	const struct content_code_options options = {true, 1000};
	struct content_code code = content_code_tokens(
		page->arena, page, visible_texts(page->arena, page), &options);

	ck_assert_uint_eq(page->text_count, 3);
	ck_assert_uint_eq(code.texts[0].begin, 1);
	ck_assert_uint_eq(code.texts[0].end, 3);
	ck_assert_uint_eq(code.texts[1].begin, 3);
	ck_assert_uint_eq(code.texts[1].end, 5);
	ck_assert_uint_eq(code.texts[2].begin, 5);
	ck_assert_uint_eq(code.texts[2].end, 6);
}

TEST(the_highest_ratio_of_a_range)
{
	float ratio[] = {.2F, .5F, .3F, .9F};
	const struct content_code code = {.ratio = ratio, .count = 4};

	ck_assert_float_eq(
		content_code_highest(&code, (struct code_entry_range){0, 3}),
		.5F);
	ck_assert_float_eq(
		content_code_highest(&code, (struct code_entry_range){3, 3}),
		0);
}

/* The reach of the blur is how much code is ever seen. */
TEST(cutting_code_at_the_reach_changes_no_content)
{
	for (uint64_t seed = 1; seed <= 100; seed++) {
		const struct blur blur = {.radius = 1 + (uint32_t)(seed % 9),
					  .passes = 1 + (uint32_t)(seed % 3)};
		struct content_code_options options = {.max_code_run = 1 << 20};
		AUTO_TEXT *html = random_html(seed);
		AUTO_PAGE *page = parse(html);
		const bool *is_visible = visible_texts(page->arena, page);
		struct content_code whole = content_code_vector(
			page->arena, page, is_visible, &options);
		struct content_code cut;

		options.max_code_run = blur_reach(&blur);
		cut = content_code_vector(page->arena, page, is_visible,
					  &options);
		ck_assert_uint_le(cut.count, whole.count);
		whole.ratio =
			blur_run(page->arena, whole.ratio, whole.count, &blur);
		cut.ratio = blur_run(page->arena, cut.ratio, cut.count, &blur);
		for (uint32_t i = 0; i < page->text_count; i++)
			if (is_visible[i])
				ck_assert_msg(
					fabsf(content_code_highest(
						      &whole, whole.texts[i]) -
					      content_code_highest(
						      &cut, cut.texts[i])) <
						1e-5F,
					"seed %d text %u", (int)seed, i);
	}
}
