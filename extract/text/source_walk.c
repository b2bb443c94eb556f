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
	uint32_t next = walk->next_text;

	*text_out = NO_TEXT;
	if (!scanner_next(&walk->scanner, token_out))
		return false;
	if (token_out->kind == TOKEN_TEXT && next < page->text_count &&
	    page->texts[next].source.begin == token_out->source.begin)
		*text_out = walk->next_text++;
	return true;
}
