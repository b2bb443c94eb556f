/* The words of a page, and what rendering adds to them. */
#include "daemon/privsep/page_words.h"

#include "page/page.h"
#include "tests/unit/run.h"

/* A list of these words; those of the main text are odd. */
#define LIST(...)                                        \
	((struct slice){(const uint32_t[]){__VA_ARGS__}, \
			sizeof((const uint32_t[]){__VA_ARGS__})})

static void append_words(const char *html, struct buffer *out)
{
	AUTO_PAGE *page = NULL;

	ASSERT_OK(page_parse(&page, slice_of(html), slice_of("utf-8"),
			     &page_limits_default));
	page_words_append(page, out);
}

TEST(words_that_are_anywhere_in_the_page_are_not_added)
{
	/* words 1 (menu), 2 and 2 (text); then 1, 2, 2, 2 and 3 in the text */
	struct words_comparison comparison =
		page_words_compare(LIST(2, 5, 5), LIST(3, 5, 5, 5, 7));

	ck_assert_uint_eq(comparison.before, 2);
	ck_assert_uint_eq(comparison.after, 5);
	ck_assert_uint_eq(comparison.added, 2);
}

TEST(words_outside_of_the_main_text_are_not_added)
{
	struct words_comparison comparison =
		page_words_compare(LIST(5), LIST(2, 4, 5));

	ck_assert_uint_eq(comparison.after, 1);
	ck_assert_uint_eq(comparison.added, 0);
}

TEST(empty_lists_are_compared)
{
	const struct slice none = {NULL, 0};
	struct words_comparison comparison =
		page_words_compare(none, LIST(3, 3));

	ck_assert_uint_eq(comparison.added, 2);
	comparison = page_words_compare(LIST(3, 3), none);
	ck_assert_uint_eq(comparison.before, 2);
	ck_assert_uint_eq(comparison.added, 0);
}

static const struct {
	struct words_comparison comparison;
	bool is_large;
} comparisons[] = {
	{{.before = 0, .added = 30}, true},
	{{.before = 0, .added = 29}, false},
	{{.before = 400, .added = 100}, true},
	{{.before = 400, .added = 99}, false},
	{{.before = UINT32_MAX, .added = 1000}, false},
};

TEST_ROWS(a_quarter_and_thirty_words_are_much, comparisons)
{
	ck_assert_int_eq(words_comparison_is_large(&comparisons[_i].comparison),
			 comparisons[_i].is_large);
}

TEST(the_order_of_the_text_does_not_matter)
{
	static const char *const pages[] = {
		"<p>One two three four five six.<p>Seven eight nine.",
		"<p>Seven eight nine.<p>One two <b>three</b> four five six.",
	};
	AUTO_BUFFER before = {0};
	AUTO_BUFFER after = {0};
	struct words_comparison comparison;

	append_words(pages[0], &before);
	append_words(pages[1], &after);
	ck_assert_uint_eq(before.size, 9 * sizeof(uint32_t));
	ck_assert(page_words_are_sound(buffer_slice(&before)));
	comparison =
		page_words_compare(buffer_slice(&before), buffer_slice(&after));
	ck_assert_uint_eq(comparison.added, 0);
}

TEST(a_list_has_a_limit)
{
	AUTO_BUFFER html = {0};
	AUTO_BUFFER words = {0};

	for (unsigned i = 0; i < MAX_PAGE_WORDS + 10; i++)
		buffer_printf(&html, "w%u ", i);
	append_words(html.data, &words);
	ck_assert_uint_eq(words.size, MAX_PAGE_WORDS * sizeof(uint32_t));
	ck_assert(page_words_are_sound(buffer_slice(&words)));
	buffer_append_slice(&words, LIST(UINT32_MAX));
	ck_assert(!page_words_are_sound(buffer_slice(&words)));
}

TEST(other_bytes_are_no_list)
{
	ck_assert(page_words_are_sound(LIST(1, 1, 2)));
	ck_assert(!page_words_are_sound(LIST(2, 1)));
	ck_assert(!page_words_are_sound(slice_of("12345")));
}
