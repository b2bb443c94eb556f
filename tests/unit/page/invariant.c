#include "tests/unit/page/invariant.h"

#include "page/page.h"
#include "page/scanner.h"

static bool is_inside(struct span inner, struct span outer)
{
	return outer.begin <= inner.begin && inner.begin <= inner.end &&
	       inner.end <= outer.end;
}

static const char *node_problem(const struct page *page, uint32_t index)
{
	const struct node *node = &page->nodes[index];
	const struct node *parent;

	if (node->end <= index || node->end > page->node_count)
		return "node: end";
	if (node->first_text > node->end_text ||
	    node->end_text > page->text_count)
		return "node: texts";
	if ((size_t)node->first_attribute + node->attribute_count >
	    page->attribute_count)
		return "node: attributes";
	if (node->tag >= TAG_COUNT + page->unknown_tag_count)
		return "node: tag";
	if (!is_inside(node->source,
		       (struct span){0, (uint32_t)page->source.size}))
		return "node: source";
	if (node->parent == NO_NODE)
		return node->depth == 0 ? NULL : "node: depth of a root";
	if (node->parent >= index)
		return "node: parent";
	parent = &page->nodes[node->parent];
	if (node->depth != parent->depth + 1)
		return "node: depth";
	if (node->end > parent->end)
		return "node: beyond its parent";
	if (node->first_text < parent->first_text ||
	    node->end_text > parent->end_text)
		return "node: texts beyond its parent's";
	if ((parent->flags & TEXT_FLAGS & ~node->flags) != 0)
		return "node: flags not inherited";
	return is_inside(node->source, parent->source)
		       ? NULL
		       : "node: source beyond its parent's";
}

static const char *text_problem(const struct page *page, uint32_t index)
{
	const struct text *text = &page->texts[index];
	const struct node *node;

	if (text->node >= page->node_count)
		return "text: node";
	node = &page->nodes[text->node];
	if ((size_t)text->begin + text->length > page->text_bytes)
		return "text: beyond the buffer";
	if (text_is_blank(page_text(page, index)))
		return "text: blank";
	if (index < node->first_text || index >= node->end_text)
		return "text: not in its node";
	if (text->flags != (node->flags & TEXT_FLAGS))
		return "text: flags";
	if (!is_inside(text->source, node->source))
		return "text: source beyond its node's";
	return NULL;
}

static bool has_foreign(const struct page *page)
{
	for (uint32_t i = 0; i < page->node_count; i++)
		if ((page->nodes[i].flags & (NODE_IS_SVG | NODE_IS_MATHML)) !=
		    0)
			return true;
	return false;
}

/* Each text comes once, in the order of the source. */
static const char *order_problem(const struct page *page)
{
	uint32_t end = 0;

	for (uint32_t i = 0; i < page->text_count; i++) {
		const uint32_t index = page_text_in_source(page, i);

		if (index >= page->text_count ||
		    page->texts[index].source.begin < end)
			return "text: not in the order of the source";
		end = page->texts[index].source.end;
	}
	return NULL;
}

/* Each text is one token of the source, but in SVG and MathML. */
static const char *token_problem(const struct page *page)
{
	struct scanner scanner = {.source = page->source};
	struct token token;
	uint32_t rank = 0;

	while (rank < page->text_count && scanner_next(&scanner, &token)) {
		const struct span source =
			page->texts[page_text_in_source(page, rank)].source;

		if (token.kind == TOKEN_TEXT &&
		    token.source.begin == source.begin &&
		    token.source.end == source.end)
			rank++;
	}
	return rank == page->text_count || has_foreign(page)
		       ? order_problem(page)
		       : "text: no token is like it";
}

const char *page_problem(const struct page *page)
{
	const char *problem = NULL;

	for (uint32_t i = 0; i < page->node_count && problem == NULL; i++)
		problem = node_problem(page, i);
	for (uint32_t i = 0; i < page->text_count && problem == NULL; i++)
		problem = text_problem(page, i);
	return problem == NULL ? token_problem(page) : problem;
}
