#include "extract/text/simhash.h"

#include "base/ascii.h"
#include "base/hash.h"
#include "extract/text/word.h"

enum { WIDTH = 3, BITS = 64, MAX_WORD = 256, PLANES = 32 };

/*
 * How many hashes have each bit set: plane p holds bit p of the counts of all
 * bits, so that one operation updates all counts.
 */
struct bit_counts {
	uint64_t planes[PLANES];
	uint64_t count; /* number of hashes */
};

static void bit_counts_add(struct bit_counts *tally, uint64_t hash)
{
	tally->count++;
	for (unsigned p = 0; hash != 0 && p < PLANES; p++) {
		uint64_t carry = tally->planes[p] & hash;

		tally->planes[p] ^= hash;
		hash = carry;
	}
}

/* Return the bits that more than half of the hashes have. */
static uint64_t tally_most(const struct bit_counts *tally)
{
	uint64_t most = 0;

	for (unsigned bit = 0; bit < BITS; bit++) {
		uint64_t count = 0;

		for (unsigned p = 0; p < PLANES; p++)
			count |= (tally->planes[p] >> bit & 1) << p;
		most |= (uint64_t)(2 * count > tally->count) << bit;
	}
	return most;
}

/* Return the hash of a word; only its first MAX_WORD bytes count. */
static uint64_t simhash_word(struct slice word)
{
	const char *bytes = word.data;
	size_t size = word.size < MAX_WORD ? word.size : MAX_WORD;
	char folded[MAX_WORD];

	for (size_t i = 0; i < size; i++)
		folded[i] = lower(bytes[i]);
	return hash64(folded, size, 0);
}

/* Return the hash of the words [count]. */
static uint64_t hash_words(const uint64_t *words, unsigned count)
{
	uint64_t hash = words[0];

	for (unsigned i = 1; i < count; i++)
		hash = hash_chain(words[i], hash);
	return hash;
}

uint64_t simhash(struct slice text)
{
	struct bit_counts tally = {.count = 0};
	uint64_t words[WIDTH]; /* hashes of the last words */
	unsigned count = 0;
	struct slice word;

	while (word_next(&text, &word)) {
		if (count == WIDTH) {
			words[0] = words[1];
			words[1] = words[2];
			count--;
		}
		words[count++] = simhash_word(word);
		if (count == WIDTH)
			bit_counts_add(&tally, hash_words(words, WIDTH));
	}
	if (count > 0 && tally.count == 0)
		bit_counts_add(&tally, hash_words(words, count));
	return tally_most(&tally);
}
