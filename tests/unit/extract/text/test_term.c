#include "base/hash.h"
#include "extract/core/document_walk.h"
#include "extract/text/word.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

static void assert_terms(const char *html, const char *const *terms,
			 uint32_t count)
{
	AUTO_PAGE *page = parse(html);
	struct term_list list = terms_of_page(page->arena, page,
					      visible_texts(page->arena, page));

	ck_assert_uint_eq(list.begin[page->text_count], count);
	for (uint32_t i = 0; i < count; i++)
		ck_assert_uint_eq(list.terms[i],
				  hash64(terms[i], slice_of(terms[i]).size, 0));
}

TEST(words_are_lower_case_without_marks)
{
	assert_terms("<p>The \"E-mail\", - (ZEBRA).",
		     (const char *const[]){"the", "e-mail", "zebra"}, 3);
	assert_terms("<p>A&nbsp;b", (const char *const[]){"a", "b"}, 2);
	assert_terms("<p>...", NULL, 0);
}

TEST(scripts_without_spaces_have_words_of_one_character)
{
	assert_terms(
		"<p>Linux\xE6\x97\xA5\xE6\x9C\xAC\xE3\x80\x82",
		(const char *const[]){"linux", "\xE6\x97\xA5", "\xE6\x9C\xAC"},
		3);
}

/* Letters of one byte and of two in turns, and one that is a word. */
TEST(short_pieces_have_room)
{
	assert_terms("<p>a\xC3\xA9z\xC3\xA9z\xC3\xA9z\xE6\x97\xA5",
		     (const char *const[]){"a", "\xC3\xA9", "z", "\xC3\xA9",
					   "z", "\xC3\xA9", "z",
					   "\xE6\x97\xA5"},
		     8);
}

TEST(texts_have_their_own_terms)
{
	AUTO_PAGE *page = parse("<p>one two<p hidden>no<p>three");
	struct term_list list = terms_of_page(page->arena, page,
					      visible_texts(page->arena, page));

	ck_assert_uint_eq(list.begin[0], 0);
	ck_assert_uint_eq(list.begin[1], 2);
	ck_assert_uint_eq(list.begin[2], 2);
	ck_assert_uint_eq(list.begin[3], 3);
}
