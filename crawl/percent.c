#include "crawl/percent.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/ascii.h"

void bounded_put(struct bounded *out, char byte)
{
	assert(out->size <= out->capacity);
	if (out->size < out->capacity)
		out->data[out->size++] = byte;
	else
		out->is_cut = true;
}

void bounded_put_slice(struct bounded *out, struct slice text)
{
	assert(out->size <= out->capacity);
	if (text.size > out->capacity - out->size) {
		out->is_cut = true;
		return;
	}
	if (text.size > 0)
		memcpy(out->data + out->size, text.data, text.size);
	out->size += text.size;
}

struct slice bounded_slice(const struct bounded *out)
{
	return (struct slice){out->data, out->size};
}

/* A set of bytes: bit `byte & 63` of word `byte >> 6`. */
struct byte_set {
	uint64_t words[4];
};

#define BIT(c) (UINT64_C(1) << ((c)&63))

static const struct byte_set unreserved = {{
	BIT('-') | BIT('.') | UINT64_C(0x03ff000000000000), /* 0-9 */
	BIT('_') | BIT('~') | UINT64_C(0x07fffffe07fffffe), /* A-Z a-z */
}};

/*
 * Reserved characters (RFC 3986, 2.2) without '#' and without the single quote.
 */
static const struct byte_set reserved = {{
	BIT('!') | BIT('$') | BIT('&') | BIT('(') | BIT(')') | BIT('*') |
		BIT('+') | BIT(',') | BIT('/') | BIT(':') | BIT(';') |
		BIT('=') | BIT('?'),
	BIT('@') | BIT('[') | BIT(']'),
}};

static bool byte_set_has(const struct byte_set *set, unsigned char byte)
{
	return (set->words[byte >> 6] >> (byte & 63) & 1) != 0;
}

bool percent_is_unreserved(unsigned char byte)
{
	return byte_set_has(&unreserved, byte);
}

void percent_put(struct bounded *out, unsigned char byte)
{
	static const char digits[] = "0123456789ABCDEF";
	char escape[3] = {'%', digits[byte >> 4], digits[byte & 15]};

	bounded_put_slice(out, (struct slice){escape, sizeof(escape)});
}

/*
 * Return the byte of the escape at the beginning of `text`, or -1.
 */
static int escape_value(const unsigned char *text, size_t size)
{
	int high;
	int low;

	if (size < 3 || text[0] != '%')
		return -1;
	high = hex_digit(text[1]);
	low = hex_digit(text[2]);
	return high < 0 || low < 0 ? -1 : high * 16 + low;
}

void percent_decode(struct slice text, struct bounded *out)
{
	const unsigned char *bytes = text.data;

	for (size_t i = 0; i < text.size && !out->is_cut; i++) {
		int value = escape_value(bytes + i, text.size - i);

		bounded_put(out, (char)(value < 0 ? bytes[i] : value));
		if (value >= 0)
			i += 2;
	}
}

/* Return the bytes that are not encoded. */
static struct byte_set plain_bytes(const char *special)
{
	struct byte_set plain = reserved;

	for (; *special != '\0'; special++)
		plain.words[(unsigned char)*special >> 6] &= ~BIT(*special);
	for (size_t i = 0; i < 4; i++)
		plain.words[i] |= unreserved.words[i];
	return plain;
}

/*
 * Write the escape or the single byte at the beginning of `text`; return its
 * size.
 */
static size_t put_odd(const unsigned char *text, size_t size,
		      struct bounded *out)
{
	int value = escape_value(text, size);

	assert(size > 0);
	if (value < 0)
		percent_put(out, text[0]);
	else if (percent_is_unreserved((unsigned char)value))
		bounded_put(out, (char)value);
	else
		percent_put(out, (unsigned char)value);
	return value < 0 ? 1 : 3;
}

void percent_normalize(struct slice text, const char *special,
		       struct bounded *out)
{
	const struct byte_set plain = plain_bytes(special);
	const unsigned char *bytes = text.data;
	size_t i = 0;

	while (i < text.size && !out->is_cut) {
		size_t begin = i;

		while (i < text.size && byte_set_has(&plain, bytes[i]))
			i++;
		bounded_put_slice(out,
				  (struct slice){bytes + begin, i - begin});
		if (i < text.size)
			i += put_odd(bytes + i, text.size - i, out);
	}
}
