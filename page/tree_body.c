#include <assert.h>

#include "page/scanner.h"
#include "page/tree_modes.h"

uint32_t tree_find_formatting(const struct tree_builder *tree, uint32_t node)
{
	for (uint32_t i = tree->formatting_count; i-- > 0;)
		if (tree->formatting[i].node == node)
			return i;
	return NO_NODE;
}

uint32_t tree_find_format(const struct tree_builder *tree, uint16_t name)
{
	for (uint32_t i = tree->formatting_count; i-- > 0;) {
		if (tree->formatting[i].node == NO_NODE)
			return NO_NODE;
		if (tree->formatting[i].name == name)
			return i;
	}
	return NO_NODE;
}

void tree_remove_formatting(struct tree_builder *tree, uint32_t index)
{
	assert(index < tree->formatting_count);
	memmove(tree->formatting + index, tree->formatting + index + 1,
		(--tree->formatting_count - index) * sizeof(*tree->formatting));
}

static void insert_entry(struct tree_builder *tree, uint32_t index,
			 struct formatting entry)
{
	if (tree->formatting_count == MAX_FORMATTING) {
		tree_remove_formatting(tree, 0);
		index -= index > 0;
	}
	assert(index <= tree->formatting_count);
	memmove(tree->formatting + index + 1, tree->formatting + index,
		(tree->formatting_count++ - index) * sizeof(entry));
	tree->formatting[index] = entry;
}

void tree_add_marker(struct tree_builder *tree)
{
	insert_entry(tree, tree->formatting_count,
		     (struct formatting){.node = NO_NODE});
}

void tree_clear_to_marker(struct tree_builder *tree)
{
	while (tree->formatting_count > 0 &&
	       tree->formatting[--tree->formatting_count].node != NO_NODE)
		;
}

/*
 * Return whether the entry has the name and the attributes of `other`. The
 * attributes of an entry are hashed when they are compared for the first time.
 */
static bool formatting_equals(struct tree_builder *tree,
			      struct formatting *entry,
			      struct formatting *other)
{
	struct formatting *both[] = {entry, other};

	if (entry->name != other->name ||
	    tree->nodes[entry->node].attribute_count !=
		    tree->nodes[other->node].attribute_count)
		return false;
	for (size_t i = 0; i < 2; i++) {
		const struct node *node = &tree->nodes[both[i]->node];

		if (both[i]->is_hashed)
			continue;
		both[i]->is_hashed = true;
		both[i]->attributes = attribute_list_hash(
			&tree->attributes,
			(struct attribute_range){node->first_attribute,
						 node->attribute_count});
	}
	return entry->attributes == other->attributes;
}

/*
 * The "Noah's Ark clause" of the standard: if the list contains three entries
 * after the last marker that equal `entry`, remove the first of them.
 */
static void formatting_remove_fourth(struct tree_builder *tree,
				     struct formatting *entry)
{
	uint32_t count = 0;
	uint32_t first = 0;

	for (uint32_t i = tree->formatting_count; i-- > 0;) {
		if (tree->formatting[i].node == NO_NODE)
			break;
		if (formatting_equals(tree, &tree->formatting[i], entry)) {
			first = i;
			count++;
		}
	}
	if (count >= 3)
		tree_remove_formatting(tree, first);
}

void tree_format(struct tree_builder *tree)
{
	const struct open_element *top = tree_top(tree);
	struct formatting entry = {
		.node = top->node,
		.name = top->name,
		.is_open = true,
	};

	if (tree->is_stopped || (top->category & IS_FORMATTING) == 0)
		return;
	formatting_remove_fourth(tree, &entry);
	insert_entry(tree, tree->formatting_count, entry);
}

void tree_reconstruct_slowly(struct tree_builder *tree)
{
	const struct tree_token token = tree->token;
	uint32_t first = tree->formatting_count;

	while (first > 0 && tree->formatting[first - 1].node != NO_NODE &&
	       !tree->formatting[first - 1].is_open)
		first--;
	for (uint32_t i = first; i < tree->formatting_count; i++) {
		const struct node *node =
			&tree->nodes[tree->formatting[i].node];

		tree->token.tag = node->tag;
		tree->token.first_attribute = node->first_attribute;
		tree->token.attribute_count = node->attribute_count;
		tree->token.flags = node->flags;
		tree->token.source.end = tree->token.source.begin;
		tree_insert(tree);
		if (tree->is_stopped)
			break;
		tree->formatting[i].node = tree_top(tree)->node;
		tree->formatting[i].is_open = true;
	}
	tree->token = token;
}

/* --- adoption agency algorithm --- */

struct adoption_agency {
	uint32_t format;   /* index of the formatting element in the list */
	uint32_t element;  /* index of the formatting element on the stack */
	uint32_t block;    /* index of the furthest block on the stack */
	uint32_t bookmark; /* index in the list at which the new entry is
			      inserted */
};

/*
 * Return the index on the stack of the furthest block; NO_NODE if none exists.
 */
static uint32_t furthest_block(const struct tree_builder *tree,
			       uint32_t element)
{
	for (uint32_t i = element + 1; i < tree->depth; i++)
		if ((tree->open[i].category & IS_SPECIAL) != 0)
			return i;
	return NO_NODE;
}

static void formatting_put_node(struct tree_builder *tree, uint32_t node,
				struct tree_position place)
{
	order_remove(&tree->order, node);
	order_insert(&tree->order, node, place.parent, place.before);
}

static void formatting_remove(struct tree_builder *tree,
			      struct adoption_agency *adoption, uint32_t entry)
{
	tree_remove_formatting(tree, entry);
	adoption->format -= entry < adoption->format;
	adoption->bookmark -= entry < adoption->bookmark;
}

/*
 * Replace an element by a copy of it, on the stack (at `index`) and in the list
 * (at `entry`). Return false if a limit is exceeded.
 */
static bool formatting_replace(struct tree_builder *tree, uint32_t index,
			       uint32_t entry)
{
	uint32_t copy = tree_clone(tree, tree->open[index].node);

	if (copy == NO_NODE)
		return false;
	tree->nodes[tree->open[index].node].source.end =
		tree->token.source.begin;
	tree->open[index].node = copy;
	tree->formatting[entry].node = copy;
	return true;
}

/*
 * Steps 13 and 14 of the algorithm: copy the elements between the furthest
 * block and the formatting element, and move what is below these elements into
 * the copies. Return the last node; NO_NODE if a limit is exceeded.
 */
static uint32_t move_between(struct tree_builder *tree,
			     struct adoption_agency *adoption)
{
	uint32_t last = tree->open[adoption->block].node;
	bool is_first = true;
	unsigned counter = 0;

	for (uint32_t i = adoption->block; --i > adoption->element;) {
		uint32_t entry = tree_find_formatting(tree, tree->open[i].node);

		if (++counter > 3 && entry != NO_NODE) {
			formatting_remove(tree, adoption, entry);
			entry = NO_NODE;
		}
		if (entry == NO_NODE) {
			tree_remove_open(tree, i);
			adoption->block--;
			continue;
		}
		if (!formatting_replace(tree, i, entry))
			return NO_NODE;
		if (is_first)
			adoption->bookmark = entry + 1;
		is_first = false;
		formatting_put_node(
			tree, last,
			(struct tree_position){tree->open[i].node, NO_ITEM});
		last = tree->open[i].node;
	}
	return last;
}

/* Steps 15 to 19 of the algorithm. Return false if a limit is exceeded. */
static bool adoption_move_block(struct tree_builder *tree,
				struct adoption_agency *adoption)
{
	const uint32_t block = tree->open[adoption->block].node;
	const struct open_element old = tree->open[adoption->element];
	struct formatting entry = tree->formatting[adoption->format];

	entry.node = tree_clone(tree, old.node);
	entry.is_open = true;
	if (entry.node == NO_NODE)
		return false;
	tree->nodes[entry.node].source.begin = tree->nodes[block].source.begin;
	order_move(&tree->order, block, entry.node);
	order_insert(&tree->order, entry.node, block, NO_ITEM);
	tree_remove_formatting(tree, adoption->format);
	adoption->bookmark -= adoption->format < adoption->bookmark;
	insert_entry(tree, adoption->bookmark, entry);
	tree_remove_open(tree, adoption->element);
	tree_push(tree,
		  (struct open_element){entry.node, old.name, old.category});
	/*
	 * the block is now one position lower on the stack; the copy comes
	 * directly after it
	 */
	memmove(tree->open + adoption->block + 1, tree->open + adoption->block,
		(tree->depth - 1 - adoption->block) * sizeof(old));
	tree->open[adoption->block] =
		(struct open_element){entry.node, old.name, old.category};
	return true;
}

static bool adoption_run(struct tree_builder *tree,
			 struct adoption_agency *adoption)
{
	struct tree_position place;
	uint32_t last;

	tree_begin_order(tree);
	adoption->bookmark = adoption->format;
	last = move_between(tree, adoption);
	if (last == NO_NODE)
		return false;
	/* the common ancestor is directly above the formatting element */
	assert(adoption->element > 0);
	place = tree_insert_position(tree, &tree->open[adoption->element - 1]);
	formatting_put_node(tree, last, place);
	return adoption_move_block(tree, adoption);
}

enum adopted { ADOPTED_NONE, ADOPTED_ALL, ADOPTED_ONE };

/*
 * Do one round of the outer loop. NONE: there is no formatting element with
 * this tag. ONE: a further round may be necessary.
 */
static enum adopted adopt_once(struct tree_builder *tree, uint16_t subject)
{
	struct adoption_agency adoption = {
		.format = tree_find_format(tree, subject),
	};

	if (adoption.format == NO_NODE)
		return ADOPTED_NONE;
	if (!tree->formatting[adoption.format].is_open) {
		tree_remove_formatting(tree, adoption.format);
		return ADOPTED_ALL;
	}
	adoption.element =
		tree_find_open(tree, tree->formatting[adoption.format].node);
	assert(adoption.element != NO_NODE);
	for (uint32_t i = adoption.element + 1; i < tree->depth; i++)
		if ((tree->open[i].category & IS_SCOPE) != 0)
			return ADOPTED_ALL;
	adoption.block = furthest_block(tree, adoption.element);
	if (adoption.block != NO_NODE)
		return adoption_run(tree, &adoption) ? ADOPTED_ONE
						     : ADOPTED_ALL;
	while (tree->depth > adoption.element)
		tree_pop(tree);
	tree_remove_formatting(tree, adoption.format);
	return ADOPTED_ALL;
}

bool tree_adopt(struct tree_builder *tree, uint16_t subject)
{
	enum adopted adopted = ADOPTED_ONE;

	if (tree_top_is(tree, subject) &&
	    tree_find_formatting(tree, tree_top(tree)->node) == NO_NODE) {
		tree_pop(tree);
		return true;
	}
	for (int i = 0; i < 8 && adopted == ADOPTED_ONE; i++)
		adopted = adopt_once(tree, subject);
	return adopted != ADOPTED_NONE;
}

/* --- start tags in the body --- */

static bool tree_body_insert(struct tree_builder *tree)
{
	tree_insert(tree);
	return false;
}

static bool insert_block(struct tree_builder *tree)
{
	tree_close_paragraph(tree);
	return tree_body_insert(tree);
}

static bool insert_inline(struct tree_builder *tree)
{
	tree_reconstruct(tree);
	return tree_body_insert(tree);
}

static bool insert_formatting(struct tree_builder *tree)
{
	tree_reconstruct(tree);
	tree_insert(tree);
	tree_format(tree);
	return false;
}

static bool insert_heading(struct tree_builder *tree)
{
	tree_close_paragraph(tree);
	if ((tree_top(tree)->category & IS_HEADING) != 0)
		tree_pop(tree);
	return tree_body_insert(tree);
}

/*
 * Add the attributes of a second html or body tag that the element does not
 * have yet.
 */
static bool merge_html(struct tree_builder *tree)
{
	if (!tree_has_open(tree, TAG_template))
		tree_merge_attributes(tree, tree->open[0].node);
	return false;
}

static bool has_body(const struct tree_builder *tree)
{
	return tree->depth > 1 && tree->open[1].name == TAG_body;
}

static bool merge_body(struct tree_builder *tree)
{
	if (!has_body(tree) || tree_has_open(tree, TAG_template))
		return false;
	tree->allows_frameset = false;
	tree_merge_attributes(tree, tree->open[1].node);
	return false;
}

/* Replace an empty body by a frameset. */
static bool replace_body(struct tree_builder *tree)
{
	if (!has_body(tree) || !tree->allows_frameset)
		return false;
	tree_begin_order(tree);
	order_remove(&tree->order, tree->open[1].node);
	while (tree->depth > 1)
		tree_pop(tree);
	tree_insert(tree);
	tree->mode = MODE_IN_FRAMESET;
	return false;
}

static bool insert_pre(struct tree_builder *tree)
{
	tree_close_paragraph(tree);
	tree_insert(tree);
	tree->skips_newline = true;
	tree->allows_frameset = false;
	return false;
}

static bool insert_form(struct tree_builder *tree)
{
	const bool is_in_template = tree_has_open(tree, TAG_template);

	if (tree->form != NO_NODE && !is_in_template)
		return false;
	tree_close_paragraph(tree);
	tree_insert(tree);
	if (!is_in_template && !tree->is_stopped)
		tree->form = tree_top(tree)->node;
	return false;
}

/*
 * Insert an item: li, dd or dt. First close the item that is open, with the tag
 * `tag` or `other`.
 */
static bool insert_item(struct tree_builder *tree, uint16_t tag, uint16_t other)
{
	tree->allows_frameset = false;
	for (uint32_t i = tree->depth; i-- > 0;) {
		const struct open_element *element = &tree->open[i];

		if (element->name == tag || element->name == other) {
			const uint16_t name = element->name;

			tree_close_implied(tree, name);
			tree_pop_until(tree, name);
			break;
		}
		if ((element->category & IS_SPECIAL) != 0 &&
		    element->name != TAG_address && element->name != TAG_div &&
		    element->name != TAG_p)
			break;
	}
	return insert_block(tree);
}

static bool insert_button(struct tree_builder *tree)
{
	if (tree_in_scope(tree, TAG_button, IS_SCOPE)) {
		tree_close_implied(tree, TAG_COUNT);
		tree_pop_until(tree, TAG_button);
	}
	tree->allows_frameset = false;
	return insert_inline(tree);
}

static bool insert_anchor(struct tree_builder *tree)
{
	const uint32_t entry = tree_find_format(tree, TAG_a);

	if (entry != NO_NODE) {
		const uint32_t node = tree->formatting[entry].node;
		uint32_t left;

		tree_adopt(tree, TAG_a);
		left = tree_find_formatting(tree, node);
		if (left != NO_NODE)
			tree_remove_formatting(tree, left);
		left = tree_find_open(tree, node);
		if (left != NO_NODE)
			tree_remove_open(tree, left);
	}
	return insert_formatting(tree);
}

static bool insert_nobr(struct tree_builder *tree)
{
	tree_reconstruct(tree);
	if (tree_in_scope(tree, TAG_nobr, IS_SCOPE) &&
	    !tree_adopt(tree, TAG_nobr))
		tree_any_other_end(tree);
	return insert_formatting(tree);
}

static bool insert_object(struct tree_builder *tree)
{
	tree_reconstruct(tree);
	tree_insert(tree);
	tree_add_marker(tree);
	tree->allows_frameset = false;
	return false;
}

static bool insert_table(struct tree_builder *tree)
{
	if (!tree->is_quirky)
		tree_close_paragraph(tree);
	tree_insert(tree);
	tree->allows_frameset = false;
	tree->mode = MODE_IN_TABLE;
	return false;
}

static bool insert_void_inline(struct tree_builder *tree)
{
	tree_reconstruct(tree);
	tree_insert_void(tree);
	tree->allows_frameset = false;
	return false;
}

static bool insert_input(struct tree_builder *tree)
{
	if (tree_in_scope(tree, TAG_select, IS_SCOPE))
		tree_pop_until(tree, TAG_select);
	tree_reconstruct(tree);
	tree_insert_void(tree);
	if (!text_is(tree_attribute(tree, "type"), "hidden"))
		tree->allows_frameset = false;
	return false;
}

static bool insert_rule(struct tree_builder *tree)
{
	tree_close_paragraph(tree);
	if (tree_in_scope(tree, TAG_select, IS_SCOPE))
		tree_close_implied(tree, TAG_COUNT);
	tree_insert_void(tree);
	tree->allows_frameset = false;
	return false;
}

static bool insert_textarea(struct tree_builder *tree)
{
	tree_insert_raw(tree);
	tree->skips_newline = true;
	tree->allows_frameset = false;
	return false;
}

static bool insert_raw(struct tree_builder *tree)
{
	tree_insert_raw(tree);
	return false;
}

static bool insert_frame(struct tree_builder *tree)
{
	tree->allows_frameset = false;
	return insert_raw(tree);
}

static bool insert_example(struct tree_builder *tree)
{
	tree_close_paragraph(tree);
	tree_reconstruct(tree);
	return insert_frame(tree);
}

/*
 * Insert a plaintext element. The rest of the page is text, because there is no
 * end tag for it.
 */
static bool insert_plaintext(struct tree_builder *tree)
{
	tree->raw = TAG_plaintext;
	return insert_block(tree);
}

static bool insert_select(struct tree_builder *tree)
{
	if (tree_in_scope(tree, TAG_select, IS_SCOPE)) {
		tree_pop_until(tree, TAG_select);
		return false;
	}
	tree->allows_frameset = false;
	return insert_inline(tree);
}

static bool insert_option(struct tree_builder *tree)
{
	const uint16_t except =
		tree->token.tag == TAG_option ? TAG_optgroup : TAG_COUNT;

	if (tree_in_scope(tree, TAG_select, IS_SCOPE))
		tree_close_implied(tree, except);
	else if (tree_top_is(tree, TAG_option))
		tree_pop(tree);
	return insert_inline(tree);
}

static bool insert_ruby_text(struct tree_builder *tree)
{
	const bool is_text =
		tree->token.tag == TAG_rp || tree->token.tag == TAG_rt;

	if (tree_in_scope(tree, TAG_ruby, IS_SCOPE))
		tree_close_implied(tree, is_text ? TAG_rtc : TAG_COUNT);
	return tree_body_insert(tree);
}

static bool insert_foreign(struct tree_builder *tree, uint16_t space)
{
	tree_reconstruct(tree);
	tree_insert_foreign(tree, space);
	return false;
}

static bool insert_math(struct tree_builder *tree)
{
	return insert_foreign(tree, NAME_IS_MATHML);
}

static bool insert_svg(struct tree_builder *tree)
{
	return insert_foreign(tree, NAME_IS_SVG);
}

static bool insert_void(struct tree_builder *tree)
{
	tree_insert_void(tree);
	return false;
}

static bool insert_li(struct tree_builder *tree)
{
	return insert_item(tree, TAG_li, TAG_li);
}

static bool insert_dd(struct tree_builder *tree)
{
	return insert_item(tree, TAG_dd, TAG_dt);
}

static bool insert_image(struct tree_builder *tree)
{
	tree->token.tag = TAG_img;
	return insert_void_inline(tree);
}

/* clang-format off */
/*
 * The rules for start tags in the body. If a tag has no rule here, an element
 * is inserted for it.
 */
static tree_rule *const start_rules[TAG_COUNT] = {
	[TAG_a] = insert_anchor,            [TAG_address] = insert_block,
	[TAG_applet] = insert_object,       [TAG_area] = insert_void_inline,
	[TAG_article] = insert_block,       [TAG_aside] = insert_block,
	[TAG_b] = insert_formatting,        [TAG_base] = tree_head_start,
	[TAG_basefont] = tree_head_start,   [TAG_bgsound] = tree_head_start,
	[TAG_big] = insert_formatting,      [TAG_blockquote] = insert_block,
	[TAG_body] = merge_body,            [TAG_br] = insert_void_inline,
	[TAG_button] = insert_button,       [TAG_caption] = tree_ignore,
	[TAG_center] = insert_block,        [TAG_code] = insert_formatting,
	[TAG_col] = tree_ignore,            [TAG_colgroup] = tree_ignore,
	[TAG_dd] = insert_dd,               [TAG_details] = insert_block,
	[TAG_dialog] = insert_block,        [TAG_dir] = insert_block,
	[TAG_div] = insert_block,           [TAG_dl] = insert_block,
	[TAG_dt] = insert_dd,               [TAG_em] = insert_formatting,
	[TAG_embed] = insert_void_inline,   [TAG_fieldset] = insert_block,
	[TAG_figcaption] = insert_block,    [TAG_figure] = insert_block,
	[TAG_font] = insert_formatting,     [TAG_footer] = insert_block,
	[TAG_form] = insert_form,           [TAG_frame] = tree_ignore,
	[TAG_frameset] = replace_body,      [TAG_h1] = insert_heading,
	[TAG_h2] = insert_heading,          [TAG_h3] = insert_heading,
	[TAG_h4] = insert_heading,          [TAG_h5] = insert_heading,
	[TAG_h6] = insert_heading,          [TAG_head] = tree_ignore,
	[TAG_header] = insert_block,        [TAG_hgroup] = insert_block,
	[TAG_hr] = insert_rule,             [TAG_html] = merge_html,
	[TAG_i] = insert_formatting,        [TAG_iframe] = insert_frame,
	[TAG_image] = insert_image,         [TAG_img] = insert_void_inline,
	[TAG_input] = insert_input,         [TAG_keygen] = insert_void_inline,
	[TAG_li] = insert_li,               [TAG_link] = tree_head_start,
	[TAG_listing] = insert_pre,         [TAG_main] = insert_block,
	[TAG_marquee] = insert_object,      [TAG_math] = insert_math,
	[TAG_menu] = insert_block,          [TAG_meta] = tree_head_start,
	[TAG_nav] = insert_block,           [TAG_nobr] = insert_nobr,
	[TAG_noembed] = insert_raw,         [TAG_noframes] = tree_head_start,
	[TAG_object] = insert_object,       [TAG_ol] = insert_block,
	[TAG_optgroup] = insert_option,     [TAG_option] = insert_option,
	[TAG_p] = insert_block,             [TAG_param] = insert_void,
	[TAG_plaintext] = insert_plaintext, [TAG_pre] = insert_pre,
	[TAG_rb] = insert_ruby_text,        [TAG_rp] = insert_ruby_text,
	[TAG_rt] = insert_ruby_text,        [TAG_rtc] = insert_ruby_text,
	[TAG_s] = insert_formatting,        [TAG_script] = tree_head_start,
	[TAG_search] = insert_block,        [TAG_section] = insert_block,
	[TAG_select] = insert_select,       [TAG_small] = insert_formatting,
	[TAG_source] = insert_void,         [TAG_strike] = insert_formatting,
	[TAG_strong] = insert_formatting,   [TAG_style] = tree_head_start,
	[TAG_summary] = insert_block,       [TAG_svg] = insert_svg,
	[TAG_table] = insert_table,         [TAG_tbody] = tree_ignore,
	[TAG_td] = tree_ignore,             [TAG_template] = tree_head_start,
	[TAG_textarea] = insert_textarea,   [TAG_tfoot] = tree_ignore,
	[TAG_th] = tree_ignore,             [TAG_thead] = tree_ignore,
	[TAG_title] = tree_head_start,      [TAG_tr] = tree_ignore,
	[TAG_track] = insert_void,          [TAG_tt] = insert_formatting,
	[TAG_u] = insert_formatting,        [TAG_ul] = insert_block,
	[TAG_wbr] = insert_void_inline,     [TAG_xmp] = insert_example,
};
/* clang-format on */

bool tree_in_body_start(struct tree_builder *tree)
{
	const uint16_t tag = tree->token.tag;
	tree_rule *rule = tag < TAG_COUNT ? start_rules[tag] : NULL;

	return rule == NULL ? insert_inline(tree) : rule(tree);
}

/* --- end tags in the body --- */

static bool tree_body_close_block(struct tree_builder *tree, unsigned scope)
{
	const uint16_t tag = tree->token.tag;

	if (!tree_in_scope(tree, tag, scope))
		return false;
	tree_close_implied(tree, tag);
	tree_pop_until(tree, tag);
	return false;
}

static bool end_block(struct tree_builder *tree)
{
	return tree_body_close_block(tree, IS_SCOPE);
}

static bool end_li(struct tree_builder *tree)
{
	return tree_body_close_block(tree, IS_SCOPE | IS_LIST_SCOPE);
}

static bool end_body(struct tree_builder *tree)
{
	if (!tree_in_scope(tree, TAG_body, IS_SCOPE))
		return false;
	tree->mode = MODE_AFTER_BODY;
	return tree->token.tag == TAG_html;
}

/* Close a form; elements inside it that are open remain open. */
static bool end_form(struct tree_builder *tree)
{
	const uint32_t form = tree->form;
	uint32_t index;

	if (tree_has_open(tree, TAG_template))
		return tree_body_close_block(tree, IS_SCOPE);
	tree->form = NO_NODE;
	index = form == NO_NODE ? NO_NODE : tree_find_open(tree, form);
	if (index == NO_NODE || !tree_in_scope(tree, TAG_form, IS_SCOPE))
		return false;
	tree_close_implied(tree, TAG_COUNT);
	tree_remove_open(tree, index);
	return false;
}

static bool end_paragraph(struct tree_builder *tree)
{
	if (!tree_in_scope(tree, TAG_p, IS_BUTTON_SCOPE))
		tree_insert_implied(tree, TAG_p);
	tree_close_paragraph(tree);
	return false;
}

static bool heading_in_scope(const struct tree_builder *tree)
{
	for (int tag = TAG_h1; tag <= TAG_h6; tag++)
		if (tree_in_scope(tree, (uint16_t)tag, IS_SCOPE))
			return true;
	return false;
}

static bool end_heading(struct tree_builder *tree)
{
	bool is_heading = false;

	if (!heading_in_scope(tree))
		return false;
	tree_close_implied(tree, TAG_COUNT);
	while (!is_heading) {
		is_heading = (tree_top(tree)->category & IS_HEADING) != 0;
		tree_pop(tree);
	}
	return false;
}

static bool end_object(struct tree_builder *tree)
{
	if (!tree_in_scope(tree, tree->token.tag, IS_SCOPE))
		return false;
	tree_body_close_block(tree, IS_SCOPE);
	tree_clear_to_marker(tree);
	return false;
}

bool tree_any_other_end(struct tree_builder *tree)
{
	const uint16_t tag = tree->token.tag;

	if (!tree_has_open(tree, tag))
		return false;
	for (uint32_t i = tree->depth; i-- > 0;) {
		if (tree->open[i].name == tag) {
			tree_close_implied(tree, tag);
			while (tree->depth > i)
				tree_pop(tree);
			return false;
		}
		if ((tree->open[i].category & IS_SPECIAL) != 0)
			return false;
	}
	return false;
}

static bool end_formatting(struct tree_builder *tree)
{
	return tree_adopt(tree, tree->token.tag) ? false
						 : tree_any_other_end(tree);
}

/* Handle "</br>" in the same way as "<br>". */
static bool end_line(struct tree_builder *tree)
{
	tree->token.kind = TOKEN_START;
	return insert_void_inline(tree);
}

/*
 * The rules for end tags in the body. A tag without a rule here is handled as
 * "any other end tag".
 */
static tree_rule *const end_rules[TAG_COUNT] = {
	[TAG_a] = end_formatting,       [TAG_address] = end_block,
	[TAG_applet] = end_object,      [TAG_article] = end_block,
	[TAG_aside] = end_block,        [TAG_b] = end_formatting,
	[TAG_big] = end_formatting,     [TAG_blockquote] = end_block,
	[TAG_body] = end_body,          [TAG_br] = end_line,
	[TAG_button] = end_block,       [TAG_center] = end_block,
	[TAG_code] = end_formatting,    [TAG_dd] = end_block,
	[TAG_details] = end_block,      [TAG_dialog] = end_block,
	[TAG_dir] = end_block,          [TAG_div] = end_block,
	[TAG_dl] = end_block,           [TAG_dt] = end_block,
	[TAG_em] = end_formatting,      [TAG_fieldset] = end_block,
	[TAG_figcaption] = end_block,   [TAG_figure] = end_block,
	[TAG_font] = end_formatting,    [TAG_footer] = end_block,
	[TAG_form] = end_form,          [TAG_h1] = end_heading,
	[TAG_h2] = end_heading,         [TAG_h3] = end_heading,
	[TAG_h4] = end_heading,         [TAG_h5] = end_heading,
	[TAG_h6] = end_heading,         [TAG_header] = end_block,
	[TAG_hgroup] = end_block,       [TAG_html] = end_body,
	[TAG_i] = end_formatting,       [TAG_li] = end_li,
	[TAG_listing] = end_block,      [TAG_main] = end_block,
	[TAG_marquee] = end_object,     [TAG_menu] = end_block,
	[TAG_nav] = end_block,          [TAG_nobr] = end_formatting,
	[TAG_object] = end_object,      [TAG_ol] = end_block,
	[TAG_p] = end_paragraph,        [TAG_pre] = end_block,
	[TAG_s] = end_formatting,       [TAG_search] = end_block,
	[TAG_section] = end_block,      [TAG_select] = end_block,
	[TAG_small] = end_formatting,   [TAG_strike] = end_formatting,
	[TAG_strong] = end_formatting,  [TAG_summary] = end_block,
	[TAG_template] = tree_head_end, [TAG_tt] = end_formatting,
	[TAG_u] = end_formatting,       [TAG_ul] = end_block,
};

bool tree_in_body_end(struct tree_builder *tree)
{
	const uint16_t tag = tree->token.tag;
	tree_rule *rule = tag < TAG_COUNT ? end_rules[tag] : NULL;

	return rule == NULL ? tree_any_other_end(tree) : rule(tree);
}

bool tree_in_body_text(struct tree_builder *tree)
{
	tree_reconstruct(tree);
	tree_insert_text(tree);
	tree->allows_frameset = false;
	return false;
}
