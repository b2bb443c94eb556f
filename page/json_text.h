/*
 * page/json_text.h - reads the strings, words and comments of JSON.
 * Internal to page/.
 */
#ifndef PAGE_JSON_TEXT_H
#define PAGE_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"

struct arena;

/* A position in valid UTF-8; below `end` when a read function is called. */
struct json_cursor {
	const char *at;
	const char *end;
};

bool json_is_at(const struct json_cursor *cursor, const char *word);

/*
 * Read a string up to its closing quote or the end; the cursor is after its
 * opening quote `mark` and moves to after the closing one. Decode escapes (the
 * two \u of a surrogate pair are one character, invalid ones become U+FFFD) and
 * HTML character references. Return a slice of the text if possible, otherwise
 * a copy in `arena`. A quote is part of the string if the bytes after it cannot
 * follow a string. Linear.
 */
struct slice json_read_string(struct arena *arena, struct json_cursor *cursor,
			      const char *mark);

/* Read a number, true, false or null up to its end; at least one byte. */
struct slice json_read_word(struct json_cursor *cursor);

/*
 * Return the length of the comment, the CDATA mark or the HTML comment mark at
 * the cursor; 0 for other text.
 */
size_t json_comment_size(const struct json_cursor *cursor);

#endif
