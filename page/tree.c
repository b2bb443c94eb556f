#include "page/tree.h"

#include <assert.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/memory.h"
#include "page/doctype.h"
#include "page/lex.h"
#include "page/tree_parts.h"

/* Minimum source sizes per item; most pages need fewer items. */
enum {
	SOURCE_PER_NODE = 64,
	SOURCE_PER_TEXT = 128,
	SOURCE_PER_ATTRIBUTE = 48,
};

/* --- tokens --- */

static uint32_t tree_offset_of(const struct tree_builder *tree, const char *at)
{
	return (uint32_t)(at - tree->source);
}

static uint16_t tree_read_name(struct tree_builder *tree, const char *name,
			       const char *end)
{
	const size_t size = (size_t)(end - name);
	const uint16_t tag = tag_from_source(name, size);

	return tag < TAG_COUNT
		       ? tag
		       : tag_number_of_unknown(&tree->numbers,
					       (struct slice){name, size});
}

/* The page ended inside a tag; HTML drops the tag. */
static const char *tree_drop_token(struct tree_builder *tree, const char *end)
{
	tree->attributes.count = tree->token.first_attribute;
	return end;
}

static bool is_all_space(const char *at, const char *end)
{
	while (at < end && is_space(*at))
		at++;
	return at == end;
}

/* Store the tag of the token as written. */
static void tree_add_tag(struct tree_builder *tree, unsigned end)
{
	tree->tags = mem_grow(tree->tags, tree->tag_count, &tree->tag_capacity,
			      sizeof(*tree->tags));
	tree->tags[tree->tag_count++] = (uint16_t)(tree->token.tag | end);
}

static void work_on_text(struct tree_builder *tree, const char *at,
			 const char *end, bool is_raw)
{
	struct tree_token *token = &tree->token;

	if (at == end)
		return;
	*token = (struct tree_token){
		.kind = TOKEN_TEXT,
		.is_raw = is_raw,
		.source = {tree_offset_of(tree, at), tree_offset_of(tree, end)},
	};
	if (tree->skips_newline && *at == '\r')
		token->skip = end - at >= 2 && at[1] == '\n' ? 2 : 1;
	else if (tree->skips_newline && *at == '\n')
		token->skip = 1;
	tree->skips_newline = false;
	if (at + token->skip == end)
		return;
	token->is_blank = is_all_space(at + token->skip, end);
	tree_dispatch(tree);
}

static const char *work_on_start(struct tree_builder *tree, const char *at,
				 const char *end)
{
	struct tree_token *token = &tree->token;
	struct attribute_cursor cursor = {.end = end};

	cursor.at = lex_name_end(at + 1, end);
	*token = (struct tree_token){
		.kind = TOKEN_START,
		.tag = tree_read_name(tree, at + 1, cursor.at),
		.first_attribute = tree->attributes.count,
		.source = {tree_offset_of(tree, at), 0},
	};
	token->flags =
		(uint16_t)attribute_list_read(&tree->attributes, &cursor);
	if (cursor.is_cut)
		return tree_drop_token(tree, end);
	token->attribute_count =
		(uint16_t)(tree->attributes.count - token->first_attribute);
	token->is_empty = cursor.is_empty;
	token->source.end = tree_offset_of(tree, cursor.at) + 1;
	tree->last_begin = token->source.begin;
	tree->skips_newline = false;
	tree_add_tag(tree, 0);
	tree_dispatch(tree);
	return cursor.at + 1;
}

static const char *work_on_end(struct tree_builder *tree, const char *at,
			       const char *end)
{
	struct tree_token *token = &tree->token;
	struct attribute_cursor cursor = {.end = end};

	cursor.at = lex_name_end(at + 2, end);
	*token = (struct tree_token){
		.kind = TOKEN_END,
		.tag = tree_read_name(tree, at + 2, cursor.at),
		.source = {tree_offset_of(tree, at), 0},
		.first_attribute = tree->attributes.count,
	};
	while (attribute_next(&cursor))
		;
	if (cursor.is_cut)
		return end;
	token->source.end = tree_offset_of(tree, cursor.at) + 1;
	if (token->tag == TAG_body)
		tree->body_end = token->source.end;
	else if (token->tag == TAG_html)
		tree->html_end = token->source.end;
	else
		tree->last_begin = token->source.begin;
	tree->skips_newline = false;
	tree_add_tag(tree, TAG_IS_END);
	tree_dispatch(tree);
	return cursor.at + 1;
}

static const char cdata_begin[] = "<![CDATA[";
static const char cdata_end[] = "]]>";

/* The content of a CDATA section of SVG or MathML is text. */
static const char *work_on_cdata(struct tree_builder *tree, const char *at,
				 const char *end)
{
	const char *begin = at + sizeof(cdata_begin) - 1;
	const char *close = memmem(begin, (size_t)(end - begin), cdata_end,
				   sizeof(cdata_end) - 1);

	work_on_text(tree, begin, close == NULL ? end : close, true);
	return close == NULL ? end : close + sizeof(cdata_end) - 1;
}

static bool is_cdata(const struct tree_builder *tree, const char *at,
		     const char *end)
{
	const size_t size = sizeof(cdata_begin) - 1;

	return tree->depth > 0 &&
	       (tree_top(tree)->category & IS_FOREIGN) != 0 &&
	       (size_t)(end - at) >= size && memcmp(at, cdata_begin, size) == 0;
}

static const char *work_on_comment(struct tree_builder *tree, const char *at,
				   const char *end)
{
	bool is_open = false;
	const char *close;

	if (is_cdata(tree, at, end))
		return work_on_cdata(tree, at, end);
	tree->skips_newline = false;
	close = lex_comment_end(at, end, &is_open);
	if (tree->mode == MODE_INITIAL && doctype_begins(at, end)) {
		tree->is_quirky = doctype_is_quirky(
			(struct slice){at, (size_t)(close - at)});
		tree->mode = MODE_BEFORE_HTML;
	}
	return close;
}

/* Handle the content of a text-only element. */
static const char *work_on_raw(struct tree_builder *tree, const char *at,
			       const char *end)
{
	const uint16_t tag = tree->raw;
	const char *close = lex_raw_end(at, end, tag);

	tree->raw = 0;
	if ((tag_flags(tag) & TAG_IS_RAW) == 0)
		work_on_text(tree, at, close,
			     tag != TAG_title && tag != TAG_textarea);
	return close;
}

static const char *work_on_markup(struct tree_builder *tree, const char *at,
				  const char *end)
{
	const char *close;

	switch (*at == '<' ? lex_kind(at, end) : TOKEN_TEXT) {
	case TOKEN_START:
		return work_on_start(tree, at, end);
	case TOKEN_END:
		return work_on_end(tree, at, end);
	case TOKEN_COMMENT:
		return work_on_comment(tree, at, end);
	default:
		close = lex_text_end(at, end);
		work_on_text(tree, at, close, false);
		return close;
	}
}

static void work_on_source(struct tree_builder *tree, struct slice source)
{
	const char *at = source.data;
	const char *end = at + source.size;

	while (at < end && !tree->is_stopped)
		at = tree->raw != 0 ? work_on_raw(tree, at, end)
				    : work_on_markup(tree, at, end);
	if (tree->is_stopped)
		return;
	tree->token = (struct tree_token){
		.kind = TOKEN_COUNT,
		.first_attribute = tree->attributes.count,
		.source = {tree_offset_of(tree, end),
			   tree_offset_of(tree, end)},
	};
	tree_dispatch(tree);
}

/* --- the end --- */

/*
 * Return the end of an element without an end tag: the last </body> or </html>
 * if nothing follows it, otherwise the end of the page.
 */
static uint32_t end_of_page(const struct tree_builder *tree, bool is_root)
{
	uint32_t end = tree->body_end;

	if (end <= tree->last_begin || (is_root && end < tree->html_end))
		end = tree->html_end;
	return end > tree->last_begin && !tree->is_stopped
		       ? end
		       : tree->token.source.begin;
}

/* The parser opens the last elements itself, after </body>: they are empty. */
static void set_end(struct node *node, uint32_t end)
{
	node->source.end = end > node->source.begin ? end : node->source.begin;
}

static void close_all(struct tree_builder *tree)
{
	const uint32_t end = end_of_page(tree, false);
	const uint32_t root_end = end_of_page(tree, true);

	while (tree->depth > 0) {
		const uint32_t node = tree->open[--tree->depth].node;

		set_end(&tree->nodes[node], node == 0 ? root_end : end);
	}
}

static void tree_sort_nodes(struct tree_builder *tree)
{
	bool is_cut_out = false;
	struct tree_arrays arrays = {tree->nodes, tree->node_count, tree->texts,
				     tree->text_count};

	uint32_t *ranks;
	uint32_t count = 0;

	if (!tree->order.is_kept)
		return;
	ranks = ARENA_NEW(tree->page->arena, uint32_t, tree->text_count);
	arrays = order_sort(&tree->order, arrays, tree->limits->max_depth,
			    ranks, &is_cut_out);
	for (uint32_t i = 0; i < tree->text_count; i++)
		if (ranks[i] != NO_ITEM)
			ranks[count++] = ranks[i];
	assert(count == arrays.text_count);
	tree->page->source_order = ranks;
	tree->nodes = arrays.nodes;
	tree->node_count = arrays.node_count;
	tree->texts = arrays.texts;
	tree->text_count = arrays.text_count;
	tree->page->is_truncated |= is_cut_out;
}

/* Copy depth and flags from parents to children. */
static void tree_inherit_flags(struct tree_builder *tree)
{
	for (uint32_t i = 0; i < tree->node_count; i++) {
		struct node *node = &tree->nodes[i];
		const struct node *parent;

		node->end = i + 1;
		node->end_text = node->first_text;
		if (node->parent == NO_NODE)
			continue;
		assert(node->parent < i);
		parent = &tree->nodes[node->parent];
		node->depth = (uint16_t)(parent->depth + 1);
		node->flags |= parent->flags & TEXT_FLAGS;
	}
}

static void span_widen(struct span *span, struct span inner)
{
	if (inner.begin < span->begin)
		span->begin = inner.begin;
	if (inner.end > span->end)
		span->end = inner.end;
}

/* Set the ends of parents from their children. */
static void tree_set_ends(struct tree_builder *tree)
{
	for (uint32_t i = 0; i < tree->text_count; i++) {
		struct text *text = &tree->texts[i];
		struct node *node = &tree->nodes[text->node];

		text->flags = node->flags & TEXT_FLAGS;
		node->end_text = i + 1;
		span_widen(&node->source, text->source);
	}
	for (uint32_t i = tree->node_count; i-- > 1;) {
		const struct node *node = &tree->nodes[i];
		struct node *parent = &tree->nodes[node->parent];

		if (node->end > parent->end)
			parent->end = node->end;
		if (node->end_text > parent->end_text)
			parent->end_text = node->end_text;
		span_widen(&parent->source, node->source);
	}
}

/* Move an array that grew to the arena, without its unused room. */
static const void *array_move_to_arena(struct arena *arena, void *items,
				       size_t count, size_t size)
{
	return arena_adopt(arena, mem_resize(items, count, size), count * size);
}

static void tree_fill_page(struct tree_builder *tree)
{
	struct page *page = tree->page;
	struct arena *arena = page->arena;

	page->node_count = tree->node_count;
	page->nodes = array_move_to_arena(arena, tree->nodes, tree->node_count,
					  sizeof(*tree->nodes));
	page->text_count = tree->text_count;
	page->texts = array_move_to_arena(arena, tree->texts, tree->text_count,
					  sizeof(*tree->texts));
	page->attribute_count = tree->attributes.count;
	page->attributes = array_move_to_arena(arena, tree->attributes.items,
					       tree->attributes.count,
					       sizeof(struct attribute));
	page->is_truncated |= tree->attributes.is_truncated;
	page->tag_count = tree->tag_count;
	page->tags = array_move_to_arena(arena, tree->tags, tree->tag_count,
					 sizeof(*tree->tags));
	page->text_bytes = tree->text.size;
	page->text =
		array_move_to_arena(arena, tree->text.data, tree->text.size, 1);
	page->unknown_tags = tree->numbers.names;
	page->unknown_tag_count = tree->numbers.count;
}

/*
 * Reserve the room that most pages of this size need; unused memory costs
 * nothing.
 */
static void tree_reserve(struct tree_builder *tree)
{
	const size_t size = tree->page->source.size;

	tree->node_capacity = size / SOURCE_PER_NODE + 16;
	tree->nodes =
		mem_resize(NULL, tree->node_capacity, sizeof(*tree->nodes));
	tree->text_capacity = size / SOURCE_PER_TEXT + 16;
	tree->texts =
		mem_resize(NULL, tree->text_capacity, sizeof(*tree->texts));
	tree->tag_capacity = 2 * tree->node_capacity;
	tree->tags = mem_resize(NULL, tree->tag_capacity, sizeof(*tree->tags));
	tree->attributes.capacity = size / SOURCE_PER_ATTRIBUTE + 16;
	tree->attributes.items = mem_resize(NULL, tree->attributes.capacity,
					    sizeof(*tree->attributes.items));
}

void tree_build(struct page *page, const struct page_limits *limits,
		size_t max_items)
{
	struct tree_builder *tree = mem_alloc(1, sizeof(*tree));

	tree->page = page;
	tree->limits = limits;
	tree->max_items = max_items;
	tree->source = page->source.data;
	tree->head = NO_NODE;
	tree->form = NO_NODE;
	tree->allows_frameset = true;
	tree->numbers.arena = page->arena;
	attribute_list_begin(&tree->attributes, page->arena,
			     limits->max_attributes, max_items);
	tree->attributes.has_returns =
		page->source.size > 0 &&
		memchr(page->source.data, '\r', page->source.size) != NULL;
	tree_reserve(tree);
	if (page->source.size > 0)
		work_on_source(tree, page->source);
	close_all(tree);
	tree_sort_nodes(tree);
	tree_inherit_flags(tree);
	tree_set_ends(tree);
	tree_fill_page(tree);
	attribute_list_end(&tree->attributes);
	order_free(&tree->order);
	free(tree->open);
	free(tree);
}
