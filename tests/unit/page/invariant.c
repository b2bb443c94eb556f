#include "tests/unit/page/invariant.h"

#include "page/scanner.h"
#include "page/text.h"

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
	if ((parent->flags & ~node->flags) != 0)
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
	if (text->flags != node->flags)
		return "text: flags";
	if (!is_inside(text->source, node->source))
		return "text: source beyond its node's";
	return NULL;
}

/* Each text is one token of the source, in order. */
static const char *token_problem(const struct page *page)
{
	struct scanner scanner = {.source = page->source};
	struct token token;
	uint32_t index = 0;

	while (index < page->text_count && scanner_next(&scanner, &token))
		if (token.kind == TOKEN_TEXT &&
		    token.source.begin == page->texts[index].source.begin &&
		    token.source.end == page->texts[index].source.end)
			index++;
	return index == page->text_count ? NULL : "text: no token is like it";
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
