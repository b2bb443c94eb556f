#include "crawl/percent.h"

#include <string.h>

void bounded_put(struct bounded *out, char byte)
{
	if (out->size < out->capacity)
		out->data[out->size++] = byte;
	else
		out->is_cut = true;
}

void bounded_put_slice(struct bounded *out, struct slice text)
{
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

static bool is_alphanumeric(unsigned char byte)
{
	unsigned char lower = byte | 0x20;

	return (byte >= '0' && byte <= '9') || (lower >= 'a' && lower <= 'z');
}

/* `set` has no NUL, but strchr() finds one in every text. */
static bool is_in(const char *set, unsigned char byte)
{
	return byte != '\0' && strchr(set, byte) != NULL;
}

bool percent_is_unreserved(unsigned char byte)
{
	return is_alphanumeric(byte) || is_in("-._~", byte);
}

/* Reserved (RFC 3986, 2.2) without '#', and without the single quote. */
static bool is_reserved(unsigned char byte)
{
	return is_in("!$&()*+,;=:@/?[]", byte);
}

/* -1 when it is no hexadecimal digit. */
static int hex_value(unsigned char byte)
{
	unsigned char lower = byte | 0x20;

	if (byte >= '0' && byte <= '9')
		return byte - '0';
	if (lower >= 'a' && lower <= 'f')
		return lower - 'a' + 10;
	return -1;
}

void percent_put(struct bounded *out, unsigned char byte)
{
	static const char digits[] = "0123456789ABCDEF";
	char escape[3] = {'%', digits[byte >> 4], digits[byte & 15]};

	bounded_put_slice(out, (struct slice){escape, sizeof(escape)});
}

/* The byte of the escape at the begin of `text`; -1 when there is none. */
static int escape_value(const unsigned char *text, size_t size)
{
	int high;
	int low;

	if (size < 3 || text[0] != '%')
		return -1;
	high = hex_value(text[1]);
	low = hex_value(text[2]);
	return high < 0 || low < 0 ? -1 : high * 16 + low;
}

void percent_normalize(struct slice text, const char *special,
		       struct bounded *out)
{
	const unsigned char *bytes = text.data;

	for (size_t i = 0; i < text.size && !out->is_cut; i++) {
		int value = escape_value(bytes + i, text.size - i);
		unsigned char byte =
			value < 0 ? bytes[i] : (unsigned char)value;
		bool is_plain = percent_is_unreserved(byte) ||
				(value < 0 && is_reserved(byte) &&
				 !is_in(special, byte));

		if (is_plain)
			bounded_put(out, (char)byte);
		else
			percent_put(out, byte);
		if (value >= 0)
			i += 2;
	}
}
