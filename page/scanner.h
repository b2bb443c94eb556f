/*
 * page/scanner.h - splits HTML source into tokens, as written, and reads the
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
	/* text up to the next tag or comment, or all text in a title... */
	TOKEN_TEXT,
	TOKEN_START,   /* <name ...> */
	TOKEN_END,     /* </name ...> */
	TOKEN_COMMENT, /* comment, doctype, CDATA, processing instruction */
	TOKEN_RAW,     /* the content of script or style */
	TOKEN_COUNT
};

struct token {
	uint8_t kind; /* enum token_kind */
	bool is_open; /* the source ends within the token; then HTML drops the
			 rest of the source, for example an unfinished tag */
	uint16_t tag; /* for TOKEN_START and TOKEN_END: enum tag; TAG_COUNT if
			 HTML has no such tag */
	uint32_t attribute_count; /* for TOKEN_START: number of attributes in
				     the tag */
	struct span source;       /* begins at the end of the previous token */
	struct span
		name;  /* for TOKEN_START and TOKEN_END: the name of the tag */
	bool is_empty; /* for TOKEN_START: it is written <name ... /> */
};

/*
 * The state of reading tokens. Initialise with {.source = ...}, which has at
 * most UINT32_MAX bytes.
 */
struct scanner {
	struct slice source;
	uint32_t position;
	uint16_t raw; /* tag of the script, style or similar element whose
			 content follows; 0 = none */
};

/*
 * Write the next token to *token_out; return false at the end. The tokens
 * follow the HTML standard (section 13.2.5) without scripts, with two
 * differences: a CDATA section ends at the first ">"; title, style and similar
 * elements never contain markup, even in SVG. Linear for any input.
 */
bool scanner_next(struct scanner *scanner, struct token *token_out);

/* Return whether `byte` is white space in HTML: space, tab, LF, FF, CR. */
static inline bool is_space(int byte)
{
	return byte == ' ' || (byte >= '\t' && byte <= '\r' && byte != '\v');
}

/*
 * Return whether `text` equals `word`, which is in lower case. Upper and lower
 * case of ASCII letters are equal.
 */
bool text_is(struct slice text, const char *word);

/*
 * Return whether `word` (in lower case) is one of the words of `text`. White
 * space and commas separate words.
 */
bool text_has_word(struct slice text, const char *word);

/* Return `text` without white space at both ends. */
struct slice text_trim(struct slice text);

/*
 * A position in the attributes of a tag. At the beginning set `at` to the end
 * of the tag name and `end` to the end of the source. After the last attribute
 * `at` is at the `>`, or equals `end`.
 */
struct attribute_cursor {
	const char *at;
	const char *end;
	bool is_empty;      /* the last thing before `at` was a separate "/" */
	bool is_cut;        /* the source ends within the tag */
	bool is_upper;      /* the name contains an upper-case letter */
	struct slice name;  /* as in the source, never empty */
	struct slice value; /* as in the source, without quotes */
};

/*
 * Read the next attribute (sections 13.2.5.32 to 13.2.5.40); return false at
 * the end of the tag. An attribute that the end of the source truncates is
 * skipped. Linear.
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
	uint32_t *slots; /* [slot_mask + 1] hash table by name: index of the
			    attribute + 1 */
	uint32_t slot_mask;
	bool has_returns; /* the source contains CR */
};

/*
 * Begin a list of attributes: at most `max_per_tag` (<= 65,535) for each tag,
 * and `max_count` in total.
 */
void attribute_list_begin(struct attribute_list *list, struct arena *arena,
			  uint32_t max_per_tag, size_t max_count);

/* Free everything except the attributes. */
void attribute_list_end(struct attribute_list *list);

/*
 * Append the attributes of a start tag; the cursor is at the end of the tag
 * name and moves to the end of the tag. If several attributes have the same
 * name, only the first counts. The texts are in the source, or in the arena if
 * they had to be changed. Return TEXT_IS_HIDDEN if an attribute hides the
 * element, and TEXT_IS_LINK if there is an href. Linear.
 */
unsigned attribute_list_read(struct attribute_list *list,
			     struct attribute_cursor *cursor);

/* The attributes of one element: a range of the list. */
struct attribute_range {
	uint32_t first;
	uint16_t count;
};

/*
 * Add the attributes of `from` to `into`, except for names that `into` already
 * has. `from` must be the last range of the list; afterwards the attributes of
 * `into` are at the end of the list.
 */
void attribute_list_merge(struct attribute_list *list,
			  struct attribute_range *into,
			  struct attribute_range from);

/*
 * Return a hash of the names and values that does not depend on their order.
 * Linear.
 */
uint64_t attribute_list_hash(const struct attribute_list *list,
			     struct attribute_range range);

/* Functions that find the end of a token. `end` is the end of the source. */

/*
 * Return the kind of the token that begins with the "<" at `at`; TOKEN_TEXT if
 * it begins no markup.
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
 * Return the end of the comment, doctype or instruction that begins at `at`. If
 * the source ends first, return `end` and set *is_open.
 */
const char *lex_comment_end(const char *at, const char *end, bool *is_open);

/*
 * Return whether everything in the element up to its end tag is text, even if
 * it looks like markup.
 */
static inline bool lex_is_raw(uint16_t tag)
{
	return (tag_flags(tag) & (TAG_IS_RAW | TAG_IS_TEXT)) != 0;
}

/*
 * Return the position of the end tag of such an element; `at` is the begin of
 * its content.
 */
const char *lex_raw_end(const char *at, const char *end, uint16_t tag);

#endif
