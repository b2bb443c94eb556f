#include "page/escape.h"

/* Return the reference that replaces the byte, or NULL if it stays. */
static const char *escape_of(char byte)
{
	switch (byte) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

void escape_append(struct buffer *out, struct slice text)
{
	const char *bytes = text.data;
	size_t begin = 0;

	for (size_t i = 0; i < text.size; i++) {
		const char *escape = escape_of(bytes[i]);

		if (escape == NULL)
			continue;
		buffer_append(out, bytes + begin, i - begin);
		buffer_append_text(out, escape);
		begin = i + 1;
	}
	if (begin < text.size)
		buffer_append(out, bytes + begin, text.size - begin);
}
