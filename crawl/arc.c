#include "crawl/arc.h"

#include "base/ascii.h"
#include "base/date.h"
#include "crawl/header.h"
#include "crawl/line.h"

enum {
	MAX_SCHEME = 16,
	MIN_DATE = 12, /* digits of a date: some tools omit the seconds */
	MAX_DATE = 20,
};

/*
 * Return whether the line begins with a scheme such as "http:", "dns:" or
 * "filedesc:".
 */
static bool has_scheme(struct slice line)
{
	const char *bytes = line.data;

	for (size_t i = 0; i < line.size && i <= MAX_SCHEME; i++) {
		if (bytes[i] == ':')
			return i > 1;
		if ((bytes[i] < 'a' || bytes[i] > 'z') &&
		    (bytes[i] < 'A' || bytes[i] > 'Z'))
			return false;
	}
	return false;
}

/* Remove and return the next word of `rest`. */
static struct slice take_word(struct slice *rest)
{
	const char *bytes = rest->data;
	size_t begin = 0;
	size_t end;

	while (begin < rest->size && bytes[begin] == ' ')
		begin++;
	end = begin;
	while (end < rest->size && bytes[end] != ' ')
		end++;
	*rest = (struct slice){bytes + end, rest->size - end};
	return (struct slice){bytes + begin, end - begin};
}

/*
 * Return whether the word looks like IPv4 or IPv6: hexadecimal digits with a
 * dot or a colon.
 */
static bool arc_is_address(struct slice word)
{
	const char *bytes = word.data;
	bool has_mark = false;

	for (size_t i = 0; i < word.size; i++) {
		char c = bytes[i];

		if (c == '.' || c == ':')
			has_mark = true;
		else if (!is_digit(c) && (c < 'a' || c > 'f') &&
			 (c < 'A' || c > 'F'))
			return false;
	}
	return has_mark;
}

static bool arc_is_date(struct slice word)
{
	const char *bytes = word.data;

	if (word.size < MIN_DATE || word.size > MAX_DATE)
		return false;
	for (size_t i = 0; i < word.size; i++)
		if (!is_digit(bytes[i]))
			return false;
	return true;
}

static struct slice last_word(struct slice line)
{
	const char *bytes = line.data;
	size_t begin;

	while (line.size > 0 && bytes[line.size - 1] == ' ')
		line.size--;
	begin = line.size;
	while (begin > 0 && bytes[begin - 1] != ' ')
		begin--;
	return (struct slice){bytes + begin, line.size - begin};
}

/*
 * Find the address and the text after it. Without a valid date ("null"), accept
 * a line of exactly five words.
 */
static bool find_address(struct slice line, struct slice *address_out,
			 struct slice *date_out, struct slice *rest_out)
{
	struct slice rest = line;
	struct slice word;
	struct slice next;

	take_word(&rest);
	*address_out = take_word(&rest);
	*date_out = take_word(&rest);
	*rest_out = rest;
	word = *address_out;
	next = *date_out;
	while (next.size > 0 && (!arc_is_address(word) || !arc_is_date(next))) {
		word = next;
		next = take_word(&rest);
	}
	if (next.size > 0) {
		*address_out = word;
		*date_out = next;
		*rest_out = rest;
		return true;
	}
	rest = *rest_out;
	take_word(&rest);
	return arc_is_address(*address_out) &&
	       header_number(take_word(&rest)) != UINT64_MAX &&
	       take_word(&rest).size == 0;
}

bool arc_header_parse(struct slice line, struct arc_header *header_out)
{
	const char *begin = line.data;
	struct slice address;
	struct slice date;
	struct slice rest;

	if (line.size > MAX_ARC_LINE || !has_scheme(line) ||
	    !find_address(line, &address, &date, &rest) ||
	    last_word(rest).size == 0)
		return false;
	*header_out = (struct arc_header){
		.url = {begin,
			(size_t)((const char *)address.data - begin) - 1},
		.time_ms = date_parse(date),
		.length = header_number(last_word(rest)),
	};
	return true;
}

bool arc_begins(struct slice text)
{
	struct arc_header header;

	return memchr(text.data, '\n', text.size) != NULL &&
	       arc_header_parse(line_take(&text), &header);
}
