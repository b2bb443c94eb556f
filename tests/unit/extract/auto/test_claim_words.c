#include "extract/auto/auto_score.h"

#include "extract/auto/page_context.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/* The overlap of the first passage of `html`. */
static struct hint_overlap compare(const char *html,
				   const struct page_hints *claims)
{
	AUTO_PAGE *page = parse(html);
	struct passages passages = passages_make(page->arena, page);
	struct markup_hints *words = markup_hints_make(page->arena, claims);
	struct hint_overlap overlap;

	/* twice: the first result does not remain */
	markup_hints_compare(words, &passages, 0);
	overlap = markup_hints_compare(words, &passages, 0);
	return overlap;
}

/* Of "the cat, the dog, a cow", 6 terms, 3 are in the title: the, the, cat. */
TEST(ratios_worked_by_hand)
{
	const struct page_hints claims = {
		.title = slice_of("The Cat: The Film | Site"),
		.descriptions = {slice_of("a dog"), slice_of("A COW")},
		.bodies = {slice_of("cow"), slice_of("x")},
		.body_count = 2,
	};
	struct hint_overlap overlap =
		compare("<p>the cat, the dog, a cow", &claims);

	ck_assert_float_eq(overlap.title, 0.5F);
	/* the, cat of the, cat, film, site */
	ck_assert_float_eq(overlap.title_covered, 0.5F);
	ck_assert_float_eq(overlap.description, 0.5F);
	ck_assert_float_eq(overlap.body, 1 / 6.0F);
}

TEST(a_page_may_claim_nothing)
{
	const struct page_hints claims = {0};
	struct hint_overlap overlap = compare("<p>a", &claims);

	ck_assert_float_eq(overlap.title, -1);
	ck_assert_float_eq(overlap.description, -1);
	ck_assert_float_eq(overlap.body, -1);
	ck_assert_float_eq(overlap.title_covered, 0);
}

TEST(a_passage_without_terms_ratios_nothing)
{
	const struct page_hints claims = {.title = slice_of("a")};

	ck_assert_float_eq(compare("<p>-", &claims).title, 0);
}

/* Letters of Han are terms: 2 of 3 are in the title. */
TEST(letters_are_terms_where_words_have_no_spaces)
{
	const struct page_hints claims = {
		.title = slice_of("\xE6\x97\xA5\xE6\x9C\xAC"),
	};

	ck_assert_float_eq(
		compare("<p>\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E", &claims)
			.title,
		2 / 3.0F);
}

/* Text after 4,000 distinct terms or 64 kB is not read. */
TEST(claims_are_bounded)
{
	struct buffer many = {0};
	struct buffer large = {0};
	struct page_hints claims = {.body_count = 1};
	char word[16];

	for (int i = 0; i < 5000; i++) {
		snprintf(word, sizeof(word), "%x ", 0xA0000 + i);
		buffer_append_text(&many, word);
	}
	claims.bodies[0] = (struct slice){many.data, many.size};
	ck_assert_float_eq(compare("<p>a0000", &claims).body, 1);
	ck_assert_float_eq(compare("<p>a0f9f", &claims).body, 1);
	ck_assert_float_eq(compare("<p>a0fa0", &claims).body, 0);

	for (int i = 0; i < 65534; i++)
		buffer_append_byte(&large, ' ');
	buffer_append_text(&large, "b c");
	claims.bodies[0] = (struct slice){large.data, large.size};
	ck_assert_float_eq(compare("<p>b", &claims).body, 1);
	ck_assert_float_eq(compare("<p>c", &claims).body, 0);
	free(many.data);
	free(large.data);
}
