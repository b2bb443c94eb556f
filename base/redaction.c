#include "base/redaction.h"

#include <string.h>

#define HIDDEN "***"

static const char *redaction_find_text(struct slice text, const char *wanted)
{
	return text.size == 0
		       ? NULL
		       : memmem(text.data, text.size, wanted, strlen(wanted));
}

/* Return the length of the text before the first of these characters. */
static size_t length_up_to(struct slice text, const char *marks)
{
	size_t length = 0;

	while (length < text.size &&
	       strchr(marks, slice_byte(text, length)) == NULL)
		length++;
	return length;
}

/* Return the text without its first `size` bytes. */
static struct slice rest_of(struct slice text, size_t size)
{
	return (struct slice){(const char *)text.data + size, text.size - size};
}

void redact_headers(struct slice lines, struct buffer *out)
{
	while (lines.size > 0) {
		size_t size = length_up_to(lines, "\n");
		struct slice line = {lines.data, size};

		size_t name = length_up_to(line, ":");

		buffer_append(out, line.data, name < size ? name : 0);
		buffer_append_text(out, ": " HIDDEN "\n");
		lines = rest_of(lines, size + (size < lines.size));
	}
}

/*
 * Append scheme and authority with user and password hidden; return the rest of
 * the URL. A URL without "://" is all scheme.
 */
static struct slice redact_authority(struct slice url, struct buffer *out)
{
	const char *slashes = redaction_find_text(url, "://");
	struct slice rest = url;
	struct slice authority;

	if (slashes != NULL)
		rest = rest_of(url,
			       (size_t)(slashes + 3 - (const char *)url.data));
	buffer_append(out, url.data, url.size - rest.size);
	authority = (struct slice){rest.data, length_up_to(rest, "/\\?#")};
	rest = rest_of(rest, authority.size);
	for (size_t i = authority.size; i-- > 0;) {
		if (slice_byte(authority, i) != '@')
			continue;
		buffer_append_text(out, HIDDEN);
		authority = rest_of(authority, i);
		break;
	}
	buffer_append_slice(out, authority);
	return rest;
}

void redact_proxy(struct slice url, struct buffer *out)
{
	struct slice rest = redact_authority(url, out);
	size_t length = length_up_to(rest, "?#");

	buffer_append(out, rest.data, length);
	if (length < rest.size) {
		buffer_append_byte(out, slice_byte(rest, length));
		buffer_append_text(out, HIDDEN);
	}
}

void redact_target(struct slice target, struct buffer *out)
{
	size_t word = length_up_to(target, " ");
	struct slice rest;

	if (redaction_find_text(target, "://") == NULL ||
	    slice_byte(target, 0) == 'e') {
		buffer_append(out, target.data, word);
		if (word < target.size)
			buffer_append_text(out, " " HIDDEN);
		return;
	}
	rest = redact_authority(target, out);
	if (rest.size == 0)
		return;
	buffer_append_byte(out, slice_byte(rest, 0));
	if (rest.size > 1)
		buffer_append_text(out, HIDDEN);
}

void redact_all(struct slice text, struct buffer *out)
{
	(void)text;
	buffer_append_text(out, "");
}
