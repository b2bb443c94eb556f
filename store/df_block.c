#include "store/df_block.h"

#include <assert.h>
#include <endian.h>
#include <stdbool.h>
#include <string.h>

enum {
	HEAD_BYTES = 2,
	WORD_BYTES = sizeof(uint64_t),
	WORD_BITS = 64,
	MAX_WIDTH = 63,
	MAX_GAMMA = 31, /* bits of a count after the highest one */
	/*
	 * the unary parts of all counts together are at most 2 bits per count
	 */
	MAX_BITS = MAX_WIDTH + 3 + MAX_GAMMA + 1 + MAX_GAMMA,
	MAX_BYTES = HEAD_BYTES + DF_BLOCK_MAX * MAX_BITS / 8 + 2 * WORD_BYTES,
};

/* A writer or reader of bits in `bytes`. */
struct bits {
	unsigned char bytes[MAX_BYTES];
	size_t at; /* index of the next bit */
	size_t end;
};

/* Return the logarithm of a number >= 1, rounded down; 0 for 0. */
static unsigned log2_of(uint64_t number)
{
	return WORD_BITS - 1 - (unsigned)__builtin_clzll(number | 1);
}

static uint64_t low_bits(uint64_t word, unsigned count)
{
	assert(count < WORD_BITS);
	return word & (((uint64_t)1 << count) - 1);
}

static uint64_t bits_load_word(const unsigned char *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return le64toh(word);
}

/* Write the low `count` bits of `word`. All bits after `at` must be 0. */
static void bits_put(struct bits *bits, uint64_t word, unsigned count)
{
	unsigned char *to = bits->bytes + bits->at / 8;
	unsigned shift = bits->at % 8;
	uint64_t first = htole64(bits_load_word(to) | word << shift);

	assert(count < WORD_BITS && low_bits(word, count) == word);
	assert(bits->at + count <= sizeof(bits->bytes) * 8 - WORD_BITS - 8);
	memcpy(to, &first, sizeof(first));
	if (shift + count > WORD_BITS)
		to[WORD_BYTES] = (unsigned char)(word >> (WORD_BITS - shift));
	bits->at += count;
}

/* Read bits; they are 0 after the end. */
static uint64_t bits_take(struct bits *bits, unsigned count)
{
	const unsigned char *from = bits->bytes + bits->at / 8;
	unsigned shift = bits->at % 8;
	uint64_t word;

	if (bits->at + count > bits->end) {
		bits->at = bits->end + 1; /* stays after the end */
		return 0;
	}
	word = bits_load_word(from) >> shift;
	if (shift + count > WORD_BITS)
		word |= (uint64_t)from[WORD_BYTES] << (WORD_BITS - shift);
	bits->at += count;
	return low_bits(word, count);
}

/* Write `zeros` zeros and a one. */
static void put_unary(struct bits *bits, uint64_t zeros)
{
	for (; zeros >= MAX_WIDTH; zeros -= MAX_WIDTH)
		bits_put(bits, 0, MAX_WIDTH);
	bits_put(bits, (uint64_t)1 << zeros, (unsigned)zeros + 1);
}

static uint64_t bits_take_unary(struct bits *bits)
{
	uint64_t zeros = 0;

	while (bits->at < bits->end) {
		unsigned shift = bits->at % 8;
		uint64_t word =
			bits_load_word(bits->bytes + bits->at / 8) >> shift;
		unsigned here = WORD_BITS - shift;

		if (word != 0)
			here = (unsigned)__builtin_ctzll(word);
		zeros += here;
		bits->at += here + (word != 0);
		if (word != 0)
			return zeros;
	}
	return zeros;
}

static bool is_overrun(const struct bits *bits)
{
	return bits->at > bits->end;
}

void df_block_encode(const struct df_count *counts, size_t count, uint64_t last,
		     struct buffer *out)
{
	struct bits bits = {.at = (size_t)HEAD_BYTES * 8};
	unsigned width;

	assert(count > 0 && count <= DF_BLOCK_MAX);
	assert(counts[count - 1].fragment <= last);
	width = log2_of((last - counts[0].fragment) / count);
	bits.bytes[0] = (unsigned char)count;
	bits.bytes[1] = (unsigned char)width;
	for (size_t i = count; i-- > 0;) {
		uint64_t distance = last - counts[i].fragment;
		unsigned gamma = log2_of(counts[i].pages);

		assert(counts[i].pages > 0);
		put_unary(&bits, distance >> width);
		bits_put(&bits, low_bits(distance, width), width);
		put_unary(&bits, gamma);
		bits_put(&bits, low_bits(counts[i].pages, gamma), gamma);
		last = counts[i].fragment - 1;
	}
	buffer_append(out, bits.bytes, (bits.at + 7) / 8);
}

/* Read the next count; return false if it is invalid. */
static bool bits_read_count(struct bits *bits, unsigned width, uint64_t last,
			    struct df_count *count_out)
{
	uint64_t high = bits_take_unary(bits);
	uint64_t distance;
	uint64_t gamma;

	if (high > last >> width)
		return false;
	distance = high << width | bits_take(bits, width);
	gamma = bits_take_unary(bits);
	if (gamma > MAX_GAMMA || distance > last)
		return false;
	count_out->fragment = last - distance;
	count_out->pages = (uint32_t)((uint64_t)1 << gamma |
				      bits_take(bits, (unsigned)gamma));
	return !is_overrun(bits);
}

size_t df_block_decode(struct slice value, uint64_t last,
		       struct df_count *counts_out)
{
	struct bits bits;
	size_t count;

	if (value.size <= HEAD_BYTES || value.size > MAX_BYTES - WORD_BYTES - 1)
		return 0;
	bits.at = (size_t)HEAD_BYTES * 8;
	bits.end = value.size * 8;
	memcpy(bits.bytes, value.data, value.size);
	memset(bits.bytes + value.size, 0, WORD_BYTES + 1);
	count = bits.bytes[0];
	if (count == 0 || count > DF_BLOCK_MAX || bits.bytes[1] > MAX_WIDTH)
		return 0;
	for (size_t i = count; i-- > 0;) {
		if (!bits_read_count(&bits, bits.bytes[1], last,
				     &counts_out[i]) ||
		    (counts_out[i].fragment == 0 && i > 0))
			return 0;
		last = counts_out[i].fragment - 1;
	}
	return (bits.at + 7) / 8 == value.size ? count : 0;
}
