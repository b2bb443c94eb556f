#include "extract/methods/visual_methods.h"

#include <math.h>

#include "base/arena.h"
#include "base/hash.h"
#include "extract/core/document_walk.h"
#include "extract/core/numeric.h"
#include "extract/core/trace.h"
#include "extract/methods/box_layout.h"
#include "extract/methods/css_style.h"
#include "extract/methods/plain.h"
#include "page/page.h"

struct vce_tree_maker {
	const struct page *page;
	const struct box *boxes;
	const bool *is_visible;
	const struct vce_options *options;
	struct vce_element *elements;
	struct vce_block *blocks;
	uint32_t block_count;
};

unsigned vce_distance(const struct box *a, const struct box *b)
{
	return (unsigned)(fabsf(a->width - b->width) >= 1) +
	       (fabsf(a->height - b->height) >= 1) +
	       (fabsf(a->font_size - b->font_size) >= 1) +
	       (a->background != b->background) +
	       (fabsf(a->left - b->left) >= 1) + (fabsf(a->top - b->top) >= 1);
}

double vce_link_density(const struct vce_element *element)
{
	return element->length == 0
		       ? 0
		       : (double)element->link_length / (double)element->length;
}

/*
 * DetectBlock in section 2.1.3 of the source: decide whether element `index`
 * begins a block. Its parent must be handled before.
 */
static void detect_block(struct vce_tree_maker *maker, uint32_t index)
{
	const uint32_t parent = maker->page->nodes[index].parent;
	struct vce_element *element = &maker->elements[index];
	const struct box *box = &maker->boxes[index];

	element->block = NO_VCE_BLOCK;
	if (!box->is_displayed)
		return;
	if (parent != NO_NODE) {
		element->block = maker->elements[parent].block;
		if (vce_distance(box, &maker->boxes[parent]) <=
		    maker->options->distance)
			return;
	}
	maker->blocks[maker->block_count] = (struct vce_block){
		.node = index,
		.parent = element->block,
	};
	element->is_head = true;
	element->block = maker->block_count++;
}

/*
 * AddText in section 2.1.4: add the length of text `index` to its element and
 * its block.
 */
static void vce_tree_add_text(struct vce_tree_maker *maker, uint32_t index)
{
	const struct text *text = &maker->page->texts[index];
	uint32_t length = text_extent(page_text(maker->page, index));
	struct vce_element *element;
	struct vce_block *block;

	if (text->node == NO_NODE || !maker->is_visible[index] ||
	    maker->elements[text->node].block == NO_VCE_BLOCK)
		return;
	element = &maker->elements[text->node];
	element->length += length;
	if ((text->flags & TEXT_IS_LINK) != 0)
		element->link_length += length;
	block = &maker->blocks[element->block];
	block->font_length += length;
	block->font_weight +=
		(double)length * (double)maker->boxes[text->node].font_size;
}

/*
 * TextManipulation in section 2.1.5 and figure 6: add the text of element
 * `index` to its parent, if "the distance to the parent is below the threshold,
 * or it is not parent of any block" (figure 6) and "its link density is below
 * the threshold, or it is a leaf link". Here, a leaf link is any element that
 * is inside a link and contains no block. The children of the element must be
 * handled before.
 */
static void manipulate_text(struct vce_tree_maker *maker, uint32_t index)
{
	const struct node *node = &maker->page->nodes[index];
	struct vce_element *element = &maker->elements[index];
	bool is_leaf_link =
		(node->flags & TEXT_IS_LINK) != 0 && !element->holds_block;
	struct vce_element *parent;

	if (element->block == NO_VCE_BLOCK || node->parent == NO_NODE)
		return;
	parent = &maker->elements[node->parent];
	if (element->is_head || element->holds_block)
		parent->holds_block = true;
	if (element->is_head && element->holds_block)
		return;
	if (!is_leaf_link &&
	    vce_link_density(element) >= maker->options->link_density)
		return;
	element->is_added = true;
	parent->length += element->length;
	parent->link_length += element->link_length;
}

/*
 * Return the pattern of a block, which the source does not define. Here it is
 * the hash of the tag and the box, without height and top, because these depend
 * on the length of the text.
 */
static uint64_t pattern_of(const struct vce_tree_maker *maker,
			   const struct vce_block *block)
{
	const struct box *box = &maker->boxes[block->node];
	uint64_t hash =
		page_tag_hash(maker->page, maker->page->nodes[block->node].tag);

	hash = hash_chain((uint64_t)lroundf(box->width), hash);
	hash = hash_chain((uint64_t)lroundf(box->left), hash);
	hash = hash_chain((uint64_t)lroundf(box->font_size), hash);
	return hash_chain(box->background, hash);
}

/*
 * PatternVerifier in sections 2.1.2 and 2.1.5 and figure 5: count the repeats
 * of each parent. There is one cache for all parents, so the key of a pattern
 * includes the parent.
 */
static void verify_patterns(struct vce_tree_maker *maker, struct arena *arena)
{
	struct hash_table cache = hash_table_make(arena, sizeof(uint64_t));

	for (uint32_t i = 0; i < maker->block_count; i++) {
		const struct vce_block *block = &maker->blocks[i];
		uint32_t known = cache.count;

		if (block->parent == NO_VCE_BLOCK)
			continue;
		hash_table_add(&cache, hash_chain(block->parent,
						  pattern_of(maker, block)));
		if (cache.count == known)
			maker->blocks[block->parent].repeats++;
	}
}

/* The final ElementManipulation in section 2.1.6: compute the averages. */
static void vce_tree_sum_up(const struct vce_tree_maker *maker,
			    struct vce_tree *tree)
{
	struct vce_averages *sums = &tree->averages;
	double count = 0;

	for (uint32_t i = 0; i < maker->page->node_count; i++) {
		const struct vce_element *element = &maker->elements[i];
		const struct box *box = &maker->boxes[i];

		if (element->block == NO_VCE_BLOCK)
			continue;
		count++;
		sums->length += element->length;
		sums->link_density += vce_link_density(element);
		sums->width += (double)box->width;
		sums->height += (double)box->height;
		tree->page_height =
			fmax(tree->page_height,
			     (double)box->top + (double)box->height);
	}
	count = fmax(count, 1);
	sums->length /= count;
	sums->link_density /= count;
	sums->width /= count;
	sums->height /= count;
}

struct vce_tree vce_tree_make(struct arena *arena, const struct page *page,
			      const bool *is_visible,
			      const struct vce_options *options)
{
	struct vce_tree_maker maker = {
		.page = page,
		.boxes = boxes_estimate(arena, page, is_visible),
		.is_visible = is_visible,
		.options = options,
		.elements =
			ARENA_NEW(arena, struct vce_element, page->node_count),
		.blocks = ARENA_NEW(arena, struct vce_block, page->node_count),
	};
	struct vce_tree tree = {
		.page = page,
		.boxes = maker.boxes,
		.elements = maker.elements,
		.blocks = maker.blocks,
	};

	for (uint32_t i = 0; i < page->node_count; i++)
		detect_block(&maker, i);
	for (uint32_t i = 0; i < page->text_count; i++)
		vce_tree_add_text(&maker, i);
	for (uint32_t i = page->node_count; i-- > 0;)
		manipulate_text(&maker, i);
	verify_patterns(&maker, arena);
	tree.block_count = maker.block_count;
	vce_tree_sum_up(&maker, &tree);
	return tree;
}

/*
 * The parameters of the method vce. The source does not define the thresholds.
 * The default values have the highest mean word F1 over five sets. With a
 * smaller distance, too many elements become separate blocks
 * (tests/eval/RESULTS.md, "What parameters were chosen by").
 */
enum { DISTANCE, LINK_DENSITY };

static const struct parameter vce_parameters[] = {
	[DISTANCE] =
		{"distance", "differences", 0, 6, 4,
		 "an element that differs from its parent in more of width, "
		 "height, font size, background, left and top begins a block"},
	[LINK_DENSITY] = {"link_density", "ratio of the text", 0, 1, 0.3,
			  "the text of an element with this ratio of links or "
			  "more does not count for its parent"},
};

/*
 * The minimum of the divisor in equation 1. In the source, the divisor of a
 * block without links and repeats is zero. With this minimum, a block with
 * fewer links than one in twenty characters has no further advantage.
 */
static const double least_divisor = 0.05;

struct main_block_search {
	const struct vce_tree *tree;
	double *factors; /* [tree->block_count]; 0 = the block is not a
			    candidate */
	bool *is_main; /* [page->node_count]: the texts of the element belong to
			  the main block */
	uint32_t main; /* index of the main block, or NO_VCE_BLOCK */
};

/* Return true if the block fulfils "the least conditions" of section 2.2.1. */
static bool is_valid(const struct vce_tree *tree, const struct vce_block *block)
{
	const struct vce_averages *averages = &tree->averages;
	const struct vce_element *element = &tree->elements[block->node];
	const struct box *box = &tree->boxes[block->node];

	return element->length >= averages->length &&
	       vce_link_density(element) <= averages->link_density &&
	       (double)box->width >= averages->width &&
	       (double)box->height >= averages->height;
}

/*
 * Return the factor value of a block (equation 1). The "distance from bottom of
 * the page" is measured from the block's upper edge, like the distance from the
 * top. If it were measured from the lower edge, a block at the end of the page
 * could never be the main block.
 */
static double factor_value(const struct vce_tree *tree,
			   const struct vce_block *block)
{
	const struct vce_element *element = &tree->elements[block->node];
	const struct box *box = &tree->boxes[block->node];
	double top = (double)box->top;
	double font_size = block->font_length > 0
				   ? block->font_weight / block->font_length
				   : (double)box->font_size;
	double divisor = vce_link_density(element) + block->repeats * top;

	return element->length * (double)box->width * font_size *
	       (tree->page_height - top) / fmax(divisor, least_divisor);
}

/*
 * FindMainBlock in section 2.2 and figure 7: find the block with the highest
 * factor value. If is_strict, only blocks that fulfil the least conditions are
 * candidates.
 */
static void find_main_block(struct main_block_search *search, bool is_strict)
{
	double highest = 0;

	search->main = NO_VCE_BLOCK;
	for (uint32_t i = 0; i < search->tree->block_count; i++) {
		const struct vce_block *block = &search->tree->blocks[i];

		search->factors[i] = 0;
		if (is_strict && !is_valid(search->tree, block))
			continue;
		search->factors[i] = factor_value(search->tree, block);
		if (search->factors[i] > highest) {
			highest = search->factors[i];
			search->main = i;
		}
	}
}

/*
 * Set is_main of the elements whose text was added to the main block, directly
 * or through other elements.
 */
static void mark_main_block(struct main_block_search *search)
{
	const struct page *page = search->tree->page;
	uint32_t head;

	if (search->main == NO_VCE_BLOCK)
		return;
	head = search->tree->blocks[search->main].node;
	search->is_main[head] = true;
	for (uint32_t i = head + 1; i < page->nodes[head].end; i++)
		search->is_main[i] = search->tree->elements[i].is_added &&
				     search->is_main[page->nodes[i].parent];
}

static uint32_t block_of(const struct main_block_search *search, uint32_t text)
{
	uint32_t node = search->tree->page->texts[text].node;

	return node == NO_NODE ? NO_VCE_BLOCK
			       : search->tree->elements[node].block;
}

/*
 * Return the verdict on `text`. Its score is the factor value of its block,
 * divided by the highest factor value.
 */
static struct verdict vce_judge(const struct main_block_search *search,
				uint32_t text, bool is_visible)
{
	uint32_t block = block_of(search, text);

	if (search->main == NO_VCE_BLOCK || block == NO_VCE_BLOCK ||
	    !is_visible)
		return (struct verdict){0};
	if (search->is_main[search->tree->page->texts[text].node])
		return (struct verdict){.score = 1, .is_content = true};
	return (struct verdict){
		.score = (float)(search->factors[block] /
				 search->factors[search->main]),
	};
}

static void vce_explain(const struct main_block_search *search, uint32_t text,
			struct verdict verdict, struct trace *trace)
{
	uint32_t block = block_of(search, text);

	if (block == NO_VCE_BLOCK)
		trace_reason(trace, text, "not displayed");
	else if (verdict.is_content)
		trace_reason(trace, text,
			     "in the main block, factor value %.3g",
			     search->factors[search->main]);
	else if (block == search->main)
		trace_reason(trace, text,
			     "in the main block, but among its links");
	else if (search->factors[block] > 0)
		trace_reason(trace, text,
			     "its block's factor value %.3g is %.2f of the "
			     "main block's",
			     search->factors[block], (double)verdict.score);
	else
		trace_reason(trace, text,
			     "its block is below the averages of the page");
}

static void vce_draw(const struct main_block_search *search,
		     struct trace *trace)
{
	const struct vce_tree *tree = search->tree;
	struct box_figure figure = box_figure_begin(trace, search->main);

	for (uint32_t i = 0; i < tree->block_count; i++) {
		const struct vce_block *block = &tree->blocks[i];
		const struct vce_element *element =
			&tree->elements[block->node];
		const struct box *box = &tree->boxes[block->node];

		box_figure_add(&figure, i,
			       (struct figure_box){
				       .left = box->left,
				       .top = box->top,
				       .width = box->width,
				       .height = box->height,
				       .value = (float)search->factors[i],
			       },
			       "factor %.3g: %u characters, links %.2f, "
			       "repeats %u, top %.0f",
			       search->factors[i], element->length,
			       vce_link_density(element), block->repeats,
			       (double)box->top);
	}
	box_figure_end(&figure, "Blocks by factor value");
}

static void vce_run(const struct extractor_input *input,
		    struct verdict *verdicts)
{
	const struct page *page = input->page;
	const bool *is_visible = visible_texts(input->arena, page);
	const struct vce_options options = {
		.distance = input->parameters[DISTANCE],
		.link_density = input->parameters[LINK_DENSITY],
	};
	const struct vce_tree tree =
		vce_tree_make(input->arena, page, is_visible, &options);
	struct main_block_search search = {
		.tree = &tree,
		.factors = ARENA_NEW(input->arena, double, tree.block_count),
		.is_main = ARENA_NEW(input->arena, bool, page->node_count),
	};

	find_main_block(&search, true);
	if (search.main == NO_VCE_BLOCK)
		find_main_block(&search, false);
	mark_main_block(&search);
	for (uint32_t i = 0; i < page->text_count; i++) {
		verdicts[i] = vce_judge(&search, i, is_visible[i]);
		if (input->trace != NULL)
			vce_explain(&search, i, verdicts[i], input->trace);
	}
	if (input->trace != NULL)
		vce_draw(&search, input->trace);
}

const struct extractor extractor_vce = {
	.name = "vce",
	.summary = "The main block, by position, size and text.",
	.source = "Asfia, Pedram, Rahmani, Main Content Extraction from "
		  "Detailed Web Pages, IJCA 2010 (VCE)",
	PARAMETERS(vce_parameters),
	.run = vce_run,
};

/*
 * Return true for a "valid node", that is, an element that is displayed and has
 * a width and a height.
 */
static bool vips_is_valid(const struct vips_rules *rules, uint32_t node)
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

/*
 * Add the cues of element `index`, which must be complete, to the cues of its
 * parent.
 */
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
 * The degree of coherence by tag. In the source it is "based on the html tag
 * and size of this node", within ranges (5 to 8 in rule 9, 6 to 8 in rule 8).
 * Here, the tag of a single piece of text has the highest coherence, and the
 * tag of a part of the layout the lowest. If the area of the element is more
 * than a quarter of the sub-page, the coherence is lower by one degree.
 */
static const uint8_t coherences[TAG_COUNT] = {
	[TAG_p] = 8,          [TAG_pre] = 8,   [TAG_li] = 8,
	[TAG_dt] = 8,         [TAG_dd] = 8,    [TAG_h1] = 8,
	[TAG_h2] = 8,         [TAG_h3] = 8,    [TAG_h4] = 8,
	[TAG_h5] = 8,         [TAG_h6] = 8,    [TAG_blockquote] = 8,
	[TAG_figcaption] = 8, [TAG_td] = 7,    [TAG_th] = 7,
	[TAG_ul] = 7,         [TAG_ol] = 7,    [TAG_dl] = 7,
	[TAG_article] = 7,    [TAG_table] = 5, [TAG_tbody] = 5,
	[TAG_tr] = 5,         [TAG_form] = 5,  [TAG_body] = 5,
	[TAG_html] = 5,
};

static uint8_t coherence_of(const struct vips_rules *rules, uint32_t node,
			    float area)
{
	const uint16_t tag = rules->page->nodes[node].tag;
	uint8_t coherence = rules->boxes[node].is_inline ? 8 : 6;

	if (tag < TAG_COUNT && coherences[tag] != 0)
		coherence = coherences[tag];
	if (area_of(&rules->boxes[node]) > area / 4 && coherence > 5)
		coherence--;
	return coherence;
}

/*
 * Return the rules for a tag, which are a column of table 2, with bit n for
 * rule n. The table has no column for tbody, so tbody counts as one of the
 * other tags; the rules for table would be equally good.
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
 * Return the first of the rules for the element's tag whose condition (table 1)
 * is true.
 */
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

/* The rules that divide an element. */
#define DIVIDING \
	(RULE(2) | RULE(3) | RULE(5) | RULE(6) | RULE(7) | RULE(8) | RULE(12))

struct vips_division vips_divide(const struct vips_rules *rules, uint32_t node,
				 float area, bool is_root)
{
	const struct node *nodes = rules->page->nodes;
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
	division.is_divided = (DIVIDING >> division.rule & 1) != 0;
	if (division.rule == 1)
		division.coherence = 10;
	else if (division.rule == 4)
		division.coherence = cues->has_other_font ? 9 : 10;
	else if (division.rule == 8)
		/* do not divide children of another colour in this round */
		for (uint32_t i = node + 1; i < nodes[node].end;
		     i = nodes[i].end)
			rules->cues[i].is_kept |= rules->boxes[i].background !=
						  rules->boxes[node].background;
	return division;
}

/*
 * A leaf of a round: an element that is not divided, or texts directly in a
 * divided element.
 */
struct leaf {
	uint32_t node; /* the element; for texts, the element that they are
			  directly in */
	uint32_t first_text;
	uint32_t end_text;
	uint16_t depth; /* depth of the element around the leaf */
	uint8_t coherence;
	bool is_text;
};

struct segmentation {
	const struct page *page;
	const struct box *boxes;
	const bool *is_visible;
	const struct vips_options *options;
	struct vips_rules rules;
	struct vips_segments *out;
	uint32_t *queue; /* [page->node_count]: the elements to divide in later
			    rounds, as sub-pages */
	uint32_t queue_count;
	struct leaf last;      /* the previous leaf in this round */
	bool has_last;         /* `last` is set, and it is in a segment */
	bool has_rule;         /* an hr is between `last` and the next leaf */
	uint16_t common_depth; /* depth of the innermost element around both
				  leaves */
};

/* The weights of separators between two leaves (section 4.2). */
enum {
	MAX_WEIGHT = 10,
	LINE_WEIGHT = 1, /* for each line of empty space; the source does not
			    define this and the next values */
	MAX_SPACE_WEIGHT = 4,
	RULE_WEIGHT = 3,  /* an hr */
	COLOR_WEIGHT = 3, /* different backgrounds */
	FONT_WEIGHT = 1,  /* different font sizes or weights */
	RISE_WEIGHT =
		1, /* the leaf above has a smaller font than the leaf below */
	COLUMN_WEIGHT = 4, /* side by side */
	EDGE_WEIGHT = 1,   /* the start or end of an element is between the
			      leaves; this stands for the padding, which the
			      layout estimate ignores */
	ALIKE_WEIGHT = 2,  /* subtracted if both leaves are text */
};

static const double line_height = 1.2 * ROOT_FONT_SIZE;

static unsigned separator_weight(const struct segmentation *segmentation,
				 const struct leaf *b)
{
	const struct leaf *a = &segmentation->last;
	const struct box *box_a = &segmentation->boxes[a->node];
	const struct box *box_b = &segmentation->boxes[b->node];
	double weight = (a->depth - segmentation->common_depth + b->depth -
			 segmentation->common_depth) *
			EDGE_WEIGHT;

	if (segmentation->has_rule)
		weight += RULE_WEIGHT;
	if (a->node != b->node && !a->is_text && !b->is_text) {
		double space = (double)box_b->top - (double)box_a->top -
			       (double)box_a->height;

		if (box_b->top < box_a->top + box_a->height &&
		    box_b->left >= box_a->left + box_a->width)
			weight += COLUMN_WEIGHT;
		else
			weight += fmin(MAX_SPACE_WEIGHT,
				       LINE_WEIGHT * fmax(space, 0) /
					       line_height);
	}
	if (box_a->background != box_b->background)
		weight += COLOR_WEIGHT;
	if (box_a->font_size != box_b->font_size ||
	    box_a->is_bold != box_b->is_bold)
		weight += FONT_WEIGHT;
	if (box_a->font_size < box_b->font_size)
		weight += RISE_WEIGHT;
	if (a->coherence >= 9 && b->coherence >= 9)
		weight -= ALIKE_WEIGHT;
	weight = fmin(fmax(ceil(weight), 0), MAX_WEIGHT);
	return (unsigned)weight;
}

static void count_texts(struct segmentation *segmentation,
			struct vips_segment *segment, const struct leaf *leaf)
{
	const struct page *page = segmentation->page;

	for (uint32_t i = leaf->first_text; i < leaf->end_text; i++) {
		uint32_t length;

		if (!segmentation->is_visible[i])
			continue;
		length = text_extent(page_text(page, i));
		segment->length += length;
		if ((page->texts[i].flags & TEXT_IS_LINK) != 0)
			segment->link_length += length;
		segmentation->out->text_segments[i] =
			segmentation->out->count - 1;
	}
}

/*
 * Add the leaf to the segment of the previous leaf, or begin a segment (section
 * 4.3).
 */
static void vips_add_leaf(struct segmentation *segmentation,
			  const struct leaf *leaf)
{
	const struct box *box = &segmentation->boxes[leaf->node];
	unsigned weight = MAX_WEIGHT;
	struct vips_segment *segment;
	unsigned coherence;

	if (segmentation->has_last)
		weight = separator_weight(segmentation, leaf);
	coherence = MAX_WEIGHT - weight;
	if (coherence < 1 || coherence < segmentation->options->coherence)
		segmentation->out->segments[segmentation->out->count++] =
			(struct vips_segment){
				.left = box->left,
				.top = box->top,
				.right = box->left + box->width,
				.bottom = box->top + box->height,
				.coherence = leaf->coherence,
			};
	segment = &segmentation->out->segments[segmentation->out->count - 1];
	if (coherence >= 1 && coherence >= segmentation->options->coherence &&
	    coherence < segment->coherence)
		segment->coherence = (uint8_t)coherence;
	if (leaf->coherence < segment->coherence)
		segment->coherence = leaf->coherence;
	segment->left = fminf(segment->left, box->left);
	segment->top = fminf(segment->top, box->top);
	segment->right = fmaxf(segment->right, box->left + box->width);
	segment->bottom = fmaxf(segment->bottom, box->top + box->height);
	count_texts(segmentation, segment, leaf);
	segmentation->last = *leaf;
	segmentation->has_last = true;
	segmentation->has_rule = false;
	segmentation->common_depth = leaf->depth;
}

/*
 * Update common_depth: the innermost open element around the next leaf has the
 * depth `depth`.
 */
static void vips_pass_element(struct segmentation *segmentation, uint16_t depth)
{
	if (depth < segmentation->common_depth)
		segmentation->common_depth = depth;
}

/*
 * Add the texts [begin, end), which are directly in divided elements, as
 * leaves.
 */
static void vips_add_texts(struct segmentation *segmentation, uint32_t begin,
			   uint32_t end)
{
	const struct page *page = segmentation->page;

	for (uint32_t i = begin; i < end; i++) {
		uint32_t node = page->texts[i].node;
		struct leaf leaf = {
			.node = node,
			.first_text = i,
			.end_text = i + 1,
			.coherence = 10,
			.is_text = true,
		};

		if (!segmentation->is_visible[i] || node == NO_NODE ||
		    !segmentation->boxes[node].is_displayed)
			continue;
		leaf.depth = page->nodes[node].depth;
		vips_pass_element(segmentation, leaf.depth);
		vips_add_leaf(segmentation, &leaf);
	}
}

static uint16_t depth_around(const struct node *node)
{
	return (uint16_t)(node->depth > 0 ? node->depth - 1 : 0);
}

/*
 * Add element `index`, which is not divided in this round. If it is not
 * coherent enough and may_divide, it becomes a sub-page of a later round;
 * otherwise it becomes a leaf.
 */
static void vips_add_block(struct segmentation *segmentation, uint32_t index,
			   struct vips_division division, bool may_divide)
{
	const struct page *page = segmentation->page;
	const struct node *node = &page->nodes[index];
	struct leaf leaf = {
		.node = index,
		.first_text = node->first_text,
		.end_text = node->end_text,
		.depth = depth_around(node),
		.coherence = division.coherence,
	};

	if (node->tag == TAG_hr)
		segmentation->has_rule = true;
	if (division.rule == 1 || !vips_is_valid(&segmentation->rules, index))
		return; /* the element is left out */
	/*
	 * rule 11 for the next sibling needs to know that this element is not
	 * divided
	 */
	if (node->end < page->node_count &&
	    page->nodes[node->end].parent == node->parent)
		segmentation->rules.cues[node->end].follows_whole = true;
	if (may_divide &&
	    division.coherence < segmentation->options->coherence) {
		segmentation->queue[segmentation->queue_count++] = index;
		segmentation->has_last = false;
		return;
	}
	vips_add_leaf(segmentation, &leaf);
}

/* Run one round on the sub-page of element `root` (section 4.1). */
static void vips_divide_subpage(struct segmentation *segmentation,
				uint32_t root)
{
	const struct node *nodes = segmentation->page->nodes;
	const float area = segmentation->boxes[root].width *
			   segmentation->boxes[root].height;
	uint32_t text = nodes[root].first_text;
	uint32_t next;

	segmentation->has_last = false;
	segmentation->has_rule = false;
	for (uint32_t i = root; i < nodes[root].end; i = next) {
		struct vips_division division =
			vips_divide(&segmentation->rules, i, area, i == root);

		next = i + 1;
		vips_add_texts(segmentation, text, nodes[i].first_text);
		text = nodes[i].first_text;
		vips_pass_element(segmentation, depth_around(&nodes[i]));
		if (division.is_divided)
			continue;
		vips_add_block(segmentation, i, division, i != root);
		text = nodes[i].end_text;
		next = nodes[i].end;
	}
	vips_add_texts(segmentation, text, nodes[root].end_text);
}

struct vips_segments vips_segments_make(struct arena *arena,
					const struct page *page,
					const struct box *boxes,
					const bool *is_visible,
					const struct vips_options *options)
{
	struct vips_segments out = {
		.segments = ARENA_NEW(arena, struct vips_segment,
				      page->node_count + page->text_count),
		.text_segments = ARENA_NEW(arena, uint32_t, page->text_count),
	};
	struct segmentation segmentation = {
		.page = page,
		.boxes = boxes,
		.is_visible = is_visible,
		.options = options,
		.rules = vips_rules_make(arena, page, boxes, is_visible),
		.out = &out,
		.queue = ARENA_NEW(arena, uint32_t, page->node_count),
	};

	segmentation.rules.small = options->small;
	for (uint32_t i = 0; i < page->text_count; i++)
		out.text_segments[i] = NO_SEGMENT;
	for (uint32_t i = 0; i < page->node_count; i = page->nodes[i].end)
		vips_divide_subpage(&segmentation, i);
	for (uint32_t i = 0; i < segmentation.queue_count; i++)
		vips_divide_subpage(&segmentation, segmentation.queue[i]);
	return out;
}

/*
 * The parameters of the method vips. In the source, the user sets the permitted
 * degree of coherence (PDoC), and the size of a small element is not defined.
 * The default values have the highest mean word F1 over five sets
 * (tests/eval/RESULTS.md, "What parameters were chosen by"). The method chooses
 * one block. This is the whole of an article, but only a part of the content of
 * a list, a forum or a shop. For such pages a lower PDoC is better.
 */
enum { COHERENCE, SMALL };

static const struct parameter vips_parameters[] = {
	[COHERENCE] = {"coherence", "degree of coherence", 1, 10, 6,
		       "the permitted degree (PDoC): a block with a lower one "
		       "is divided"},
	[SMALL] = {"small", "ratio of the sub-page's area", 0, 1, 0.01,
		   "a smaller element is not divided"},
};

/*
 * Return the score of each segment, and write the segment with the highest
 * score to *highest_out, or NO_SEGMENT if no segment has text. The source does
 * not choose one of its blocks. Here it is "the largest block near the centre":
 * the score is the length of the text outside of links, weighted by how near
 * the segment is to the centre of the page. The weight is 1 in the middle of
 * the page's width and 0 at the left and right edges.
 */
static const double *score_segments(struct arena *arena,
				    const struct vips_segments *segments,
				    uint32_t *highest_out)
{
	const double middle = VIEWPORT_WIDTH / 2.0;
	double *scores = ARENA_NEW(arena, double, segments->count);
	double highest = 0;

	*highest_out = NO_SEGMENT;
	for (uint32_t i = 0; i < segments->count; i++) {
		const struct vips_segment *one = &segments->segments[i];
		double center = ((double)one->left + (double)one->right) / 2;

		scores[i] = (double)(one->length - one->link_length) *
			    fmax(1 - fabs(center - middle) / middle, 0);
		if (scores[i] > highest) {
			highest = scores[i];
			*highest_out = i;
		}
	}
	return scores;
}

static void vips_explain(const struct vips_segments *segments, uint32_t text,
			 uint32_t highest, const double *scores,
			 struct trace *trace)
{
	uint32_t index = segments->text_segments[text];

	if (index == NO_SEGMENT)
		trace_reason(trace, text, "not displayed");
	else if (index == highest)
		trace_reason(trace, text,
			     "in the largest block near the centre: %u of %u "
			     "characters outside of links, degree of "
			     "coherence %u",
			     segments->segments[index].length -
				     segments->segments[index].link_length,
			     segments->segments[index].length,
			     segments->segments[index].coherence);
	else
		trace_reason(trace, text,
			     "its block weighs %.0f characters, the largest "
			     "%.0f",
			     scores[index],
			     highest == NO_SEGMENT ? 0 : scores[highest]);
}

static void vips_draw(const struct vips_segments *segments, uint32_t highest,
		      struct trace *trace)
{
	struct box_figure figure = box_figure_begin(trace, highest);

	for (uint32_t i = 0; i < segments->count; i++) {
		const struct vips_segment *segment = &segments->segments[i];

		box_figure_add(
			&figure, i,
			(struct figure_box){
				.left = segment->left,
				.top = segment->top,
				.width = segment->right - segment->left,
				.height = segment->bottom - segment->top,
				.value = segment->coherence,
			},
			"coherence %u: %u characters, %u of them in links",
			segment->coherence, segment->length,
			segment->link_length);
	}
	box_figure_end(&figure, "Visual blocks by degree of coherence");
}

static void vips_run(const struct extractor_input *input,
		     struct verdict *verdicts)
{
	const struct page *page = input->page;
	const bool *is_visible = visible_texts(input->arena, page);
	const struct box *boxes =
		boxes_estimate(input->arena, page, is_visible);
	const struct vips_options options = {
		.coherence = input->parameters[COHERENCE],
		.small = input->parameters[SMALL],
	};
	const struct vips_segments segments = vips_segments_make(
		input->arena, page, boxes, is_visible, &options);
	uint32_t highest;
	const double *scores =
		score_segments(input->arena, &segments, &highest);

	for (uint32_t i = 0; i < page->text_count; i++) {
		uint32_t index = segments.text_segments[i];

		verdicts[i] = (struct verdict){
			.score = index == NO_SEGMENT ? 0 : (float)scores[index],
			.is_content = index != NO_SEGMENT && index == highest,
		};
		if (input->trace != NULL)
			vips_explain(&segments, i, highest, scores,
				     input->trace);
	}
	if (input->trace != NULL)
		vips_draw(&segments, highest, input->trace);
}

const struct extractor extractor_vips = {
	.name = "vips",
	.summary = "The largest visual block near the middle of the page.",
	.source = "Cai, Yu, Wen, Ma, VIPS: a Vision-based Page Segmentation "
		  "Algorithm, MSR-TR-2003-79",
	PARAMETERS(vips_parameters),
	.run = vips_run,
};
