/*
 * page/attribute.h - the attributes in the source of a tag, and the white space
 * of HTML. Internal to page/.
 */
#ifndef PAGE_ATTRIBUTE_H
#define PAGE_ATTRIBUTE_H

#include <stdbool.h>

#include "store/ascii.h"
#include "store/slice.h"

/* HTML's white space: space, tab, LF, FF, CR. */
static inline bool is_space(char byte)
{
	return byte == ' ' || (byte >= '\t' && byte <= '\r' && byte != '\v');
}

/* Whether `text` is `word` (lower case) but for the case of ASCII letters. */
bool text_is(struct slice text, const char *word);

/* Whether `word` (lower case) is one of the words, split at white space and
 * commas. */
bool text_has_word(struct slice text, const char *word);

/* `text` without white space at both ends. */
struct slice text_trim(struct slice text);

/*
 * Begins behind the name of a tag; `end` is the end of the source. At the end
 * of the tag `at` points to its `>`, or is `end` when the source ended before.
 */
struct attribute_cursor {
	const char *at;
	const char *end;
	bool is_empty;      /* the last thing before `at` was a "/" by itself */
	bool is_cut;        /* the source ended inside the tag */
	bool is_upper;      /* a letter of the name is of upper case */
	struct slice name;  /* as written, never empty */
	struct slice value; /* as written, without its quotes */
};

/*
 * Step to the next attribute; false at the end of the tag. Tokenizes as the
 * HTML standard does (section 13.2.5.32 to 13.2.5.40), but an attribute that
 * the end of the source cuts is left out. Linear.
 */
bool attribute_next(struct attribute_cursor *cursor);

#endif
