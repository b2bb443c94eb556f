#include "cluster/members.h"

#include <stdlib.h>
#include <string.h>

#include "store/arena.h"

void members_begin(struct members *members, struct arena *arena)
{
	memset(members, 0, sizeof(*members));
	members->arena = arena;
	members->recent[0] = 1; /* a 1 has no business there: no 0 is held */
}

static void grow(struct members *members)
{
	size_t capacity = members->capacity == 0 ? 256 : members->capacity * 2;
	uint64_t *items = ARENA_NEW(members->arena, uint64_t, capacity);

	if (members->count > 0)
		memcpy(items, members->items, members->count * sizeof(*items));
	members->items = items;
	members->capacity = capacity;
}

void members_add(struct members *members, uint64_t member)
{
	uint64_t *recent = &members->recent[member % MEMBERS_RECENT];

	if (*recent == member)
		return;
	*recent = member;
	if (members->count == members->capacity)
		grow(members);
	members->items[members->count++] = member;
}

static int compare_members(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left;
	uint64_t b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

size_t members_settle(struct members *members)
{
	uint64_t *items = members->items;
	size_t count = 0;

	if (members->count == 0)
		return 0;
	qsort(items, members->count, sizeof(*items), compare_members);
	for (size_t i = 0; i < members->count; i++) {
		if (count == 0 || items[count - 1] != items[i])
			items[count++] = items[i];
	}
	members->count = count;
	return count;
}

struct signature members_end(struct members *members)
{
	size_t count = members_settle(members);

	return (struct signature){members->items, count};
}
