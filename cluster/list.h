/* cluster/list.h - a growing array of numbers. Internal to cluster/. */
#ifndef CLUSTER_LIST_H
#define CLUSTER_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Initialise with {0}; free with int_list_free(). */
struct int_list {
	uint32_t *items; /* [count] */
	uint32_t count;
	uint32_t capacity;
};

/* Remove all items and free the memory. */
void int_list_free(struct int_list *list);

/* Make room for `capacity` items in total. */
void int_list_reserve(struct int_list *list, size_t capacity);

void int_list_push(struct int_list *list, uint32_t item);

/*
 * For ascending lists: insert `item`, return false if it is in the list
 * already; and remove `item` if it is in the list. An empty list has no memory,
 * and a list that has become much shorter frees some.
 */
bool int_list_add_ordered(struct int_list *list, uint32_t item);
void int_list_remove_ordered(struct int_list *list, uint32_t item);

#endif
