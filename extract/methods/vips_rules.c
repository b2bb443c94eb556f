#include "extract/methods/vips_rules.h"

#include "base/arena.h"
#include "extract/methods/box.h"
#include "page/page.h"

bool vips_is_valid(const struct vips_rules *rules, uint32_t node)
{
	const struct box *box = &rules->boxes[node];

	return box->is_displayed && box->width > 0 && box->height > 0;
}

static float area_of(const struct box *box)
{
	return box->width * box->height;
}

static void vips_add_text_cues(struct vips_rules *rules, uint32_t index)
{
	const struct text *text = &rules->page->texts[index];
	struct vips_cues *cues;

	if (text->node == NO_NODE)
		return;
	cues = &rules->cues[text->node];
	cues->child_count++;
	cues->has_text = true;
}

/* Add the cues of `index` to its parent; its own cues must be complete. */
static void vips_add_child_cues(struct vips_rules *rules, uint32_t index)
{
	const struct node *node = &rules->page->nodes[index];
	const struct box *box = &rules->boxes[index];
	struct vips_cues *own = &rules->cues[index];
	const struct box *parent_box;
	struct vips_cues *cues;

	own->is_virtual_text =
		box->is_inline && own->has_text && !own->has_block;
	if (node->parent == NO_NODE)
		return;
	cues = &rules->cues[node->parent];
	parent_box = &rules->boxes[node->parent];
	if (node->tag == TAG_hr && box->is_displayed)
		cues->has_rule = true;
	if (node->tag == TAG_br && box->is_displayed)
		cues->has_line_break = true;
	if (!vips_is_valid(rules, index))
		return;
	cues->child_count++;
	cues->child_area += area_of(box);
	if (area_of(box) > cues->largest_child)
		cues->largest_child = area_of(box);
	if (own->is_virtual_text)
		cues->has_text = true;
	else
		cues->has_block = true;
	if (!box->is_inline)
		cues->has_line_break = true;
	if (box->background != parent_box->background)
		cues->has_other_color = true;
	if (box->font_size != parent_box->font_size ||
	    box->is_bold != parent_box->is_bold || own->has_other_font)
		cues->has_other_font = true;
}

struct vips_rules vips_rules_make(struct arena *arena, const struct page *page,
				  const struct box *boxes,
				  const bool *is_visible)
{
	struct vips_rules rules = {
		.page = page,
		.boxes = boxes,
		.cues = ARENA_NEW(arena, struct vips_cues, page->node_count),
	};

	for (uint32_t i = 0; i < page->text_count; i++)
		if (is_visible[i])
			vips_add_text_cues(&rules, i);
	for (uint32_t i = page->node_count; i-- > 0;)
		vips_add_child_cues(&rules, i);
	return rules;
}

/*
 * "Based on the html tag and size of this node": the source gives only ranges
 * (5 to 8 in rule 9, 6 to 8 in rule 8). Here the tag of one piece of text has
 * the highest coherence and the tag of a layout part the lowest; an area of
 * more than a quarter of the sub-page costs a degree.
 */
static uint8_t coherence_of(const struct vips_rules *rules, uint32_t node,
			    float area)
{
	uint8_t coherence;

	switch (rules->page->nodes[node].tag) {
	case TAG_p:
	case TAG_pre:
	case TAG_li:
	case TAG_dt:
	case TAG_dd:
	case TAG_h1:
	case TAG_h2:
	case TAG_h3:
	case TAG_h4:
	case TAG_h5:
	case TAG_h6:
	case TAG_blockquote:
	case TAG_figcaption:
		coherence = 8;
		break;
	case TAG_td:
	case TAG_th:
	case TAG_ul:
	case TAG_ol:
	case TAG_dl:
	case TAG_article:
		coherence = 7;
		break;
	case TAG_table:
	case TAG_tbody:
	case TAG_tr:
	case TAG_form:
	case TAG_body:
	case TAG_html:
		coherence = 5;
		break;
	default:
		coherence = rules->boxes[node].is_inline ? 8 : 6;
		break;
	}
	if (area_of(&rules->boxes[node]) > area / 4 && coherence > 5)
		coherence--;
	return coherence;
}

/*
 * The columns of table 2: bit n for rule n. The table has no column for tbody,
 * which therefore counts as one of the other tags; the rules of table would be
 * equally good.
 */
#define RULE(n) (1U << (n))

static unsigned vips_rules_of_tag(const struct box *box, uint16_t tag)
{
	const unsigned all = RULE(1) | RULE(2) | RULE(3);

	if (box->is_inline)
		return all | RULE(4) | RULE(5) | RULE(6) | RULE(7) | RULE(9) |
		       RULE(10) | RULE(12);
	switch (tag) {
	case TAG_table:
		return all | RULE(8) | RULE(10) | RULE(13);
	case TAG_tr:
		return all | RULE(7) | RULE(8) | RULE(10) | RULE(13);
	case TAG_td:
	case TAG_th:
		return all | RULE(4) | RULE(9) | RULE(10) | RULE(11) | RULE(13);
	case TAG_p:
		return all | RULE(4) | RULE(5) | RULE(6) | RULE(7) | RULE(9) |
		       RULE(10) | RULE(12);
	default:
		return all | RULE(4) | RULE(6) | RULE(7) | RULE(9) | RULE(10) |
		       RULE(12);
	}
}

/*
 * Apply rule 8: children with another background colour stay whole in this
 * round.
 */
static void vips_mark_colored(const struct vips_rules *rules, uint32_t index)
{
	const struct node *nodes = rules->page->nodes;

	for (uint32_t i = index + 1; i < nodes[index].end; i = nodes[i].end)
		if (rules->boxes[i].background !=
		    rules->boxes[index].background)
			rules->cues[i].is_kept = true;
}

/* Return the first matching rule among the rules of the tag: table 1. */
static unsigned vips_find_rule(const struct vips_rules *rules, uint32_t node,
			       float area, bool is_root)
{
	const struct vips_cues *cues = &rules->cues[node];
	const struct box *box = &rules->boxes[node];
	const unsigned set =
		vips_rules_of_tag(box, rules->page->nodes[node].tag);
	const float small = (float)rules->small * area;

	if (cues->child_count == 0)
		return 1;
	if (cues->child_count == 1 && cues->has_block)
		return 2;
	if (is_root && cues->has_block)
		return 3;
	if ((set & RULE(4)) != 0 && !cues->has_block)
		return 4;
	if ((set & RULE(5)) != 0 && cues->has_line_break)
		return 5;
	if ((set & RULE(6)) != 0 && cues->has_rule)
		return 6;
	if ((set & RULE(7)) != 0 && cues->child_area > area_of(box))
		return 7;
	if ((set & RULE(8)) != 0 && cues->has_other_color)
		return 8;
	if ((set & RULE(9)) != 0 && cues->has_text && area_of(box) < small)
		return 9;
	if (cues->largest_child < small)
		return 10;
	if ((set & RULE(11)) != 0 && cues->follows_whole)
		return 11;
	return (set & RULE(12)) != 0 ? 12 : 13;
}

struct vips_division vips_divide(const struct vips_rules *rules, uint32_t node,
				 float area, bool is_root)
{
	const struct vips_cues *cues = &rules->cues[node];
	struct vips_division division = {
		.coherence = coherence_of(rules, node, area),
	};

	if (cues->is_kept && !is_root) {
		division.rule = 8;
		if (division.coherence < 6)
			division.coherence = 6;
		return division;
	}
	division.rule = (uint8_t)vips_find_rule(rules, node, area, is_root);
	switch (division.rule) {
	case 1:
		division.coherence = 10;
		break;
	case 4:
		division.coherence = cues->has_other_font ? 9 : 10;
		break;
	case 8:
		vips_mark_colored(rules, node);
		division.is_divided = true;
		break;
	case 2:
	case 3:
	case 5:
	case 6:
	case 7:
	case 12:
		division.is_divided = true;
		break;
	default:
		break;
	}
	return division;
}
