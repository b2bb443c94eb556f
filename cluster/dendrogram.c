#include "cluster/dendrogram.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "cluster/histogram.h"
#include "cluster/overlap.h"
#include "cluster/signature.h"

/* A leaf that is not yet in the tree, and its nearest leaf in the tree. */
struct outsider {
	uint32_t leaf;
	uint32_t nearest;
	uint32_t height;
};

struct growth {
	const struct dendrogram_leaf *leaves;
	struct shingle_id_set *sets; /* sets of shingles of the leaves */
	uint64_t *bits;              /* bitmaps of the sets */
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

/* Return whether sets of these sizes can be nearer than `height`. */
static bool sets_can_be_nearer(uint64_t larger, uint64_t common,
			       uint32_t height)
{
	assert(common <= larger && larger > 0);
	return 1000 * (larger - common) + larger <= height * larger;
}

/* Update the outsider's nearest leaf if the last added leaf is nearer. */
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
 * Compare all outsiders with the last added leaf, and add the nearest of them
 * to the tree.
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
		assert(edges->height >= 1 && edges->height <= 1000);
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
 * Prepare the sets of the leaves with their bitmaps; all leaves except leaf 0
 * are outsiders.
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

static void end_growth(struct growth *growth)
{
	probe_free(&growth->probe);
	free(growth->outsiders);
	free(growth->sets);
	free(growth->bits);
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
	end_growth(&growth);
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
