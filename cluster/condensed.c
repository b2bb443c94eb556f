#include "cluster/condensed.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"

/*
 * A cluster at the current threshold of the sweep: a run of neighbours in
 * Prim's order.
 */
struct condensed_run {
	uint32_t height; /* height of the edge to the previous run */
	uint32_t node;   /* CONDENSED_NONE: below the minimum */
	uint32_t leaf;
	uint32_t leaf_pages;
	uint64_t pages;
};

struct sweep {
	struct condensed_run *runs; /* [run_count] */
	size_t run_count;
	struct condensed_node *nodes; /* children before their parents */
	size_t node_count;
	size_t node_capacity;
	uint64_t minimum;
};

static void begin_runs(struct sweep *sweep, const struct dendrogram *dendrogram)
{
	assert(dendrogram->count > 0);
	sweep->runs = mem_alloc(dendrogram->count, sizeof(*sweep->runs));
	sweep->run_count = dendrogram->count;
	for (size_t i = 0; i < dendrogram->count; i++) {
		uint32_t leaf = i == 0 ? 0 : dendrogram->edges[i - 1].b;

		sweep->runs[i] = (struct condensed_run){
			.height = i == 0 ? DENDROGRAM_POINTS
					 : dendrogram->edges[i - 1].height,
			.node = CONDENSED_NONE,
			.leaf = leaf,
			.leaf_pages = dendrogram->pages[leaf],
			.pages = dendrogram->pages[leaf],
		};
	}
}

static uint32_t condensed_add_node(struct sweep *sweep, uint32_t height)
{
	sweep->nodes = mem_grow(sweep->nodes, sweep->node_count,
				&sweep->node_capacity, sizeof(*sweep->nodes));
	sweep->nodes[sweep->node_count] = (struct condensed_node){
		.parent = CONDENSED_NONE, .height = height, .end = 1000};
	return (uint32_t)sweep->node_count++;
}

/* End the node of `run`, which joins others in node `parent`. */
static void end_node(struct sweep *sweep, const struct condensed_run *run,
		     uint32_t parent)
{
	struct condensed_node *node = &sweep->nodes[run->node];

	assert(run->node < sweep->node_count && parent < sweep->node_count);
	assert(run->node < parent);
	node->parent = parent;
	node->end = sweep->nodes[parent].height;
	sweep->nodes[parent].children++;
}

static void condensed_run_absorb(struct condensed_run *into,
				 const struct condensed_run *run)
{
	into->pages += run->pages;
	if (run->leaf_pages > into->leaf_pages ||
	    (run->leaf_pages == into->leaf_pages && run->leaf < into->leaf)) {
		into->leaf = run->leaf;
		into->leaf_pages = run->leaf_pages;
	}
}

/* Make the runs [count] one cluster from `threshold` on. */
static struct condensed_run
condensed_join_runs(struct sweep *sweep, const struct condensed_run *runs,
		    size_t count, uint32_t threshold)
{
	struct condensed_run joined = runs[0];
	size_t children = 0;

	assert(count > 0);
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			condensed_run_absorb(&joined, &runs[i]);
		if (runs[i].node != CONDENSED_NONE) {
			joined.node = runs[i].node;
			children++;
		}
	}
	if (children > 1 || (children == 0 && joined.pages >= sweep->minimum))
		joined.node = condensed_add_node(sweep, threshold);
	for (size_t i = 0; i < count && children > 1; i++)
		if (runs[i].node != CONDENSED_NONE)
			end_node(sweep, &runs[i], joined.node);
	if (joined.node != CONDENSED_NONE) {
		sweep->nodes[joined.node].pages = joined.pages;
		sweep->nodes[joined.node].leaf = joined.leaf;
	}
	return joined;
}

static void join_all(struct sweep *sweep, uint32_t threshold)
{
	size_t begin = 0;
	size_t kept = 0;

	while (begin < sweep->run_count) {
		size_t end = begin + 1;

		while (end < sweep->run_count &&
		       sweep->runs[end].height <= threshold)
			end++;
		sweep->runs[kept++] = condensed_join_runs(
			sweep, &sweep->runs[begin], end - begin, threshold);
		begin = end;
	}
	assert(kept > 0 && kept <= sweep->run_count);
	sweep->run_count = kept;
}

static size_t count_childless(const struct sweep *sweep)
{
	size_t count = 0;

	for (size_t i = 0; i < sweep->node_count; i++)
		count += sweep->nodes[i].children == 0;
	return count;
}

static void sweep_over(struct sweep *sweep, const struct dendrogram *dendrogram)
{
	free(sweep->nodes);
	sweep->nodes = NULL;
	sweep->node_count = 0;
	sweep->node_capacity = 0;
	begin_runs(sweep, dendrogram);
	for (uint32_t threshold = 0; threshold < DENDROGRAM_POINTS; threshold++)
		join_all(sweep, threshold);
	free(sweep->runs);
}

/* A node on the stack of the pre-order. */
struct condensed_position {
	struct condensed_node node;
	uint32_t index; /* index of the node in the sweep */
};

static int compare_siblings(const void *left, const void *right)
{
	const struct condensed_node *a =
		&((const struct condensed_position *)left)->node;
	const struct condensed_node *b =
		&((const struct condensed_position *)right)->node;

	if (a->pages != b->pages)
		return a->pages < b->pages ? 1 : -1;
	return (a->leaf > b->leaf) - (a->leaf < b->leaf);
}

/* Push the children of `parent` in the sweep, the first one on top. */
static size_t push_children(const struct sweep *sweep, uint32_t parent,
			    struct condensed_position *stack, size_t depth)
{
	size_t end = depth;

	for (size_t i = sweep->node_count; i-- > 0;)
		if (sweep->nodes[i].parent == parent)
			stack[end++] = (struct condensed_position){
				sweep->nodes[i], (uint32_t)i};
	assert(end <= sweep->node_count);
	qsort(stack + depth, end - depth, sizeof(*stack), compare_siblings);
	for (size_t a = depth, b = end; a + 1 < b; a++) {
		struct condensed_position place = stack[--b];

		stack[b] = stack[a];
		stack[a] = place;
	}
	return end;
}

/* Sort the nodes in pre-order. O(nodes^2), for few nodes. */
static void condensed_sort_nodes(const struct sweep *sweep,
				 struct condensed *condensed)
{
	struct condensed_position *stack =
		mem_alloc(sweep->node_count, sizeof(*stack));
	size_t depth = push_children(sweep, CONDENSED_NONE, stack, 0);

	condensed->nodes =
		mem_alloc(sweep->node_count, sizeof(*condensed->nodes));
	while (depth > 0) {
		struct condensed_position place = stack[--depth];
		uint32_t index = (uint32_t)condensed->count++;
		size_t below = depth;

		assert(index < sweep->node_count);
		condensed->nodes[index] = place.node;
		depth = push_children(sweep, place.index, stack, depth);
		for (size_t i = below; i < depth; i++) {
			stack[i].node.parent = index;
			stack[i].node.depth = place.node.depth + 1;
		}
	}
	free(stack);
	assert(condensed->count == sweep->node_count);
}

void condensed_build(const struct dendrogram *dendrogram, uint64_t minimum,
		     size_t max_clusters, struct condensed *condensed_out)
{
	struct sweep sweep = {.minimum = minimum};

	assert(minimum > 0 && max_clusters > 0);
	*condensed_out = (struct condensed){0};
	if (dendrogram->count > 0)
		sweep_over(&sweep, dendrogram);
	while (count_childless(&sweep) > max_clusters) {
		sweep.minimum += sweep.minimum / 2 + 1;
		sweep_over(&sweep, dendrogram);
	}
	condensed_out->minimum = sweep.minimum;
	if (sweep.node_count > 0)
		condensed_sort_nodes(&sweep, condensed_out);
	free(sweep.nodes);
}

void condensed_free(struct condensed *condensed)
{
	free(condensed->nodes);
	*condensed = (struct condensed){0};
}
