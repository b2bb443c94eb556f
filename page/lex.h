/*
 * page/lex.h - finds the ends of the tokens of HTML source, for the scanner and
 * the tree builder (the HTML standard, section 13.2.5). `end` is the end of the
 * source. Internal to page/.
 */
#ifndef PAGE_LEX_H
#define PAGE_LEX_H

#include "page/attribute.h"
#include "page/scanner.h"
#include "page/tag.h"

/*
 * Return the kind of token that begins with the "<" at `at`; TOKEN_TEXT if no
 * markup begins there.
 */
static inline enum token_kind lex_kind(const char *at, const char *end)
{
	if (end - at < 2)
		return TOKEN_TEXT;
	if (is_letter(at[1]))
		return TOKEN_START;
	if (at[1] == '!' || at[1] == '?')
		return TOKEN_COMMENT;
	if (at[1] != '/' || end - at < 3)
		return TOKEN_TEXT;
	return is_letter(at[2]) ? TOKEN_END : TOKEN_COMMENT;
}

/* Return the end of the text that begins at `at`. */
static inline const char *lex_text_end(const char *at, const char *end)
{
	while ((at = memchr(at, '<', (size_t)(end - at))) != NULL) {
		if (lex_kind(at, end) != TOKEN_TEXT)
			return at;
		at++;
	}
	return end;
}

/* Return the end of the tag name that begins at `at`. */
static inline const char *lex_name_end(const char *at, const char *end)
{
	while (at < end && !is_space(*at) && *at != '/' && *at != '>')
		at++;
	return at;
}

/*
 * Return the end of the comment, doctype or instruction at `at`, or `end`; set
 * *is_open if the source ends first.
 */
const char *lex_comment_end(const char *at, const char *end, bool *is_open);

/* Return whether the content of the element is plain text up to its end tag. */
static inline bool lex_is_raw(uint16_t tag)
{
	return (tag_flags(tag) & (TAG_IS_RAW | TAG_IS_TEXT)) != 0;
}

/*
 * Return the start of the end tag of a text-only element whose content begins
 * at `at`, or `end`.
 */
const char *lex_raw_end(const char *at, const char *end, uint16_t tag);

#endif
