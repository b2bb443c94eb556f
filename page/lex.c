#include "page/lex.h"

#include <assert.h>

/* Return the end of the comment, doctype or instruction at `at`, or `end`. */
const char *lex_comment_end(const char *at, const char *end, bool *is_open)
{
	bool is_comment = end - at >= 4 && memcmp(at, "<!--", 4) == 0;
	const char *close = at + 2;

	assert(end - at >= 2);
	for (;; close++) {
		close = memchr(close, '>', (size_t)(end - close));
		if (close == NULL) {
			*is_open = true;
			return end;
		}
		if (!is_comment)
			return close + 1;
		/* "<!-->" and "<!--->" are whole comments, "<!--!>" is not */
		if (close - at >= 4 && memcmp(close - 2, "--", 2) == 0)
			return close + 1;
		if (close - at >= 7 && memcmp(close - 3, "--!", 3) == 0)
			return close + 1;
	}
}

/* Return whether the end tag "</word" begins at `at`. */
static bool is_end_tag(const char *at, const char *end, struct slice word)
{
	const size_t length = word.size;

	return (size_t)(end - at) >= length + 3 && at[1] == '/' &&
	       text_is((struct slice){at + 2, length}, word.data) &&
	       (is_space(at[length + 2]) || at[length + 2] == '/' ||
		at[length + 2] == '>');
}

static bool is_script_tag(const char *at, const char *end)
{
	return end - at >= 8 && text_is((struct slice){at + 1, 6}, "script") &&
	       (is_space(at[7]) || at[7] == '/' || at[7] == '>');
}

/*
 * Return the end of a script. Between "<!--" and "-->" a script may contain the
 * source of another script (13.2.5.15 to 13.2.5.31); "</script>" then ends the
 * inner one first.
 */
static const char *script_end(const char *at, const char *end)
{
	const struct slice word = slice_of("script");
	const char *escaped = NULL; /* position after "<!--" */
	bool is_double = false;

	for (; at < end; at++) {
		if (escaped == NULL) {
			at = memchr(at, '<', (size_t)(end - at));
			if (at == NULL)
				return end;
		}
		if (*at == '>') {
			if (at - escaped >= 2 && at[-1] == '-' && at[-2] == '-')
				escaped = NULL;
			is_double = is_double && escaped != NULL;
		} else if (*at != '<') {
			continue;
		} else if (is_end_tag(at, end, word)) {
			if (!is_double)
				return at;
			is_double = false;
		} else if (escaped != NULL) {
			is_double = is_double || is_script_tag(at, end);
		} else if (end - at >= 4 && memcmp(at, "<!--", 4) == 0) {
			escaped = at + 2;
			at += 3;
		}
	}
	return end;
}

const char *lex_raw_end(const char *at, const char *end, uint16_t tag)
{
	const struct slice word = tag_name(tag);

	if (tag == TAG_script)
		return script_end(at, end);
	if (tag == TAG_plaintext)
		return end;
	for (; (at = memchr(at, '<', (size_t)(end - at))) != NULL; at++)
		if (is_end_tag(at, end, word))
			return at;
	return end;
}
