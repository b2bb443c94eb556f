#include "crawl/url_kind.h"

#include <string.h>

#include "base/ascii.h"

enum {
	MAX_NAME = 32,   /* length of a name; a longer word is a sentence */
	MAX_HYPHENS = 2, /* hyphens of a name; a word with more is a sentence */
	MIN_HEX = 8,     /* digits of a hexadecimal number */
	MIN_CHANGES = 3, /* between letters and digits in an identifier */
	DAY_SIZE = 8,    /* length of 20240514 */
	YEAR_SIZE = 4,   /* digits */
};

const char *url_kind_text(enum url_kind kind)
{
	static const char *const texts[] = {"", "{n}", "{date}", "{id}", "{w}"};

	return texts[kind];
}

static bool url_byte_is_separator(char c)
{
	return c == '-' || c == '_' || c == '.';
}

/* Return whether the text is a day: 20240514. */
static bool is_day(struct slice text)
{
	const char *c = text.data;

	return text.size == DAY_SIZE &&
	       (memcmp(c, "19", 2) == 0 || memcmp(c, "20", 2) == 0) &&
	       (c[4] == '0' || c[4] == '1') && c[6] <= '3';
}

/*
 * Return the kind of numbers with single separators, such as 2024-05, 14.5.2024
 * or 1.2.3.
 */
static enum url_kind kind_of_numbers(struct slice text)
{
	const char *c = text.data;
	size_t sizes[3] = {0};
	size_t count = 0;

	for (size_t i = 0; i < text.size; i++) {
		if (is_digit(c[i])) {
			sizes[count]++;
			continue;
		}
		if (!url_byte_is_separator(c[i]) || sizes[count] == 0 ||
		    i + 1 == text.size)
			return URL_NOTHING;
		if (++count == 3)
			return URL_NUMBER;
	}
	if (count == 0)
		return is_day(text) ? URL_DATE : URL_NUMBER;
	if (sizes[1] > 2 && count == 2)
		return URL_NUMBER;
	return (sizes[0] == YEAR_SIZE && sizes[count] <= 2) ||
			       (sizes[count] == YEAR_SIZE && sizes[0] <= 2)
		       ? URL_DATE
		       : URL_NUMBER;
}

/*
 * Return whether the text is a long hexadecimal number, also in groups like a
 * UUID, or alternates letters and digits.
 */
static bool is_identifier(struct slice text)
{
	const char *c = text.data;
	bool is_number = true;
	size_t digits = 0;
	size_t run = 0;
	size_t longest = 0;
	size_t changes = 0;

	for (size_t i = 0; i < text.size; i++) {
		digits += is_digit(c[i]);
		run = hex_digit(c[i]) >= 0 ? run + 1 : 0;
		longest = run > longest ? run : longest;
		is_number = is_number && (hex_digit(c[i]) >= 0 || c[i] == '-');
		changes += i > 0 && ((is_digit(c[i - 1]) && is_letter(c[i])) ||
				     (is_letter(c[i - 1]) && is_digit(c[i])));
	}
	return digits > 0 && text.size >= MIN_HEX &&
	       ((is_number && longest >= MIN_HEX) || changes >= MIN_CHANGES);
}

enum url_kind url_kind_of(struct slice text)
{
	enum url_kind kind;

	if (text.size == 0)
		return URL_NOTHING;
	kind = kind_of_numbers(text);
	if (kind != URL_NOTHING)
		return kind;
	if (memchr(text.data, '%', text.size) != NULL)
		return URL_WORD;
	return is_identifier(text) ? URL_IDENTIFIER : URL_WORD;
}

bool url_is_name(struct slice word)
{
	const char *c = word.data;
	size_t hyphens = 0;

	for (size_t i = 0; i < word.size; i++) {
		hyphens += c[i] == '-' || c[i] == '_';
		if (c[i] == '%' || c[i] == '{')
			return false;
	}
	return word.size <= MAX_NAME && hyphens <= MAX_HYPHENS;
}
