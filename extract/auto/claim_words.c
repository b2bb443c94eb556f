#include "extract/auto/claim_words.h"

#include "base/arena.h"
#include "extract/auto/page_context.h"
#include "extract/core/hash_table.h"
#include "extract/core/ratio.h"
#include "extract/text/passage.h"
#include "extract/text/passage_text.h"

enum { MAX_CLAIM_BYTES = 64 * 1024, MAX_TERMS = 4000 };

enum claim_words_claim {
	CLAIM_TITLE,
	CLAIM_DESCRIPTION,
	CLAIM_BODY,
	CLAIM_COUNT,
};

struct claimed_term {
	uint64_t key;
	uint32_t visit; /* number of the last comparison that counted it */
	bool is_in[CLAIM_COUNT];
};

struct markup_hints {
	struct hash_table terms; /* of struct claimed_term */
	uint32_t counts[CLAIM_COUNT];
	uint32_t visit;
};

static size_t claim_bytes(struct slice text)
{
	return text.size < MAX_CLAIM_BYTES ? text.size : MAX_CLAIM_BYTES;
}

/*
 * Add the words of a claim. `scratch` has room for the terms of the longest
 * claim.
 */
static void add_claim(struct markup_hints *words, enum claim_words_claim claim,
		      struct slice text, uint32_t *scratch)
{
	uint32_t count;

	text.size = claim_bytes(text);
	count = passage_text_terms(text, scratch);
	for (uint32_t i = 0; i < count && words->terms.count < MAX_TERMS; i++) {
		struct claimed_term *term =
			hash_table_add(&words->terms, scratch[i]);

		words->counts[claim] += !term->is_in[claim];
		term->is_in[claim] = true;
	}
}

static size_t longest_claim(const struct page_hints *claims)
{
	size_t longest = claim_bytes(claims->title);

	for (size_t i = 0; i < 2; i++)
		if (claim_bytes(claims->descriptions[i]) > longest)
			longest = claim_bytes(claims->descriptions[i]);
	for (size_t i = 0; i < claims->body_count; i++)
		if (claim_bytes(claims->bodies[i]) > longest)
			longest = claim_bytes(claims->bodies[i]);
	return longest;
}

struct markup_hints *markup_hints_make(struct arena *arena,
				       const struct page_hints *claims)
{
	struct markup_hints *words = ARENA_NEW(arena, struct markup_hints, 1);
	uint32_t *scratch =
		ARENA_NEW(arena, uint32_t, longest_claim(claims) / 2 + 1);

	words->terms = hash_table_make(arena, sizeof(struct claimed_term));
	add_claim(words, CLAIM_TITLE, claims->title, scratch);
	for (size_t i = 0; i < 2; i++)
		add_claim(words, CLAIM_DESCRIPTION, claims->descriptions[i],
			  scratch);
	for (size_t i = 0; i < claims->body_count; i++)
		add_claim(words, CLAIM_BODY, claims->bodies[i], scratch);
	return words;
}

static float ratio_in(const struct markup_hints *words,
		      enum claim_words_claim claim, uint32_t common,
		      uint32_t all)
{
	return words->counts[claim] == 0 ? -1 : ratio(common, all);
}

struct hint_overlap markup_hints_compare(struct markup_hints *words,
					 const struct passages *passages,
					 uint32_t index)
{
	const struct passage *passage = &passages->items[index];
	uint32_t all = passage->end_term - passage->first_term;
	uint32_t common[CLAIM_COUNT] = {0};
	uint32_t covered = 0;

	words->visit++;
	for (uint32_t i = passage->first_term; i < passage->end_term; i++) {
		struct claimed_term *term =
			hash_table_find(&words->terms, passages->terms[i]);

		if (term == NULL)
			continue;
		for (unsigned j = 0; j < CLAIM_COUNT; j++)
			common[j] += term->is_in[j];
		covered +=
			term->is_in[CLAIM_TITLE] && term->visit != words->visit;
		term->visit = words->visit;
	}
	return (struct hint_overlap){
		.title = ratio_in(words, CLAIM_TITLE, common[CLAIM_TITLE], all),
		.description = ratio_in(words, CLAIM_DESCRIPTION,
					common[CLAIM_DESCRIPTION], all),
		.body = ratio_in(words, CLAIM_BODY, common[CLAIM_BODY], all),
		.title_covered = ratio(covered, words->counts[CLAIM_TITLE]),
	};
}
