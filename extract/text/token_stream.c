#include "extract/text/token_stream.h"

#include <assert.h>

#include "base/arena.h"
#include "extract/text/word.h"
#include "page/page.h"

/*
 * Return true if the token is a complete tag; the end of the source may
 * truncate one.
 */
static bool is_tag(const struct token *token)
{
	return (token->kind == TOKEN_START || token->kind == TOKEN_END) &&
	       !token->is_open;
}

static uint32_t count_tags(const struct page *page)
{
	struct scanner scanner = {.source = page->source};
	struct token token;
	uint32_t count = 0;

	while (scanner_next(&scanner, &token))
		count += is_tag(&token) ? 1 : 0;
	return count;
}

/* Set the range of every text node to 0 .. its words; return their sum. */
static uint32_t count_words(struct token_range *texts, const struct page *page,
			    const bool *is_visible)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < page->text_count; i++) {
		if (is_visible[i])
			texts[i].end = word_count(page_text(page, i));
		sum += texts[i].end;
	}
	return sum;
}

/* Write the tokens in order, and move the ranges to their positions. */
static void token_stream_fill(struct stream_token *tokens,
			      struct token_range *texts,
			      const struct page *page)
{
	struct source_walk walk = source_walk_begin(page);
	struct token token;
	uint32_t text;
	uint32_t at = 0;

	while (source_walk_next(&walk, &token, &text)) {
		if (text != NO_TEXT) {
			texts[text].begin += at;
			texts[text].end += at;
			assert(texts[text].begin <= texts[text].end);
			for (; at < texts[text].end; at++)
				tokens[at].text = text;
		} else if (is_tag(&token)) {
			tokens[at++] = (struct stream_token){
				.text = NO_TEXT,
				.tag = token.tag,
				.is_end = token.kind == TOKEN_END,
			};
		}
	}
}

struct token_stream token_stream_make(struct arena *arena,
				      const struct page *page,
				      const bool *is_visible)
{
	struct token_range *texts =
		ARENA_NEW(arena, struct token_range, page->text_count);
	uint32_t count =
		count_tags(page) + count_words(texts, page, is_visible);
	struct stream_token *tokens =
		ARENA_NEW(arena, struct stream_token, count);

	token_stream_fill(tokens, texts, page);
	return (struct token_stream){tokens, count, texts};
}
