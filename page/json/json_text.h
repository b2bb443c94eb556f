/* page/json/json_text.h - the strings, words and comments of JSON. Internal to
 * page/. */
#ifndef PAGE_JSON_JSON_TEXT_H
#define PAGE_JSON_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "store/slice.h"

struct arena;

/* A position in valid UTF-8; before `end` when something is read. */
struct json_cursor {
	const char *at;
	const char *end;
};

bool json_is_at(const struct json_cursor *cursor, const char *word);

/*
 * Read a string, behind its opening quote `mark`, up to the closing one or the
 * end; moves behind that. Escapes are decoded (two \u of a surrogate pair are
 * one character, invalid ones become U+FFFD), and so are HTML's character
 * references: a slice of the text when there are none, else in `arena`. A quote
 * is part of the string when what follows cannot follow a string. Linear.
 */
struct slice json_read_string(struct arena *arena, struct json_cursor *cursor,
			      const char *mark);

/* Read a number, true, false or null up to its end; at least one byte. */
struct slice json_read_word(struct json_cursor *cursor);

/*
 * Bytes of a comment, of a CDATA mark or of the mark of an HTML comment at the
 * cursor; 0 when there is none of these.
 */
size_t json_comment_size(const struct json_cursor *cursor);

#endif
