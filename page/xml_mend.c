#include "page/xml_mend.h"

#include <string.h>

#include "base/ascii.h"

#define CDATA "<![CDATA["

enum { MAX_REFERENCE = 10 /* &#x10FFFF; */ };

static bool xml_text_begins_with(struct slice text, const char *begin)
{
	return text.size >= strlen(begin) &&
	       memcmp(text.data, begin, strlen(begin)) == 0;
}

size_t xml_repair_size(struct slice text)
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
struct xml_replacement {
	size_t size; /* 0: no change */
	const char *to;
};

/* Replace a reference to a number that is no character; libxml2 drops it. */
static struct xml_replacement xml_repair_reference(struct slice text)
{
	static const struct {
		const char *name;
		const char *number;
	} rows[] = {
		{"&amp;", "&#38;"},  {"&lt;", "&#60;"},   {"&gt;", "&#62;"},
		{"&quot;", "&#34;"}, {"&apos;", "&#39;"},
	};
	size_t size = text.size < MAX_REFERENCE ? text.size : MAX_REFERENCE;

	if (xml_text_begins_with(text, "&#") &&
	    memchr(text.data, ';', size) != NULL)
		return (struct xml_replacement){0, NULL};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (xml_text_begins_with(text, rows[i].name))
			return (struct xml_replacement){strlen(rows[i].name),
							rows[i].number};
	return (struct xml_replacement){1, "&#38;"};
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
		return xml_text_begins_with(text, "<!--") ||
		       xml_text_begins_with(text, CDATA);
	return is_letter(byte) || (unsigned char)byte >= 0x80 ||
	       (byte != '\0' && strchr("_:/?", byte) != NULL);
}

static bool xml_byte_is_control(char byte)
{
	return (unsigned char)byte < ' ' && byte != '\n' && byte != '\t' &&
	       byte != '\r';
}

/* Shortcut for speed: nearly all bytes are plain. */
static bool xml_byte_is_plain(char byte)
{
	return ((unsigned char)byte >= ' ' && byte != '<' && byte != '&' &&
		byte != ']') ||
	       byte == '\n';
}

static struct xml_replacement xml_repair_next(struct slice text, bool *is_cdata)
{
	const struct xml_replacement none = {0, NULL};
	const char *at = text.data;

	if (xml_byte_is_control(*at))
		return (struct xml_replacement){1, " "};
	if (*at == ']' && xml_text_begins_with(text, "]]>")) {
		bool was_cdata = *is_cdata;

		*is_cdata = false;
		return was_cdata ? none : (struct xml_replacement){1, "&#93;"};
	}
	if (*is_cdata)
		return none;
	if (*at == '&')
		return xml_repair_reference(text);
	if (*at != '<')
		return none;
	*is_cdata = xml_text_begins_with(text, CDATA);
	return begins_markup(text) ? none
				   : (struct xml_replacement){1, "&#60;"};
}

void xml_repair(struct slice text, bool *is_cdata, struct buffer *out)
{
	const char *at = text.data;
	const char *end = at + text.size;
	const char *done = at;

	for (;;) {
		struct xml_replacement change;

		while (at < end && xml_byte_is_plain(*at))
			at++;
		if (at == end)
			break;
		change = xml_repair_next((struct slice){at, (size_t)(end - at)},
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
