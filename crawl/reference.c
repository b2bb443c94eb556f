#include "crawl/reference.h"

#include <assert.h>
#include <string.h>

#include "base/ascii.h"
#include "crawl/url.h"

static struct slice reference_skip(struct slice text, size_t count)
{
	assert(count <= text.size);
	return (struct slice){(const char *)text.data + count,
			      text.size - count};
}

static bool reference_byte_is_space(char c)
{
	return (unsigned char)c <= ' ';
}

/*
 * Trim controls and spaces (WHATWG URL, basic URL parser); drop the fragment.
 */
static struct slice reference_trim(struct slice text)
{
	const char *hash;

	while (text.size > 0 && reference_byte_is_space(slice_byte(text, 0)))
		text = reference_skip(text, 1);
	hash = text.size == 0 ? NULL : memchr(text.data, '#', text.size);
	if (hash != NULL)
		return (struct slice){text.data,
				      (size_t)(hash - (char *)text.data)};
	while (text.size > 0 &&
	       reference_byte_is_space(slice_byte(text, text.size - 1)))
		text.size--;
	return text;
}

/* Return whether the reference needs repair. */
static bool is_odd(struct slice text)
{
	for (size_t i = 0; i < text.size; i++)
		if ((unsigned char)slice_byte(text, i) < ' ' ||
		    slice_byte(text, i) == '\\')
			return true;
	return false;
}

struct slice reference_repair(struct slice text, struct bounded *room)
{
	bool is_query = false;

	text = reference_trim(text.data == NULL ? slice_of("") : text);
	if (!is_odd(text))
		return text;
	for (size_t i = 0; i < text.size && !room->is_cut; i++) {
		char c = slice_byte(text, i);

		if (c == '\t' || c == '\n' || c == '\r')
			continue;
		is_query |= c == '?';
		if (c == '\\' && !is_query)
			c = '/';
		bounded_put(room, c);
	}
	return bounded_slice(room);
}

/* Return the length of the scheme before its ':', or 0. */
static size_t scheme_length(struct slice text)
{
	size_t length = 0;

	if (!is_letter(slice_byte(text, 0)))
		return 0;
	while (is_letter(slice_byte(text, length)) ||
	       is_digit(slice_byte(text, length)) ||
	       (slice_byte(text, length) != '\0' &&
		strchr("+-.", slice_byte(text, length)) != NULL))
		length++;
	return slice_byte(text, length) == ':' ? length : 0;
}

static bool reference_scheme_is(struct slice text, size_t length,
				const char *word)
{
	for (size_t i = 0; i < length; i++)
		if ((slice_byte(text, i) | 0x20) != word[i])
			return false;
	return word[length] == '\0';
}

/*
 * "example.org:8080/x" has no scheme, "tel:110" has one. Without a base, a name
 * is a host if it contains a dot, is localhost, or is followed by a port and a
 * path.
 */
static bool is_host_and_port(struct slice text, size_t length)
{
	size_t end = length + 1;
	char next;

	while (is_digit(slice_byte(text, end)))
		end++;
	next = slice_byte(text, end);
	if (end == length + 1 ||
	    (end < text.size && next != '/' && next != '?'))
		return false;
	return next == '/' || memchr(text.data, '.', length) != NULL ||
	       reference_scheme_is(text, length, "localhost");
}

static struct slice skip_slashes(struct slice text)
{
	while (slice_byte(text, 0) == '/')
		text = reference_skip(text, 1);
	return text;
}

static bool begins_with_slashes(struct slice text)
{
	return slice_byte(text, 0) == '/' && slice_byte(text, 1) == '/';
}

/* Split `text`, which begins with the authority, into authority and rest. */
static void split_authority(struct slice text, struct url_reference *out)
{
	size_t begin = 0;
	size_t end = 0;

	for (; end < text.size && slice_byte(text, end) != '/' &&
	       slice_byte(text, end) != '?';
	     end++)
		if (slice_byte(text, end) == '@')
			begin = end + 1;
	out->rest = reference_skip(text, end);
	text.size = end;
	out->authority = reference_skip(text, begin);
}

enum error reference_split(struct slice text, const struct url *base,
			   struct url_reference *reference_out)
{
	size_t length = scheme_length(text);

	*reference_out = (struct url_reference){.is_https = base != NULL &&
							    base->is_https};
	if (length > 0 && (base != NULL || !is_host_and_port(text, length))) {
		reference_out->is_https =
			reference_scheme_is(text, length, "https");
		if (!reference_out->is_https &&
		    !reference_scheme_is(text, length, "http"))
			return ERR_ADDRESS_FORBIDDEN;
		text = reference_skip(text, length + 1);
		/* "http:x" is relative to a page of the same scheme (WHATWG) */
		reference_out->is_relative =
			base != NULL &&
			base->is_https == reference_out->is_https &&
			!begins_with_slashes(text);
	} else if (base != NULL) {
		reference_out->is_relative = !begins_with_slashes(text);
	} else if (slice_byte(text, 0) == '/' && !begins_with_slashes(text)) {
		return ERR_MALFORMED;
	}
	if (reference_out->is_relative)
		reference_out->rest = text;
	else
		split_authority(skip_slashes(text), reference_out);
	return ERR_NONE;
}
