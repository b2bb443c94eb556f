#include <assert.h>

#include "page/attribute.h"
#include "page/tree_parts.h"

/*
 * Clear the stack back to an element with one of these names, template or html.
 */
static void clear_to(struct tree_builder *tree, uint16_t a, uint16_t b,
		     uint16_t c)
{
	while (!tree_top_is(tree, a) && !tree_top_is(tree, b) &&
	       !tree_top_is(tree, c) && !tree_top_is(tree, TAG_template) &&
	       !tree_top_is(tree, TAG_html))
		tree_pop(tree);
}

static void clear_to_table(struct tree_builder *tree)
{
	clear_to(tree, TAG_table, TAG_table, TAG_table);
}

static void clear_to_table_body(struct tree_builder *tree)
{
	clear_to(tree, TAG_tbody, TAG_tfoot, TAG_thead);
}

static void clear_to_row(struct tree_builder *tree)
{
	clear_to(tree, TAG_tr, TAG_tr, TAG_tr);
}

static bool in_table_scope(const struct tree_builder *tree, uint16_t name)
{
	return tree_in_scope(tree, name, IS_TABLE_SCOPE);
}

/* --- in table --- */

/* Handle the token as in a body; insert its elements by foster parenting. */
static bool tree_foster_rule(struct tree_builder *tree, tree_rule *rule)
{
	bool is_again;

	tree->fosters = true;
	is_again = rule(tree);
	tree->fosters = false;
	return is_again;
}

bool tree_in_table_text(struct tree_builder *tree)
{
	return tree_foster_rule(tree, tree_in_body_text);
}

static bool tree_table_reconstruct(struct tree_builder *tree)
{
	tree_reconstruct(tree);
	return false;
}

bool tree_in_table_blank(struct tree_builder *tree)
{
	const struct open_element *top = tree_top(tree);

	if ((top->category & IS_TABLE_PART) != 0 || top->name == TAG_template)
		return false;
	return tree_foster_rule(tree, tree_table_reconstruct);
}

static bool begin_part(struct tree_builder *tree, enum mode mode)
{
	clear_to_table(tree);
	if (mode == MODE_IN_CAPTION)
		tree_add_marker(tree);
	tree_insert(tree);
	tree->mode = mode;
	return false;
}

static bool imply_part(struct tree_builder *tree, uint16_t tag, enum mode mode)
{
	clear_to_table(tree);
	tree_insert_implied(tree, tag);
	return tree_again(tree, mode);
}

static bool tree_table_end(struct tree_builder *tree)
{
	if (!in_table_scope(tree, TAG_table))
		return false;
	tree_pop_until(tree, TAG_table);
	tree_reset_mode(tree);
	return tree->token.kind == TOKEN_START;
}

static bool tree_table_insert_form(struct tree_builder *tree)
{
	if (tree->form != NO_NODE || tree_has_open(tree, TAG_template))
		return false;
	tree_insert(tree);
	if (tree->is_stopped)
		return false;
	tree->form = tree_top(tree)->node;
	tree_pop(tree);
	return false;
}

bool tree_in_table_start(struct tree_builder *tree)
{
	switch (tree->token.tag) {
	case TAG_caption:
		return begin_part(tree, MODE_IN_CAPTION);
	case TAG_colgroup:
		return begin_part(tree, MODE_IN_COLUMN_GROUP);
	case TAG_tbody:
	case TAG_tfoot:
	case TAG_thead:
		return begin_part(tree, MODE_IN_TABLE_BODY);
	case TAG_col:
		return imply_part(tree, TAG_colgroup, MODE_IN_COLUMN_GROUP);
	case TAG_td:
	case TAG_th:
	case TAG_tr:
		return imply_part(tree, TAG_tbody, MODE_IN_TABLE_BODY);
	case TAG_table:
		return tree_table_end(tree);
	case TAG_style:
	case TAG_script:
	case TAG_template:
		return tree_in_head_start(tree);
	case TAG_form:
		return tree_table_insert_form(tree);
	case TAG_input:
		if (!text_is(tree_attribute(tree, "type"), "hidden"))
			break;
		tree_insert_void(tree);
		return false;
	default:
		break;
	}
	return tree_foster_rule(tree, tree_in_body_start);
}

bool tree_in_table_end(struct tree_builder *tree)
{
	switch (tree->token.tag) {
	case TAG_table:
		return tree_table_end(tree);
	case TAG_body:
	case TAG_caption:
	case TAG_col:
	case TAG_colgroup:
	case TAG_html:
	case TAG_tbody:
	case TAG_td:
	case TAG_tfoot:
	case TAG_th:
	case TAG_thead:
	case TAG_tr:
		return false;
	case TAG_template:
		return tree_in_head_end(tree);
	default:
		return tree_foster_rule(tree, tree_in_body_end);
	}
}

/* --- in caption --- */

/* Return false if there is no caption. */
static bool close_caption(struct tree_builder *tree)
{
	if (!in_table_scope(tree, TAG_caption))
		return false;
	tree_close_implied(tree, TAG_COUNT);
	tree_pop_until(tree, TAG_caption);
	tree_clear_to_marker(tree);
	tree->mode = MODE_IN_TABLE;
	return true;
}

bool tree_in_caption_start(struct tree_builder *tree)
{
	switch (tree->token.tag) {
	case TAG_caption:
	case TAG_col:
	case TAG_colgroup:
	case TAG_tbody:
	case TAG_td:
	case TAG_tfoot:
	case TAG_th:
	case TAG_thead:
	case TAG_tr:
		return close_caption(tree);
	default:
		return tree_in_body_start(tree);
	}
}

bool tree_in_caption_end(struct tree_builder *tree)
{
	switch (tree->token.tag) {
	case TAG_caption:
		close_caption(tree);
		return false;
	case TAG_table:
		return close_caption(tree);
	case TAG_body:
	case TAG_col:
	case TAG_colgroup:
	case TAG_html:
	case TAG_tbody:
	case TAG_td:
	case TAG_tfoot:
	case TAG_th:
	case TAG_thead:
	case TAG_tr:
		return false;
	default:
		return tree_in_body_end(tree);
	}
}

/* --- in column group --- */

/* Close the column group; return false if the current node is no colgroup. */
static bool close_column_group(struct tree_builder *tree)
{
	if (!tree_top_is(tree, TAG_colgroup))
		return false;
	tree_pop(tree);
	tree->mode = MODE_IN_TABLE;
	return true;
}

bool tree_in_column_group_text(struct tree_builder *tree)
{
	return close_column_group(tree);
}

bool tree_in_column_group_start(struct tree_builder *tree)
{
	switch (tree->token.tag) {
	case TAG_html:
		return tree_in_body_start(tree);
	case TAG_col:
		tree_insert_void(tree);
		return false;
	case TAG_template:
		return tree_in_head_start(tree);
	default:
		return close_column_group(tree);
	}
}

bool tree_in_column_group_end(struct tree_builder *tree)
{
	switch (tree->token.tag) {
	case TAG_colgroup:
		close_column_group(tree);
		return false;
	case TAG_col:
		return false;
	case TAG_template:
		return tree_in_head_end(tree);
	default:
		return close_column_group(tree);
	}
}

/* --- in table body --- */

static bool close_table_body(struct tree_builder *tree)
{
	if (!in_table_scope(tree, TAG_tbody) &&
	    !in_table_scope(tree, TAG_thead) &&
	    !in_table_scope(tree, TAG_tfoot))
		return false;
	clear_to_table_body(tree);
	tree_pop(tree);
	tree->mode = MODE_IN_TABLE;
	return true;
}

bool tree_in_table_body_start(struct tree_builder *tree)
{
	switch (tree->token.tag) {
	case TAG_tr:
		clear_to_table_body(tree);
		tree_insert(tree);
		tree->mode = MODE_IN_ROW;
		return false;
	case TAG_th:
	case TAG_td:
		clear_to_table_body(tree);
		tree_insert_implied(tree, TAG_tr);
		return tree_again(tree, MODE_IN_ROW);
	case TAG_caption:
	case TAG_col:
	case TAG_colgroup:
	case TAG_tbody:
	case TAG_tfoot:
	case TAG_thead:
		return close_table_body(tree);
	default:
		return tree_in_table_start(tree);
	}
}

bool tree_in_table_body_end(struct tree_builder *tree)
{
	switch (tree->token.tag) {
	case TAG_tbody:
	case TAG_tfoot:
	case TAG_thead:
		if (in_table_scope(tree, tree->token.tag))
			close_table_body(tree);
		return false;
	case TAG_table:
		return close_table_body(tree);
	case TAG_body:
	case TAG_caption:
	case TAG_col:
	case TAG_colgroup:
	case TAG_html:
	case TAG_td:
	case TAG_th:
	case TAG_tr:
		return false;
	default:
		return tree_in_table_end(tree);
	}
}

/* --- in row --- */

static bool tree_table_close_row(struct tree_builder *tree)
{
	if (!in_table_scope(tree, TAG_tr))
		return false;
	clear_to_row(tree);
	tree_pop(tree);
	tree->mode = MODE_IN_TABLE_BODY;
	return true;
}

bool tree_in_row_start(struct tree_builder *tree)
{
	switch (tree->token.tag) {
	case TAG_th:
	case TAG_td:
		clear_to_row(tree);
		tree_insert(tree);
		tree_add_marker(tree);
		tree->mode = MODE_IN_CELL;
		return false;
	case TAG_caption:
	case TAG_col:
	case TAG_colgroup:
	case TAG_tbody:
	case TAG_tfoot:
	case TAG_thead:
	case TAG_tr:
		return tree_table_close_row(tree);
	default:
		return tree_in_table_start(tree);
	}
}

bool tree_in_row_end(struct tree_builder *tree)
{
	switch (tree->token.tag) {
	case TAG_tr:
		tree_table_close_row(tree);
		return false;
	case TAG_table:
		return tree_table_close_row(tree);
	case TAG_tbody:
	case TAG_tfoot:
	case TAG_thead:
		return in_table_scope(tree, tree->token.tag) &&
		       tree_table_close_row(tree);
	case TAG_body:
	case TAG_caption:
	case TAG_col:
	case TAG_colgroup:
	case TAG_html:
	case TAG_td:
	case TAG_th:
		return false;
	default:
		return tree_in_table_end(tree);
	}
}

/* --- in cell --- */

static bool tree_table_close_cell(struct tree_builder *tree, uint16_t tag)
{
	tree_close_implied(tree, TAG_COUNT);
	tree_pop_until(tree, tag);
	tree_clear_to_marker(tree);
	tree->mode = MODE_IN_ROW;
	return true;
}

static bool close_any_cell(struct tree_builder *tree)
{
	if (in_table_scope(tree, TAG_td))
		return tree_table_close_cell(tree, TAG_td);
	return in_table_scope(tree, TAG_th) &&
	       tree_table_close_cell(tree, TAG_th);
}

bool tree_in_cell_start(struct tree_builder *tree)
{
	switch (tree->token.tag) {
	case TAG_caption:
	case TAG_col:
	case TAG_colgroup:
	case TAG_tbody:
	case TAG_td:
	case TAG_tfoot:
	case TAG_th:
	case TAG_thead:
	case TAG_tr:
		return close_any_cell(tree);
	default:
		return tree_in_body_start(tree);
	}
}

bool tree_in_cell_end(struct tree_builder *tree)
{
	const uint16_t tag = tree->token.tag;

	switch (tag) {
	case TAG_td:
	case TAG_th:
		if (in_table_scope(tree, tag))
			tree_table_close_cell(tree, tag);
		return false;
	case TAG_body:
	case TAG_caption:
	case TAG_col:
	case TAG_colgroup:
	case TAG_html:
		return false;
	case TAG_table:
	case TAG_tbody:
	case TAG_tfoot:
	case TAG_thead:
	case TAG_tr:
		return in_table_scope(tree, tag) && close_any_cell(tree);
	default:
		return tree_in_body_end(tree);
	}
}
