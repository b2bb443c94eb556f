#include "page/scanner.h"

#include <assert.h>

#include "page/lex.h"

static void scan_tag(const char *source, const char *at, const char *end,
		     struct token *token)
{
	const char *name = at + (token->kind == TOKEN_END ? 2 : 1);
	struct attribute_cursor cursor = {.at = name, .end = end};

	assert(at < end && *at == '<');
	cursor.at = lex_name_end(name, end);
	token->name = (struct span){(uint32_t)(name - source),
				    (uint32_t)(cursor.at - source)};
	token->tag = tag_from_source(name, (size_t)(cursor.at - name));
	while (attribute_next(&cursor))
		token->attribute_count++;
	token->is_empty = cursor.is_empty;
	token->is_open = cursor.is_cut;
	token->source.end =
		(uint32_t)(cursor.at - source) + (cursor.is_cut ? 0 : 1);
	if (token->kind == TOKEN_END)
		token->attribute_count = 0;
}

static bool scan_raw(struct scanner *scanner, struct token *token)
{
	const char *source = scanner->source.data;
	const char *end = source + scanner->source.size;
	const uint16_t tag = scanner->raw;
	const char *close = lex_raw_end(source + scanner->position, end, tag);

	assert(scanner->position <= scanner->source.size);
	scanner->raw = 0;
	if (close == source + scanner->position)
		return false;
	token->kind =
		(tag_flags(tag) & TAG_IS_RAW) != 0 ? TOKEN_RAW : TOKEN_TEXT;
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
	token->kind = *at == '<' ? (uint8_t)lex_kind(at, end) : TOKEN_TEXT;
	if (token->kind == TOKEN_TEXT) {
		token->source.end = (uint32_t)(lex_text_end(at, end) - source);
	} else if (token->kind == TOKEN_COMMENT) {
		token->source.end =
			(uint32_t)(lex_comment_end(at, end, &token->is_open) -
				   source);
	} else {
		scan_tag(source, at, end, token);
		if (token->kind == TOKEN_START && !token->is_open &&
		    lex_is_raw(token->tag))
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
