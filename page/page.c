#include "page/page.h"

#include <assert.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/limit.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "page/charset.h"
#include "page/page_class.h"
#include "page/robots_tag.h"
#include "page/scanner.h"
#include "page/tree.h"

/*
 * Return a copy of the text with collapsed white space, in the arena of the
 * page; the text may be empty.
 */
static struct slice head_collapse_text(struct page *page, struct slice text)
{
	char *out = arena_alloc(page->arena, text.size + 1, 1);

	return (struct slice){out, text_collapse(text, out)};
}

/* Return all text inside the node, with collapsed white space. */
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

static void page_head_read_meta(struct page *page, uint32_t node)
{
	struct slice name = page_attribute(page, node, "name");
	struct slice content = page_attribute(page, node, "content");
	struct slice header = page_attribute(page, node, "http-equiv");
	unsigned flags;

	if (content.data == NULL)
		return;
	if (text_is(name, "description") && page->description.size == 0) {
		page->description = head_collapse_text(page, content);
	} else if (text_is(name, "robots") || text_is(name, ROBOTS_AGENT)) {
		flags = robots_tag_parse(content, ROBOTS_AGENT);
		page->is_nofollow |= (flags & ROBOTS_TAG_NOFOLLOW) != 0;
		page->is_noindex |= (flags & ROBOTS_TAG_NOINDEX) != 0;
	} else if (text_is(header, "content-language") &&
		   page->language.size == 0) {
		page->language = text_trim(content);
	}
}

static void head_read_node(struct page *page, uint32_t index)
{
	const struct node *node = &page->nodes[index];
	struct slice language;

	switch (node->tag) {
	case TAG_html:
		language = page_attribute(page, index, "lang");
		if (language.size == 0)
			language = page_attribute(page, index, "xml:lang");
		if (page->language.size == 0 && language.size > 0)
			page->language = text_trim(language);
		break;
	case TAG_title: /* ignore the title of an svg element */
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

enum {
	ANCHOR_BYTES = 256,
	/* maximum bytes of text that are read for an anchor */
	ANCHOR_SOURCE = 2048,
	SCRIPT_TEXT_BYTES = 1000, /* scripts are read only if the page has no
				     more text than this */
};

/*
 * Return the size of an anchor text that is truncated to ANCHOR_BYTES at the
 * end of a character.
 */
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
 * Return the anchor text of the node: its texts joined by spaces, with
 * collapsed white space, truncated.
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

	if (rel.size == 0)
		return 0;
	if (text_has_word(rel, "nofollow"))
		flags |= LINK_IS_NOFOLLOW;
	if (text_has_word(rel, "next") || text_has_word(rel, "prev"))
		flags |= LINK_IS_NEXT;
	return flags;
}

/*
 * Skip "url =" at `at` if it is there. Return NULL if there is "url" without
 * "=".
 */
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

struct slice refresh_url(struct slice content)
{
	const char *at = content.data;
	const char *end = content.size == 0 ? at : at + content.size;
	const char *close;

	while (at < end && (is_space(*at) || *at == '.' || is_digit(*at)))
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

/*
 * Return whether the element links to a page and not to a feed, oEmbed or other
 * data: it has no type, or the type of a page.
 */
static bool link_type_is_page(const struct page *page, uint32_t index)
{
	struct slice type = text_trim(page_attribute(page, index, "type"));
	size_t size = 0;

	while (size < type.size && slice_byte(type, size) != ';' &&
	       !is_space(slice_byte(type, size)))
		size++;
	type.size = size;
	return size == 0 || text_is(type, "text/html") ||
	       text_is(type, "application/xhtml+xml") ||
	       memchr(type.data, '/', size) == NULL;
}

/*
 * Set the flags of a link element. Return false if its relation does not lead
 * to a page: style sheets, icons and similar files.
 */
static bool link_set_relation(struct link *link, struct slice rel)
{
	if (text_has_word(rel, "stylesheet"))
		return false;
	if (text_has_word(rel, "canonical"))
		link->flags |= LINK_IS_CANONICAL;
	if (text_has_word(rel, "alternate"))
		link->flags |= LINK_IS_ALTERNATE;
	return (link->flags & ~(unsigned)LINK_IS_NOFOLLOW) != 0;
}

/* Read the link of the node. The href is empty if the node has none. */
static struct link link_read(struct page *page, uint32_t index)
{
	struct link link = {.node = index, .anchor = {"", 0}};
	struct slice rel;

	switch (page->nodes[index].tag) {
	case TAG_a:
	case TAG_area:
		if (link_type_is_page(page, index))
			link.href = page_attribute(page, index, "href");
		link.flags = flags_of_rel(page_attribute(page, index, "rel"));
		if (link.href.size > 0)
			link.anchor = anchor_of(page, &page->nodes[index]);
		break;
	case TAG_link:
		rel = page_attribute(page, index, "rel");
		link.flags = flags_of_rel(rel);
		if (link_set_relation(&link, rel) &&
		    link_type_is_page(page, index))
			link.href = page_attribute(page, index, "href");
		break;
	case TAG_frame:
		link.href = page_attribute(page, index, "src");
		break;
	case TAG_meta:
		link.flags = LINK_IS_REFRESH;
		if (text_is(page_attribute(page, index, "http-equiv"),
			    "refresh"))
			link.href = refresh_url(
				page_attribute(page, index, "content"));
		break;
	case TAG_script: /* a page with more text is a real page */
		link.flags = LINK_IS_REFRESH;
		if (page->text_bytes <= SCRIPT_TEXT_BYTES)
			link.href = script_redirect(page_script(page, index));
		break;
	default:
		return link;
	}
	link.href = text_trim(link.href);
	return link;
}

void page_set_url(struct page *page, struct slice url)
{
	page->url = arena_slice(page->arena, url);
}

void page_add_refresh(struct page *page, struct slice url)
{
	struct link *links =
		ARENA_ROOM(page->arena, struct link, page->link_count + 1U);

	if (page->node_count == 0)
		return;
	if (page->link_count > 0)
		memcpy(links, page->links, page->link_count * sizeof(*links));
	links[page->link_count++] = (struct link){
		.flags = LINK_IS_REFRESH,
		.href = url,
		.anchor = {"", 0},
	};
	page->links = links;
}

/* Read the links of the page; page->is_nofollow must be set. */
static void links_read(struct page *page)
{
	struct link *links = NULL;
	size_t capacity = 0;
	uint32_t count = 0;

	for (uint32_t i = 0; i < page->node_count; i++) {
		struct link link = link_read(page, i);

		if (link.href.size == 0)
			continue;
		if (page->is_nofollow)
			link.flags |= LINK_IS_NOFOLLOW;
		links = mem_grow(links, count, &capacity, sizeof(link));
		links[count++] = link;
	}
	page->links =
		count == 0 ? NULL
			   : (const void *)arena_copy(page->arena, links,
						      count * sizeof(*links));
	page->link_count = count;
	free(links);
}

enum {
	/*
	 * Limit for texts and attributes; a page has about two of each per
	 * element.
	 */
	PER_NODE = 4,
	PER_PAGE = LIMIT(1024, 16),
	MAX_DEPTH = 4095,
};

/*
 * Maximum size of the source: offsets in spans have 32 bits, indices of tree
 * items only 31.
 */
#define MAX_SOURCE ((size_t)LIMIT(1 << 29, 4096))

const struct page_limits page_limits_default = {
	.max_bytes = 10000000,
	.max_nodes = 200000,
	.max_depth = 512,
	.max_attributes = 256,
};

enum error page_parse(struct page **page_out, struct slice body,
		      struct slice charset, const struct page_limits *limits)
{
	const struct slice taken = utf8_truncate(body, limits->max_bytes);
	struct page_limits capped = *limits;
	struct arena *arena;
	struct decoded decoded;
	struct page *page;

	if (sniff_is_binary(taken, charset))
		return ERR_NOT_HTML;
	arena = arena_create();
	decoded = charset_decode(arena, taken, charset);
	page = ARENA_NEW(arena, struct page, 1);
	assert(taken.size <= body.size);
	page->arena = arena;
	if (capped.max_depth > MAX_DEPTH)
		capped.max_depth = MAX_DEPTH;
	page->source = utf8_truncate(decoded.text, MAX_SOURCE);
	page->charset = decoded.charset;
	page->is_truncated =
		taken.size < body.size || page->source.size < decoded.text.size;
	tree_build(page, &capped,
		   (size_t)limits->max_nodes * PER_NODE + PER_PAGE);
	page->title = page->language = page->description = page->base =
		(struct slice){"", 0};
	for (uint32_t i = 0; i < page->node_count; i++)
		head_read_node(page, i);
	links_read(page);
	*page_out = page;
	return ERR_NONE;
}

void page_destroy(struct page *page)
{
	if (page != NULL)
		arena_destroy(page->arena);
}

struct slice page_tag_name(const struct page *page, uint16_t tag)
{
	assert(tag < TAG_COUNT ||
	       tag - TAG_COUNT < (int)page->unknown_tag_count);
	return tag < TAG_COUNT ? tag_name(tag)
			       : page->unknown_tags[tag - TAG_COUNT];
}

uint64_t page_tag_hash(const struct page *page, uint16_t tag)
{
	struct slice name;

	if (tag < TAG_COUNT)
		return tag_hash(tag);
	name = page_tag_name(page, tag);
	return hash64(name.data, name.size, 0);
}

struct slice page_find_attribute(const struct page *page, uint32_t node,
				 struct slice name)
{
	const struct node *owner = &page->nodes[node];

	assert(node < page->node_count);
	assert(owner->first_attribute + owner->attribute_count <=
	       page->attribute_count);
	for (uint32_t i = 0; i < owner->attribute_count; i++) {
		const struct attribute *attribute =
			&page->attributes[owner->first_attribute + i];

		if (slice_equal(attribute->name, name))
			return attribute->value;
	}
	return (struct slice){NULL, 0};
}

struct slice page_script(const struct page *page, uint32_t node)
{
	struct span span = page->nodes[node].source;
	struct scanner scanner = {
		.source = {page->source.data, span.end},
		.position = span.begin,
	};
	struct token token;

	if (!scanner_next(&scanner, &token) || token.kind != TOKEN_START ||
	    !scanner_next(&scanner, &token) || token.kind != TOKEN_RAW)
		return (struct slice){"", 0};
	return (struct slice){(const char *)page->source.data +
				      token.source.begin,
			      token.source.end - token.source.begin};
}

uint32_t page_block_around(const struct page *page, uint32_t node)
{
	while (node != NO_NODE &&
	       (tag_flags(page->nodes[node].tag) & TAG_IS_BLOCK) == 0)
		node = page->nodes[node].parent;
	return node;
}

size_t page_longest_text(const struct page *page)
{
	size_t longest = 0;

	for (uint32_t i = 0; i < page->text_count; i++)
		if (page->texts[i].length > longest)
			longest = page->texts[i].length;
	return longest;
}

/*
 * Return the length of the white space character at `at`; 0 if another
 * character is there.
 */
static size_t space_length(const char *at, const char *end)
{
	assert(at < end);
	if ((unsigned char)*at < 0x80)
		return is_space(*at) ? 1 : 0;
	if (end - at >= 2 && memcmp(at, "\xC2\xA0", 2) == 0)
		return 2;
	if (end - at < 3)
		return 0;
	if (memcmp(at, "\xE2\x80", 2) == 0 && (unsigned char)at[2] <= 0x8B)
		return 3;
	if (memcmp(at, "\xE3\x80\x80", 3) == 0 ||
	    memcmp(at, "\xEF\xBB\xBF", 3) == 0)
		return 3;
	return 0;
}

bool text_is_blank(struct slice text)
{
	const char *at = text.data;
	const char *end = at == NULL ? NULL : at + text.size;

	while (at < end) {
		size_t length = space_length(at, end);

		if (length == 0)
			return false;
		at += length;
	}
	return true;
}

/* Eight equal bytes. */
#define BYTES(byte) ((byte)*UINT64_C(0x0101010101010101))

/*
 * Return whether eight bytes are printable ASCII, without two spaces next to
 * each other.
 */
static bool is_plain_word(uint64_t word)
{
	const uint64_t spaces = ~((word ^ BYTES(' ')) + BYTES(0x7F));
	const uint64_t others =
		word | (word - BYTES(' ')) | (word + BYTES(0x80 - 0x7F));

	return ((others | (spaces & spaces << 8)) & BYTES(0x80)) == 0;
}

/*
 * Return the end of the run of printable ASCII and single spaces that begins at
 * `at`, after a byte that is no space. The run does not end with a space.
 */
static const char *plain_run_end(const char *at, const char *end)
{
	uint64_t word;

	while (end - at >= (ptrdiff_t)sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		if (!is_plain_word(word) || (at[-1] == ' ' && *at == ' '))
			break;
		at += sizeof(word);
	}
	while (at < end && ((unsigned char)(*at - '!') < 0x5E ||
			    (*at == ' ' && at[-1] != ' ')))
		at++;
	return at[-1] == ' ' ? at - 1 : at;
}

size_t text_collapse(struct slice text, char *out)
{
	const char *at = text.data;
	const char *end = at == NULL ? NULL : at + text.size;
	size_t size = 0;
	bool is_pending = false;

	while (at < end) {
		size_t length = space_length(at, end);

		if (length > 0) {
			is_pending = size > 0;
			at += length;
			continue;
		}
		if (is_pending)
			out[size++] = ' ';
		is_pending = false;
		length = (size_t)(plain_run_end(at + 1, end) - at);
		memmove(out + size, at, length); /* `out` may be the text */
		size += length;
		at += length;
	}
	assert(size <= text.size);
	return size;
}
