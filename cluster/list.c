#include "cluster/list.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/lower_bound.h"
#include "base/memory.h"

enum { FIRST_CAPACITY = 4 };

void int_list_free(struct int_list *list)
{
	free(list->items);
	*list = (struct int_list){0};
}

static void list_resize(struct int_list *list, size_t capacity)
{
	assert(capacity >= list->count);
	list->items = mem_resize(list->items, capacity, sizeof(*list->items));
	list->capacity = (uint32_t)capacity;
}

void int_list_reserve(struct int_list *list, size_t capacity)
{
	size_t enough = list->capacity == 0 ? FIRST_CAPACITY : list->capacity;

	if (capacity <= list->capacity)
		return;
	while (enough < capacity)
		enough *= 2;
	list_resize(list, enough);
	assert(list->capacity >= capacity);
}

void int_list_push(struct int_list *list, uint32_t item)
{
	if (list->count == list->capacity)
		int_list_reserve(list, (size_t)list->count + 1);
	assert(list->count < list->capacity);
	list->items[list->count++] = item;
}

/* Return the index of the first item that is not below `item`. */
static uint32_t lower_bound(const struct int_list *list, uint32_t item)
{
	size_t at;

	if (list->count > 0 && list->items[list->count - 1] < item)
		return list->count; /* the usual case */
	LOWER_BOUND(at, list->count, list->items[at] < item);
	return (uint32_t)at;
}

bool int_list_add_ordered(struct int_list *list, uint32_t item)
{
	uint32_t at = lower_bound(list, item);

	if (at < list->count && list->items[at] == item)
		return false;
	int_list_reserve(list, (size_t)list->count + 1);
	assert(at <= list->count);
	assert(at == list->count || list->items[at] > item);
	assert(at == 0 || list->items[at - 1] < item);
	memmove(list->items + at + 1, list->items + at,
		(list->count - at) * sizeof(*list->items));
	list->items[at] = item;
	list->count++;
	return true;
}

void int_list_remove_ordered(struct int_list *list, uint32_t item)
{
	uint32_t at = lower_bound(list, item);

	if (at == list->count || list->items[at] != item)
		return;
	assert(at < list->count);
	list->count--;
	memmove(list->items + at, list->items + at + 1,
		(list->count - at) * sizeof(*list->items));
	if (list->count == 0)
		int_list_free(list);
	else if (list->count <= list->capacity / 4)
		list_resize(list, list->capacity / 2);
}
