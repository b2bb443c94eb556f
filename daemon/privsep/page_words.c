#include "daemon/privsep/page_words.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "extract/auto/auto.h"
#include "extract/core/extractor.h"
#include "extract/text/word.h"
#include "page/page.h"

/* Return the verdicts of the default method, without a template. */
static const struct verdict *page_words_verdicts(struct page *page)
{
	double parameters[MAX_PARAMETERS];
	struct verdict *verdicts =
		ARENA_NEW(page->arena, struct verdict, page->text_count);
	const struct extractor_input input = {
		.page = page,
		.parameters = parameters,
		.arena = page->arena,
	};

	extractor_defaults(&extractor_auto, parameters);
	extractor_auto.run(&input, verdicts);
	return verdicts;
}

void page_words_append(struct page *page, struct buffer *out)
{
	const struct verdict *verdicts = page_words_verdicts(page);
	bool *is_listed = ARENA_NEW(page->arena, bool, page->text_count);
	uint32_t *words = ARENA_NEW(page->arena, uint32_t, MAX_PAGE_WORDS);
	struct term_list terms;
	size_t count = 0;

	for (uint32_t i = 0; i < page->text_count; i++)
		is_listed[i] = true;
	terms = terms_of_page(page->arena, page, is_listed);
	for (uint32_t i = 0; i < page->text_count; i++)
		for (uint32_t t = terms.begin[i];
		     t < terms.begin[i + 1] && count < MAX_PAGE_WORDS; t++)
			words[count++] = (uint32_t)(terms.terms[t] << 1) |
					 verdicts[i].is_content;
	if (count > 0)
		qsort(words, count, sizeof(*words), order_u32);
	buffer_append_slice(out, (struct slice){words, count * sizeof(*words)});
}

static uint32_t page_word_at(struct slice words, size_t index)
{
	uint32_t word;

	memcpy(&word, (const char *)words.data + index * sizeof(word),
	       sizeof(word));
	return word;
}

bool page_words_are_sound(struct slice words)
{
	const size_t count = words.size / sizeof(uint32_t);

	if (words.size % sizeof(uint32_t) != 0 || count > MAX_PAGE_WORDS)
		return false;
	for (size_t i = 1; i < count; i++)
		if (page_word_at(words, i) < page_word_at(words, i - 1))
			return false;
	return true;
}

/*
 * A run of the occurrences of one word in a list, from `at` on: how many there
 * are, and how many of them are in the main text.
 */
struct word_run {
	uint32_t hash;
	uint32_t all;
	uint32_t content;
};

static struct word_run word_run_next(struct slice words, size_t *at)
{
	const size_t count = words.size / sizeof(uint32_t);
	struct word_run run = {.hash = page_word_at(words, *at) >> 1};

	for (; *at < count && page_word_at(words, *at) >> 1 == run.hash;
	     ++*at) {
		run.all++;
		run.content += page_word_at(words, *at) & 1;
	}
	return run;
}

struct words_comparison page_words_compare(struct slice before,
					   struct slice after)
{
	struct words_comparison comparison = {0};
	const size_t before_count = before.size / sizeof(uint32_t);
	const size_t after_count = after.size / sizeof(uint32_t);
	size_t a = 0;
	size_t b = 0;

	for (size_t i = 0; i < before_count; i++)
		comparison.before += page_word_at(before, i) & 1;
	while (b < after_count) {
		struct word_run now = word_run_next(after, &b);
		struct word_run old = {0};

		while (a < before_count &&
		       page_word_at(before, a) >> 1 < now.hash)
			a++;
		if (a < before_count &&
		    page_word_at(before, a) >> 1 == now.hash)
			old = word_run_next(before, &a);
		comparison.after += now.content;
		if (now.content > old.all)
			comparison.added += now.content - old.all;
	}
	return comparison;
}

bool words_comparison_is_large(const struct words_comparison *comparison)
{
	return comparison->added >= RENDER_MIN_WORDS &&
	       (uint64_t)comparison->added * 100 >=
		       (uint64_t)comparison->before * RENDER_MIN_PERCENT;
}
