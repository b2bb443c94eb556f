#include "daemon/ctl/partition.h"

#include <stdlib.h>

#include "base/memory.h"

struct label_group {
	uint32_t label;
	size_t size;
	size_t first; /* smallest item */
	uint32_t number;
};

struct label_item {
	uint32_t label;
	size_t item;
};

static int compare_members(const void *a, const void *b)
{
	const struct label_item *left = a;
	const struct label_item *right = b;

	if (left->label != right->label)
		return left->label < right->label ? -1 : 1;
	return left->item < right->item ? -1 : left->item > right->item;
}

static int label_group_compare(const void *a, const void *b)
{
	const struct label_group *left = a;
	const struct label_group *right = b;

	if (left->size != right->size)
		return left->size > right->size ? -1 : 1;
	return left->first < right->first ? -1 : left->first > right->first;
}

static int compare_labels(const void *a, const void *b)
{
	const struct label_group *left = a;
	const struct label_group *right = b;

	return left->label < right->label ? -1 : left->label > right->label;
}

/* `members` is sorted by label, then item. */
static size_t collect_groups(const struct label_item *members, size_t count,
			     struct label_group *groups)
{
	size_t group_count = 0;

	for (size_t i = 0; i < count; i++) {
		if (i == 0 || members[i].label != members[i - 1].label)
			groups[group_count++] =
				(struct label_group){.label = members[i].label,
						     .first = members[i].item};
		groups[group_count - 1].size++;
	}
	return group_count;
}

uint32_t clustering_result_number(const uint32_t *labels, size_t count,
				  uint32_t *numbers_out)
{
	struct label_item *members = mem_alloc(count + 1, sizeof(*members));
	struct label_group *groups = mem_alloc(count + 1, sizeof(*groups));
	size_t group_count;

	for (size_t i = 0; i < count; i++)
		members[i] = (struct label_item){labels[i], i};
	qsort(members, count, sizeof(*members), compare_members);
	group_count = collect_groups(members, count, groups);
	qsort(groups, group_count, sizeof(*groups), label_group_compare);
	for (size_t i = 0; i < group_count; i++)
		groups[i].number = (uint32_t)i + 1;
	qsort(groups, group_count, sizeof(*groups), compare_labels);
	for (size_t i = 0, g = 0; i < count; i++) {
		while (groups[g].label != members[i].label)
			g++;
		numbers_out[members[i].item] = groups[g].number;
	}
	free(members);
	free(groups);
	return (uint32_t)group_count;
}
