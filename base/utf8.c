#include "base/utf8.h"

#include <assert.h>
#include <stdbool.h>

enum { WIDE = 64 }; /* number of bytes that are checked together */

/* Return whether one of the WIDE bytes from `at` on is over 127. */
static bool has_high(const unsigned char *at)
{
	uint64_t words[WIDE / sizeof(uint64_t)];
	uint64_t all = 0;

	memcpy(words, at, WIDE);
	for (size_t i = 0; i < WIDE / sizeof(uint64_t); i++)
		all |= words[i];
	return (all & UINT64_C(0x8080808080808080)) != 0;
}

/* Skip ASCII, WIDE bytes at a time. */
static const unsigned char *skip_ascii(const unsigned char *at,
				       const unsigned char *end)
{
	uint64_t word;

	while (end - at >= WIDE && !has_high(at))
		at += WIDE;
	while (end - at >= (ptrdiff_t)sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		if ((word & UINT64_C(0x8080808080808080)) != 0)
			break;
		at += sizeof(word);
	}
	while (at < end && *at < 0x80)
		at++;
	return at;
}

struct utf8_sequence {
	size_t length; /* length of the sequence or, if it is invalid, of its
			  longest valid prefix, but at least 1 */
	bool is_valid;
};

/*
 * Return the sequence at `at`. Source: Unicode 15, table 3-7; the range of the
 * second byte depends on the first.
 */
static struct utf8_sequence utf8_read_sequence(const unsigned char *at,
					       const unsigned char *end)
{
	unsigned char low = 0x80;
	unsigned char high = 0xBF;
	size_t length;

	assert(at < end);
	if (*at < 0xC2 || *at > 0xF4)
		return (struct utf8_sequence){1, false};
	if (*at < 0xE0)
		length = 2;
	else
		length = *at < 0xF0 ? 3 : 4;
	if (*at == 0xE0)
		low = 0xA0;
	else if (*at == 0xED)
		high = 0x9F;
	else if (*at == 0xF0)
		low = 0x90;
	else if (*at == 0xF4)
		high = 0x8F;
	for (size_t i = 1; i < length; i++) {
		if (at + i == end || at[i] < low || at[i] > high)
			return (struct utf8_sequence){i, false};
		low = 0x80;
		high = 0xBF;
	}
	return (struct utf8_sequence){length, true};
}

struct utf8_count utf8_check(struct slice text)
{
	const unsigned char *at = text.data;
	const unsigned char *end = at == NULL ? NULL : at + text.size;
	struct utf8_count count = {0, 0};

	while ((at = skip_ascii(at, end)) < end) {
		struct utf8_sequence sequence = utf8_read_sequence(at, end);

		if (sequence.is_valid)
			count.sequences++;
		else
			count.invalid++;
		assert(sequence.length >= 1 &&
		       sequence.length <= (size_t)(end - at));
		at += sequence.length;
	}
	return count;
}

size_t utf8_repair(struct slice text, char *out)
{
	const unsigned char *at = text.data;
	const unsigned char *end = at == NULL ? NULL : at + text.size;
	size_t size = 0;

	while (at < end) {
		struct utf8_sequence sequence = {1, true};

		if (*at >= 0x80)
			sequence = utf8_read_sequence(at, end);
		if (sequence.is_valid) {
			memcpy(out + size, at, sequence.length);
			size += sequence.length;
		} else {
			size += utf8_encode(UTF8_REPLACEMENT, out + size);
		}
		at += sequence.length;
	}
	return size;
}

size_t utf8_encode(uint32_t code, char *out)
{
	assert(code <= 0x10FFFF);
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (char)(0xC0 | (code >> 6));
		out[1] = (char)(0x80 | (code & 0x3F));
		return 2;
	}
	if (code < 0x10000) {
		out[0] = (char)(0xE0 | (code >> 12));
		out[1] = (char)(0x80 | ((code >> 6) & 0x3F));
		out[2] = (char)(0x80 | (code & 0x3F));
		return 3;
	}
	out[0] = (char)(0xF0 | (code >> 18));
	out[1] = (char)(0x80 | ((code >> 12) & 0x3F));
	out[2] = (char)(0x80 | ((code >> 6) & 0x3F));
	out[3] = (char)(0x80 | (code & 0x3F));
	return 4;
}

uint32_t utf8_from_windows_1252(unsigned char byte)
{
	static const uint16_t table[32] = {
		0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
		0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D, 0x017D, 0x008F,
		0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
		0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178,
	};

	return byte >= 0x80 && byte < 0xA0 ? table[byte - 0x80] : byte;
}
