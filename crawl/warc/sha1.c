#include "crawl/warc/sha1.h"

enum { ROUNDS = 80, LENGTH_AT = 56, DIGITS = 32 };

struct sha1 sha1_begin(void)
{
	return (struct sha1){.state = {0x67452301, 0xEFCDAB89, 0x98BADCFE,
				       0x10325476, 0xC3D2E1F0}};
}

static uint32_t rotate(uint32_t word, unsigned bits)
{
	return word << bits | word >> (32 - bits);
}

/* The words of a block (RFC 3174, 6.1, a and b). */
static void expand(const unsigned char *block, uint32_t *words)
{
	for (size_t i = 0; i < 16; i++)
		words[i] = (uint32_t)block[i * 4] << 24 |
			   (uint32_t)block[i * 4 + 1] << 16 |
			   (uint32_t)block[i * 4 + 2] << 8 |
			   (uint32_t)block[i * 4 + 3];
	for (size_t i = 16; i < ROUNDS; i++)
		words[i] = rotate(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^
					  words[i - 16],
				  1);
}

/* f of section 5 and K of section 6, added. */
static uint32_t mix(size_t round, uint32_t b, uint32_t c, uint32_t d)
{
	if (round < 20)
		return ((b & c) | (~b & d)) + 0x5A827999;
	if (round < 40)
		return (b ^ c ^ d) + 0x6ED9EBA1;
	if (round < 60)
		return ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDC;
	return (b ^ c ^ d) + 0xCA62C1D6;
}

/* Section 6.1, c to e. */
static void add_block(uint32_t *state, const unsigned char *block)
{
	uint32_t words[ROUNDS];
	uint32_t a = state[0];
	uint32_t b = state[1];
	uint32_t c = state[2];
	uint32_t d = state[3];
	uint32_t e = state[4];

	expand(block, words);
	for (size_t i = 0; i < ROUNDS; i++) {
		uint32_t next = rotate(a, 5) + mix(i, b, c, d) + e + words[i];

		e = d;
		d = c;
		c = rotate(b, 30);
		b = a;
		a = next;
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
	state[4] += e;
}

void sha1_add(struct sha1 *sha1, struct slice data)
{
	const unsigned char *bytes = data.data;
	size_t size = data.size;
	size_t used = sha1->size % SHA1_BLOCK_BYTES;

	sha1->size += size;
	while (size > 0) {
		size_t room = SHA1_BLOCK_BYTES - used;
		size_t part = size < room ? size : room;

		if (part == SHA1_BLOCK_BYTES) {
			add_block(sha1->state, bytes);
		} else {
			memcpy(sha1->block + used, bytes, part);
			if (part == room)
				add_block(sha1->state, sha1->block);
		}
		used = 0;
		bytes += part;
		size -= part;
	}
}

void sha1_end(struct sha1 *sha1, unsigned char *out)
{
	static const unsigned char padding[SHA1_BLOCK_BYTES] = {0x80};
	uint64_t bits = sha1->size * 8;
	size_t used = sha1->size % SHA1_BLOCK_BYTES;
	size_t room = used < LENGTH_AT ? LENGTH_AT - used
				       : LENGTH_AT + SHA1_BLOCK_BYTES - used;
	unsigned char length[8];

	for (size_t i = 0; i < sizeof(length); i++)
		length[i] = (unsigned char)(bits >> (56 - 8 * i));
	sha1_add(sha1, (struct slice){padding, room});
	sha1_add(sha1, (struct slice){length, sizeof(length)});
	for (size_t i = 0; i < SHA1_BYTES; i++)
		out[i] = (unsigned char)(sha1->state[i / 4] >>
					 (24 - 8 * (i % 4)));
}

void sha1_text(struct sha1 *sha1, char *out)
{
	static const char digits[DIGITS + 1] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
	unsigned char digest[SHA1_BYTES];
	unsigned bits = 0;
	unsigned count = 0;

	sha1_end(sha1, digest);
	for (size_t i = 0; i < SHA1_BYTES; i++) {
		bits = bits << 8 | digest[i];
		for (count += 8; count >= 5; count -= 5)
			*out++ = digits[bits >> (count - 5) & (DIGITS - 1)];
	}
	*out = '\0';
}
