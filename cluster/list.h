/* cluster/list.h - numbers in a growing array. Internal to cluster/. */
#ifndef CLUSTER_LIST_H
#define CLUSTER_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Begin with {0}; end with list_free(). */
struct list {
	uint32_t *items; /* [count] */
	uint32_t count;
	uint32_t capacity;
};

/* Remove all items and free the memory. */
void list_free(struct list *list);

/* Make room for `capacity` items in all. */
void list_reserve(struct list *list, size_t capacity);

void list_push(struct list *list, uint32_t item);

/*
 * For ascending lists: insert `item`, false when it is there already; and
 * remove it, if it is there. An empty list holds no memory, and a list that has
 * become much shorter frees some.
 */
bool list_add_ordered(struct list *list, uint32_t item);
void list_remove_ordered(struct list *list, uint32_t item);

#endif
