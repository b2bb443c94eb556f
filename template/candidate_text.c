#include "template/candidate_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/order.h"

/* Return the words of a text with collapsed white space; [CANDIDATE_WORDS]. */
static uint32_t replacement_read_words(struct slice text, uint64_t *words)
{
	const char *at = text.data;
	size_t left = text.size;
	uint32_t count = 0;

	while (left > 0 && count < CANDIDATE_WORDS) {
		const char *space = memchr(at, ' ', left);
		size_t size = space == NULL ? left : (size_t)(space - at);

		if (size > 0)
			words[count++] = hash64(at, size, 0);
		at += size;
		left -= size;
		if (left > 0) {
			at++;
			left--;
		}
	}
	if (count > 1)
		qsort(words, count, sizeof(*words), order_u64);
	return count;
}

void wanted_text_read(struct wanted_text *wanted, struct slice text)
{
	wanted->text = text;
	wanted->word_count = replacement_read_words(text, wanted->words);
}

static uint32_t replacement_common_words(const uint64_t *a, uint32_t a_count,
					 const uint64_t *b, uint32_t b_count)
{
	uint32_t count = 0;
	uint32_t i = 0;
	uint32_t j = 0;

	while (i < a_count && j < b_count) {
		uint64_t x = a[i];
		uint64_t y = b[j];

		count += x == y;
		i += x <= y;
		j += y <= x;
	}
	return count;
}

static double replacement_length_ratio(struct slice part, struct slice whole)
{
	if (part.size == 0 || whole.size < part.size ||
	    memmem(whole.data, whole.size, part.data, part.size) == NULL)
		return 0;
	return 0.5 + 0.45 * (double)part.size / (double)whole.size;
}

double wanted_text_agreement(const struct wanted_text *wanted,
			     struct slice text)
{
	uint64_t words[CANDIDATE_WORDS];
	double best;
	uint32_t count;

	if (wanted->text.size == 0 || text.size == 0)
		return 0;
	if (slice_equal(wanted->text, text))
		return 1;
	best = replacement_length_ratio(wanted->text, text);
	if (best == 0)
		best = replacement_length_ratio(text, wanted->text);
	count = replacement_read_words(text, words);
	if (count + wanted->word_count > 0) {
		double dice = 1.8 *
			      replacement_common_words(wanted->words,
						       wanted->word_count,
						       words, count) /
			      (count + wanted->word_count);

		if (dice > best)
			best = dice;
	}
	return best;
}
