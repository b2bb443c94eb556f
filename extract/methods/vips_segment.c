#include "extract/methods/vips_segment.h"

#include <math.h>

#include "base/arena.h"
#include "extract/methods/box.h"
#include "extract/methods/css_value.h"
#include "extract/methods/vips_rules.h"
#include "page/page.h"

/* A leaf of a round: an element, or a text that an element owns directly. */
struct leaf {
	uint32_t node; /* for a text: the element that owns it */
	uint32_t first_text;
	uint32_t end_text;
	uint16_t depth; /* depth of the element around it */
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
	uint32_t *queue; /* [page->node_count]: elements that are sub-pages */
	uint32_t queue_count;
	struct leaf last; /* the previous leaf in this round */
	bool has_last;    /* there is a previous leaf, and it is in a segment */
	bool has_rule;    /* an hr is between the previous leaf and the next */
	uint16_t common_depth; /* depth of the innermost element around both */
};

/* Section 4.2: how strongly the content between two leaves separates them. */
enum {
	MAX_WEIGHT = 10,
	LINE_WEIGHT = 1, /* one line of empty space; this and the next values
			    are not in the source */
	MAX_SPACE_WEIGHT = 4,
	RULE_WEIGHT = 3,   /* an hr */
	COLOR_WEIGHT = 3,  /* different background */
	FONT_WEIGHT = 1,   /* different size or weight */
	RISE_WEIGHT = 1,   /* a smaller font above a larger one */
	COLUMN_WEIGHT = 4, /* side by side */
	EDGE_WEIGHT = 1,   /* start or end of an element: replaces the padding,
			      which the layout estimate ignores */
	ALIKE_WEIGHT = 2,  /* subtracted: both are text */
};

static const double line_height = 1.2 * ROOT_FONT_SIZE;

static bool is_beside(const struct box *a, const struct box *b)
{
	return b->top < a->top + a->height && b->left >= a->left + a->width;
}

static double space_between(const struct box *a, const struct box *b)
{
	double space = (double)b->top - (double)a->top - (double)a->height;

	return space > 0 ? space : 0;
}

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
		if (is_beside(box_a, box_b))
			weight += COLUMN_WEIGHT;
		else
			weight +=
				fmin(MAX_SPACE_WEIGHT,
				     LINE_WEIGHT * space_between(box_a, box_b) /
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

static void begin_segment(struct segmentation *segmentation,
			  const struct leaf *leaf)
{
	const struct box *box = &segmentation->boxes[leaf->node];

	segmentation->out->segments[segmentation->out->count++] =
		(struct vips_segment){
			.left = box->left,
			.top = box->top,
			.right = box->left + box->width,
			.bottom = box->top + box->height,
			.coherence = leaf->coherence,
		};
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
 * Section 4.3: add the leaf to the previous leaf's segment, or begin a segment.
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
		begin_segment(segmentation, leaf);
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
 * Note that the next item is inside the open element of depth `depth` and in no
 * deeper one.
 */
static void vips_pass_element(struct segmentation *segmentation, uint16_t depth)
{
	if (depth < segmentation->common_depth)
		segmentation->common_depth = depth;
}

/* Add the texts from `begin` to `end`, which belong to divided elements. */
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

/* Record for the next sibling whether this one was divided, for rule 11. */
static void vips_mark_next_sibling(struct segmentation *segmentation,
				   uint32_t index)
{
	const struct page *page = segmentation->page;
	uint32_t next = page->nodes[index].end;

	if (next < page->node_count &&
	    page->nodes[next].parent == page->nodes[index].parent)
		segmentation->rules.cues[next].follows_whole = true;
}

/*
 * Add a block that is not divided in this round: a leaf, or, if it is not
 * coherent enough and `may_divide`, a sub-page of a later round.
 */
static void vips_add_block(struct segmentation *segmentation, uint32_t index,
			   struct vips_division division, bool may_divide)
{
	const struct node *node = &segmentation->page->nodes[index];
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
		return; /* cut */
	vips_mark_next_sibling(segmentation, index);
	if (may_divide &&
	    division.coherence < segmentation->options->coherence) {
		segmentation->queue[segmentation->queue_count++] = index;
		segmentation->has_last = false;
		return;
	}
	vips_add_leaf(segmentation, &leaf);
}

/* Section 4.1: run one round on the sub-page of element `root`. */
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
