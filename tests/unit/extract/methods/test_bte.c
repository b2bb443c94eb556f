#include "extract/text/token_stream.h"

#include "extract/core/document_walk.h"
#include "extract/core/trace.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/*
 * Tokens: <p> a </p> <p> b c d <b> e </b> f </p> <i> g </i>
 * B_n:     1  0  1    1  0 0 0  1  0  1   0  1    1  0  1
 *
 * From b to f stand 5 words and 2 tags, and 3 + 3 tags before and after:
 * T = 3 + 5 + 3 = 11. From b to d: 3 + 3 + 5 = 11 too, and it ends first; with
 * one word more after the bold one the longer run wins, T = 3 + 6 + 3 = 12.
 */
TEST(the_objective_worked_by_hand)
{
	struct page *page = parse("<p>a</p><p>b c d<b>e</b>f</p><i>g</i>");
	const struct verdict *verdicts = run(page, "bte", NULL, NULL);

	ck_assert_uint_eq(page->text_count, 5);
	ck_assert(!verdicts[0].is_content);
	ck_assert(verdicts[1].is_content);
	ck_assert(!verdicts[2].is_content);
	ck_assert(!verdicts[3].is_content);
	ck_assert(!verdicts[4].is_content);
	page_destroy(page);

	page = parse("<p>a</p><p>b c d<b>e</b>f h</p><i>g</i>");
	verdicts = run(page, "bte", NULL, NULL);
	ck_assert(!verdicts[0].is_content);
	ck_assert_float_eq(verdicts[0].score, 0);
	ck_assert(verdicts[1].is_content);
	ck_assert_float_eq(verdicts[1].score, 1);
	ck_assert(verdicts[2].is_content);
	ck_assert(verdicts[3].is_content);
	ck_assert(!verdicts[4].is_content);
	page_destroy(page);
}

/* One stretch only: of two distant texts the longer one. */
TEST(there_is_one_region)
{
	AUTO_PAGE *page = parse("<p>a b c d e f</p><i></i><i></i><i></i>"
				"<p>a b c d e f g</p>");
	const struct verdict *verdicts = run(page, "bte", NULL, NULL);

	ck_assert(!verdicts[0].is_content);
	ck_assert(verdicts[1].is_content);
}

/* 12 tags between texts of 13 words: a tag weighs as much as a word. */
TEST(more_words_than_tags_are_a_bridge)
{
	AUTO_PAGE *page = parse("<p>a b c d e f g h i j k l m</p><i></i><i>"
				"</i><i></i><i></i><i></i>"
				"<p>a b c d e f g h i j k l m</p>");
	const struct verdict *verdicts = run(page, "bte", NULL, NULL);

	ck_assert(verdicts[0].is_content);
	ck_assert(verdicts[1].is_content);
}

/* T of the stretch from `begin` to before `end`. */
static uint32_t objective(const struct token_stream *stream, uint32_t begin,
			  uint32_t end)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < stream->count; i++) {
		bool is_tag = stream->tokens[i].text == NO_TEXT;

		sum += is_tag != (begin <= i && i < end) ? 1 : 0;
	}
	return sum;
}

/* The highest T of all stretches. */
static uint32_t highest(const struct token_stream *stream)
{
	uint32_t best = objective(stream, 0, 0);

	for (uint32_t begin = 0; begin < stream->count; begin++)
		for (uint32_t end = begin; end <= stream->count; end++) {
			uint32_t sum = objective(stream, begin, end);

			best = sum > best ? sum : best;
		}
	return best;
}

TEST(no_other_stretch_is_better)
{
	for (uint64_t seed = 1; seed <= 60; seed++) {
		AUTO_TEXT *html = random_html(seed);
		AUTO_PAGE *page = parse(html);
		const struct trace *trace = trace_of(page, "bte", NULL, NULL);
		struct token_stream stream = token_stream_make(
			page->arena, page, visible_texts(page->arena, page));
		const struct figure_range *range;

		range = trace->figures[0].ranges;
		ck_assert_msg(
			highest(&stream) ==
				(trace->figures[0].range_count == 0
					 ? objective(&stream, 0, 0)
					 : objective(&stream,
						     (uint32_t)range->begin,
						     (uint32_t)range->end)),
			"seed %llu", (unsigned long long)seed);
	}
}

TEST(text_without_words_goes_with_its_neighbours)
{
	AUTO_PAGE *page = parse("<p>-</p><p>a b c d<b>e f</b>.<b>g</b> h i j "
				"k</p><p>-</p>");
	const struct verdict *verdicts = run(page, "bte", NULL, NULL);

	ck_assert_uint_eq(page->text_count, 7);
	ck_assert(!verdicts[0].is_content);
	ck_assert(verdicts[3].is_content);
	ck_assert(!verdicts[6].is_content);
}
