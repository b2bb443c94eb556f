#include "cluster/similarity_join.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cluster/signature.h"
#include "cluster/threshold_graph.h"

enum { WORD_BITS = 64 };

void set_group_begin(struct set_group_index *index)
{
	*index = (struct set_group_index){.free = NO_TABLE_ROW};
}

void set_group_end(struct set_group_index *index)
{
	for (uint32_t i = 0; i < index->rows; i++) {
		free(index->groups[i].members);
		int_list_free(&index->groups[i].shingle_ids);
	}
	for (size_t i = 0; i < index->posting_rows; i++)
		int_list_free(&index->postings[i]);
	free(index->groups);
	free(index->postings);
	free(index->bits);
	set_group_begin(index);
}

static uint32_t group_index_add_row(struct set_group_index *index)
{
	uint32_t row = index->free;

	if (row == NO_TABLE_ROW) {
		index->groups =
			mem_grow(index->groups, index->rows, &index->capacity,
				 sizeof(*index->groups));
		row = index->rows++;
	} else {
		index->free = index->groups[row].pivot;
	}
	assert(row < index->rows);
	index->groups[row] = (struct set_group){0};
	index->count++;
	return row;
}

static void reserve_postings(struct set_group_index *index, uint32_t shingle_id)
{
	size_t rows = index->posting_rows == 0 ? 64 : index->posting_rows;

	if (shingle_id < index->posting_rows)
		return;
	while (rows <= shingle_id)
		rows *= 2;
	index->postings =
		mem_resize(index->postings, rows, sizeof(*index->postings));
	memset(index->postings + index->posting_rows, 0,
	       (rows - index->posting_rows) * sizeof(*index->postings));
	index->posting_rows = rows;
	assert(shingle_id < index->posting_rows);
}

static void group_index_add_posting(struct set_group_index *index,
				    uint32_t group,
				    struct shingle_id_set shingle_ids)
{
	if (shingle_ids.count > 0)
		reserve_postings(
			index, shingle_ids.shingle_ids[shingle_ids.count - 1]);
	for (uint32_t i = 0; i < shingle_ids.count; i++) {
		uint32_t shingle_id = shingle_ids.shingle_ids[i];

		if (!int_list_add_ordered(&index->postings[shingle_id], group))
			continue;
		int_list_push(&index->groups[group].shingle_ids, shingle_id);
		index->posting_count++;
	}
}

static void group_index_remove_posting(struct set_group_index *index,
				       uint32_t group, uint32_t shingle_id)
{
	assert(shingle_id < index->posting_rows && index->posting_count > 0);
	int_list_remove_ordered(&index->postings[shingle_id], group);
	index->posting_count--;
}

static void group_widen_bounds(struct set_group *group,
			       struct set_group_member member)
{
	assert(member.common <= member.count);
	if (member.count < group->min_count)
		group->min_count = member.count;
	if (member.count > group->max_count)
		group->max_count = member.count;
	if (member.count - member.common > group->max_outside)
		group->max_outside = member.count - member.common;
}

void set_group_add(struct set_group_index *index, struct signature_table *table,
		   uint32_t group, uint32_t set, uint32_t common)
{
	struct set_group *row = &index->groups[group];
	struct signature_table_set *joining = &table->sets[set];
	struct set_group_member member = {set, joining->count, common};

	assert(group < index->rows && joining->group == NO_TABLE_ROW);
	assert(joining->count > 0 && common <= joining->count);
	joining->group = group;
	joining->slot = row->member_count;
	row->members = mem_grow(row->members, row->member_count,
				&row->member_capacity, sizeof(*row->members));
	row->members[row->member_count++] = member;
	group_widen_bounds(row, member);
	group_index_add_posting(index, group,
				signature_table_units(table, set));
}

uint32_t set_group_create(struct set_group_index *index,
			  struct signature_table *table, uint32_t set)
{
	uint32_t group = group_index_add_row(index);

	assert(table->sets[set].group == NO_TABLE_ROW);
	index->groups[group].pivot = set;
	index->groups[group].min_count = UINT32_MAX;
	set_group_add(index, table, group, set, table->sets[set].count);
	assert(index->groups[group].members[0].set == set);
	return group;
}

static void drop_row(struct set_group_index *index, uint32_t group)
{
	struct set_group *row = &index->groups[group];

	assert(row->member_count == 0 && index->count > 0);
	for (uint32_t i = 0; i < row->shingle_ids.count; i++)
		group_index_remove_posting(index, group,
					   row->shingle_ids.items[i]);
	int_list_free(&row->shingle_ids);
	free(row->members);
	*row = (struct set_group){.pivot = index->free};
	index->free = group;
	index->count--;
}

/* Set the marks of the shingles of all members to `is_set`. */
static void group_mark_shingles(struct set_group_index *index,
				const struct signature_table *table,
				const struct set_group *group, bool is_set)
{
	for (uint32_t i = 0; i < group->member_count; i++) {
		struct shingle_id_set shingle_ids =
			signature_table_units(table, group->members[i].set);

		for (uint32_t j = 0; j < shingle_ids.count; j++) {
			uint64_t *word =
				&index->bits[shingle_ids.shingle_ids[j] /
					     WORD_BITS];

			*word = is_set ? *word | (uint64_t)1
							 << shingle_ids.shingle_ids
									    [j] %
								    WORD_BITS
				       : 0;
		}
	}
}

/*
 * Remove the shingles that no member of the group contains any longer from the
 * lists of the group.
 */
static void prune_shingles(struct set_group_index *index,
			   const struct signature_table *table, uint32_t group)
{
	struct set_group *row = &index->groups[group];
	size_t words = index->posting_rows / WORD_BITS + 1;
	struct int_list kept = {0};

	assert(row->member_count > 0);
	if (index->words < words) {
		index->bits =
			mem_resize(index->bits, words, sizeof(*index->bits));
		memset(index->bits + index->words, 0,
		       (words - index->words) * sizeof(*index->bits));
		index->words = words;
	}
	group_mark_shingles(index, table, row, true);
	for (uint32_t i = 0; i < row->shingle_ids.count; i++) {
		uint32_t shingle_id = row->shingle_ids.items[i];

		if (index->bits[shingle_id / WORD_BITS] >>
			    shingle_id % WORD_BITS &
		    1)
			int_list_push(&kept, shingle_id);
		else
			group_index_remove_posting(index, group, shingle_id);
	}
	group_mark_shingles(index, table, row, false);
	int_list_free(&row->shingle_ids);
	row->shingle_ids = kept;
	row->left = 0;
}

static void group_free_arrays(struct set_group *group)
{
	size_t capacity = group->member_capacity / 2;

	assert(group->member_count > 0);
	if (group->member_count > capacity / 2)
		return;
	group->members =
		mem_resize(group->members, capacity, sizeof(*group->members));
	group->member_capacity = capacity;
}

void set_group_remove(struct set_group_index *index,
		      struct signature_table *table, uint32_t set)
{
	struct signature_table_set *leaving = &table->sets[set];
	uint32_t group = leaving->group;
	struct set_group *row = &index->groups[group];
	struct set_group_member *last = &row->members[row->member_count - 1];

	assert(leaving->slot > 0 || row->member_count == 1);
	assert(leaving->slot < row->member_count);
	assert(row->members[leaving->slot].set == set);
	assert(group < index->rows);
	row->members[leaving->slot] = *last;
	table->sets[last->set].slot = leaving->slot;
	leaving->group = NO_TABLE_ROW;
	row->member_count--;
	row->left++;
	if (row->member_count == 0) {
		drop_row(index, group);
		return;
	}
	group_free_arrays(row);
	if (row->left > row->member_count)
		prune_shingles(index, table, group);
}

void set_group_change_pivot(struct set_group_index *index,
			    struct signature_table *table, uint32_t group,
			    uint32_t member)
{
	struct set_group *row = &index->groups[group];
	struct set_group_member pivot = row->members[member];

	assert(member > 0 && member < row->member_count);
	row->members[member] = row->members[0];
	row->members[0] = pivot;
	row->pivot = pivot.set;
	table->sets[row->members[member].set].slot = member;
	table->sets[pivot.set].slot = 0;
}

void set_group_tighten(struct set_group_index *index, uint32_t group)
{
	struct set_group *row = &index->groups[group];

	assert(row->member_count > 0);
	row->min_count = UINT32_MAX;
	row->max_count = 0;
	row->max_outside = 0;
	for (uint32_t i = 0; i < row->member_count; i++)
		group_widen_bounds(row, row->members[i]);
}

void set_group_clear(struct set_group_index *index,
		     struct signature_table *table)
{
	set_group_end(index);
	for (uint32_t i = 0; i < table->set_rows; i++)
		table->sets[i].group = NO_TABLE_ROW;
}

size_t set_group_bytes(const struct set_group_index *index)
{
	size_t bytes = index->capacity * sizeof(*index->groups) +
		       index->posting_rows * sizeof(*index->postings) +
		       index->words * sizeof(*index->bits);

	/*
	 * each posting needs an entry in the list of its shingle and one in the
	 * list of its group
	 */
	bytes += index->posting_count * 2 * sizeof(uint32_t);
	for (uint32_t i = 0; i < index->rows; i++)
		bytes += index->groups[i].member_capacity *
			 sizeof(*index->groups[i].members);
	return bytes;
}

enum {
	LENGTH_CLASSES = 256,
	EXACT_LENGTHS = 16, /* each length below this has a class of its own */

	/*
	 * The time of a comparison, as the number of postings that can be
	 * counted in this time: COMPARISON, plus 1 for SHINGLES_A_POSTING
	 * shingles of the set.
	 */
	COMPARISON = 256,
	SHINGLES_A_POSTING = 4,
};

struct join_search_state {
	struct threshold_graph *graph;
	const struct join_request *want;
	struct join_home *home;
	struct shingle_id_set shingle_ids;
	uint32_t need; /* minimum number of common shingles for a link with a
			  set that is not larger */
	/* number of shingles whose postings were not counted */
	uint32_t unseen;
	uint64_t unseen_postings; /* number of these postings; UINT64_MAX: all
				     postings are counted */
	uint64_t effort; /* cost of the comparisons so far, in postings */
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
 * Return the class of a length, below LENGTH_CLASSES. It depends on the three
 * leading bits of the length and their position. A longer length has the same
 * or a higher class.
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
 * Find the `count` shortest posting lists of the shingles, and return the class
 * of the longest of these lists. All lists of lower classes are among them; of
 * the lists of this class, *quota_out are.
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
 * Count the hits of each group: how many shingles of the set its members
 * contain. Use a prefix filter: a set that has `need` of `count` shingles has
 * at least one of any count - need + 1 of them. Every shingle has a posting
 * list, so the filter uses the shingles with the shortest lists.
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
 * Count the postings that count_hits() has skipped. The search does this when
 * the comparisons have cost as much as counting them. Afterwards the hits of a
 * group are the best upper bound for the shingles that a member has in common
 * with the set.
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

/*
 * Write the touched groups to scratch->ordered by descending hits, with a
 * counting sort. `most` is the maximum number of hits.
 */
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
 * Return the minimum number of common shingles for a link with a set of `count`
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
 * Search for a link to a member of the group. The pivot is not linked; it has
 * `common` shingles in common with the set. For a member y, the set x and the
 * pivot c, the shingles that x and y have in common are inside or outside of c,
 * so
 *
 *    |x n y| <= min(|x n c|, |y n c|) + min(|x \ c|, |y \ c|)
 *
 * Members for which this bound is too low are skipped.
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
	uint32_t most =
		hits + search->unseen; /* upper bound of the shingles that a
					  member has in common with the set */
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
		.shingle_ids = signature_table_units(&graph->table, set),
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
	/*
	 * count_rest() has also counted hits of groups that were not touched,
	 * or were handled before
	 */
	if (search.has_counted_rest)
		memset(scratch->hits.items, 0,
		       scratch->hits.count * sizeof(*scratch->hits.items));
}
