#include "extract/text/token_stream.h"

#include <assert.h>

#include "base/arena.h"
#include "extract/text/word.h"
#include "page/page.h"

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

static const uint8_t kinds[TAG_COUNT] = {
	[TAG_p] = KIND_P,
	[TAG_li] = KIND_LI,
	[TAG_h1] = KIND_H1,
	[TAG_h2] = KIND_H2,
	[TAG_h3] = KIND_H3,
	[TAG_h4] = KIND_H4,
	[TAG_h5] = KIND_H5,
	[TAG_h6] = KIND_H5,
	[TAG_td] = KIND_TD,
	[TAG_th] = KIND_TH,
	[TAG_dt] = KIND_DT,
	[TAG_dd] = KIND_DD,
	[TAG_div] = KIND_DIV,
	[TAG_span] = KIND_SPAN,
	[TAG_pre] = KIND_PRE,
	[TAG_blockquote] = KIND_BLOCKQUOTE,
	[TAG_figcaption] = KIND_FIGCAPTION,
	[TAG_button] = KIND_BUTTON,
	[TAG_label] = KIND_LABEL,
	[TAG_option] = KIND_OPTION,
	[TAG_section] = KIND_SECTION,
	[TAG_article] = KIND_ARTICLE,
	[TAG_summary] = KIND_SUMMARY,
	[TAG_legend] = KIND_LEGEND,
	[TAG_html] = KIND_BODY,
	[TAG_body] = KIND_BODY,
	[TAG_header] = KIND_HEADER,
	[TAG_footer] = KIND_FOOTER,
	[TAG_form] = KIND_FORM,
	[TAG_caption] = KIND_CAPTION,
	[TAG_nav] = KIND_NAV,
	[TAG_ul] = KIND_UL,
	[TAG_main] = KIND_MAIN,
	[TAG_aside] = KIND_ASIDE,
	[TAG_figure] = KIND_FIGURE,
};

uint8_t tag_kind(const struct page *page, uint32_t node)
{
	uint16_t tag;

	if (node == NO_NODE)
		return KIND_OTHER;
	tag = page->nodes[node].tag;
	return tag < TAG_COUNT ? kinds[tag] : KIND_OTHER;
}

/*
 * Return true if the token is a complete tag. The last tag may be incomplete if
 * the source ends inside it.
 */
static bool is_tag(const struct token *token)
{
	return (token->kind == TOKEN_START || token->kind == TOKEN_END) &&
	       !token->is_open;
}

/*
 * Set the range of every visible text node to [0, number of its words). Return
 * the sum of these numbers.
 */
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

/*
 * Write the tokens in source order, and move the range of each text node to the
 * position of its words.
 */
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
	uint32_t count = count_words(texts, page, is_visible);
	struct scanner scanner = {.source = page->source};
	struct stream_token *tokens;
	struct token token;

	while (scanner_next(&scanner, &token))
		count += is_tag(&token) ? 1 : 0;
	tokens = ARENA_NEW(arena, struct stream_token, count);
	token_stream_fill(tokens, texts, page);
	return (struct token_stream){tokens, count, texts};
}
