/*
 * page/attribute.h - reads the attributes in the source of a tag; defines the
 * white space of HTML. Internal to page/.
 */
#ifndef PAGE_ATTRIBUTE_H
#define PAGE_ATTRIBUTE_H

#include <stdbool.h>

#include "base/ascii.h"
#include "base/slice.h"

/* Return whether `byte` is white space in HTML: space, tab, LF, FF, CR. */
static inline bool is_space(char byte)
{
	return byte == ' ' || (byte >= '\t' && byte <= '\r' && byte != '\v');
}

/*
 * Return whether `text` equals `word` (lower case), ignoring the case of ASCII
 * letters.
 */
bool text_is(struct slice text, const char *word);

/*
 * Return whether `word` (lower case) is one of the words of `text`. White space
 * and commas separate words.
 */
bool text_has_word(struct slice text, const char *word);

/* Return `text` without white space at both ends. */
struct slice text_trim(struct slice text);

/*
 * A position among the attributes of a tag. Start with `at` after the tag's
 * name and `end` at the end of the source. At the end of the tag `at` points to
 * its `>`, or equals `end` if the source ended first.
 */
struct attribute_cursor {
	const char *at;
	const char *end;
	bool is_empty;      /* the last token was a separate "/" */
	bool is_cut;        /* the source ended inside the tag */
	bool is_upper;      /* the name contains an upper-case letter */
	struct slice name;  /* as written, never empty */
	struct slice value; /* as written, without its quotes */
};

/*
 * Step to the next attribute; return false at the end of the tag. Follow the
 * tokenizer of the HTML standard (sections 13.2.5.32 to 13.2.5.40), but skip an
 * attribute that the end of the source truncates. Linear.
 */
bool attribute_next(struct attribute_cursor *cursor);

#endif
