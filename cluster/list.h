/* cluster/list.h - a growing array of numbers. Internal to cluster/. */
#ifndef CLUSTER_LIST_H
#define CLUSTER_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Initialise with {0}; free with list_free(). */
struct list {
	uint32_t *items; /* [count] */
	uint32_t count;
	uint32_t capacity;
};

/* Remove all items and free the memory. */
void list_free(struct list *list);

/* Make room for `capacity` items in total. */
void list_reserve(struct list *list, size_t capacity);

void list_push(struct list *list, uint32_t item);

/*
 * For ascending lists: insert `item`, return false if it is in the list
 * already; and remove `item` if it is in the list. An empty list has no memory,
 * and a list that has become much shorter frees some.
 */
bool list_add_ordered(struct list *list, uint32_t item);
void list_remove_ordered(struct list *list, uint32_t item);

#endif
