#include "cluster/quality.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
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
	 * children so far.
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

/* Counts over one partition, or over the intersection of two. */
struct groups {
	uint64_t pairs;      /* pairs of items in the same group */
	long double entropy; /* natural, >= 0 */
};

static uint64_t quality_count_pairs(uint64_t count)
{
	return count % 2 == 0 ? count / 2 * (count - 1)
			      : (count - 1) / 2 * count;
}

/* Count groups of items with equal keys; count > 0; sorts the keys. */
static struct groups groups_of(uint64_t *keys, size_t count)
{
	struct groups groups = {0, 0};
	size_t begin = 0;

	assert(count > 0);
	qsort(keys, count, sizeof(*keys), order_u64);
	while (begin < count) {
		size_t end = begin;
		long double ratio;

		while (end < count && keys[end] == keys[begin])
			end++;
		ratio = (long double)(end - begin) / (long double)count;
		groups.pairs += quality_count_pairs(end - begin);
		groups.entropy -= ratio * logl(ratio);
		begin = end;
	}
	return groups;
}

static double quality_clamp_ratio(long double value)
{
	return value < 0 ? 0 : value > 1 ? 1 : (double)value;
}

/*
 * Hubert & Arabie 1985, eq. 5: (index - expected) / (maximum - expected). The
 * denominator is 0 only if both partitions put all pairs together or both put
 * none together; then they are equal.
 */
static double adjusted_rand(uint64_t both, uint64_t found, uint64_t truth,
			    uint64_t all)
{
	long double expected =
		(long double)found * (long double)truth / (long double)all;
	long double maximum = ((long double)found + (long double)truth) / 2;

	assert(all > 0 && found <= all && truth <= all);
	assert(both <= found && both <= truth);
	if (found == truth && (found == 0 || found == all))
		return 1;
	return (double)(((long double)both - expected) / (maximum - expected));
}

/*
 * Rosenberg & Hirschberg 2007, section 2: 1 - H(of | given) / H(of), where the
 * conditional entropy is the entropy of the intersection minus that of `given`.
 */
static double ratio_explained(struct groups of, struct groups given,
			      struct groups cross)
{
	if (of.entropy <= 0)
		return 1;
	return quality_clamp_ratio(1 - (cross.entropy - given.entropy) /
					       of.entropy);
}

struct agreement quality_agreement(const uint32_t *found, const uint32_t *truth,
				   size_t count)
{
	struct agreement agreement = {1, 1, 1, 1, 1};
	uint64_t all = count < 2 ? 0 : quality_count_pairs(count);
	uint64_t *keys;
	struct groups f;
	struct groups t;
	struct groups cross;
	double sum;

	if (count < 2)
		return agreement;
	keys = mem_alloc(count, sizeof(*keys));
	for (size_t i = 0; i < count; i++)
		keys[i] = found[i];
	f = groups_of(keys, count);
	for (size_t i = 0; i < count; i++)
		keys[i] = truth[i];
	t = groups_of(keys, count);
	for (size_t i = 0; i < count; i++)
		keys[i] = (uint64_t)found[i] << 32 | truth[i];
	cross = groups_of(keys, count);
	free(keys);

	/* Agreement: together in both, or separate in both. */
	agreement.rand = (double)((long double)(all - f.pairs - t.pairs +
						2 * cross.pairs) /
				  (long double)all);
	agreement.adjusted_rand =
		adjusted_rand(cross.pairs, f.pairs, t.pairs, all);
	agreement.homogeneity = ratio_explained(t, f, cross);
	agreement.completeness = ratio_explained(f, t, cross);
	sum = agreement.homogeneity + agreement.completeness;
	agreement.v_measure = sum <= 0 ? 0
				       : 2 * agreement.homogeneity *
						 agreement.completeness / sum;
	return agreement;
}

double quality_dunn_of(quality_distance *distance, const void *items,
		       const uint32_t *groups, size_t count)
{
	double nearest = INFINITY; /* between different groups */
	double widest = 0;         /* within a group */

	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < i; j++) {
			if (groups[i] == groups[j])
				widest = fmax(widest, distance(items, i, j));
			else
				nearest = fmin(nearest, distance(items, i, j));
		}
	}
	if (isinf(nearest))
		return NAN; /* fewer than two groups */
	if (nearest <= 0)
		return 0;
	return widest <= 0 ? INFINITY : nearest / widest;
}

static double distance_of_signatures(const void *items, size_t i, size_t j)
{
	const struct signature *signatures = items;

	return signature_distance(signatures[i], signatures[j]);
}

double quality_dunn(const struct signature *signatures, const uint32_t *groups,
		    size_t count)
{
	return quality_dunn_of(distance_of_signatures, signatures, groups,
			       count);
}
