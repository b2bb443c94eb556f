#include "cluster/dendrogram.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "cluster/overlap.h"
#include "cluster/signature.h"

/*
 * A cluster at the current threshold of the sweep. It consists of leaves that
 * are neighbours in Prim's order.
 */
struct condensed_run {
	uint32_t height; /* height of the edge to the previous run */
	uint32_t node;   /* CONDENSED_NONE: the cluster has fewer pages than the
			    minimum */
	uint32_t leaf;
	uint32_t leaf_pages;
	uint64_t pages;
};

struct sweep {
	struct condensed_run *runs; /* [run_count], in Prim's order */
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

/*
 * End the node of `run`, which is joined with other nodes to the node `parent`.
 */
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

/* Join the runs [count] at `threshold` to one run, and return it. */
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

/* A node on the stack that sorts the nodes in pre-order. */
struct condensed_position {
	struct condensed_node node;
	uint32_t index; /* its index in sweep.nodes */
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

/*
 * Push the children of `parent` on the stack, with the first sibling on top.
 * Return the new depth of the stack.
 */
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

/*
 * Sort the nodes in pre-order. O(nodes^2), which is fast enough for few nodes.
 */
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

void histogram_add(struct distance_histogram *histogram, unsigned height,
		   uint64_t pairs)
{
	assert(height <= HISTOGRAM_WIDTH * HISTOGRAM_BINS);
	histogram->pairs[height == 0 ? 0 : (height - 1) / HISTOGRAM_WIDTH] +=
		pairs;
	histogram->total += pairs;
}

struct histogram_gap histogram_gap(const struct distance_histogram *histogram)
{
	struct histogram_gap best = {0};
	struct histogram_gap gap = {0};
	bool has_left = false;

	for (unsigned i = 0; i < HISTOGRAM_BINS; i++) {
		uint64_t pairs = histogram->pairs[i];
		unsigned width;

		if (pairs <= histogram->total / HISTOGRAM_THIN) {
			gap.pairs += pairs;
			continue;
		}
		gap.end = i * HISTOGRAM_WIDTH;
		width = gap.end - gap.begin;
		if (has_left && gap.end > gap.begin &&
		    (width > best.end - best.begin ||
		     (width == best.end - best.begin &&
		      gap.pairs < best.pairs)))
			best = gap;
		has_left = true;
		gap = (struct histogram_gap){.begin =
						     (i + 1) * HISTOGRAM_WIDTH};
	}
	assert(best.begin <= best.end &&
	       best.end <= HISTOGRAM_WIDTH * HISTOGRAM_BINS);
	return best;
}

/*
 * A leaf that is not yet in the minimum spanning tree, and its nearest leaf in
 * the tree.
 */
struct outsider {
	uint32_t leaf;
	uint32_t nearest;
	uint32_t height;
};

struct growth {
	const struct dendrogram_leaf *leaves;
	struct shingle_id_set *sets; /* shingles of each leaf */
	uint64_t *bits;              /* memory of the bitmaps of the sets */
	const struct dendrogram_options *options;
	struct probe probe;         /* the last leaf added to the tree */
	struct outsider *outsiders; /* [outsider_count], in any order */
	size_t outsider_count;
	uint64_t done; /* comparisons so far */
	uint64_t total;
};

static uint64_t dendrogram_count_pairs(uint64_t count)
{
	return count * (count - 1) / 2;
}

/*
 * Return whether two sets can have a distance below `height`, when `larger` is
 * the number of shingles of the larger set and at most `common` are common.
 */
static bool sets_can_be_nearer(uint64_t larger, uint64_t common,
			       uint32_t height)
{
	assert(common <= larger);
	return 1000 * (larger - common) + larger <= height * larger;
}

/*
 * `last` is the leaf that was added last to the tree. If it is nearer to the
 * outsider than the outsider's nearest leaf, it becomes the nearest leaf.
 */
static void outsider_update_nearest(const struct growth *growth, uint32_t last,
				    struct outsider *outsider)
{
	struct shingle_id_set a = growth->sets[last];
	struct shingle_id_set b = growth->sets[outsider->leaf];
	struct distance_histogram *histogram = growth->options->histogram;
	uint32_t larger = a.count > b.count ? a.count : b.count;
	uint32_t common = a.count > b.count ? b.count : a.count;

	if (histogram == NULL &&
	    !sets_can_be_nearer(larger, common, outsider->height))
		return;
	common = probe_common(&growth->probe, b);
	if (histogram != NULL)
		histogram_add(histogram, signature_height(larger, common),
			      (uint64_t)growth->leaves[last].pages *
				      growth->leaves[outsider->leaf].pages);
	assert(common <= b.count && common <= a.count);
	if (sets_can_be_nearer(larger, common, outsider->height)) {
		outsider->height = signature_height(larger, common);
		outsider->nearest = last;
	}
}

/*
 * Compare all outsiders with `last`, the leaf that was added last to the tree.
 * Then add the nearest outsider to the tree and return its edge.
 */
static struct dendrogram_edge join_next(struct growth *growth, uint32_t last)
{
	struct outsider *outsiders = growth->outsiders;
	struct outsider taken;
	size_t best = 0;

	assert(growth->outsider_count > 0);
	probe_set(&growth->probe, growth->sets[last]);
	for (size_t i = 0; i < growth->outsider_count; i++) {
		outsider_update_nearest(growth, last, &outsiders[i]);
		if (outsiders[i].height < outsiders[best].height)
			best = i;
	}
	growth->done += growth->outsider_count;
	taken = outsiders[best];
	outsiders[best] = outsiders[--growth->outsider_count];
	return (struct dendrogram_edge){taken.nearest, taken.leaf,
					taken.height};
}

static enum error dendrogram_grow(struct growth *growth,
				  struct dendrogram_edge *edges)
{
	const struct dendrogram_options *options = growth->options;
	uint32_t last = 0;

	while (growth->outsider_count > 0) {
		if (options->goes_on != NULL &&
		    !options->goes_on(options->context, growth->done,
				      growth->total))
			return ERR_STOPPED;
		*edges = join_next(growth, last);
		assert(edges->a != edges->b);
		assert(edges->height <= 1000);
		last = edges->b;
		edges++;
	}
	return ERR_NONE;
}

static void copy_pages(const struct dendrogram_leaf *leaves, size_t count,
		       struct dendrogram *dendrogram)
{
	dendrogram->pages = mem_alloc(count, sizeof(*dendrogram->pages));
	dendrogram->count = count;
	for (size_t i = 0; i < count; i++) {
		assert(u32_ascend(leaves[i].shingle_ids, leaves[i].count));
		assert(leaves[i].pages > 0);
		dendrogram->pages[i] = leaves[i].pages;
		dendrogram->page_count += leaves[i].pages;
	}
}

/*
 * Create the sets of the leaves with their bitmaps. Leaf 0 is the tree; all
 * other leaves become outsiders.
 */
static void begin_growth(struct growth *growth, size_t count)
{
	const struct dendrogram_leaf *leaves = growth->leaves;
	uint64_t *bits;
	size_t words = 0;

	assert(count > 0 && count <= UINT32_MAX);
	for (size_t i = 0; i < count; i++)
		words += shingle_id_set_words(leaves[i].shingle_ids,
					      leaves[i].count);
	bits = mem_alloc(words + 1, sizeof(*bits));
	growth->bits = bits;
	growth->sets = mem_alloc(count, sizeof(*growth->sets));
	growth->outsiders = mem_alloc(count, sizeof(*growth->outsiders));
	for (uint32_t i = 0; i < count; i++) {
		struct shingle_id_set set = {
			.shingle_ids = leaves[i].shingle_ids,
			.count = leaves[i].count,
			.words = shingle_id_set_words(leaves[i].shingle_ids,
						      leaves[i].count),
		};

		if (set.words > 0) {
			shingle_id_set_fill(set.shingle_ids, set.count, bits,
					    set.words);
			set.bits = bits;
			bits += set.words;
		}
		growth->sets[i] = set;
		if (i > 0)
			growth->outsiders[growth->outsider_count++] =
				(struct outsider){.leaf = i,
						  .height = DENDROGRAM_POINTS};
	}
	growth->total = dendrogram_count_pairs(count);
}

enum error dendrogram_build(const struct dendrogram_leaf *leaves, size_t count,
			    const struct dendrogram_options *options,
			    struct dendrogram *dendrogram_out)
{
	struct growth growth = {.leaves = leaves, .options = options};
	enum error error;

	*dendrogram_out = (struct dendrogram){0};
	if (count > options->max_leaves || count > UINT32_MAX)
		return ERR_TOO_LARGE;
	if (count == 0)
		return ERR_NONE;
	copy_pages(leaves, count, dendrogram_out);
	for (size_t i = 0; i < count && options->histogram != NULL; i++)
		histogram_add(options->histogram, 0,
			      dendrogram_count_pairs(leaves[i].pages));
	dendrogram_out->edges =
		mem_alloc(count, sizeof(*dendrogram_out->edges));
	begin_growth(&growth, count);
	error = dendrogram_grow(&growth, dendrogram_out->edges);
	probe_free(&growth.probe);
	free(growth.outsiders);
	free(growth.sets);
	free(growth.bits);
	if (error != ERR_NONE)
		dendrogram_free(dendrogram_out);
	return error;
}

void dendrogram_free(struct dendrogram *dendrogram)
{
	free(dendrogram->edges);
	free(dendrogram->pages);
	*dendrogram = (struct dendrogram){0};
}

uint32_t dendrogram_cut(const struct dendrogram *dendrogram, unsigned threshold,
			uint32_t *labels_out)
{
	uint32_t label = 0;

	if (dendrogram->count == 0)
		return 0;
	labels_out[0] = label;
	for (size_t i = 0; i + 1 < dendrogram->count; i++) {
		const struct dendrogram_edge *edge = &dendrogram->edges[i];

		if (edge->height > threshold)
			label++;
		assert(edge->b < dendrogram->count);
		labels_out[edge->b] = label;
	}
	assert(label < dendrogram->count);
	return label + 1;
}

uint64_t dendrogram_sizable(const struct dendrogram *dendrogram)
{
	uint64_t ratio = (dendrogram->page_count + 199) / 200;

	return ratio > 3 ? ratio : 3;
}

static void end_cluster(struct dendrogram_point *point, uint64_t pages,
			uint64_t sizable)
{
	assert(pages > 0);
	point->clusters++;
	if (pages >= sizable) {
		point->sizable++;
		point->sizable_pages += pages;
	}
	if (pages > point->largest_pages)
		point->largest_pages = pages;
}

static struct dendrogram_point point_at(const struct dendrogram *dendrogram,
					unsigned threshold)
{
	uint64_t sizable = dendrogram_sizable(dendrogram);
	struct dendrogram_point point = {0};
	uint64_t pages = dendrogram->pages[0];

	assert(threshold < DENDROGRAM_POINTS);
	for (size_t i = 0; i + 1 < dendrogram->count; i++) {
		const struct dendrogram_edge *edge = &dendrogram->edges[i];

		if (edge->height > threshold) {
			end_cluster(&point, pages, sizable);
			pages = 0;
		}
		pages += dendrogram->pages[edge->b];
	}
	end_cluster(&point, pages, sizable);
	return point;
}

void dendrogram_curve(const struct dendrogram *dendrogram,
		      struct dendrogram_point curve_out[DENDROGRAM_POINTS])
{
	memset(curve_out, 0, DENDROGRAM_POINTS * sizeof(*curve_out));
	if (dendrogram->count == 0)
		return;
	for (unsigned i = 0; i < DENDROGRAM_POINTS; i++)
		curve_out[i] = point_at(dendrogram, i);
}

void dendrogram_joins(const struct dendrogram *dendrogram,
		      uint64_t joins_out[DENDROGRAM_POINTS])
{
	memset(joins_out, 0, DENDROGRAM_POINTS * sizeof(*joins_out));
	assert(dendrogram->page_count >= dendrogram->count);
	joins_out[0] = dendrogram->page_count - dendrogram->count;
	for (size_t i = 0; i + 1 < dendrogram->count; i++)
		joins_out[dendrogram->edges[i].height]++;
}
