#include "cluster/group.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

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
				signature_table_shingles(table, set));
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

/* Clear or set the marks of the shingles of all members. */
static void group_mark_shingles(struct set_group_index *index,
				const struct signature_table *table,
				const struct set_group *group, bool is_set)
{
	for (uint32_t i = 0; i < group->member_count; i++) {
		struct shingle_id_set shingle_ids =
			signature_table_shingles(table, group->members[i].set);

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

/* Remove the shingles that no member has any longer. */
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

	/* a posting is in the list of its shingle and of its group */
	bytes += index->posting_count * 2 * sizeof(uint32_t);
	for (uint32_t i = 0; i < index->rows; i++)
		bytes += index->groups[i].member_capacity *
			 sizeof(*index->groups[i].members);
	return bytes;
}
