#include "extract/text/token_stream.h"

#include "extract/core/document_walk.h"
#include "extract/text/word.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

static struct token_stream stream_of(const struct page *page)
{
	return token_stream_make(page->arena, page,
				 visible_texts(page->arena, page));
}

/* A letter a token: "<" and ">" tags, otherwise the text node, "0" to "9". */
static void check(const char *html, const char *expected)
{
	AUTO_PAGE *page = parse(html);
	struct token_stream stream = stream_of(page);
	AUTO_TEXT *letters = calloc(stream.count + 1, 1);

	for (uint32_t i = 0; i < stream.count; i++) {
		const struct stream_token *token = &stream.tokens[i];

		if (token->text != NO_TEXT)
			letters[i] = (char)('0' + token->text);
		else
			letters[i] = token->is_end ? '>' : '<';
	}
	ck_assert_str_eq(letters, expected);
}

TEST(tags_and_words_in_the_order_of_the_source)
{
	check("<p>one two <b>three</b> four</p>", "<00<1>2>");
	check("one<br/>two three", "0<11");
	check("a &amp; b&nbsp;c", "000");
}

TEST(blank_text_and_signs_have_no_words)
{
	check("<p> \n </p> <p>&nbsp;</p><p>-</p><p>x</p>", "<><><><1>");
}

TEST(what_is_not_seen_leaves_its_tags)
{
	check("<title>A title</title><p>x</p>", "<><1>");
	check("<p hidden>not seen</p><p>x y</p>", "<><11>");
	check("<p>a<!-- b c -->d</p>", "<01>");
	check("<script>a(); b(); \"<p>\"</script><style>p {}</style><p>x</p>",
	      "<><><0>");
	check("<!doctype html><p>x</p>", "<0>");
}

TEST(a_tag_that_the_source_cuts_is_none)
{
	check("<p>x</p><b class=", "<0>");
	check("<p>x</p", "<0");
	check("a < b", "00");
}

TEST(a_tag_has_its_number)
{
	AUTO_PAGE *page = parse("<p>x</p><nonsense>y</nonsense>");
	struct token_stream stream = stream_of(page);

	ck_assert_uint_eq(stream.count, 6);
	ck_assert_uint_eq(stream.tokens[0].tag, TAG_p);
	ck_assert(!stream.tokens[0].is_end);
	ck_assert_uint_eq(stream.tokens[1].tag, 0);
	ck_assert_uint_eq(stream.tokens[2].tag, TAG_p);
	ck_assert(stream.tokens[2].is_end);
	ck_assert_uint_eq(stream.tokens[3].tag, TAG_COUNT);
}

TEST(an_empty_page_has_no_tokens)
{
	check("", "");
	check("<!-- nothing -->", "");
}

/* Texts come in the order of the source, each with all of its words and no
 * others between. */
TEST(every_visible_text_comes_whole)
{
	for (uint64_t seed = 1; seed <= 300; seed++) {
		AUTO_TEXT *html = random_html(seed);
		AUTO_PAGE *page = parse(html);
		const bool *is_visible = visible_texts(page->arena, page);
		struct token_stream stream = stream_of(page);
		uint32_t at = 0;

		for (uint32_t rank = 0; rank < page->text_count; rank++) {
			uint32_t i = page_text_in_source(page, rank);
			uint32_t words =
				is_visible[i] ? word_count(page_text(page, i))
					      : 0;

			while (words > 0 && at < stream.count &&
			       stream.tokens[at].text == NO_TEXT)
				at++;
			for (; words > 0; words--, at++)
				ck_assert_msg(at < stream.count &&
						      stream.tokens[at].text ==
							      i,
					      "seed %llu, text %u",
					      (unsigned long long)seed, i);
		}
	}
}
