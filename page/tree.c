#include "page/tree.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/memory.h"
#include "page/robots_tag.h"
#include "page/scanner.h"
#include "page/tree_modes.h"

/*
 * A doctype whose public identifier begins with one of these texts selects
 * quirks mode.
 */
static const char *const beginnings[] = {
	"+//silmaril//dtd html pro v0r11 19970101//",
	"-//as//dtd html 3.0 aswedit + extensions//",
	"-//advasoft ltd//dtd html 3.0 aswedit + extensions//",
	"-//ietf//dtd html 2.0 level 1//",
	"-//ietf//dtd html 2.0 level 2//",
	"-//ietf//dtd html 2.0 strict level 1//",
	"-//ietf//dtd html 2.0 strict level 2//",
	"-//ietf//dtd html 2.0 strict//",
	"-//ietf//dtd html 2.0//",
	"-//ietf//dtd html 2.1e//",
	"-//ietf//dtd html 3.0//",
	"-//ietf//dtd html 3.2 final//",
	"-//ietf//dtd html 3.2//",
	"-//ietf//dtd html 3//",
	"-//ietf//dtd html level 0//",
	"-//ietf//dtd html level 1//",
	"-//ietf//dtd html level 2//",
	"-//ietf//dtd html level 3//",
	"-//ietf//dtd html strict level 0//",
	"-//ietf//dtd html strict level 1//",
	"-//ietf//dtd html strict level 2//",
	"-//ietf//dtd html strict level 3//",
	"-//ietf//dtd html strict//",
	"-//ietf//dtd html//",
	"-//metrius//dtd metrius presentational//",
	"-//microsoft//dtd internet explorer 2.0 html strict//",
	"-//microsoft//dtd internet explorer 2.0 html//",
	"-//microsoft//dtd internet explorer 2.0 tables//",
	"-//microsoft//dtd internet explorer 3.0 html strict//",
	"-//microsoft//dtd internet explorer 3.0 html//",
	"-//microsoft//dtd internet explorer 3.0 tables//",
	"-//netscape comm. corp.//dtd html//",
	"-//netscape comm. corp.//dtd strict html//",
	"-//o'reilly and associates//dtd html 2.0//",
	"-//o'reilly and associates//dtd html extended 1.0//",
	"-//o'reilly and associates//dtd html extended relaxed 1.0//",
	"-//sq//dtd html 2.0 hotmetal + extensions//",
	"-//softquad software//dtd hotmetal pro 6.0::19990601::extensions to",
	"-//softquad//dtd hotmetal pro 4.0::19971010::extensions to",
	"-//spyglass//dtd html 2.0 extended//",
	"-//sun microsystems corp.//dtd hotjava html//",
	"-//sun microsystems corp.//dtd hotjava strict html//",
	"-//w3c//dtd html 3 1995-03-24//",
	"-//w3c//dtd html 3.2 draft//",
	"-//w3c//dtd html 3.2 final//",
	"-//w3c//dtd html 3.2//",
	"-//w3c//dtd html 3.2s draft//",
	"-//w3c//dtd html 4.0 frameset//",
	"-//w3c//dtd html 4.0 transitional//",
	"-//w3c//dtd html experimental 19960712//",
	"-//w3c//dtd html experimental 970421//",
	"-//w3c//dtd w3 html//",
	"-//w3o//dtd w3 html 3.0//",
	"-//webtechs//dtd mozilla html 2.0//",
	"-//webtechs//dtd mozilla html//",
};

/* The part of a doctype that was not read yet. */
struct doctype_reader {
	const char *at;
	const char *end;
	bool is_broken;
};

static void doctype_skip_space(struct doctype_reader *reader)
{
	while (reader->at < reader->end && is_space(*reader->at))
		reader->at++;
}

static struct slice doctype_read_word(struct doctype_reader *reader)
{
	const char *begin = reader->at;

	while (reader->at < reader->end && !is_space(*reader->at))
		reader->at++;
	return (struct slice){begin, (size_t)(reader->at - begin)};
}

/* Read a quoted text; return {NULL, 0} if none exists. */
static struct slice read_quoted(struct doctype_reader *reader)
{
	const char *close;
	struct slice quoted;

	doctype_skip_space(reader);
	if (reader->at == reader->end ||
	    (*reader->at != '"' && *reader->at != '\'')) {
		reader->is_broken |= reader->at < reader->end;
		return (struct slice){NULL, 0};
	}
	close = memchr(reader->at + 1, *reader->at,
		       (size_t)(reader->end - reader->at) - 1);
	reader->is_broken |= close == NULL;
	if (close == NULL)
		close = reader->end;
	quoted = (struct slice){reader->at + 1,
				(size_t)(close - reader->at) - 1};
	reader->at = close < reader->end ? close + 1 : close;
	return quoted;
}

static bool is_of_quirks(struct slice public_id, struct slice system_id)
{
	for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++)
		if (word_begins_with(public_id, beginnings[i]))
			return true;
	if (text_is(public_id, "-//w3o//dtd w3 html strict 3.0//en//") ||
	    text_is(public_id, "-/w3c/dtd html 4.0 transitional/en") ||
	    text_is(public_id, "html") ||
	    text_is(system_id, "http://www.ibm.com/data/dtd/v11/"
			       "ibmxhtml1-transitional.dtd"))
		return true;
	return system_id.data == NULL &&
	       (word_begins_with(public_id,
				 "-//w3c//dtd html 4.01 frameset//") ||
		word_begins_with(public_id,
				 "-//w3c//dtd html 4.01 transitional//"));
}

/*
 * Return whether a page with this doctype (from "<!doctype html" to its ">") is
 * in quirks mode, where a paragraph may contain a table. Source: the HTML
 * standard, sections 13.2.5.53 to 13.2.5.68 and 13.2.6.4.1.
 */
static bool doctype_is_quirky(struct slice doctype)
{
	struct doctype_reader reader = {doctype.data, NULL, false};
	struct slice public_id = {NULL, 0};
	struct slice system_id = {NULL, 0};
	struct slice rest;

	assert(doctype.size >= 9);
	reader.end = reader.at + doctype.size;
	if (reader.end[-1] != '>')
		return true; /* the page ends within the quotes */
	reader.end--;
	reader.at += 9;
	doctype_skip_space(&reader);
	if (!text_is(doctype_read_word(&reader), "html"))
		return true;
	doctype_skip_space(&reader);
	rest = (struct slice){reader.at, (size_t)(reader.end - reader.at)};
	if (rest.size == 0)
		return false;
	reader.at += 6;
	if (word_begins_with(rest, "public")) {
		public_id = read_quoted(&reader);
		reader.is_broken |= public_id.data == NULL;
		system_id = read_quoted(&reader);
	} else if (word_begins_with(rest, "system")) {
		system_id = read_quoted(&reader);
		reader.is_broken |= system_id.data == NULL;
	} else {
		return true;
	}
	return reader.is_broken || is_of_quirks(public_id, system_id);
}

static struct order_links *links_of(const struct tree_order *order,
				    uint32_t item)
{
	const uint32_t index = item & ~ITEM_IS_TEXT;

	assert(order->is_kept && item != NO_ITEM);
	assert(index < ((item & ITEM_IS_TEXT) != 0 ? order->text_count
						   : order->node_count));
	return (item & ITEM_IS_TEXT) != 0 ? &order->texts[index]
					  : &order->nodes[index];
}

void order_add(struct tree_order *order, uint32_t item)
{
	static const struct order_links none = {NO_NODE, NO_ITEM, NO_ITEM,
						NO_ITEM, NO_ITEM};

	if ((item & ITEM_IS_TEXT) != 0) {
		order->texts = mem_grow(order->texts, order->text_count,
					&order->text_capacity, sizeof(none));
		order->texts[order->text_count++] = none;
	} else {
		order->nodes = mem_grow(order->nodes, order->node_count,
					&order->node_capacity, sizeof(none));
		order->nodes[order->node_count++] = none;
	}
}

void order_insert(struct tree_order *order, uint32_t item, uint32_t parent,
		  uint32_t before)
{
	struct order_links *links = links_of(order, item);
	struct order_links *owner = links_of(order, parent);

	assert(links->parent == NO_NODE && item != parent);
	assert(before == NO_ITEM || links_of(order, before)->parent == parent);
	links->parent = parent;
	links->next = before;
	links->previous = before == NO_ITEM ? owner->last
					    : links_of(order, before)->previous;
	if (links->previous == NO_ITEM)
		owner->first = item;
	else
		links_of(order, links->previous)->next = item;
	if (before == NO_ITEM)
		owner->last = item;
	else
		links_of(order, before)->previous = item;
}

void order_remove(struct tree_order *order, uint32_t item)
{
	struct order_links *links = links_of(order, item);

	if (links->parent == NO_NODE)
		return;
	if (links->previous == NO_ITEM)
		links_of(order, links->parent)->first = links->next;
	else
		links_of(order, links->previous)->next = links->next;
	if (links->next == NO_ITEM)
		links_of(order, links->parent)->last = links->previous;
	else
		links_of(order, links->next)->previous = links->previous;
	links->parent = NO_NODE;
}

void order_move(struct tree_order *order, uint32_t from, uint32_t to)
{
	struct order_links *source = links_of(order, from);
	struct order_links *target = links_of(order, to);

	assert(from != to);
	if (source->first == NO_ITEM)
		return;
	for (uint32_t item = source->first; item != NO_ITEM;
	     item = links_of(order, item)->next)
		links_of(order, item)->parent = to;
	links_of(order, source->first)->previous = target->last;
	if (target->last == NO_ITEM)
		target->first = source->first;
	else
		links_of(order, target->last)->next = source->first;
	target->last = source->last;
	source->first = NO_ITEM;
	source->last = NO_ITEM;
}

void order_begin(struct tree_order *order, struct tree_arrays arrays)
{
	uint32_t text = 0;

	assert(!order->is_kept && order->node_count == 0);
	order->is_kept = true;
	for (uint32_t i = 0; i <= arrays.node_count; i++) {
		const uint32_t until = i < arrays.node_count
					       ? arrays.nodes[i].first_text
					       : arrays.text_count;

		for (; text < until; text++) {
			order_add(order, text | ITEM_IS_TEXT);
			order_insert(order, text | ITEM_IS_TEXT,
				     arrays.texts[text].node, NO_ITEM);
		}
		if (i == arrays.node_count)
			break;
		order_add(order, i);
		if (arrays.nodes[i].parent != NO_NODE)
			order_insert(order, i, arrays.nodes[i].parent, NO_ITEM);
	}
	assert(text == arrays.text_count);
}

/*
 * A walk over the items of the tree in document order. It copies them from the
 * arrays `from` to the arrays `to`.
 */
struct tree_order_walk {
	const struct tree_order *order;
	struct tree_arrays from;
	struct tree_arrays to;
	uint32_t *new_index; /* [from.node_count] for each visited node its
				index in `to` */
	uint32_t *new_texts; /* [from.text_count] for each visited text its
				index in `to` */
	uint32_t depth;      /* depth of the current item */
};

static void tree_order_take_item(struct tree_order_walk *walk, uint32_t item)
{
	const uint32_t parent = links_of(walk->order, item)->parent;
	const uint32_t owner =
		parent == NO_NODE ? NO_NODE : walk->new_index[parent];

	if ((item & ITEM_IS_TEXT) != 0) {
		struct text *text = &walk->to.texts[walk->to.text_count++];

		*text = walk->from.texts[item & ~ITEM_IS_TEXT];
		walk->new_texts[item & ~ITEM_IS_TEXT] = walk->to.text_count - 1;
		text->node = owner;
	} else {
		struct node *node = &walk->to.nodes[walk->to.node_count];

		walk->new_index[item] = walk->to.node_count++;
		*node = walk->from.nodes[item];
		node->parent = owner;
		node->first_text = walk->to.text_count;
	}
}

/*
 * Return the next item that is not a descendant of `item`; NO_ITEM at the end.
 */
static uint32_t tree_order_leave_item(struct tree_order_walk *walk,
				      uint32_t item)
{
	const struct order_links *links = links_of(walk->order, item);

	while (links->next == NO_ITEM && links->parent != NO_NODE) {
		links = links_of(walk->order, links->parent);
		walk->depth--;
	}
	return links->next;
}

/*
 * Sort the arrays into the order of the tree, which `order` contains. Set
 * parent and first_text of the nodes, and node of the texts. Items that are
 * deeper than `max_depth`, or have no position, are dropped; *is_cut_out is
 * whether an item was too deep. text_ranks [old number of texts] gets the new
 * index of each old text, or NO_ITEM. Return new arrays from malloc(), and free
 * the old ones.
 */
static struct tree_arrays order_sort(struct tree_order *order,
				     struct tree_arrays arrays,
				     uint32_t max_depth, uint32_t *text_ranks,
				     bool *is_cut_out)
{
	struct tree_order_walk walk = {
		.order = order,
		.from = arrays,
		.to.nodes = mem_alloc(arrays.node_count, sizeof(struct node)),
		.to.texts =
			mem_alloc(arrays.text_count + 1, sizeof(struct text)),
		.new_index = mem_alloc(arrays.node_count, sizeof(uint32_t)),
		.new_texts = text_ranks,
	};
	uint32_t item = 0;

	assert(arrays.node_count > 0 && order->node_count == arrays.node_count);
	*is_cut_out = false;
	for (uint32_t i = 0; i < arrays.text_count; i++)
		text_ranks[i] = NO_ITEM;
	while (item != NO_ITEM) {
		const bool is_text = (item & ITEM_IS_TEXT) != 0;

		tree_order_take_item(&walk, item);
		if (is_text || links_of(order, item)->first == NO_ITEM) {
			item = tree_order_leave_item(&walk, item);
		} else if (walk.depth + 1 == max_depth) {
			*is_cut_out = true;
			item = tree_order_leave_item(&walk, item);
		} else {
			walk.depth++;
			item = links_of(order, item)->first;
		}
	}
	assert(walk.to.node_count <= arrays.node_count);
	assert(walk.to.text_count <= arrays.text_count);
	free(walk.new_index);
	free(arrays.nodes);
	free(arrays.texts);
	return walk.to;
}

/*
 * Sizes of the source for each item, to estimate the number of items. Most
 * pages have more source for each item.
 */
enum {
	SOURCE_PER_NODE = 64,
	SOURCE_PER_TEXT = 128,
	SOURCE_PER_ATTRIBUTE = 48,
};

/* --- reading tokens --- */

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

static bool is_all_space(const char *at, const char *end)
{
	while (at < end && is_space(*at))
		at++;
	return at == end;
}

/* Store the tag of the token in page->tags; `end` is 0 or TAG_IS_END. */
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
	if (cursor.is_cut) {
		/*
		 * HTML drops a tag that is not complete at the end of the page
		 */
		tree->attributes.count = token->first_attribute;
		return end;
	}
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

/* Handle a CDATA section in SVG or MathML. Its content is text. */
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
	if (tree->mode == MODE_INITIAL && end - at >= 9 &&
	    text_is((struct slice){at, 9}, "<!doctype")) {
		tree->is_quirky = doctype_is_quirky(
			(struct slice){at, (size_t)(close - at)});
		tree->mode = MODE_BEFORE_HTML;
	}
	return close;
}

/* Handle the content of an element that contains only text. */
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

/* --- finishing the tree --- */

/*
 * Return the end of the source of an element without an end tag. It is the
 * position of the last </body> or </html> if nothing follows that tag,
 * otherwise the end of the page.
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

/*
 * Set the end of the source of a node. Elements that the parser itself inserts
 * after </body> are empty.
 */
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

/*
 * Set the depth of each node, and add the flags that it inherits from its
 * parent.
 */
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

/* Set end and end_text of each node from its descendants. */
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

/* Give an array from malloc() to the arena, without its unused memory. */
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
 * Allocate the memory that most pages of this size need. Memory that is not
 * used costs nothing.
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
	free(tree->order.nodes);
	free(tree->order.texts);
	free(tree->open);
	free(tree);
}
