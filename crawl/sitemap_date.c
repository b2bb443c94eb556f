#include "crawl/sitemap.h"

#include "base/ascii.h"
#include "base/date.h"
#include "crawl/header.h"

enum { MAX_DATE_BYTES = 40, DAY_BYTES = 10 };

/* Return whether the text begins with a year, as in "2004" and "2004-12". */
static bool begins_with_year(const char *text)
{
	for (int i = 0; i < 4; i++)
		if (!is_digit(text[i]))
			return false;
	return text[4] == '-' || text[4] == '\0';
}

static char sitemap_date_upper(char byte)
{
	return (char)(byte - (byte >= 'a' && byte <= 'z' ? 'a' - 'A' : 0));
}

/*
 * Write a W3C date with common deviations corrected: lower case, a space for
 * the T or before the zone.
 */
static size_t write_w3c(const char *text, char *out)
{
	size_t size = 0;

	for (const char *at = text; *at != '\0'; at++) {
		if (*at != ' ')
			out[size++] = sitemap_date_upper(*at);
		else if (size == DAY_BYTES && is_digit(at[1]))
			out[size++] = 'T';
	}
	return size;
}

uint64_t sitemap_date(struct slice text)
{
	char word[MAX_DATE_BYTES + 1];
	char w3c[MAX_DATE_BYTES + 1];

	if (text.size == 0 || text.size > MAX_DATE_BYTES)
		return 0;
	memcpy(word, text.data, text.size);
	word[text.size] = '\0';
	if (!begins_with_year(word))
		return header_date(text) * 1000;
	return date_parse((struct slice){w3c, write_w3c(word, w3c)});
}
