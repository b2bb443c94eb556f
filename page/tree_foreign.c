#include "page/tree_parts.h"

static bool has_attribute(const struct tree_builder *tree, const char *name)
{
	return tree_attribute(tree, name).data != NULL;
}

/* Return whether the start tag ends SVG and MathML. */
static bool breaks_out(const struct tree_builder *tree)
{
	switch (tree->token.tag) {
	case TAG_b:
	case TAG_big:
	case TAG_blockquote:
	case TAG_body:
	case TAG_br:
	case TAG_center:
	case TAG_code:
	case TAG_dd:
	case TAG_div:
	case TAG_dl:
	case TAG_dt:
	case TAG_em:
	case TAG_embed:
	case TAG_h1:
	case TAG_h2:
	case TAG_h3:
	case TAG_h4:
	case TAG_h5:
	case TAG_h6:
	case TAG_head:
	case TAG_hr:
	case TAG_i:
	case TAG_img:
	case TAG_li:
	case TAG_listing:
	case TAG_menu:
	case TAG_meta:
	case TAG_nobr:
	case TAG_ol:
	case TAG_p:
	case TAG_pre:
	case TAG_ruby:
	case TAG_s:
	case TAG_small:
	case TAG_span:
	case TAG_strong:
	case TAG_strike:
	case TAG_sub:
	case TAG_sup:
	case TAG_table:
	case TAG_tt:
	case TAG_u:
	case TAG_ul:
	case TAG_var:
		return true;
	case TAG_font:
		return has_attribute(tree, "color") ||
		       has_attribute(tree, "face") ||
		       has_attribute(tree, "size");
	default:
		return false;
	}
}

static void tree_leave_foreign(struct tree_builder *tree)
{
	while (tree->depth > 1 &&
	       (tree_top(tree)->category & IS_FOREIGN) != 0 &&
	       (tree_top(tree)->category & (IS_TEXT_POINT | IS_HTML_POINT)) ==
		       0)
		tree_pop(tree);
}

bool tree_in_foreign_start(struct tree_builder *tree)
{
	if (breaks_out(tree)) {
		tree_leave_foreign(tree);
		return tree_apply(tree);
	}
	tree_insert_foreign(tree, tree_top(tree)->name &
					  (NAME_IS_SVG | NAME_IS_MATHML));
	return false;
}

bool tree_in_foreign_end(struct tree_builder *tree)
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
