/*
 * page/scanner.h - splits HTML source into tokens as written; reads the
 * attributes of a tag.
 */
#ifndef PAGE_SCANNER_H
#define PAGE_SCANNER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/utf8.h"
#include "page/page.h"
#include "page/tag.h"

enum token_kind {
	TOKEN_TEXT,    /* up to the next tag or comment, or the content of a
			  text-only element: title, textarea... */
	TOKEN_START,   /* <name ...> */
	TOKEN_END,     /* </name ...> */
	TOKEN_COMMENT, /* comment, doctype, CDATA, processing instruction */
	TOKEN_RAW,     /* the content of script or style */
	TOKEN_COUNT
};

struct token {
	uint8_t kind; /* enum token_kind */
	bool is_open; /* the source ended inside the token; HTML then drops an
			 unfinished tag and the rest of the source */
	uint16_t tag; /* TOKEN_START, TOKEN_END: enum tag, or TAG_COUNT */
	uint32_t attribute_count; /* TOKEN_START: attributes in the tag */
	struct span source;       /* tokens follow each other without gap */
	struct span name;         /* TOKEN_START, TOKEN_END: the tag's name */
	bool is_empty;            /* TOKEN_START: written <name ... /> */
};

/* Initialise with {.source = ...}, at most UINT32_MAX bytes. */
struct scanner {
	struct slice source;
	uint32_t position;
	uint16_t raw; /* tag whose raw content follows, or 0 */
};

/*
 * Return the next token in *token_out; false at the end. Tokens are those of
 * the HTML standard (section 13.2.5) without scripts, except that a CDATA
 * section ends at the first ">", and that title, style and similar elements
 * never contain markup, even in SVG. Linear for any input.
 */
bool scanner_next(struct scanner *scanner, struct token *token_out);

/* Return whether `byte` is white space in HTML: space, tab, LF, FF, CR. */
static inline bool is_space(int byte)
{
	return byte == ' ' || (byte >= '\t' && byte <= '\r' && byte != '\v');
}

/*
 * Return whether `text` equals `word` (lower case), ignoring the case of ASCII
 * letters.
 */
bool text_is(struct slice text, const char *word);

/*
 * Return whether `word` (lower case) is one of the words of `text`, which white
 * space and commas separate.
 */
bool text_has_word(struct slice text, const char *word);

/* Return `text` without white space at both ends. */
struct slice text_trim(struct slice text);

/*
 * A position among the attributes of a tag. Start with `at` after the tag's
 * name and `end` at the end of the source; at the end `at` is at the `>`, or
 * equals `end`.
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
 * Step to the next attribute (sections 13.2.5.32 to 13.2.5.40); return false at
 * the end of the tag. Skip an attribute that the source truncates. Linear.
 */
bool attribute_next(struct attribute_cursor *cursor);

struct attribute_list {
	struct attribute *items; /* [count]; the caller frees them */
	uint32_t count;
	bool is_truncated;
	struct arena *arena;
	size_t capacity;
	uint32_t max_per_tag;
	size_t max_count;
	uint32_t *slots; /* [slot_mask + 1] index + 1 by hash of the name */
	uint32_t slot_mask;
	bool has_returns; /* the source contains a CR */
};

/*
 * Begin a list of at most `max_per_tag` (<= 65,535) attributes per tag and
 * `max_count` in total.
 */
void attribute_list_begin(struct attribute_list *list, struct arena *arena,
			  uint32_t max_per_tag, size_t max_count);

/* Free everything except the items. */
void attribute_list_end(struct attribute_list *list);

/*
 * Append the attributes of a start tag, from the end of its name to its end; of
 * several of one name the first. They point into the source, or into the arena
 * if they had to be changed. Return the flags TEXT_IS_HIDDEN if an attribute
 * hides the element and TEXT_IS_LINK if there is an href. Linear.
 */
unsigned attribute_list_read(struct attribute_list *list,
			     struct attribute_cursor *cursor);

/* The attributes of one element: a range of the list. */
struct attribute_range {
	uint32_t first;
	uint16_t count;
};

/*
 * Add to `into` the attributes of `from`, the last range of the list, whose
 * names it does not have; `into` then moves to the end of the list.
 */
void attribute_list_merge(struct attribute_list *list,
			  struct attribute_range *into,
			  struct attribute_range from);

/* Return a hash of the names and values, independent of their order. Linear. */
uint64_t attribute_list_hash(const struct attribute_list *list,
			     struct attribute_range range);

/* Ends of tokens; `end` is the end of the source. */

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
 * Return the end of the comment, doctype or instruction at `at`; `end` and
 * *is_open if the source ends first.
 */
const char *lex_comment_end(const char *at, const char *end, bool *is_open);

/* Return whether the content of the element is plain text up to its end tag. */
static inline bool lex_is_raw(uint16_t tag)
{
	return (tag_flags(tag) & (TAG_IS_RAW | TAG_IS_TEXT)) != 0;
}

/*
 * Return the start of the end tag of a text-only element from its content on.
 */
const char *lex_raw_end(const char *at, const char *end, uint16_t tag);

#endif
