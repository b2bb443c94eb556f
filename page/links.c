#include "page/head.h"

#include <assert.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "page/attribute.h"
#include "page/scanner.h"
#include "page/script_redirect.h"

enum {
	ANCHOR_BYTES = 256,
	ANCHOR_SOURCE = 2048, /* bytes of text that are read for an anchor */
	SCRIPT_TEXT_BYTES =
		1000, /* visible text of a page whose scripts are read */
};

struct page_link_list {
	struct page *page;
	struct link *links;
	uint32_t count;
	size_t capacity;
};

static void link_list_add(struct page_link_list *list, struct link link)
{
	link.href = text_trim(link.href);
	if (link.href.size == 0)
		return;
	if (list->page->is_nofollow)
		link.flags |= LINK_IS_NOFOLLOW;
	list->links = mem_grow(list->links, list->count, &list->capacity,
			       sizeof(link));
	list->links[list->count++] = link;
}

/* Truncate to ANCHOR_BYTES, in whole characters. */
static size_t anchor_truncate(const char *text, size_t size)
{
	if (size <= ANCHOR_BYTES)
		return size;
	size = utf8_truncate((struct slice){text, size}, ANCHOR_BYTES).size;
	while (size > 0 && text[size - 1] == ' ')
		size--;
	assert(size <= ANCHOR_BYTES);
	return size;
}

/*
 * Return the texts inside the node, joined by spaces, collapsed and truncated.
 */
static struct slice anchor_of(struct page *page, const struct node *node)
{
	char raw[ANCHOR_SOURCE];
	char text[ANCHOR_SOURCE];
	size_t size = 0;

	assert(node->first_text <= node->end_text &&
	       node->end_text <= page->text_count);
	for (uint32_t i = node->first_text; i < node->end_text; i++) {
		struct slice piece = page_text(page, i);

		if (size > 0 && size < sizeof(raw))
			raw[size++] = ' ';
		piece = utf8_truncate(piece, sizeof(raw) - size);
		assert(piece.size <= sizeof(raw) - size);
		memcpy(raw + size, piece.data, piece.size);
		size += piece.size;
		if (piece.size < page->texts[i].length)
			break;
	}
	size = anchor_truncate(text,
			       text_collapse((struct slice){raw, size}, text));
	return (struct slice){arena_copy(page->arena, text, size), size};
}

static unsigned flags_of_rel(struct slice rel)
{
	unsigned flags = 0;

	if (text_has_word(rel, "nofollow"))
		flags |= LINK_IS_NOFOLLOW;
	if (text_has_word(rel, "next") || text_has_word(rel, "prev"))
		flags |= LINK_IS_NEXT;
	return flags;
}

static void add_anchor(struct page_link_list *list, uint32_t index)
{
	struct page *page = list->page;
	struct slice href = page_attribute(page, index, "href");

	assert(index < page->node_count);
	if (href.size == 0)
		return;
	link_list_add(list,
		      (struct link){
			      .node = index,
			      .flags = flags_of_rel(
				      page_attribute(page, index, "rel")),
			      .href = href,
			      .anchor = anchor_of(page, &page->nodes[index]),
		      });
}

/* Style sheets and icons are not pages. */
static void add_relation(struct page_link_list *list, uint32_t index)
{
	struct slice rel = page_attribute(list->page, index, "rel");
	unsigned flags = flags_of_rel(rel);

	if (text_has_word(rel, "stylesheet"))
		return;
	if (text_has_word(rel, "canonical"))
		flags |= LINK_IS_CANONICAL;
	if (text_has_word(rel, "alternate"))
		flags |= LINK_IS_ALTERNATE;
	if ((flags & ~(unsigned)LINK_IS_NOFOLLOW) == 0)
		return;
	link_list_add(list,
		      (struct link){
			      .node = index,
			      .flags = flags,
			      .href = page_attribute(list->page, index, "href"),
			      .anchor = {"", 0},
		      });
}

static void add_frame(struct page_link_list *list, uint32_t index)
{
	link_list_add(list,
		      (struct link){
			      .node = index,
			      .href = page_attribute(list->page, index, "src"),
			      .anchor = {"", 0},
		      });
}

/* Skip an optional "url =" at `at`. Return NULL for "url" without "=". */
static const char *skip_url_word(const char *at, const char *end)
{
	if (end - at < 3 || !text_is((struct slice){at, 3}, "url"))
		return at;
	at += 3;
	while (at < end && is_space(*at))
		at++;
	if (at == end || *at != '=')
		return NULL;
	at++;
	while (at < end && is_space(*at))
		at++;
	return at;
}

/*
 * Return the URL in "5; url='next.html'" or "5; next.html", or empty. As in the
 * HTML standard (section 4.2.5.3), except that "5; url" has no URL.
 */
static struct slice refresh_url(struct slice content)
{
	const char *at = content.data;
	const char *end = at + content.size;
	const char *close;

	while (at < end &&
	       (is_space(*at) || *at == '.' || (*at >= '0' && *at <= '9')))
		at++;
	if (at == content.data || at == end ||
	    (*at != ';' && *at != ',' && !is_space(at[-1])))
		return (struct slice){NULL, 0};
	while (at < end && (is_space(*at) || *at == ';' || *at == ','))
		at++;
	at = skip_url_word(at, end);
	if (at == NULL)
		return (struct slice){NULL, 0};
	if (at < end && (*at == '"' || *at == '\'')) {
		close = memchr(at + 1, *at, (size_t)(end - at) - 1);
		at++;
		end = close == NULL ? end : close;
	}
	return (struct slice){at, (size_t)(end - at)};
}

static void add_refresh(struct page_link_list *list, uint32_t index)
{
	struct slice content = page_attribute(list->page, index, "content");

	if (content.size == 0 ||
	    !text_is(page_attribute(list->page, index, "http-equiv"),
		     "refresh"))
		return;
	link_list_add(list, (struct link){
				    .node = index,
				    .flags = LINK_IS_REFRESH,
				    .href = refresh_url(content),
				    .anchor = {"", 0},
			    });
}

/* Return the content of a script. */
static struct slice script_content(const struct page *page, uint32_t index)
{
	struct span span = page->nodes[index].source;
	struct scanner scanner = {
		.source = {(const char *)page->source.data + span.begin,
			   span.end - span.begin},
	};
	struct token token;

	assert(span.begin <= span.end && span.end <= page->source.size);
	while (scanner_next(&scanner, &token))
		if (token.kind == TOKEN_RAW)
			return (struct slice){
				(const char *)scanner.source.data +
					token.source.begin,
				token.source.end - token.source.begin};
	return (struct slice){NULL, 0};
}

/*
 * Add the target of a redirect by script if the page has little text; a page
 * with more text is no stub.
 */
static void add_script(struct page_link_list *list, uint32_t index)
{
	struct slice content;

	if (list->page->text_bytes > SCRIPT_TEXT_BYTES)
		return;
	content = script_content(list->page, index);
	link_list_add(list, (struct link){
				    .node = index,
				    .flags = LINK_IS_REFRESH,
				    .href = script_redirect(content),
				    .anchor = {"", 0},
			    });
}

void links_read(struct page *page)
{
	struct page_link_list list = {.page = page};
	struct link *links;

	for (uint32_t i = 0; i < page->node_count; i++) {
		switch (page->nodes[i].tag) {
		case TAG_a:
		case TAG_area:
			add_anchor(&list, i);
			break;
		case TAG_link:
			add_relation(&list, i);
			break;
		case TAG_frame:
			add_frame(&list, i);
			break;
		case TAG_meta:
			add_refresh(&list, i);
			break;
		case TAG_script:
			add_script(&list, i);
			break;
		default:
			break;
		}
	}
	links = ARENA_ROOM(page->arena, struct link, list.count);
	if (list.count > 0)
		memcpy(links, list.links, list.count * sizeof(*links));
	free(list.links);
	page->links = links;
	page->link_count = list.count;
}
