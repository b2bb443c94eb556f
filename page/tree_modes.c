#include "page/tree_modes.h"

#include <assert.h>

static bool tree_apply(struct tree_builder *tree);
static void tree_reset_mode(struct tree_builder *tree);

static bool tree_again(struct tree_builder *tree, enum mode mode)
{
	tree->mode = mode;
	return true;
}

/* Groups of tags for which the rules are equal. */
enum tag_group {
	TAGS_CAPTION = 1,
	TAGS_COLUMNS = 2,
	TAGS_SECTION = 4,
	TAGS_ROW = 8,
	TAGS_CELL = 16,
	TAGS_TABLE = 31, /* all groups of parts of a table */
	TAGS_PAGE = 32,
	TAGS_HEAD = 64, /* elements of the head */
};

static const uint8_t tag_groups[TAG_COUNT] = {
	[TAG_caption] = TAGS_CAPTION,  [TAG_col] = TAGS_COLUMNS,
	[TAG_colgroup] = TAGS_COLUMNS, [TAG_tbody] = TAGS_SECTION,
	[TAG_tfoot] = TAGS_SECTION,    [TAG_thead] = TAGS_SECTION,
	[TAG_tr] = TAGS_ROW,           [TAG_td] = TAGS_CELL,
	[TAG_th] = TAGS_CELL,          [TAG_body] = TAGS_PAGE,
	[TAG_html] = TAGS_PAGE,        [TAG_base] = TAGS_HEAD,
	[TAG_basefont] = TAGS_HEAD,    [TAG_bgsound] = TAGS_HEAD,
	[TAG_link] = TAGS_HEAD,        [TAG_meta] = TAGS_HEAD,
	[TAG_noframes] = TAGS_HEAD,    [TAG_script] = TAGS_HEAD,
	[TAG_style] = TAGS_HEAD,       [TAG_template] = TAGS_HEAD,
	[TAG_title] = TAGS_HEAD,
};

static bool token_is(const struct tree_builder *tree, unsigned groups)
{
	const uint16_t tag = tree->token.tag;

	return tag < TAG_COUNT && (tag_groups[tag] & groups) != 0;
}

static bool has_attribute(const struct tree_builder *tree, const char *name)
{
	return tree_attribute(tree, name).data != NULL;
}

/* Start tags that close the open elements of SVG and MathML. */
static const uint8_t ends_foreign[TAG_COUNT] = {
	[TAG_b] = 1,       [TAG_big] = 1,  [TAG_blockquote] = 1,
	[TAG_body] = 1,    [TAG_br] = 1,   [TAG_center] = 1,
	[TAG_code] = 1,    [TAG_dd] = 1,   [TAG_div] = 1,
	[TAG_dl] = 1,      [TAG_dt] = 1,   [TAG_em] = 1,
	[TAG_embed] = 1,   [TAG_h1] = 1,   [TAG_h2] = 1,
	[TAG_h3] = 1,      [TAG_h4] = 1,   [TAG_h5] = 1,
	[TAG_h6] = 1,      [TAG_head] = 1, [TAG_hr] = 1,
	[TAG_i] = 1,       [TAG_img] = 1,  [TAG_li] = 1,
	[TAG_listing] = 1, [TAG_menu] = 1, [TAG_meta] = 1,
	[TAG_nobr] = 1,    [TAG_ol] = 1,   [TAG_p] = 1,
	[TAG_pre] = 1,     [TAG_ruby] = 1, [TAG_s] = 1,
	[TAG_small] = 1,   [TAG_span] = 1, [TAG_strong] = 1,
	[TAG_strike] = 1,  [TAG_sub] = 1,  [TAG_sup] = 1,
	[TAG_table] = 1,   [TAG_tt] = 1,   [TAG_u] = 1,
	[TAG_ul] = 1,      [TAG_var] = 1,
};

static bool breaks_out(const struct tree_builder *tree)
{
	const uint16_t tag = tree->token.tag;

	if (tag == TAG_font)
		return has_attribute(tree, "color") ||
		       has_attribute(tree, "face") ||
		       has_attribute(tree, "size");
	return tag < TAG_COUNT && ends_foreign[tag] != 0;
}

static void tree_leave_foreign(struct tree_builder *tree)
{
	while (tree->depth > 1 &&
	       (tree_top(tree)->category & IS_FOREIGN) != 0 &&
	       (tree_top(tree)->category & (IS_TEXT_POINT | IS_HTML_POINT)) ==
		       0)
		tree_pop(tree);
}

static bool tree_in_foreign_start(struct tree_builder *tree)
{
	if (breaks_out(tree)) {
		tree_leave_foreign(tree);
		return tree_apply(tree);
	}
	tree_insert_foreign(tree, tree_top(tree)->name &
					  (NAME_IS_SVG | NAME_IS_MATHML));
	return false;
}

static bool tree_in_foreign_end(struct tree_builder *tree)
{
	const uint16_t tag = tree->token.tag;

	if (tag == TAG_br || tag == TAG_p) {
		tree_leave_foreign(tree);
		return tree_apply(tree);
	}
	for (uint32_t i = tree->depth; i-- > 1;) {
		const struct open_element *element = &tree->open[i];

		if ((element->category & IS_FOREIGN) == 0)
			return tree_apply(tree);
		if ((element->name & ~(NAME_IS_SVG | NAME_IS_MATHML)) == tag) {
			while (tree->depth > i)
				tree_pop(tree);
			return false;
		}
	}
	return false;
}

/*
 * Close elements until the current node has the name `a`, `b` or `c`, or is
 * template or html.
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

/* --- in a table --- */

/*
 * Apply the rule of another mode to the token. Its elements are inserted before
 * the table (foster parenting).
 */
static bool tree_foster_rule(struct tree_builder *tree, tree_rule *rule)
{
	bool is_again;

	tree->fosters = true;
	is_again = rule(tree);
	tree->fosters = false;
	return is_again;
}

static bool tree_in_table_text(struct tree_builder *tree)
{
	return tree_foster_rule(tree, tree_in_body_text);
}

static bool tree_table_reconstruct(struct tree_builder *tree)
{
	tree_reconstruct(tree);
	return false;
}

static bool tree_in_table_blank(struct tree_builder *tree)
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

static bool tree_in_table_start(struct tree_builder *tree)
{
	switch (tree->token.tag) {
	case TAG_caption:
		return begin_part(tree, MODE_IN_CAPTION);
	case TAG_colgroup:
		return begin_part(tree, MODE_IN_COLUMN_GROUP);

	case TAG_col:
		return imply_part(tree, TAG_colgroup, MODE_IN_COLUMN_GROUP);

	case TAG_table:
		return tree_table_end(tree);
	case TAG_style:
	case TAG_script:
	case TAG_template:
		return tree_head_start(tree);
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
	if (token_is(tree, TAGS_SECTION))
		return begin_part(tree, MODE_IN_TABLE_BODY);
	if (token_is(tree, TAGS_ROW | TAGS_CELL))
		return imply_part(tree, TAG_tbody, MODE_IN_TABLE_BODY);
	return tree_foster_rule(tree, tree_in_body_start);
}

static bool tree_in_table_end(struct tree_builder *tree)
{
	if (tree->token.tag == TAG_table)
		return tree_table_end(tree);
	if (tree->token.tag == TAG_template)
		return tree_head_end(tree);
	return !token_is(tree, TAGS_TABLE | TAGS_PAGE) &&
	       tree_foster_rule(tree, tree_in_body_end);
}

/* --- in a caption --- */

/* Close the caption; return false if none exists. */
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

static bool tree_in_caption_start(struct tree_builder *tree)
{
	return token_is(tree, TAGS_TABLE) ? close_caption(tree)
					  : tree_in_body_start(tree);
}

static bool tree_in_caption_end(struct tree_builder *tree)
{
	const uint16_t tag = tree->token.tag;

	if (tag == TAG_table || tag == TAG_caption)
		return close_caption(tree) && tag == TAG_table;
	return !token_is(tree, TAGS_TABLE | TAGS_PAGE) &&
	       tree_in_body_end(tree);
}

/* --- in a column group --- */

/* Close the column group. Return false if the current node is no colgroup. */
static bool close_column_group(struct tree_builder *tree)
{
	if (!tree_top_is(tree, TAG_colgroup))
		return false;
	tree_pop(tree);
	tree->mode = MODE_IN_TABLE;
	return true;
}

static bool tree_in_column_group_start(struct tree_builder *tree)
{
	switch (tree->token.tag) {
	case TAG_html:
		return tree_in_body_start(tree);
	case TAG_col:
		tree_insert_void(tree);
		return false;
	case TAG_template:
		return tree_head_start(tree);
	default:
		return close_column_group(tree);
	}
}

static bool tree_in_column_group_end(struct tree_builder *tree)
{
	switch (tree->token.tag) {
	case TAG_colgroup:
		close_column_group(tree);
		return false;
	case TAG_col:
		return false;
	case TAG_template:
		return tree_head_end(tree);
	default:
		return close_column_group(tree);
	}
}

/* --- in a table body --- */

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

static bool tree_in_table_body_start(struct tree_builder *tree)
{
	if (token_is(tree, TAGS_CAPTION | TAGS_COLUMNS | TAGS_SECTION))
		return close_table_body(tree);
	if (!token_is(tree, TAGS_ROW | TAGS_CELL))
		return tree_in_table_start(tree);
	clear_to_table_body(tree);
	tree->mode = MODE_IN_ROW;
	if (token_is(tree, TAGS_CELL)) {
		tree_insert_implied(tree, TAG_tr);
		return true;
	}
	tree_insert(tree);
	return false;
}

static bool tree_in_table_body_end(struct tree_builder *tree)
{
	if (tree->token.tag == TAG_table)
		return close_table_body(tree);
	if (!token_is(tree, TAGS_SECTION))
		return tree_in_table_end(tree);
	if (in_table_scope(tree, tree->token.tag))
		close_table_body(tree);
	return false;
}

/* --- in a row --- */

static bool tree_table_close_row(struct tree_builder *tree)
{
	if (!in_table_scope(tree, TAG_tr))
		return false;
	clear_to_row(tree);
	tree_pop(tree);
	tree->mode = MODE_IN_TABLE_BODY;
	return true;
}

static bool tree_in_row_start(struct tree_builder *tree)
{
	if (!token_is(tree, TAGS_TABLE))
		return tree_in_table_start(tree);
	if (!token_is(tree, TAGS_CELL))
		return tree_table_close_row(tree);
	clear_to_row(tree);
	tree_insert(tree);
	tree_add_marker(tree);
	tree->mode = MODE_IN_CELL;
	return false;
}

static bool tree_in_row_end(struct tree_builder *tree)
{
	const uint16_t tag = tree->token.tag;

	if (tag == TAG_table || tag == TAG_tr)
		return tree_table_close_row(tree) && tag == TAG_table;
	if (token_is(tree, TAGS_SECTION))
		return in_table_scope(tree, tag) && tree_table_close_row(tree);
	return tree_in_table_end(tree);
}

/* --- in a cell --- */

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

static bool tree_in_cell_start(struct tree_builder *tree)
{
	return token_is(tree, TAGS_TABLE) ? close_any_cell(tree)
					  : tree_in_body_start(tree);
}

static bool tree_in_cell_end(struct tree_builder *tree)
{
	const uint16_t tag = tree->token.tag;

	if (tag == TAG_table || token_is(tree, TAGS_SECTION | TAGS_ROW))
		return in_table_scope(tree, tag) && close_any_cell(tree);
	if (!token_is(tree, TAGS_CELL))
		return !token_is(tree, TAGS_TABLE | TAGS_PAGE) &&
		       tree_in_body_end(tree);
	if (in_table_scope(tree, tag))
		tree_table_close_cell(tree, tag);
	return false;
}

/* --- before the body --- */

static bool tree_mode_initial(struct tree_builder *tree)
{
	tree->is_quirky = true; /* there is no doctype */
	return tree_again(tree, MODE_BEFORE_HTML);
}

static bool before_html_start(struct tree_builder *tree)
{
	if (tree->token.tag != TAG_html) {
		tree_insert_implied(tree, TAG_html);
		return tree_again(tree, MODE_BEFORE_HEAD);
	}
	tree_insert(tree);
	tree->mode = MODE_BEFORE_HEAD;
	return false;
}

/*
 * Return whether the modes before the body must handle the token. They ignore
 * most end tags.
 */
static bool is_end_of_page(const struct tree_builder *tree)
{
	const uint16_t tag = tree->token.tag;

	return tree->token.kind != TOKEN_END || tag == TAG_head ||
	       tag == TAG_body || tag == TAG_html || tag == TAG_br;
}

static bool before_html_other(struct tree_builder *tree)
{
	if (!is_end_of_page(tree))
		return false;
	tree_insert_implied(tree, TAG_html);
	return tree_again(tree, MODE_BEFORE_HEAD);
}

static bool before_head_other(struct tree_builder *tree)
{
	if (!is_end_of_page(tree))
		return false;
	tree_insert_implied(tree, TAG_head);
	tree->head = tree->is_stopped ? NO_NODE : tree_top(tree)->node;
	return tree_again(tree, MODE_IN_HEAD);
}

static bool before_head_start(struct tree_builder *tree)
{
	if (tree->token.tag == TAG_html)
		return tree_in_body_start(tree);
	if (tree->token.tag != TAG_head)
		return before_head_other(tree);
	tree_insert(tree);
	tree->head = tree->is_stopped ? NO_NODE : tree_top(tree)->node;
	tree->mode = MODE_IN_HEAD;
	return false;
}

static bool leave_head(struct tree_builder *tree)
{
	tree_pop(tree);
	return tree_again(tree, MODE_AFTER_HEAD);
}

static void begin_template(struct tree_builder *tree)
{
	if (tree->template_count == MAX_TEMPLATES) {
		tree_stop(tree);
		return;
	}
	tree_insert(tree);
	tree_add_marker(tree);
	tree->allows_frameset = false;
	tree->mode = MODE_IN_TEMPLATE;
	tree->template_modes[tree->template_count++] = MODE_IN_TEMPLATE;
}

bool tree_head_start(struct tree_builder *tree)
{
	switch (tree->token.tag) {
	case TAG_html:
		return tree_in_body_start(tree);
	case TAG_base:
	case TAG_basefont:
	case TAG_bgsound:
	case TAG_link:
	case TAG_meta:
		tree_insert_void(tree);
		return false;
	case TAG_noscript:
		tree_insert(tree);
		tree->mode = MODE_IN_HEAD_NOSCRIPT;
		return false;
	case TAG_title:
	case TAG_noframes:
	case TAG_style:
	case TAG_script:
		tree_insert_raw(tree);
		return false;
	case TAG_template:
		begin_template(tree);
		return false;
	case TAG_head:
		return false;
	default:
		return leave_head(tree);
	}
}

static void end_template(struct tree_builder *tree)
{
	if (!tree_has_open(tree, TAG_template))
		return;
	tree_close_implied_thoroughly(tree);
	tree_pop_until(tree, TAG_template);
	tree_clear_to_marker(tree);
	assert(tree->template_count > 0);
	tree->template_count--;
	tree_reset_mode(tree);
}

bool tree_head_end(struct tree_builder *tree)
{
	switch (tree->token.tag) {
	case TAG_head:
		tree_pop(tree);
		tree->mode = MODE_AFTER_HEAD;
		return false;
	case TAG_body:
	case TAG_html:
	case TAG_br:
		return leave_head(tree);
	case TAG_template:
		end_template(tree);
		return false;
	default:
		return false;
	}
}

static bool leave_noscript(struct tree_builder *tree)
{
	tree_pop(tree);
	return tree_again(tree, MODE_IN_HEAD);
}

static bool in_head_noscript_start(struct tree_builder *tree)
{
	switch (tree->token.tag) {
	case TAG_html:
		return tree_in_body_start(tree);
	case TAG_basefont:
	case TAG_bgsound:
	case TAG_link:
	case TAG_meta:
	case TAG_noframes:
	case TAG_style:
		return tree_head_start(tree);
	case TAG_head:
	case TAG_noscript:
		return false;
	default:
		return leave_noscript(tree);
	}
}

static bool in_head_noscript_end(struct tree_builder *tree)
{
	if (tree->token.tag == TAG_br)
		return leave_noscript(tree);
	if (tree->token.tag != TAG_noscript)
		return false;
	tree_pop(tree);
	tree->mode = MODE_IN_HEAD;
	return false;
}

static bool begin_body(struct tree_builder *tree)
{
	tree_insert_implied(tree, TAG_body);
	return tree_again(tree, MODE_IN_BODY);
}

/* Insert the token into the head, even if the head is already closed. */
static bool put_into_head(struct tree_builder *tree)
{
	const struct span source = tree->nodes[tree->head].source;

	tree_push(tree,
		  (struct open_element){tree->head, TAG_head, IS_SPECIAL});
	tree_head_start(tree);
	tree_remove_open(tree, tree_find_open(tree, tree->head));
	tree->nodes[tree->head].source = source;
	return false;
}

static bool after_head_start(struct tree_builder *tree)
{
	switch (tree->token.tag) {
	case TAG_html:
		return tree_in_body_start(tree);
	case TAG_body:
		tree_insert(tree);
		tree->allows_frameset = false;
		tree->mode = MODE_IN_BODY;
		return false;
	case TAG_frameset:
		tree_insert(tree);
		tree->mode = MODE_IN_FRAMESET;
		return false;
	case TAG_head:
		return false;
	default:
		return token_is(tree, TAGS_HEAD) ? put_into_head(tree)
						 : begin_body(tree);
	}
}

static bool after_head_end(struct tree_builder *tree)
{
	switch (tree->token.tag) {
	case TAG_template:
		return tree_head_end(tree);
	case TAG_body:
	case TAG_html:
	case TAG_br:
		return begin_body(tree);
	default:
		return false;
	}
}

/* --- in a template --- */

/* Select the insertion mode of a template by the first tag in it. */
static bool turn_template(struct tree_builder *tree, enum mode mode)
{
	assert(tree->template_count > 0);
	tree->template_modes[tree->template_count - 1] = (uint8_t)mode;
	return tree_again(tree, mode);
}

static bool in_template_start(struct tree_builder *tree)
{
	if (token_is(tree, TAGS_HEAD))
		return tree_head_start(tree);
	if (tree->token.tag == TAG_col)
		return turn_template(tree, MODE_IN_COLUMN_GROUP);
	if (token_is(tree, TAGS_CAPTION | TAGS_COLUMNS | TAGS_SECTION))
		return turn_template(tree, MODE_IN_TABLE);
	if (token_is(tree, TAGS_ROW))
		return turn_template(tree, MODE_IN_TABLE_BODY);
	return turn_template(tree, token_is(tree, TAGS_CELL) ? MODE_IN_ROW
							     : MODE_IN_BODY);
}

static bool in_template_end(struct tree_builder *tree)
{
	if (tree->token.tag == TAG_template)
		end_template(tree);
	return false;
}

/*
 * Close the innermost template at the end of the page. Return false if none
 * exists. Otherwise the token must be handled again, because a head may be
 * open, which needs a body.
 */
static bool tree_stop_templates(struct tree_builder *tree)
{
	if (tree->template_count == 0)
		return false;
	end_template(tree);
	return true;
}

/* --- after the body, and in frames --- */

static bool back_to_body(struct tree_builder *tree)
{
	return tree_again(tree, MODE_IN_BODY);
}

static bool after_body_start(struct tree_builder *tree)
{
	return tree->token.tag == TAG_html ? tree_in_body_start(tree)
					   : back_to_body(tree);
}

static bool after_body_end(struct tree_builder *tree)
{
	if (tree->token.tag != TAG_html)
		return back_to_body(tree);
	tree->mode = MODE_AFTER_AFTER_BODY;
	return false;
}

static bool in_frameset_start(struct tree_builder *tree)
{
	switch (tree->token.tag) {
	case TAG_html:
		return tree_in_body_start(tree);
	case TAG_frameset:
		tree_insert(tree);
		return false;
	case TAG_frame:
		tree_insert_void(tree);
		return false;
	case TAG_noframes:
		return tree_head_start(tree);
	default:
		return false;
	}
}

static bool in_frameset_end(struct tree_builder *tree)
{
	if (tree->token.tag != TAG_frameset || tree_top_is(tree, TAG_html))
		return false;
	tree_pop(tree);
	if (!tree_top_is(tree, TAG_frameset))
		tree->mode = MODE_AFTER_FRAMESET;
	return false;
}

static bool after_frameset_start(struct tree_builder *tree)
{
	if (tree->token.tag == TAG_html)
		return tree_in_body_start(tree);
	return tree->token.tag == TAG_noframes ? tree_head_start(tree) : false;
}

static bool after_frameset_end(struct tree_builder *tree)
{
	if (tree->token.tag == TAG_html)
		tree->mode = MODE_AFTER_AFTER_FRAMESET;
	return false;
}

bool tree_ignore(struct tree_builder *tree)
{
	(void)tree;
	return false;
}

/* --- selecting a rule --- */

/*
 * The rules of each mode for start tags, end tags, texts and the end of the
 * page.
 */
static const struct {
	tree_rule *start;
	tree_rule *end;
	tree_rule *text; /* for texts that are not blank */
	tree_rule *stop;
} rules[MODE_COUNT] = {
	[MODE_INITIAL] = {tree_mode_initial, tree_mode_initial,
			  tree_mode_initial, tree_mode_initial},
	[MODE_BEFORE_HTML] = {before_html_start, before_html_other,
			      before_html_other, before_html_other},
	[MODE_BEFORE_HEAD] = {before_head_start, before_head_other,
			      before_head_other, before_head_other},
	[MODE_IN_HEAD] = {tree_head_start, tree_head_end, leave_head,
			  leave_head},
	[MODE_IN_HEAD_NOSCRIPT] = {in_head_noscript_start, in_head_noscript_end,
				   leave_noscript, leave_noscript},
	[MODE_AFTER_HEAD] = {after_head_start, after_head_end, begin_body,
			     begin_body},
	[MODE_IN_BODY] = {tree_in_body_start, tree_in_body_end,
			  tree_in_body_text, tree_stop_templates},
	[MODE_IN_TABLE] = {tree_in_table_start, tree_in_table_end,
			   tree_in_table_text, tree_stop_templates},
	[MODE_IN_CAPTION] = {tree_in_caption_start, tree_in_caption_end,
			     tree_in_body_text, tree_stop_templates},
	[MODE_IN_COLUMN_GROUP] = {tree_in_column_group_start,
				  tree_in_column_group_end, close_column_group,
				  tree_stop_templates},
	[MODE_IN_TABLE_BODY] = {tree_in_table_body_start,
				tree_in_table_body_end, tree_in_table_text,
				tree_stop_templates},
	[MODE_IN_ROW] = {tree_in_row_start, tree_in_row_end, tree_in_table_text,
			 tree_stop_templates},
	[MODE_IN_CELL] = {tree_in_cell_start, tree_in_cell_end,
			  tree_in_body_text, tree_stop_templates},
	[MODE_IN_TEMPLATE] = {in_template_start, in_template_end,
			      tree_in_body_text, tree_stop_templates},
	[MODE_AFTER_BODY] = {after_body_start, after_body_end, back_to_body,
			     tree_ignore},
	[MODE_IN_FRAMESET] = {in_frameset_start, in_frameset_end, tree_ignore,
			      tree_ignore},
	[MODE_AFTER_FRAMESET] = {after_frameset_start, after_frameset_end,
				 tree_ignore, tree_ignore},
	[MODE_AFTER_AFTER_BODY] = {after_body_start, back_to_body, back_to_body,
				   tree_ignore},
	[MODE_AFTER_AFTER_FRAMESET] = {after_frameset_start, tree_ignore,
				       tree_ignore, tree_ignore},
};

/*
 * Handle white space. A text of only white space creates no element, and the
 * page does not store it. But it reopens formatting elements.
 */
static bool apply_blank(struct tree_builder *tree)
{
	switch (tree->mode) {
	case MODE_IN_BODY:
	case MODE_IN_CAPTION:
	case MODE_IN_CELL:
	case MODE_IN_TEMPLATE:
	case MODE_AFTER_BODY:
	case MODE_AFTER_AFTER_BODY:
		tree_reconstruct(tree);
		return false;
	case MODE_IN_TABLE:
	case MODE_IN_TABLE_BODY:
	case MODE_IN_ROW:
		return tree_in_table_blank(tree);
	default:
		return false;
	}
}

/* Apply the rules of the current mode once. */
static bool tree_apply(struct tree_builder *tree)
{
	switch (tree->token.kind) {
	case TOKEN_START:
		return rules[tree->mode].start(tree);
	case TOKEN_END:
		return rules[tree->mode].end(tree);
	case TOKEN_TEXT:
		return tree->token.is_blank ? apply_blank(tree)
					    : rules[tree->mode].text(tree);
	default:
		return rules[tree->mode].stop(tree);
	}
}

/*
 * Return whether the rules for SVG and MathML (foreign content) handle the
 * token.
 */
static bool is_foreign(const struct tree_builder *tree)
{
	const struct tree_token *token = &tree->token;
	unsigned category;

	if (tree->depth == 0)
		return false;
	category = tree_top(tree)->category;
	if ((category & IS_FOREIGN) == 0 || token->kind == TOKEN_COUNT)
		return false;
	if ((category & IS_TEXT_POINT) != 0 &&
	    (token->kind == TOKEN_TEXT ||
	     (token->kind == TOKEN_START && token->tag != TAG_mglyph &&
	      token->tag != TAG_malignmark)))
		return false;
	if ((category & IS_ANNOTATION) != 0 && token->kind == TOKEN_START &&
	    token->tag == TAG_svg)
		return false;
	return (category & IS_HTML_POINT) == 0 || token->kind == TOKEN_END;
}

static bool apply_foreign(struct tree_builder *tree)
{
	switch (tree->token.kind) {
	case TOKEN_START:
		return tree_in_foreign_start(tree);
	case TOKEN_END:
		return tree_in_foreign_end(tree);
	default:
		if (!tree->token.is_blank)
			tree->allows_frameset = false;
		/* scripts and styles in SVG are no texts either */
		if ((tag_flags(tree->nodes[tree_top(tree)->node].tag) &
		     TAG_IS_RAW) == 0)
			tree_insert_text(tree);
		return false;
	}
}

/*
 * Handle a token inside an element that contains only text (the insertion mode
 * "text"): the text, its end tag, or the end of the page. Return false if
 * nothing further has to be done.
 */
static bool apply_raw(struct tree_builder *tree)
{
	if (tree->token.kind == TOKEN_TEXT) {
		tree_insert_text(tree);
		return false;
	}
	tree->is_in_raw = false;
	tree_pop(tree);
	return tree->token.kind == TOKEN_COUNT;
}

void tree_dispatch(struct tree_builder *tree)
{
	bool is_again = tree->is_in_raw ? apply_raw(tree) : true;

	while (is_again && !tree->is_stopped)
		is_again = is_foreign(tree) ? apply_foreign(tree)
					    : tree_apply(tree);
}

/*
 * Return the insertion mode that an open element selects; MODE_COUNT if it
 * selects none.
 */
static enum mode mode_of(const struct tree_builder *tree, uint16_t name)
{
	switch (name) {
	case TAG_td:
	case TAG_th:
		return MODE_IN_CELL;
	case TAG_tr:
		return MODE_IN_ROW;
	case TAG_tbody:
	case TAG_thead:
	case TAG_tfoot:
		return MODE_IN_TABLE_BODY;
	case TAG_caption:
		return MODE_IN_CAPTION;
	case TAG_colgroup:
		return MODE_IN_COLUMN_GROUP;
	case TAG_table:
		return MODE_IN_TABLE;
	case TAG_template:
		return tree->template_modes[tree->template_count - 1];
	case TAG_head:
		return MODE_IN_HEAD;
	case TAG_body:
		return MODE_IN_BODY;
	case TAG_frameset:
		return MODE_IN_FRAMESET;
	case TAG_html:
		return tree->head == NO_NODE ? MODE_BEFORE_HEAD
					     : MODE_AFTER_HEAD;
	default:
		return MODE_COUNT;
	}
}

static void tree_reset_mode(struct tree_builder *tree)
{
	enum mode mode = MODE_COUNT;

	for (uint32_t i = tree->depth; i-- > 0 && mode == MODE_COUNT;)
		mode = mode_of(tree, tree->open[i].name);
	tree->mode = mode == MODE_COUNT ? MODE_IN_BODY : mode;
}
