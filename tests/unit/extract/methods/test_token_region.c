#include "extract/methods/token_methods.h"

#include "extract/core/document_walk.h"
#include "extract/core/trace.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/* Tokens: <p> a b c d <b> </b> e </p> <p> f g </p>, texts 0 "a b c d", 1 "-",
   2 "e", 3 "f g", 4 hidden. */
static const char html[] = "<p>a b c d<b>-</b>e</p><p>f g</p><p hidden>h</p>";

static const struct verdict *
judge(struct page *page, const struct token_range *ranges, uint32_t count)
{
	struct verdict *verdicts =
		ARENA_NEW(page->arena, struct verdict, page->text_count);
	const bool *is_visible = visible_texts(page->arena, page);
	struct token_stream stream =
		token_stream_make(page->arena, page, is_visible);
	const struct extractor_input input = {.page = page};

	ck_assert_uint_eq(page->text_count, 5);
	token_regions_judge(&input, &stream, is_visible,
			    &(struct token_regions){ranges, count}, verdicts);
	return verdicts;
}

TEST(more_than_half_of_the_words_must_be_inside)
{
	AUTO_PAGE *page = parse(html);
	const struct token_range half = {0, 3};
	const struct token_range more = {0, 4};
	const struct verdict *verdicts = judge(page, &half, 1);

	ck_assert_float_eq(verdicts[0].score, 0.5F);
	ck_assert(!verdicts[0].is_content);
	verdicts = judge(page, &more, 1);
	ck_assert_float_eq(verdicts[0].score, 0.75F);
	ck_assert(verdicts[0].is_content);
}

TEST(regions_add_up)
{
	AUTO_PAGE *page = parse(html);
	const struct token_range ranges[] = {{0, 2}, {3, 5}, {11, 20}};
	const struct verdict *verdicts = judge(page, ranges, 3);

	ck_assert_float_eq(verdicts[0].score, 0.75F);
	ck_assert_float_eq(verdicts[2].score, 0);
	ck_assert_float_eq(verdicts[3].score, 0.5F);
}

/* "-" is between the tokens 5 and 6. */
TEST(text_without_words_is_inside_with_both_neighbours)
{
	AUTO_PAGE *page = parse(html);
	const struct token_range around = {5, 7};
	const struct token_range before = {0, 6};
	const struct token_range behind = {6, 13};

	ck_assert(judge(page, &around, 1)[1].is_content);
	ck_assert_float_eq(judge(page, &around, 1)[1].score, 1);
	ck_assert(!judge(page, &before, 1)[1].is_content);
	ck_assert(!judge(page, &behind, 1)[1].is_content);
}

TEST(hidden_text_is_never_content)
{
	AUTO_PAGE *page = parse(html);
	const struct token_range all = {0, 15};
	const struct verdict *verdicts = judge(page, &all, 1);

	for (uint32_t i = 0; i < 4; i++)
		ck_assert(verdicts[i].is_content);
	ck_assert(!verdicts[4].is_content);
	verdicts = judge(page, NULL, 0);
	for (uint32_t i = 0; i < 5; i++)
		ck_assert(!verdicts[i].is_content);
}

TEST_LOOP(a_page_without_words_has_no_content, 0, 4)
{
	static const char *const methods[] = {"bte", "dsc", "adsc", "mss"};
	AUTO_PAGE *page = parse("<p>-</p>");

	ck_assert(!run(page, methods[_i], NULL, NULL)[0].is_content);
}
