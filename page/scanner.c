#include "page/scanner.h"

#include <assert.h>

#include "page/attribute.h"

/*
 * The tag of a name in lower case; a name longer than all known ones is
 * unknown.
 */
static uint16_t tag_of(const char *name, size_t size)
{
	char folded[16];

	if (size > sizeof(folded))
		return TAG_COUNT;
	for (size_t i = 0; i < size; i++)
		folded[i] = lower(name[i]);
	return tag_from_name((struct slice){folded, size});
}

/* The end of the comment, doctype or instruction at `at`, or `end`. */
static const char *comment_end(const char *at, const char *end, bool *is_open)
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

static void scan_tag(const char *source, const char *at, const char *end,
		     struct token *token)
{
	const char *name = at + (token->kind == TOKEN_END ? 2 : 1);
	struct attribute_cursor cursor = {.at = name, .end = end};

	assert(at < end && *at == '<');
	while (cursor.at < end && !is_space(*cursor.at) && *cursor.at != '/' &&
	       *cursor.at != '>')
		cursor.at++;
	token->name = (struct span){(uint32_t)(name - source),
				    (uint32_t)(cursor.at - source)};
	token->tag = tag_of(name, (size_t)(cursor.at - name));
	while (attribute_next(&cursor))
		token->attribute_count++;
	token->is_empty = cursor.is_empty;
	token->is_open = cursor.is_cut;
	token->source.end =
		(uint32_t)(cursor.at - source) + (cursor.is_cut ? 0 : 1);
	if (token->kind == TOKEN_END)
		token->attribute_count = 0;
}

/*
 * The kind of token that begins at the "<" at `at`; TOKEN_TEXT: no markup
 * begins.
 */
static enum token_kind markup_kind(const char *at, const char *end)
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

static const char *text_end(const char *at, const char *end)
{
	while ((at = memchr(at, '<', (size_t)(end - at))) != NULL) {
		if (markup_kind(at, end) != TOKEN_TEXT)
			return at;
		at++;
	}
	return end;
}

/* The beginning of the end tag "</name" of the raw tag, or `end`. */
static const char *raw_end(const char *at, const char *end, uint16_t tag)
{
	const char *word = tag == TAG_script ? "script" : "style";
	size_t length = strlen(word);

	assert(tag == TAG_script || tag == TAG_style);
	for (; (at = memchr(at, '<', (size_t)(end - at))) != NULL; at++) {
		if ((size_t)(end - at) < length + 3)
			return end;
		if (at[1] == '/' &&
		    text_is((struct slice){at + 2, length}, word) &&
		    (is_space(at[length + 2]) || at[length + 2] == '/' ||
		     at[length + 2] == '>'))
			return at;
	}
	return end;
}

static bool scan_raw(struct scanner *scanner, struct token *token)
{
	const char *source = scanner->source.data;
	const char *end = source + scanner->source.size;
	const char *close =
		raw_end(source + scanner->position, end, scanner->raw);

	assert(scanner->position <= scanner->source.size);
	scanner->raw = 0;
	if (close == source + scanner->position)
		return false;
	token->kind = TOKEN_RAW;
	token->is_open = close == end;
	token->source.end = (uint32_t)(close - source);
	return true;
}

static void scan_markup(struct scanner *scanner, struct token *token)
{
	const char *source = scanner->source.data;
	const char *end = source + scanner->source.size;
	const char *at = source + scanner->position;

	assert(at < end);
	token->kind = *at == '<' ? (uint8_t)markup_kind(at, end) : TOKEN_TEXT;
	if (token->kind == TOKEN_TEXT) {
		token->source.end = (uint32_t)(text_end(at, end) - source);
	} else if (token->kind == TOKEN_COMMENT) {
		token->source.end =
			(uint32_t)(comment_end(at, end, &token->is_open) -
				   source);
	} else {
		scan_tag(source, at, end, token);
		if (token->kind == TOKEN_START && !token->is_open &&
		    (tag_flags(token->tag) & TAG_IS_RAW) != 0)
			scanner->raw = token->tag;
	}
}

bool scanner_next(struct scanner *scanner, struct token *token_out)
{
	if (scanner->position >= scanner->source.size)
		return false;
	*token_out = (struct token){
		.tag = TAG_COUNT,
		.source = {scanner->position, scanner->position},
	};
	if (scanner->raw == 0 || !scan_raw(scanner, token_out))
		scan_markup(scanner, token_out);
	assert(token_out->source.end > scanner->position);
	assert(token_out->source.end <= scanner->source.size);
	scanner->position = token_out->source.end;
	return true;
}
