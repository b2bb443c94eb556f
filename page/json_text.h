/* page/json_text.h - the strings, words and comments of JSON. Internal to
 * page/. */
#ifndef PAGE_JSON_TEXT_H
#define PAGE_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "store/slice.h"

struct arena;

/* Stands in valid UTF-8, before `end` where something is read. */
struct json_cursor {
	const char *at;
	const char *end;
};

bool json_is_at(const struct json_cursor *cursor, const char *word);

/*
 * Behind the quote `mark` that opens a string: what is up to the one that
 * closes it, or to the end; moves behind that. Without its escapes (two \u of a
 * surrogate pair are one character, what is none becomes U+FFFD) and with the
 * character references of HTML decoded: a slice of the text where there is
 * neither, else in `arena`. A quote before what may not follow a string is part
 * of it. Linear.
 */
struct slice json_read_string(struct arena *arena, struct json_cursor *cursor,
			      const char *mark);

/* A number, true, false, null: up to what ends it, at least one byte. */
struct slice json_read_word(struct json_cursor *cursor);

/* Bytes of a comment, or of what begins, ends or stands around one; 0 when
   there is none of these. */
size_t json_comment_size(const struct json_cursor *cursor);

#endif
