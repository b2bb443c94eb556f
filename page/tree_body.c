#include <assert.h>

#include "page/attribute.h"
#include "page/tree_parts.h"

/* --- start tags --- */

static bool insert(struct tree *tree)
{
	tree_insert(tree);
	return false;
}

static bool insert_block(struct tree *tree)
{
	tree_close_paragraph(tree);
	return insert(tree);
}

static bool insert_inline(struct tree *tree)
{
	tree_reconstruct(tree);
	return insert(tree);
}

static bool insert_formatting(struct tree *tree)
{
	tree_reconstruct(tree);
	tree_insert(tree);
	tree_format(tree);
	return false;
}

static bool insert_heading(struct tree *tree)
{
	tree_close_paragraph(tree);
	if ((tree_top(tree)->category & IS_HEADING) != 0)
		tree_pop(tree);
	return insert(tree);
}

/* A second html or body tag gives the first one what it does not have. */
static bool merge_html(struct tree *tree)
{
	if (!tree_has_open(tree, TAG_template))
		tree_merge_attributes(tree, tree->open[0].node);
	return false;
}

static bool has_body(const struct tree *tree)
{
	return tree->depth > 1 && tree->open[1].name == TAG_body;
}

static bool merge_body(struct tree *tree)
{
	if (!has_body(tree) || tree_has_open(tree, TAG_template))
		return false;
	tree->allows_frameset = false;
	tree_merge_attributes(tree, tree->open[1].node);
	return false;
}

/* A frameset takes the place of a body in which nothing stands yet. */
static bool replace_body(struct tree *tree)
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

static bool insert_preformatted(struct tree *tree)
{
	tree_close_paragraph(tree);
	tree_insert(tree);
	tree->skips_newline = true;
	tree->allows_frameset = false;
	return false;
}

static bool insert_form(struct tree *tree)
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

/* Close the item in which another one begins: li, or dd and dt. */
static bool insert_item(struct tree *tree, uint16_t tag, uint16_t other)
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

static bool insert_button(struct tree *tree)
{
	if (tree_in_scope(tree, TAG_button, IS_SCOPE)) {
		tree_close_implied(tree, TAG_COUNT);
		tree_pop_until(tree, TAG_button);
	}
	tree->allows_frameset = false;
	return insert_inline(tree);
}

static bool insert_anchor(struct tree *tree)
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

static bool insert_nobr(struct tree *tree)
{
	tree_reconstruct(tree);
	if (tree_in_scope(tree, TAG_nobr, IS_SCOPE) &&
	    !tree_adopt(tree, TAG_nobr))
		tree_any_other_end(tree);
	return insert_formatting(tree);
}

static bool insert_object(struct tree *tree)
{
	tree_reconstruct(tree);
	tree_insert(tree);
	tree_add_marker(tree);
	tree->allows_frameset = false;
	return false;
}

static bool insert_table(struct tree *tree)
{
	if (!tree->is_quirky)
		tree_close_paragraph(tree);
	tree_insert(tree);
	tree->allows_frameset = false;
	tree->mode = MODE_IN_TABLE;
	return false;
}

static bool insert_void_inline(struct tree *tree)
{
	tree_reconstruct(tree);
	tree_insert_void(tree);
	tree->allows_frameset = false;
	return false;
}

static bool insert_input(struct tree *tree)
{
	if (tree_in_scope(tree, TAG_select, IS_SCOPE))
		tree_pop_until(tree, TAG_select);
	tree_reconstruct(tree);
	tree_insert_void(tree);
	if (!text_is(tree_attribute(tree, "type"), "hidden"))
		tree->allows_frameset = false;
	return false;
}

static bool insert_rule(struct tree *tree)
{
	tree_close_paragraph(tree);
	if (tree_in_scope(tree, TAG_select, IS_SCOPE))
		tree_close_implied(tree, TAG_COUNT);
	tree_insert_void(tree);
	tree->allows_frameset = false;
	return false;
}

static bool insert_textarea(struct tree *tree)
{
	tree_insert_raw(tree);
	tree->skips_newline = true;
	tree->allows_frameset = false;
	return false;
}

static bool insert_raw(struct tree *tree)
{
	tree_insert_raw(tree);
	return false;
}

static bool insert_frame(struct tree *tree)
{
	tree->allows_frameset = false;
	return insert_raw(tree);
}

static bool insert_example(struct tree *tree)
{
	tree_close_paragraph(tree);
	tree_reconstruct(tree);
	return insert_frame(tree);
}

/* All the rest of the page is text; there is no end tag. */
static bool insert_plaintext(struct tree *tree)
{
	tree->raw = TAG_plaintext;
	return insert_block(tree);
}

static bool insert_select(struct tree *tree)
{
	if (tree_in_scope(tree, TAG_select, IS_SCOPE)) {
		tree_pop_until(tree, TAG_select);
		return false;
	}
	tree->allows_frameset = false;
	return insert_inline(tree);
}

static bool insert_option(struct tree *tree)
{
	const uint16_t except =
		tree->token.tag == TAG_option ? TAG_optgroup : TAG_COUNT;

	if (tree_in_scope(tree, TAG_select, IS_SCOPE))
		tree_close_implied(tree, except);
	else if (tree_top_is(tree, TAG_option))
		tree_pop(tree);
	return insert_inline(tree);
}

static bool insert_ruby_text(struct tree *tree)
{
	const bool is_text =
		tree->token.tag == TAG_rp || tree->token.tag == TAG_rt;

	if (tree_in_scope(tree, TAG_ruby, IS_SCOPE))
		tree_close_implied(tree, is_text ? TAG_rtc : TAG_COUNT);
	return insert(tree);
}

static bool insert_foreign(struct tree *tree, uint16_t space)
{
	tree_reconstruct(tree);
	tree_insert_foreign(tree, space);
	return false;
}

static bool insert_image(struct tree *tree)
{
	tree->token.tag = TAG_img;
	return insert_void_inline(tree);
}

bool tree_in_body_start(struct tree *tree)
{
	switch (tree->token.tag) {
	case TAG_html:
		return merge_html(tree);
	case TAG_body:
		return merge_body(tree);
	case TAG_frameset:
		return replace_body(tree);
	case TAG_base:
	case TAG_basefont:
	case TAG_bgsound:
	case TAG_link:
	case TAG_meta:
	case TAG_noframes:
	case TAG_script:
	case TAG_style:
	case TAG_template:
	case TAG_title:
		return tree_in_head_start(tree);
	case TAG_address:
	case TAG_article:
	case TAG_aside:
	case TAG_blockquote:
	case TAG_center:
	case TAG_details:
	case TAG_dialog:
	case TAG_dir:
	case TAG_div:
	case TAG_dl:
	case TAG_fieldset:
	case TAG_figcaption:
	case TAG_figure:
	case TAG_footer:
	case TAG_header:
	case TAG_hgroup:
	case TAG_main:
	case TAG_menu:
	case TAG_nav:
	case TAG_ol:
	case TAG_p:
	case TAG_search:
	case TAG_section:
	case TAG_summary:
	case TAG_ul:
		return insert_block(tree);
	case TAG_h1:
	case TAG_h2:
	case TAG_h3:
	case TAG_h4:
	case TAG_h5:
	case TAG_h6:
		return insert_heading(tree);
	case TAG_pre:
	case TAG_listing:
		return insert_preformatted(tree);
	case TAG_form:
		return insert_form(tree);
	case TAG_li:
		return insert_item(tree, TAG_li, TAG_li);
	case TAG_dd:
	case TAG_dt:
		return insert_item(tree, TAG_dd, TAG_dt);
	case TAG_button:
		return insert_button(tree);
	case TAG_a:
		return insert_anchor(tree);
	case TAG_nobr:
		return insert_nobr(tree);
	case TAG_b:
	case TAG_big:
	case TAG_code:
	case TAG_em:
	case TAG_font:
	case TAG_i:
	case TAG_s:
	case TAG_small:
	case TAG_strike:
	case TAG_strong:
	case TAG_tt:
	case TAG_u:
		return insert_formatting(tree);
	case TAG_applet:
	case TAG_marquee:
	case TAG_object:
		return insert_object(tree);
	case TAG_table:
		return insert_table(tree);
	case TAG_area:
	case TAG_br:
	case TAG_embed:
	case TAG_img:
	case TAG_keygen:
	case TAG_wbr:
		return insert_void_inline(tree);
	case TAG_param:
	case TAG_source:
	case TAG_track:
		tree_insert_void(tree);
		return false;
	case TAG_input:
		return insert_input(tree);
	case TAG_hr:
		return insert_rule(tree);
	case TAG_image:
		return insert_image(tree);
	case TAG_textarea:
		return insert_textarea(tree);
	case TAG_xmp:
		return insert_example(tree);
	case TAG_iframe:
		return insert_frame(tree);
	case TAG_noembed:
		return insert_raw(tree);
	case TAG_plaintext:
		return insert_plaintext(tree);
	case TAG_select:
		return insert_select(tree);
	case TAG_optgroup:
	case TAG_option:
		return insert_option(tree);
	case TAG_rb:
	case TAG_rp:
	case TAG_rt:
	case TAG_rtc:
		return insert_ruby_text(tree);
	case TAG_math:
		return insert_foreign(tree, NAME_IS_MATHML);
	case TAG_svg:
		return insert_foreign(tree, NAME_IS_SVG);
	case TAG_caption:
	case TAG_col:
	case TAG_colgroup:
	case TAG_frame:
	case TAG_head:
	case TAG_tbody:
	case TAG_td:
	case TAG_tfoot:
	case TAG_th:
	case TAG_thead:
	case TAG_tr:
		return false;
	default:
		return insert_inline(tree);
	}
}

/* --- end tags --- */

static bool close_block(struct tree *tree, unsigned scope)
{
	const uint16_t tag = tree->token.tag;

	if (!tree_in_scope(tree, tag, scope))
		return false;
	tree_close_implied(tree, tag);
	tree_pop_until(tree, tag);
	return false;
}

static bool end_body(struct tree *tree)
{
	if (!tree_in_scope(tree, TAG_body, IS_SCOPE))
		return false;
	tree->mode = MODE_AFTER_BODY;
	return tree->token.tag == TAG_html;
}

/* Elements that stand in the form, and are open, stay so. */
static bool end_form(struct tree *tree)
{
	const uint32_t form = tree->form;
	uint32_t index;

	if (tree_has_open(tree, TAG_template))
		return close_block(tree, IS_SCOPE);
	tree->form = NO_NODE;
	index = form == NO_NODE ? NO_NODE : tree_find_open(tree, form);
	if (index == NO_NODE || !tree_in_scope(tree, TAG_form, IS_SCOPE))
		return false;
	tree_close_implied(tree, TAG_COUNT);
	tree_remove_open(tree, index);
	return false;
}

static bool end_paragraph(struct tree *tree)
{
	if (!tree_in_scope(tree, TAG_p, IS_BUTTON_SCOPE))
		tree_insert_implied(tree, TAG_p);
	tree_close_paragraph(tree);
	return false;
}

static bool heading_in_scope(const struct tree *tree)
{
	for (uint16_t tag = TAG_h1; tag <= TAG_h6; tag++)
		if (tree_in_scope(tree, tag, IS_SCOPE))
			return true;
	return false;
}

static bool end_heading(struct tree *tree)
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

static bool end_object(struct tree *tree)
{
	if (!tree_in_scope(tree, tree->token.tag, IS_SCOPE))
		return false;
	close_block(tree, IS_SCOPE);
	tree_clear_to_marker(tree);
	return false;
}

bool tree_any_other_end(struct tree *tree)
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

static bool end_formatting(struct tree *tree)
{
	return tree_adopt(tree, tree->token.tag) ? false
						 : tree_any_other_end(tree);
}

/* "</br>" is "<br>". */
static bool end_line(struct tree *tree)
{
	tree->token.kind = TOKEN_START;
	return insert_void_inline(tree);
}

bool tree_in_body_end(struct tree *tree)
{
	switch (tree->token.tag) {
	case TAG_template:
		return tree_in_head_end(tree);
	case TAG_body:
	case TAG_html:
		return end_body(tree);
	case TAG_address:
	case TAG_article:
	case TAG_aside:
	case TAG_blockquote:
	case TAG_button:
	case TAG_center:
	case TAG_details:
	case TAG_dialog:
	case TAG_dir:
	case TAG_div:
	case TAG_dl:
	case TAG_fieldset:
	case TAG_figcaption:
	case TAG_figure:
	case TAG_footer:
	case TAG_header:
	case TAG_hgroup:
	case TAG_listing:
	case TAG_main:
	case TAG_menu:
	case TAG_nav:
	case TAG_ol:
	case TAG_pre:
	case TAG_search:
	case TAG_section:
	case TAG_select:
	case TAG_summary:
	case TAG_ul:
	case TAG_dd:
	case TAG_dt:
		return close_block(tree, IS_SCOPE);
	case TAG_form:
		return end_form(tree);
	case TAG_p:
		return end_paragraph(tree);
	case TAG_li:
		return close_block(tree, IS_SCOPE | IS_LIST_SCOPE);
	case TAG_h1:
	case TAG_h2:
	case TAG_h3:
	case TAG_h4:
	case TAG_h5:
	case TAG_h6:
		return end_heading(tree);
	case TAG_a:
	case TAG_b:
	case TAG_big:
	case TAG_code:
	case TAG_em:
	case TAG_font:
	case TAG_i:
	case TAG_nobr:
	case TAG_s:
	case TAG_small:
	case TAG_strike:
	case TAG_strong:
	case TAG_tt:
	case TAG_u:
		return end_formatting(tree);
	case TAG_applet:
	case TAG_marquee:
	case TAG_object:
		return end_object(tree);
	case TAG_br:
		return end_line(tree);
	default:
		return tree_any_other_end(tree);
	}
}

bool tree_in_body_text(struct tree *tree)
{
	tree_reconstruct(tree);
	tree_insert_text(tree);
	tree->allows_frameset = false;
	return false;
}
