#include "extract/text/simhash.h"

#include <stdbool.h>

#include "extract/text/word.h"
#include "store/ascii.h"
#include "store/hash.h"

enum { WIDTH = 3, BITS = 64, MAX_WORD = 256 };

/* Of a word, of which at most MAX_WORD bytes count. */
static uint64_t hash_word(struct slice word, uint64_t seed)
{
	const char *bytes = word.data;
	size_t size = word.size < MAX_WORD ? word.size : MAX_WORD;
	char folded[MAX_WORD];

	for (size_t i = 0; i < size; i++)
		folded[i] = lower(bytes[i]);
	return hash64(folded, size, seed);
}

/* Of the words [count], chained. */
static uint64_t hash_words(const struct slice *words, unsigned count)
{
	uint64_t hash = 0;

	for (unsigned i = 0; i < count; i++)
		hash = hash_word(words[i], hash);
	return hash;
}

/* How often each bit was 1, less how often it was 0. */
static void weigh(int32_t *weights, uint64_t hash)
{
	for (unsigned i = 0; i < BITS; i++)
		weights[i] += (int32_t)((hash >> i) & 1) * 2 - 1;
}

uint64_t simhash(struct slice text)
{
	struct slice words[WIDTH];
	int32_t weights[BITS] = {0};
	unsigned count = 0;
	bool is_weighed = false;
	uint64_t result = 0;
	struct slice word;

	while (word_next(&text, &word)) {
		if (count == WIDTH) {
			words[0] = words[1];
			words[1] = words[2];
			count--;
		}
		words[count++] = word;
		if (count == WIDTH)
			weigh(weights, hash_words(words, WIDTH));
		is_weighed = count == WIDTH;
	}
	if (count > 0 && !is_weighed)
		weigh(weights, hash_words(words, count));
	for (unsigned i = 0; i < BITS; i++)
		result |= (uint64_t)(weights[i] > 0) << i;
	return result;
}
