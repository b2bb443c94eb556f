#include "crawl/header.h"

#include <curl/curl.h>
#include <strings.h>

#include "crawl/percent.h"

enum { MAX_DATE = 64 };

static struct slice header_skip(struct slice text, size_t count)
{
	if (count == 0) /* data may be NULL */
		return text;
	return (struct slice){(const char *)text.data + count,
			      text.size - count};
}

static bool header_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static struct slice header_trim(struct slice text)
{
	while (text.size > 0 && header_is_space(slice_byte(text, 0)))
		text = header_skip(text, 1);
	while (text.size > 0 &&
	       header_is_space(slice_byte(text, text.size - 1)))
		text.size--;
	return text;
}

static bool header_begins_with(struct slice text, const char *word)
{
	size_t size = strlen(word);

	return text.size >= size && strncasecmp(text.data, word, size) == 0;
}

struct slice header_value(struct slice line, const char *name)
{
	size_t size;

	/* The first letter distinguishes most lines. */
	if (line.size == 0 || ((slice_byte(line, 0) ^ name[0]) & 0xDF) != 0)
		return (struct slice){0};
	size = strlen(name);
	if (line.size <= size || !header_begins_with(line, name) ||
	    slice_byte(line, size) != ':')
		return (struct slice){0};
	return header_trim(header_skip(line, size + 1));
}

/* Return the number of bytes before `c`, or all. */
static size_t header_find_byte(struct slice text, char c)
{
	const char *found =
		text.size == 0 ? NULL : memchr(text.data, c, text.size);

	return found == NULL ? text.size
			     : (size_t)(found - (const char *)text.data);
}

/*
 * Remove and return the text before the first `c`, or all of it; also remove
 * `c`.
 */
static struct slice header_take_until(struct slice *text, char c)
{
	struct slice part = {text->data, header_find_byte(*text, c)};

	*text = header_skip(*text,
			    part.size < text->size ? part.size + 1 : part.size);
	return header_trim(part);
}

struct slice header_list_take(struct slice *list)
{
	return header_take_until(list, ',');
}

struct slice header_parameter_take(struct slice *list)
{
	return header_take_until(list, ';');
}

bool header_is_word(struct slice value, const char *word)
{
	return value.size == strlen(word) && header_begins_with(value, word);
}

bool header_is_printable(struct slice value)
{
	for (size_t i = 0; i < value.size; i++)
		if (slice_byte(value, i) < ' ' || slice_byte(value, i) > '~')
			return false;
	return true;
}

/* Return whether the byte may be in a token (RFC 9110, 5.6.2). */
static bool header_is_token_byte(char c)
{
	return c > ' ' && c < 0x7F && strchr("\"(),/:;<=>?@[\\]{}", c) == NULL;
}

/* Return whether the text is two tokens with a slash, and not a wildcard. */
static bool header_is_media_type(struct slice type)
{
	size_t slash = header_find_byte(type, '/');

	if (slash == 0 || slash + 1 >= type.size || header_is_word(type, "*/*"))
		return false;
	for (size_t i = 0; i < type.size; i++)
		if (i != slash && !header_is_token_byte(slice_byte(type, i)))
			return false;
	return true;
}

bool header_is_html(struct slice content_type)
{
	static const char *const types[] = {
		"text/html",
		"application/xhtml+xml",
		"unknown/unknown", /* MIME Sniffing standard, 7 */
		"application/unknown",
	};
	bool is_html = true;

	while (content_type.size > 0) {
		struct slice part = header_list_take(&content_type);
		struct slice type = header_parameter_take(&part);

		if (!header_is_media_type(type))
			continue;
		is_html = false;
		for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
			is_html |= header_is_word(type, types[i]);
	}
	return is_html;
}

/* Return the unparsed value of the charset parameter. */
static struct slice find_charset(struct slice text)
{
	struct slice charset = {0};

	while (text.size > 0) {
		struct slice part = header_list_take(&text);
		bool is_found = false;

		while (part.size > 0 && !is_found) {
			struct slice value = header_parameter_take(&part);
			struct slice name = header_take_until(&value, '=');

			is_found = header_is_word(name, "charset");
			if (is_found)
				charset = header_trim(value);
		}
	}
	return charset;
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'';
}

static bool is_charset_byte(char c)
{
	return percent_is_unreserved((unsigned char)c) || c == ':' || c == '+';
}

void header_charset(struct slice content_type, char *out, size_t capacity)
{
	struct slice value = find_charset(content_type);

	out[0] = '\0';
	while (value.size > 0 && is_quote(slice_byte(value, 0)))
		value = header_skip(value, 1);
	while (value.size > 0 && is_quote(slice_byte(value, value.size - 1)))
		value.size--;
	if (value.size == 0 || value.size >= capacity)
		return;
	for (size_t i = 0; i < value.size; i++)
		if (!is_charset_byte(slice_byte(value, i)))
			return;
	memcpy(out, value.data, value.size);
	out[value.size] = '\0';
}

uint64_t header_date(struct slice value)
{
	char text[MAX_DATE];
	time_t time;

	if (value.size == 0 || value.size >= sizeof(text))
		return 0;
	memcpy(text, value.data, value.size);
	text[value.size] = '\0';
	time = curl_getdate(text, NULL);
	return time > 0 ? (uint64_t)time : 0;
}

uint64_t header_number(struct slice value)
{
	uint64_t number = 0;

	for (size_t i = 0; i < value.size; i++) {
		char c = slice_byte(value, i);

		if (c < '0' || c > '9' || number > UINT64_MAX / 10 - 1)
			return UINT64_MAX;
		number = number * 10 + (uint64_t)(c - '0');
	}
	return value.size == 0 ? UINT64_MAX : number;
}

uint64_t header_retry_after(struct slice value, uint64_t now_s)
{
	uint64_t seconds = header_number(value);
	uint64_t date;

	if (seconds != UINT64_MAX)
		return seconds;
	date = header_date(value);
	return date > now_s ? date - now_s : 0;
}
