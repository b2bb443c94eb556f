#include "page/head.h"

#include "base/arena.h"
#include "base/buffer.h"
#include "page/attribute.h"
#include "page/robots_tag.h"

/* Return a copy with collapsed white space; `text` may be empty. */
static struct slice head_collapse_text(struct page *page, struct slice text)
{
	char *out = arena_alloc(page->arena, text.size + 1, 1);

	return (struct slice){out, text_collapse(text, out)};
}

/* Return all text inside the node. */
static struct slice text_inside(struct page *page, const struct node *node)
{
	struct buffer text = {0};
	struct slice collapsed;

	for (uint32_t i = node->first_text; i < node->end_text; i++)
		buffer_append_slice(&text, page_text(page, i));
	collapsed = head_collapse_text(page, buffer_slice(&text));
	buffer_free(&text);
	return collapsed;
}

static void head_read_robots(struct page *page, struct slice content)
{
	unsigned flags = robots_tag_parse(content, ROBOTS_AGENT);

	page->is_nofollow |= (flags & ROBOTS_TAG_NOFOLLOW) != 0;
	page->is_noindex |= (flags & ROBOTS_TAG_NOINDEX) != 0;
}

static void page_head_read_meta(struct page *page, uint32_t node)
{
	struct slice name = page_attribute(page, node, "name");
	struct slice content = page_attribute(page, node, "content");
	struct slice header = page_attribute(page, node, "http-equiv");

	if (content.data == NULL)
		return;
	if (text_is(name, "description") && page->description.size == 0)
		page->description = head_collapse_text(page, content);
	else if (text_is(name, "robots") || text_is(name, ROBOTS_AGENT))
		head_read_robots(page, content);
	else if (text_is(header, "content-language") &&
		 page->language.size == 0)
		page->language = text_trim(content);
}

static void read_language(struct page *page, uint32_t node)
{
	struct slice language = page_attribute(page, node, "lang");

	if (language.size == 0)
		language = page_attribute(page, node, "xml:lang");
	if (language.size > 0)
		page->language = text_trim(language);
}

static void head_read_node(struct page *page, uint32_t index)
{
	const struct node *node = &page->nodes[index];

	switch (node->tag) {
	case TAG_html:
		if (page->language.size == 0)
			read_language(page, index);
		break;
	case TAG_title: /* but not the title of an svg element */
		if (page->title.size == 0 &&
		    (node->flags & (TEXT_IS_TEMPLATE | NODE_IS_SVG)) == 0)
			page->title = text_inside(page, node);
		break;
	case TAG_meta:
		page_head_read_meta(page, index);
		break;
	case TAG_base:
		if (page->base.size == 0)
			page->base =
				text_trim(page_attribute(page, index, "href"));
		break;
	default:
		break;
	}
}

void head_read(struct page *page)
{
	const struct slice empty = {"", 0};

	page->title = page->language = page->description = page->base = empty;
	for (uint32_t i = 0; i < page->node_count; i++)
		head_read_node(page, i);
}
