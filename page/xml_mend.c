#include "page/xml_mend.h"

#include <string.h>

#include "base/ascii.h"

#define CDATA "<![CDATA["

enum { MAX_REFERENCE = 10 /* &#x10FFFF; */ };

static bool begins_with(struct slice text, const char *begin)
{
	return text.size >= strlen(begin) &&
	       memcmp(text.data, begin, strlen(begin)) == 0;
}

size_t xml_mend_size(struct slice text)
{
	const char *at = text.data;
	size_t i;

	for (i = text.size; i > 1; i--)
		if (at[i - 1] == '<')
			return i - 1;
	i = text.size > MAX_REFERENCE ? text.size - MAX_REFERENCE : 0;
	while (i < text.size && at[i] != '&' && at[i] != ']')
		i++;
	return i;
}

/* The replacement of the next bytes. */
struct change {
	size_t size; /* 0: no change */
	const char *to;
};

/* Replace a reference to a number that is no character; libxml2 drops it. */
static struct change mend_reference(struct slice text)
{
	static const struct {
		const char *name;
		const char *number;
	} rows[] = {
		{"&amp;", "&#38;"},  {"&lt;", "&#60;"},   {"&gt;", "&#62;"},
		{"&quot;", "&#34;"}, {"&apos;", "&#39;"},
	};
	size_t size = text.size < MAX_REFERENCE ? text.size : MAX_REFERENCE;

	if (begins_with(text, "&#") && memchr(text.data, ';', size) != NULL)
		return (struct change){0, NULL};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (begins_with(text, rows[i].name))
			return (struct change){strlen(rows[i].name),
					       rows[i].number};
	return (struct change){1, "&#38;"};
}

/*
 * Return whether the '<' begins a tag, comment, instruction or CDATA section.
 */
static bool begins_markup(struct slice text)
{
	const char *at = text.data;
	char byte;

	if (text.size == 1)
		return true;
	byte = at[1];
	if (byte == '!')
		return begins_with(text, "<!--") || begins_with(text, CDATA);
	return is_letter(byte) || (unsigned char)byte >= 0x80 ||
	       (byte != '\0' && strchr("_:/?", byte) != NULL);
}

static bool is_control(char byte)
{
	return (unsigned char)byte < ' ' && byte != '\n' && byte != '\t' &&
	       byte != '\r';
}

/* Shortcut for speed: nearly all bytes are plain. */
static bool is_plain(char byte)
{
	return ((unsigned char)byte >= ' ' && byte != '<' && byte != '&' &&
		byte != ']') ||
	       byte == '\n';
}

static struct change mend_next(struct slice text, bool *is_cdata)
{
	const struct change none = {0, NULL};
	const char *at = text.data;

	if (is_control(*at))
		return (struct change){1, " "};
	if (*at == ']' && begins_with(text, "]]>")) {
		bool was_cdata = *is_cdata;

		*is_cdata = false;
		return was_cdata ? none : (struct change){1, "&#93;"};
	}
	if (*is_cdata)
		return none;
	if (*at == '&')
		return mend_reference(text);
	if (*at != '<')
		return none;
	*is_cdata = begins_with(text, CDATA);
	return begins_markup(text) ? none : (struct change){1, "&#60;"};
}

void xml_mend(struct slice text, bool *is_cdata, struct buffer *out)
{
	const char *at = text.data;
	const char *end = at + text.size;
	const char *done = at;

	for (;;) {
		struct change change;

		while (at < end && is_plain(*at))
			at++;
		if (at == end)
			break;
		change = mend_next((struct slice){at, (size_t)(end - at)},
				   is_cdata);
		if (change.size == 0) {
			at++;
			continue;
		}
		buffer_append(out, done, (size_t)(at - done));
		buffer_append_text(out, change.to);
		at += change.size;
		done = at;
	}
	buffer_append(out, done, (size_t)(end - done));
}
