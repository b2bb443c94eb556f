#include "extract/methods/css_scan.h"

#include <stddef.h>

#include "extract/methods/css_value.h"

/* `at` is the start of a comment: return the byte after it, or the end. */
static const char *comment_end(const char *at, const char *end)
{
	for (at += 2; at < end; at++) {
		at = memchr(at, '*', (size_t)(end - at));
		if (at == NULL)
			return end;
		if (at + 1 < end && at[1] == '/')
			return at + 2;
	}
	return end;
}

/*
 * `at` is a quote: return the byte after the closing quote; without one, the
 * end of the line.
 */
static const char *string_end(const char *at, const char *end)
{
	const char quote = *at++;

	for (; at < end && *at != '\n'; at++) {
		if (*at == quote)
			return at + 1;
		if (*at == '\\' && at + 1 < end)
			at++;
	}
	return at;
}

static bool is_comment(const char *at, const char *end)
{
	return end - at >= 2 && at[0] == '/' && at[1] == '*';
}

static void skip_space_and_comments(struct css_scan *scan)
{
	while (scan->at < scan->end) {
		if (is_comment(scan->at, scan->end))
			scan->at = comment_end(scan->at, scan->end);
		else if (css_is_space(*scan->at))
			scan->at++;
		else
			return;
	}
}

/*
 * Return the position after one byte, or after a whole comment, string or
 * escape.
 */
static const char *css_next(const char *at, const char *end)
{
	if (is_comment(at, end))
		return comment_end(at, end);
	if (*at == '"' || *at == '\'')
		return string_end(at, end);
	return at + (*at == '\\' && at + 1 < end ? 2 : 1);
}

struct slice css_scan_until(struct css_scan *scan, const char *stops)
{
	const char *begin;
	unsigned depth = 0;

	skip_space_and_comments(scan);
	begin = scan->at;
	while (scan->at < scan->end) {
		char byte = *scan->at;

		if (depth == 0 && byte != '\0' && strchr(stops, byte) != NULL)
			break;
		if (byte == '(')
			depth++;
		else if (byte == ')' && depth > 0)
			depth--;
		scan->at = css_next(scan->at, scan->end);
	}
	return (struct slice){begin, (size_t)(scan->at - begin)};
}

char css_scan_step(struct css_scan *scan)
{
	if (scan->at == scan->end)
		return '\0';
	return *scan->at++;
}

void css_scan_skip_block(struct css_scan *scan)
{
	unsigned depth = 1;

	while (depth > 0 && scan->at < scan->end) {
		css_scan_until(scan, "{}");
		if (css_scan_step(scan) == '{')
			depth++;
		else
			depth--;
	}
}
