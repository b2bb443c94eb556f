#include "extract/render/render.h"

#include "base/utf8.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/* free() it. */
static char *excerpt_of(const char *html)
{
	AUTO_PAGE *page = parse(html);
	struct content_blocks blocks = content_blocks_make(
		page->arena, page, run(page, "plain", NULL, NULL));
	struct slice excerpt = excerpt_make(page->arena, &blocks);
	struct buffer copy = {0};

	buffer_append_text(&copy, "");
	buffer_append_slice(&copy, excerpt);
	return copy.data;
}

static void assert_excerpt(const char *html, const char *expected)
{
	AUTO_TEXT *excerpt = excerpt_of(html);

	ck_assert_str_eq(excerpt == NULL ? "" : excerpt, expected);
}

TEST(it_is_the_first_real_paragraph)
{
	assert_excerpt("", "");
	assert_excerpt("<h1>a b c d e f g h i j k</h1><p>by Ann<p>1 2 3 4<br>"
		       "5 6 7 8 9 10<p>a b c d e f g h i j k l",
		       "1 2 3 4 5 6 7 8 9 10");
	assert_excerpt("<p>short<ul><li>a longer one</ul>", "a longer one");
}

/* 60 words "word1 " of 6 characters are 360: 50 of them with their spaces; the
 * last space is dropped. */
TEST(an_excerpt_ends_after_a_word)
{
	AUTO_BUFFER html = {0};
	char *excerpt;

	for (unsigned i = 0; i < 60; i++)
		buffer_append_text(&html, i == 0 ? "<p>word1" : " word1");
	excerpt = excerpt_of(html.data);
	ck_assert_uint_eq(strlen(excerpt), 50 * 6 - 1 + 3);
	ck_assert_str_eq(strrchr(excerpt, 'w'), "word1\xE2\x80\xA6");
	free(excerpt);
	buffer_clear(&html);
	for (unsigned i = 0; i < 400; i++)
		buffer_append_text(&html, "\xE4\xB8\xAD");
	excerpt = excerpt_of(html.data);
	ck_assert_uint_eq(strlen(excerpt), 3 * 300 + 3);
	free(excerpt);
}
