#include "cluster/join.h"

#include <assert.h>
#include <string.h>

#include "cluster/graph.h"
#include "cluster/signature.h"

enum {
	LENGTH_CLASSES = 256,
	EXACT_LENGTHS =
		16, /* each length up to this one has a separate class */

	/* The cost of a comparison, in postings counted in the same time: */
	COMPARISON = 256,
	SHINGLES_A_POSTING = 4,
};

struct join_search_state {
	struct threshold_graph *graph;
	const struct join_request *want;
	struct join_home *home;
	struct shingle_id_set shingle_ids;
	uint32_t need; /* common shingles that a link requires with a set of at
			  most as many shingles */
	uint32_t unseen;          /* shingles whose postings were not counted */
	uint64_t unseen_postings; /* number of these postings; UINT64_MAX: all
				     postings are counted */
	uint64_t effort;          /* cost of the comparisons, in postings */
	unsigned threshold;
	bool is_aimed;
	bool has_counted_rest;
};

void similarity_join_free(struct join_scratch *scratch)
{
	int_list_free(&scratch->hits);
	int_list_free(&scratch->touched);
	int_list_free(&scratch->ordered);
	int_list_free(&scratch->starts);
	int_list_free(&scratch->skipped);
}

/*
 * Return the class of a length: it keeps its three leading bits and ascends
 * with the length; below LENGTH_CLASSES.
 */
static unsigned length_class(uint32_t length)
{
	unsigned top;

	if (length < EXACT_LENGTHS)
		return length;
	top = 31 - (unsigned)__builtin_clz(length);
	assert(top >= 4 && top < 32);
	return EXACT_LENGTHS + (top - 4) * 8 + (length >> (top - 3) & 7);
}

/*
 * Return the class of the longest of the `count` shortest posting lists of the
 * shingles: all lists of lower classes are among them, and *quota_out of that
 * class.
 */
static unsigned find_short_lists(const struct join_search_state *search,
				 uint32_t count, uint32_t *quota_out)
{
	const struct set_group_index *index = &search->graph->index;
	uint32_t sizes[LENGTH_CLASSES] = {0};
	unsigned class = 0;

	assert(count <= search->shingle_ids.count);
	for (uint32_t i = 0; i < search->shingle_ids.count; i++) {
		uint32_t shingle_id = search->shingle_ids.shingle_ids[i];

		sizes[length_class(
			set_group_postings(index, shingle_id).count)]++;
	}
	while (sizes[class] < count)
		count -= sizes[class ++];
	assert(class < LENGTH_CLASSES);
	*quota_out = count;
	return class;
}

static void join_count_hits(struct join_scratch *scratch,
			    struct int_list groups)
{
	uint32_t *hits = scratch->hits.items;
	uint32_t *touched = scratch->touched.items;
	uint32_t count = scratch->touched.count;

	assert(scratch->touched.count <= scratch->hits.count);
	for (uint32_t i = 0; i < groups.count; i++) {
		uint32_t group = groups.items[i];

		touched[count] = group;
		count += hits[group]++ == 0;
	}
	scratch->touched.count = count;
	assert(count <= scratch->touched.capacity);
}

static void reserve_scratch(struct join_scratch *scratch, uint32_t groups)
{
	uint32_t count = scratch->hits.count;

	int_list_reserve(&scratch->touched, (size_t)groups + 1);
	int_list_reserve(&scratch->ordered, groups);
	int_list_reserve(&scratch->hits, groups);
	if (count < groups) {
		memset(scratch->hits.items + count, 0,
		       (groups - count) * sizeof(*scratch->hits.items));
		scratch->hits.count = groups;
	}
	assert(scratch->hits.count >= groups);
}

/*
 * Prefix filter: a set that has `need` of the shingles has at least one of any
 * count - need + 1 of them. All shingles are indexed, so use those with the
 * shortest posting lists.
 */
static void count_hits(struct join_search_state *search)
{
	const struct set_group_index *index = &search->graph->index;
	struct join_scratch *scratch = &search->graph->join;
	uint32_t prefix = search->shingle_ids.count - search->need + 1;
	uint32_t quota;
	unsigned last = find_short_lists(search, prefix, &quota);

	assert(search->need >= 1 && search->need <= search->shingle_ids.count);
	search->unseen = search->need - 1;
	search->unseen_postings = search->unseen == 0 ? UINT64_MAX : 0;
	scratch->touched.count = 0;
	scratch->skipped.count = 0;
	reserve_scratch(scratch, index->rows);
	for (uint32_t i = 0; i < search->shingle_ids.count; i++) {
		uint32_t shingle_id = search->shingle_ids.shingle_ids[i];
		struct int_list groups = set_group_postings(index, shingle_id);
		unsigned class = length_class(groups.count);

		if (class > last || (class == last && quota == 0)) {
			int_list_push(&scratch->skipped, shingle_id);
			search->unseen_postings += groups.count;
			continue;
		}
		quota -= class == last;
		join_count_hits(scratch, groups);
	}
}

/*
 * Count the skipped postings, once the comparisons have cost as much. Then the
 * hits of a group are the best upper bound of its common shingles with the set.
 */
static void count_rest(struct join_search_state *search)
{
	const struct set_group_index *index = &search->graph->index;
	const struct int_list *skipped = &search->graph->join.skipped;
	uint32_t *hits = search->graph->join.hits.items;

	assert(!search->has_counted_rest);
	for (uint32_t i = 0; i < skipped->count; i++) {
		struct int_list groups =
			set_group_postings(index, skipped->items[i]);

		for (uint32_t j = 0; j < groups.count; j++)
			hits[groups.items[j]]++;
	}
	search->unseen = 0;
	search->unseen_postings = UINT64_MAX;
	search->has_counted_rest = true;
}

/* Sort the touched groups by descending hits, with a counting sort. */
static void order_touched(struct join_scratch *scratch, uint32_t most)
{
	const uint32_t *hits = scratch->hits.items;
	uint32_t *starts;
	uint32_t begin = 0;

	int_list_reserve(&scratch->starts, (size_t)most + 1);
	starts = scratch->starts.items;
	memset(starts, 0, ((size_t)most + 1) * sizeof(*starts));
	for (uint32_t i = 0; i < scratch->touched.count; i++)
		starts[hits[scratch->touched.items[i]]]++;
	for (uint32_t i = most + 1; i > 0; i--) {
		uint32_t size = starts[i - 1];

		starts[i - 1] = begin;
		begin += size;
	}
	for (uint32_t i = 0; i < scratch->touched.count; i++) {
		uint32_t group = scratch->touched.items[i];

		scratch->ordered.items[starts[hits[group]]++] = group;
	}
	assert(scratch->touched.count <= scratch->ordered.capacity);
	scratch->ordered.count = scratch->touched.count;
}

/*
 * Return the common shingles that a link requires with a set of `count`
 * shingles.
 */
static uint32_t need_with(const struct join_search_state *search,
			  uint32_t count, unsigned threshold)
{
	uint32_t larger = count > search->shingle_ids.count
				  ? count
				  : search->shingle_ids.count;

	return (uint32_t)signature_need(larger, threshold);
}

static uint32_t common_with(struct join_search_state *search, uint32_t set)
{
	if (!search->is_aimed)
		probe_set(&search->graph->probe, search->shingle_ids);
	search->is_aimed = true;
	search->effort +=
		COMPARISON + search->shingle_ids.count / SHINGLES_A_POSTING;
	return threshold_graph_common(search->graph, set);
}

static uint32_t join_min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/*
 * Search a link among the members of a group whose pivot has `common` of the
 * shingles and is not linked. The common part of a member y and the set x is
 * inside or outside of the pivot c:
 *
 *   |x n y| <= min(|x n c|, |y n c|) + min(|x \ c|, |y \ c|)
 */
static void search_members(struct join_search_state *search,
			   const struct set_group *group, uint32_t common)
{
	uint32_t outside = search->shingle_ids.count - common;
	uint32_t lowest =
		need_with(search, group->min_count, search->threshold);

	assert(common <= search->shingle_ids.count);
	if (common + join_min_u32(outside, group->max_outside) < lowest)
		return;
	for (uint32_t i = 1; i < group->member_count; i++) {
		struct set_group_member member = group->members[i];
		uint32_t most =
			join_min_u32(common, member.common) +
			join_min_u32(outside, member.count - member.common);
		uint32_t need = search->need;

		if (most < need)
			continue;
		if (member.count > search->shingle_ids.count)
			need = need_with(search, member.count,
					 search->threshold);
		if (most < need || common_with(search, member.set) < need)
			continue;
		search->want->found(search->want->context, member.set);
		return;
	}
}

static void search_group(struct join_search_state *search, uint32_t row,
			 uint32_t hits)
{
	const struct set_group *group = &search->graph->index.groups[row];
	const struct join_request *want = search->want;
	unsigned radius = search->graph->radius;
	uint32_t most = hits + search->unseen; /* upper bound of the common
						  shingles with any member */
	uint32_t size = group->members[0].count;
	bool is_wanted;
	bool is_home;
	uint32_t common;

	assert(group->member_count > 0 &&
	       group->members[0].set == group->pivot);
	if (group->max_count < search->need ||
	    most < need_with(search, group->min_count, search->threshold))
		return;
	is_wanted =
		want != NULL && want->is_wanted(want->context, group->pivot);
	is_home = search->home != NULL && search->home->group == NO_TABLE_ROW &&
		  most >= need_with(search, size, radius);
	if (!is_wanted && !is_home)
		return;
	common = common_with(search, group->pivot);
	if (is_home && common >= need_with(search, size, radius))
		*search->home = (struct join_home){row, common};
	if (!is_wanted)
		return;
	if (common >= need_with(search, size, search->threshold))
		want->found(want->context, group->pivot);
	else
		search_members(search, group, common);
}

void similarity_join_search(struct threshold_graph *graph, uint32_t set,
			    const struct join_request *want,
			    struct join_home *home_out)
{
	struct join_search_state search = {
		.graph = graph,
		.want = want,
		.home = home_out,
		.shingle_ids = signature_table_shingles(&graph->table, set),
		.threshold = want == NULL ? graph->radius : graph->threshold,
	};
	const struct join_scratch *scratch = &graph->join;

	if (home_out != NULL)
		home_out->group = NO_TABLE_ROW;
	if (search.shingle_ids.count == 0)
		return;
	search.need = need_with(&search, 0, search.threshold);
	count_hits(&search);
	order_touched(&graph->join, search.shingle_ids.count);
	for (uint32_t i = 0; i < scratch->ordered.count; i++) {
		uint32_t group = scratch->ordered.items[i];
		uint32_t hits;

		if (search.effort > search.unseen_postings)
			count_rest(&search);
		hits = scratch->hits.items[group];
		scratch->hits.items[group] = 0;
		search_group(&search, group, hits);
	}
	/* groups that were not touched, or are done, may have hits now */
	if (search.has_counted_rest)
		memset(scratch->hits.items, 0,
		       scratch->hits.count * sizeof(*scratch->hits.items));
}
