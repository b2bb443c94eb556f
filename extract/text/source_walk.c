#include "extract/text/source_walk.h"

struct source_walk source_walk_begin(const struct page *page)
{
	return (struct source_walk){
		.page = page,
		.scanner = {.source = page->source},
	};
}

bool source_walk_next(struct source_walk *walk, struct token *token_out,
		      uint32_t *text_out)
{
	const struct page *page = walk->page;
	const bool is_left = walk->rank < page->text_count;
	const uint32_t next =
		is_left ? page_text_in_source(page, walk->rank) : NO_TEXT;
	const struct span source =
		is_left ? page->texts[next].source : (struct span){0, 0};

	*text_out = NO_TEXT;
	if (is_left && source.begin < walk->scanner.position) {
		*token_out = (struct token){
			.kind = TOKEN_TEXT,
			.tag = TAG_COUNT,
			.source = source,
		};
	} else if (!scanner_next(&walk->scanner, token_out)) {
		return false;
	} else if (!is_left || token_out->kind != TOKEN_TEXT ||
		   source.begin != token_out->source.begin) {
		return true;
	}
	*text_out = next;
	walk->rank++;
	return true;
}
