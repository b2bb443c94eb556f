#include "tests/bench/rtdm.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/memory.h"
#include "page/page.h"

struct rtdm_tree rtdm_tree_make(struct arena *arena, const struct page *page)
{
	struct rtdm_node *nodes = ARENA_NEW(arena, struct rtdm_node,
					    (size_t)page->node_count + 1);

	nodes[0].end = page->node_count + 1;
	/*
	 * From the last node to the first, so that children come before their
	 * parent; until the parent is reached, its `subtree` is the hash of the
	 * children until now.
	 */
	for (uint32_t i = page->node_count; i > 0; i--) {
		const struct node *node = &page->nodes[i - 1];
		uint32_t parent =
			node->parent == NO_NODE ? 0 : node->parent + 1;

		nodes[i].name = page_tag_hash(page, node->tag);
		nodes[i].end = node->end + 1;
		nodes[i].subtree = hash_chain(nodes[i].name, nodes[i].subtree);
		nodes[parent].subtree =
			hash_chain(nodes[i].subtree, nodes[parent].subtree);
		nodes[parent].child_count++;
	}
	return (struct rtdm_tree){nodes, page->node_count};
}

/* Two nodes whose child sequences are being aligned, row by row. */
struct alignment_frame {
	uint32_t a; /* next child of node a (row) */
	uint32_t b; /* next child of node b (column) */
	uint32_t end_a;
	uint32_t end_b;
	uint32_t first_b;
	uint32_t column;   /* column of b */
	uint32_t diagonal; /* the cell above and left of b's */
	size_t row;        /* begin of its cells: one more than the children */
};

struct alignment {
	const struct rtdm_node *a;
	const struct rtdm_node *b;
	struct alignment_frame
		*frames; /* a stack: the path down to the current pair */
	size_t frame_count;
	size_t frame_capacity;
	uint32_t *cells;   /* rows of the frames: children of nested nodes, */
	size_t cell_count; /* so 2 * |b| + 2 suffice */
	uint64_t cells_left;
};

static uint32_t tree_size(const struct rtdm_node *nodes, uint32_t node)
{
	assert(nodes[node].end > node);
	return nodes[node].end - node;
}

static uint32_t rtdm_min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/*
 * Return whether mapping the pair requires no alignment, and its cost. Pairs
 * with different names are mapped alone: one replacement, and all nodes below
 * are deleted and inserted.
 */
static bool rtdm_pair_is_plain(const struct alignment *alignment, uint32_t a,
			       uint32_t b, uint32_t *cost_out)
{
	const struct rtdm_node *left = &alignment->a[a];
	const struct rtdm_node *right = &alignment->b[b];
	uint32_t below =
		tree_size(alignment->a, a) - 1 + tree_size(alignment->b, b) - 1;

	if (left->subtree == right->subtree)
		*cost_out = 0;
	else if (left->name != right->name)
		*cost_out = below + 1;
	else if (left->child_count == 0 || right->child_count == 0)
		*cost_out = below;
	else
		return false;
	return true;
}

/*
 * Begin to align the children of a and b; both have children. The row above the
 * first inserts the children of b.
 */
static enum error alignment_push(struct alignment *alignment, uint32_t a,
				 uint32_t b)
{
	uint64_t width = alignment->b[b].child_count;
	uint64_t cells = alignment->a[a].child_count * width;
	uint32_t *row = &alignment->cells[alignment->cell_count];
	uint32_t end = alignment->b[b].end;
	uint32_t column = 0;

	assert(alignment->a[a].child_count > 0 && width > 0);
	if (cells > alignment->cells_left)
		return ERR_TOO_LARGE;
	alignment->cells_left -= cells;
	alignment->frames = mem_grow(alignment->frames, alignment->frame_count,
				     &alignment->frame_capacity,
				     sizeof(*alignment->frames));
	alignment->frames[alignment->frame_count++] = (struct alignment_frame){
		.a = a + 1,
		.b = b + 1,
		.end_a = alignment->a[a].end,
		.end_b = end,
		.first_b = b + 1,
		.row = alignment->cell_count,
	};
	alignment->cell_count += width + 1;
	row[0] = 0;
	for (uint32_t i = b + 1; i < end; i = alignment->b[i].end) {
		row[column + 1] = row[column] + tree_size(alignment->b, i);
		column++;
	}
	row[0] = tree_size(alignment->a, a + 1);
	return ERR_NONE;
}

/*
 * Fill the cell of the current pair, whose mapping costs `cost`, and move to
 * the next pair.
 */
static void alignment_fill_cell(struct alignment *alignment,
				struct alignment_frame *frame, uint32_t cost)
{
	uint32_t *left = &alignment->cells[frame->row + frame->column];
	uint32_t above = left[1];
	uint32_t deleted = above + tree_size(alignment->a, frame->a);
	uint32_t inserted = *left + tree_size(alignment->b, frame->b);

	assert(frame->a < frame->end_a && frame->b < frame->end_b);
	left[1] = rtdm_min_u32(frame->diagonal + cost,
			       rtdm_min_u32(deleted, inserted));
	frame->diagonal = above;
	frame->column++;
	frame->b = alignment->b[frame->b].end;
	if (frame->b < frame->end_b)
		return;
	frame->a = alignment->a[frame->a].end;
	if (frame->a == frame->end_a)
		return;
	frame->b = frame->first_b;
	frame->column = 0;
	left = &alignment->cells[frame->row];
	frame->diagonal = *left;
	*left += tree_size(alignment->a, frame->a);
}

/* Remove the innermost frame; return the cost of its pair. */
static uint32_t alignment_pop(struct alignment *alignment)
{
	const struct alignment_frame *frame =
		&alignment->frames[--alignment->frame_count];

	assert(frame->row < alignment->cell_count);
	alignment->cell_count = frame->row;
	return alignment->cells[frame->row + frame->column];
}

/* Align until the outermost frame is done. */
static enum error alignment_run(struct alignment *alignment, uint32_t *cost_out)
{
	for (;;) {
		struct alignment_frame *top =
			&alignment->frames[alignment->frame_count - 1];
		enum error error;
		uint32_t cost;

		if (top->a == top->end_a) {
			cost = alignment_pop(alignment);
			if (alignment->frame_count == 0) {
				*cost_out = cost;
				return ERR_NONE;
			}
			alignment_fill_cell(alignment, top - 1, cost);
		} else if (rtdm_pair_is_plain(alignment, top->a, top->b,
					      &cost)) {
			alignment_fill_cell(alignment, top, cost);
		} else {
			error = alignment_push(alignment, top->a, top->b);
			if (error != ERR_NONE)
				return error;
		}
	}
}

enum error rtdm_cost(struct rtdm_tree a, struct rtdm_tree b, uint64_t max_cells,
		     uint32_t *cost_out)
{
	struct alignment alignment = {
		.a = a.nodes, .b = b.nodes, .cells_left = max_cells};
	enum error error;

	if ((uint64_t)a.count + b.count > UINT32_MAX)
		return ERR_TOO_LARGE;
	if (rtdm_pair_is_plain(&alignment, 0, 0, cost_out))
		return ERR_NONE;
	alignment.cells =
		mem_alloc(2 * (size_t)b.count + 2, sizeof(*alignment.cells));
	error = alignment_push(&alignment, 0, 0);
	if (error == ERR_NONE)
		error = alignment_run(&alignment, cost_out);
	free(alignment.cells);
	free(alignment.frames);
	return error;
}

double rtdm_distance(struct rtdm_tree a, struct rtdm_tree b, uint32_t cost)
{
	double most = (double)a.count + (double)b.count;

	return most <= 0 ? 0 : (double)cost / most;
}
