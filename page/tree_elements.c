#include <assert.h>

#include "base/arena.h"
#include "base/memory.h"
#include "page/entity.h"
#include "page/page.h"
#include "page/scanner.h"
#include "page/tree_modes.h"

enum {
	OF_TABLE = IS_SPECIAL | IS_TABLE_PART,
	ENDS_SCOPES = IS_SPECIAL | IS_SCOPE | IS_LIST_SCOPE | IS_BUTTON_SCOPE,
	ENDS_ALL = ENDS_SCOPES | IS_TABLE_SCOPE,
	OF_PARAGRAPH = IS_SPECIAL | IS_IMPLIED | IS_IMPLIED_THOROUGHLY,
	OF_COLUMNS = IS_SPECIAL | IS_IMPLIED_THOROUGHLY,
	OF_ROWS = OF_TABLE | IS_IMPLIED_THOROUGHLY,
	OF_CELL = ENDS_SCOPES | IS_IMPLIED_THOROUGHLY,
	OF_HEADING = IS_SPECIAL | IS_HEADING,
	OF_LIST = IS_SPECIAL | IS_LIST_SCOPE,
	OF_BUTTON = IS_SPECIAL | IS_BUTTON_SCOPE,
	OF_TABLES = ENDS_ALL | IS_TABLE_PART,
	ENDS_ITSELF = IS_IMPLIED | IS_IMPLIED_THOROUGHLY,
};

/* The categories of the elements, 13.2.4.2 and 13.2.6.3. */
static const uint16_t categories[TAG_COUNT] = {
	[TAG_a] = IS_FORMATTING,      [TAG_address] = IS_SPECIAL,
	[TAG_applet] = ENDS_SCOPES,   [TAG_area] = IS_SPECIAL,
	[TAG_article] = IS_SPECIAL,   [TAG_aside] = IS_SPECIAL,
	[TAG_b] = IS_FORMATTING,      [TAG_base] = IS_SPECIAL,
	[TAG_basefont] = IS_SPECIAL,  [TAG_bgsound] = IS_SPECIAL,
	[TAG_big] = IS_FORMATTING,    [TAG_blockquote] = IS_SPECIAL,
	[TAG_body] = IS_SPECIAL,      [TAG_br] = IS_SPECIAL,
	[TAG_button] = OF_BUTTON,     [TAG_caption] = OF_CELL,
	[TAG_center] = IS_SPECIAL,    [TAG_code] = IS_FORMATTING,
	[TAG_col] = IS_SPECIAL,       [TAG_colgroup] = OF_COLUMNS,
	[TAG_dd] = OF_PARAGRAPH,      [TAG_details] = IS_SPECIAL,
	[TAG_dir] = IS_SPECIAL,       [TAG_div] = IS_SPECIAL,
	[TAG_dl] = IS_SPECIAL,        [TAG_dt] = OF_PARAGRAPH,
	[TAG_em] = IS_FORMATTING,     [TAG_embed] = IS_SPECIAL,
	[TAG_fieldset] = IS_SPECIAL,  [TAG_figcaption] = IS_SPECIAL,
	[TAG_figure] = IS_SPECIAL,    [TAG_font] = IS_FORMATTING,
	[TAG_footer] = IS_SPECIAL,    [TAG_form] = IS_SPECIAL,
	[TAG_frame] = IS_SPECIAL,     [TAG_frameset] = IS_SPECIAL,
	[TAG_h1] = OF_HEADING,        [TAG_h2] = OF_HEADING,
	[TAG_h3] = OF_HEADING,        [TAG_h4] = OF_HEADING,
	[TAG_h5] = OF_HEADING,        [TAG_h6] = OF_HEADING,
	[TAG_head] = IS_SPECIAL,      [TAG_header] = IS_SPECIAL,
	[TAG_hgroup] = IS_SPECIAL,    [TAG_hr] = IS_SPECIAL,
	[TAG_html] = ENDS_ALL,        [TAG_i] = IS_FORMATTING,
	[TAG_iframe] = IS_SPECIAL,    [TAG_img] = IS_SPECIAL,
	[TAG_input] = IS_SPECIAL,     [TAG_keygen] = IS_SPECIAL,
	[TAG_li] = OF_PARAGRAPH,      [TAG_link] = IS_SPECIAL,
	[TAG_listing] = IS_SPECIAL,   [TAG_main] = IS_SPECIAL,
	[TAG_marquee] = ENDS_SCOPES,  [TAG_menu] = IS_SPECIAL,
	[TAG_meta] = IS_SPECIAL,      [TAG_nav] = IS_SPECIAL,
	[TAG_nobr] = IS_FORMATTING,   [TAG_noembed] = IS_SPECIAL,
	[TAG_noframes] = IS_SPECIAL,  [TAG_noscript] = IS_SPECIAL,
	[TAG_object] = ENDS_SCOPES,   [TAG_ol] = OF_LIST,
	[TAG_optgroup] = ENDS_ITSELF, [TAG_option] = ENDS_ITSELF,
	[TAG_p] = OF_PARAGRAPH,       [TAG_param] = IS_SPECIAL,
	[TAG_plaintext] = IS_SPECIAL, [TAG_pre] = IS_SPECIAL,
	[TAG_rb] = ENDS_ITSELF,       [TAG_rp] = ENDS_ITSELF,
	[TAG_rt] = ENDS_ITSELF,       [TAG_rtc] = ENDS_ITSELF,
	[TAG_s] = IS_FORMATTING,      [TAG_script] = IS_SPECIAL,
	[TAG_search] = IS_SPECIAL,    [TAG_section] = IS_SPECIAL,
	[TAG_select] = ENDS_SCOPES,   [TAG_small] = IS_FORMATTING,
	[TAG_source] = IS_SPECIAL,    [TAG_strike] = IS_FORMATTING,
	[TAG_strong] = IS_FORMATTING, [TAG_style] = IS_SPECIAL,
	[TAG_summary] = IS_SPECIAL,   [TAG_table] = OF_TABLES,
	[TAG_tbody] = OF_ROWS,        [TAG_td] = OF_CELL,
	[TAG_template] = ENDS_ALL,    [TAG_textarea] = IS_SPECIAL,
	[TAG_tfoot] = OF_ROWS,        [TAG_th] = OF_CELL,
	[TAG_thead] = OF_ROWS,        [TAG_title] = IS_SPECIAL,
	[TAG_tr] = OF_ROWS,           [TAG_track] = IS_SPECIAL,
	[TAG_tt] = IS_FORMATTING,     [TAG_u] = IS_FORMATTING,
	[TAG_ul] = OF_LIST,           [TAG_wbr] = IS_SPECIAL,
	[TAG_xmp] = IS_SPECIAL,
};

/* The TEXT_* flags of texts inside each element. */
static const uint8_t text_flags[TAG_COUNT] = {
	[TAG_head] = TEXT_IS_TITLE,        [TAG_title] = TEXT_IS_TITLE,
	[TAG_noscript] = TEXT_IS_NOSCRIPT, [TAG_button] = TEXT_IS_CONTROL,
	[TAG_select] = TEXT_IS_CONTROL,    [TAG_option] = TEXT_IS_CONTROL,
	[TAG_optgroup] = TEXT_IS_CONTROL,  [TAG_datalist] = TEXT_IS_CONTROL,
	[TAG_textarea] = TEXT_IS_CONTROL,  [TAG_label] = TEXT_IS_CONTROL,
	[TAG_template] = TEXT_IS_TEMPLATE, [TAG_svg] = TEXT_IS_TEMPLATE,
	[TAG_iframe] = TEXT_IS_TEMPLATE,   [TAG_noembed] = TEXT_IS_TEMPLATE,
	[TAG_noframes] = TEXT_IS_TEMPLATE,
};

/* --- the stack of open elements --- */

void tree_push(struct tree_builder *tree, struct open_element element)
{
	tree->open = mem_grow(tree->open, tree->depth, &tree->open_capacity,
			      sizeof(element));
	tree->open[tree->depth++] = element;
	if (element.name < MAX_NAMES)
		tree->open_names[element.name]++;
}

static void tree_uncount_open(struct tree_builder *tree,
			      struct open_element element)
{
	if (element.name < MAX_NAMES) {
		assert(tree->open_names[element.name] > 0);
		tree->open_names[element.name]--;
	}
	if ((element.category & IS_FORMATTING) != 0) {
		uint32_t entry = tree_find_formatting(tree, element.node);

		if (entry != NO_NODE)
			tree->formatting[entry].is_open = false;
	}
}

/*
 * Return the position at which the source of an element ends that the token
 * closes.
 */
static uint32_t tree_end_of_element(struct tree_builder *tree,
				    struct open_element element)
{
	struct tree_token *token = &tree->token;

	if (token->kind != TOKEN_END || token->has_closed ||
	    tree->nodes[element.node].tag != token->tag)
		return token->source.begin;
	token->has_closed = true;
	return token->source.end;
}

void tree_pop(struct tree_builder *tree)
{
	struct open_element element;

	assert(tree->depth > 0);
	element = tree->open[--tree->depth];
	tree_uncount_open(tree, element);
	tree->nodes[element.node].source.end =
		tree_end_of_element(tree, element);
}

void tree_pop_until(struct tree_builder *tree, uint16_t name)
{
	assert(tree_has_open(tree, name));
	while (!tree_top_is(tree, name))
		tree_pop(tree);
	tree_pop(tree);
}

void tree_remove_open(struct tree_builder *tree, uint32_t index)
{
	struct open_element element = tree->open[index];

	assert(index < tree->depth);
	tree_uncount_open(tree, element);
	tree->nodes[element.node].source.end =
		tree_end_of_element(tree, element);
	memmove(tree->open + index, tree->open + index + 1,
		(--tree->depth - index) * sizeof(element));
}

uint32_t tree_find_open(const struct tree_builder *tree, uint32_t node)
{
	for (uint32_t i = tree->depth; i-- > 0;)
		if (tree->open[i].node == node)
			return i;
	return NO_NODE;
}

bool tree_in_scope(const struct tree_builder *tree, uint16_t name,
		   unsigned category)
{
	if (!tree_has_open(tree, name))
		return false;
	for (uint32_t i = tree->depth; i-- > 0;) {
		if (tree->open[i].name == name)
			return true;
		if ((tree->open[i].category & category) != 0)
			return false;
	}
	return false;
}

void tree_close_implied(struct tree_builder *tree, uint16_t except)
{
	while ((tree_top(tree)->category & IS_IMPLIED) != 0 &&
	       tree_top(tree)->name != except)
		tree_pop(tree);
}

void tree_close_implied_thoroughly(struct tree_builder *tree)
{
	while ((tree_top(tree)->category & IS_IMPLIED_THOROUGHLY) != 0)
		tree_pop(tree);
}

void tree_close_paragraph(struct tree_builder *tree)
{
	if (!tree_in_scope(tree, TAG_p, IS_BUTTON_SCOPE))
		return;
	tree_close_implied(tree, TAG_p);
	tree_pop_until(tree, TAG_p);
}

/* --- positions --- */

static uint32_t tree_parent_of(const struct tree_builder *tree, uint32_t node)
{
	return tree->order.is_kept ? tree->order.nodes[node].parent
				   : tree->nodes[node].parent;
}

/*
 * Return the index of the last element with this name on the stack; NO_NODE if
 * none exists.
 */
static uint32_t last_open(const struct tree_builder *tree, uint16_t name)
{
	uint32_t i = tree_has_open(tree, name) ? tree->depth : 0;

	while (i-- > 0)
		if (tree->open[i].name == name)
			return i;
	return NO_NODE;
}

static struct tree_position
tree_foster_position(const struct tree_builder *tree)
{
	uint32_t template = last_open(tree, TAG_template);
	uint32_t table = last_open(tree, TAG_table);
	uint32_t parent;

	if (template != NO_NODE && (table == NO_NODE || template > table))
		return (struct tree_position){tree->open[template].node,
					      NO_NODE};
	if (table == NO_NODE)
		return (struct tree_position){tree->open[0].node, NO_NODE};
	parent = tree_parent_of(tree, tree->open[table].node);
	if (parent != NO_NODE)
		return (struct tree_position){parent, tree->open[table].node};
	assert(table > 0);
	return (struct tree_position){tree->open[table - 1].node, NO_NODE};
}

struct tree_position tree_insert_position(const struct tree_builder *tree,
					  const struct open_element *target)
{
	if (tree->fosters && (target->category & IS_TABLE_PART) != 0)
		return tree_foster_position(tree);
	return (struct tree_position){target->node, NO_NODE};
}

void tree_begin_order(struct tree_builder *tree)
{
	if (!tree->order.is_kept)
		order_begin(&tree->order,
			    (struct tree_arrays){tree->nodes, tree->node_count,
						 tree->texts,
						 tree->text_count});
}

/*
 * Return the position of a new node or text. If it is not at the end of the
 * tree, begin to store the order.
 */
static struct tree_position tree_new_position(struct tree_builder *tree)
{
	struct tree_position place;

	if (tree->depth == 0)
		return (struct tree_position){NO_NODE, NO_NODE};
	place = tree_insert_position(tree, tree_top(tree));
	if (place.parent != tree_top(tree)->node)
		tree_begin_order(tree);
	return place;
}

/* --- inserting elements --- */

void tree_stop(struct tree_builder *tree)
{
	tree->page->is_truncated = true;
	tree->is_stopped = true;
}

/* Add a node to the arrays. Return false if a limit is exceeded. */
static bool tree_add_node(struct tree_builder *tree, struct node node,
			  struct tree_position place)
{
	node.parent = place.parent;
	node.first_text = tree->text_count;
	if (place.parent != NO_NODE)
		node.depth = (uint16_t)(tree->nodes[place.parent].depth + 1);
	if (node.depth >= tree->limits->max_depth ||
	    tree->depth >= tree->limits->max_depth ||
	    tree->node_count >= tree->limits->max_nodes) {
		tree_stop(tree);
		return false;
	}
	tree->nodes = mem_grow(tree->nodes, tree->node_count,
			       &tree->node_capacity, sizeof(node));
	tree->nodes[tree->node_count] = node;
	if (tree->order.is_kept) {
		order_add(&tree->order, tree->node_count);
		if (place.parent != NO_NODE)
			order_insert(&tree->order, tree->node_count,
				     place.parent, place.before);
	}
	tree->node_count++;
	return true;
}

/* Return a node for the current token. Its source is the tag. */
static struct node node_of_token(const struct tree_builder *tree)
{
	const struct tree_token *token = &tree->token;
	const uint16_t tag = token->tag;
	unsigned flags = token->flags;

	if (tag != TAG_a)
		flags &= ~(unsigned)TEXT_IS_LINK;
	if (tag < TAG_COUNT)
		flags |= text_flags[tag];
	/* a declarative shadow root is shown, and is in its host */
	if (tag == TAG_template &&
	    tree_attribute(tree, "shadowrootmode").size > 0)
		flags = token->flags;
	return (struct node){
		.first_attribute = token->first_attribute,
		.attribute_count = token->attribute_count,
		.tag = tag,
		.flags = (uint16_t)flags,
		.source = token->source,
	};
}

void tree_insert(struct tree_builder *tree)
{
	const uint16_t tag = tree->token.tag;

	if (tree_add_node(tree, node_of_token(tree), tree_new_position(tree)))
		tree_push(tree, (struct open_element){
					tree->node_count - 1, tag,
					tag < TAG_COUNT ? categories[tag] : 0});
}

void tree_insert_implied(struct tree_builder *tree, uint16_t tag)
{
	const uint32_t begin = tree->token.source.begin;
	const struct node node = {
		.first_attribute = tree->attributes.count,
		.tag = tag,
		.flags = text_flags[tag],
		.source = {begin, begin},
	};

	assert(tag < TAG_COUNT);
	if (tree_add_node(tree, node, tree_new_position(tree)))
		tree_push(tree, (struct open_element){tree->node_count - 1, tag,
						      categories[tag]});
}

void tree_insert_void(struct tree_builder *tree)
{
	tree_add_node(tree, node_of_token(tree), tree_new_position(tree));
}

void tree_insert_raw(struct tree_builder *tree)
{
	const uint32_t depth = tree->depth;

	tree_insert(tree);
	if (tree->depth == depth)
		return;
	tree->raw = tree->token.tag;
	tree->is_in_raw = true;
}

/*
 * Return whether the value is text/html or application/xhtml+xml, in any case.
 */
static bool is_html_encoding(struct slice value)
{
	return text_is(value, "text/html") ||
	       text_is(value, "application/xhtml+xml");
}

static uint16_t category_of_svg(uint16_t tag)
{
	if (tag == TAG_foreignobject || tag == TAG_desc || tag == TAG_title)
		return IS_FOREIGN | IS_HTML_POINT | ENDS_SCOPES;
	return IS_FOREIGN;
}

/*
 * Return the categories of an annotation-xml element with the attributes of the
 * token.
 */
static uint16_t category_of_annotation(const struct tree_builder *tree)
{
	unsigned category = IS_FOREIGN | IS_ANNOTATION | ENDS_SCOPES;

	if (is_html_encoding(tree_attribute(tree, "encoding")))
		category |= IS_HTML_POINT;
	return (uint16_t)category;
}

static uint16_t category_of_mathml(const struct tree_builder *tree,
				   uint16_t tag)
{
	switch (tag) {
	case TAG_mi:
	case TAG_mo:
	case TAG_mn:
	case TAG_ms:
	case TAG_mtext:
		return IS_FOREIGN | IS_TEXT_POINT | ENDS_SCOPES;
	default:
		if (tag < TAG_COUNT ||
		    !text_is(tree->numbers.names[tag - TAG_COUNT],
			     "annotation-xml"))
			return IS_FOREIGN;
		return category_of_annotation(tree);
	}
}

void tree_insert_foreign(struct tree_builder *tree, uint16_t space)
{
	const uint16_t tag = tree->token.tag;
	struct node node = node_of_token(tree);

	node.flags |= space == NAME_IS_SVG ? NODE_IS_SVG : NODE_IS_MATHML;
	if (tag != TAG_svg && tag < TAG_COUNT)
		node.flags &= (uint16_t)~text_flags[tag];
	if (!tree_add_node(tree, node, tree_new_position(tree)) ||
	    tree->token.is_empty)
		return;
	tree_push(tree, (struct open_element){
				tree->node_count - 1, (uint16_t)(tag | space),
				space == NAME_IS_SVG
					? category_of_svg(tag)
					: category_of_mathml(tree, tag)});
}

uint32_t tree_clone(struct tree_builder *tree, uint32_t node)
{
	struct node copy = tree->nodes[node];

	assert(tree->order.is_kept);
	copy.depth = 0;
	copy.source = (struct span){tree->token.source.begin,
				    tree->token.source.begin};
	return tree_add_node(tree, copy,
			     (struct tree_position){NO_NODE, NO_NODE})
		       ? tree->node_count - 1
		       : NO_NODE;
}

struct slice tree_attribute(const struct tree_builder *tree, const char *name)
{
	const struct tree_token *token = &tree->token;

	for (uint32_t i = 0; i < token->attribute_count; i++) {
		const struct attribute *attribute =
			&tree->attributes.items[token->first_attribute + i];

		if (text_is(attribute->name, name))
			return attribute->value;
	}
	return (struct slice){NULL, 0};
}

void tree_merge_attributes(struct tree_builder *tree, uint32_t node)
{
	const struct tree_token *token = &tree->token;
	struct node *owner = &tree->nodes[node];
	struct attribute_range range = {owner->first_attribute,
					owner->attribute_count};

	owner->flags |= token->flags & TEXT_IS_HIDDEN;
	attribute_list_merge(&tree->attributes, &range,
			     (struct attribute_range){
				     token->first_attribute,
				     token->attribute_count,
			     });
	owner->first_attribute = range.first;
	owner->attribute_count = range.count;
}

/* --- inserting texts --- */

/*
 * Decode the source of a text to `out`, and return its length. Most texts have
 * no reference, and most pages have no CR.
 */
static size_t tree_decode_text(const struct tree_builder *tree,
			       struct slice raw, char *out)
{
	if (!tree->token.is_raw && memchr(raw.data, '&', raw.size) != NULL)
		return entity_decode(raw, false, out);
	if (tree->attributes.has_returns)
		return line_ends(raw, out);
	memcpy(out, raw.data, raw.size);
	return raw.size;
}

void tree_insert_text(struct tree_builder *tree)
{
	struct span source = tree->token.source;
	const uint32_t begin = source.begin + tree->token.skip;
	const struct slice raw = {tree->source + begin, source.end - begin};
	struct tree_position place;
	struct text text = {.source = source};
	char *out;

	if (tree->token.is_blank || tree->depth == 0)
		return;
	out = buffer_reserve(&tree->text, entity_room(raw.size));
	text.length = (uint32_t)tree_decode_text(tree, raw, out);
	if (text_is_blank((struct slice){out, text.length}))
		return;
	if (tree->text_count == tree->max_items) {
		tree_stop(tree);
		return;
	}
	place = tree_new_position(tree);
	text.begin = (uint32_t)tree->text.size;
	text.node = place.parent;
	tree->text.size += text.length;
	tree->texts = mem_grow(tree->texts, tree->text_count,
			       &tree->text_capacity, sizeof(text));
	tree->texts[tree->text_count] = text;
	if (tree->order.is_kept) {
		order_add(&tree->order, tree->text_count | ITEM_IS_TEXT);
		order_insert(&tree->order, tree->text_count | ITEM_IS_TEXT,
			     place.parent, place.before);
	}
	tree->text_count++;
	tree->last_begin = source.begin;
}
