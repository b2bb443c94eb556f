/* daemon/engine/site_list.h - which sites there are, for what goes through all
 * of them, a transaction each. */
#ifndef DAEMON_ENGINE_SITE_LIST_H
#define DAEMON_ENGINE_SITE_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "store/error.h"
#include "store/store.h"

struct listed_site {
	uint32_t site;
	uint64_t generation; /* of its row: another when its pages have changed
			      */
};

/* Begin with {0}; end with site_list_free(). */
struct site_list {
	struct listed_site *items; /* [count] */
	size_t count;
	size_t capacity;
};

/* Read the sites that are ours (store/partitions.h) as they are now, ascending
 * by number. ERR_IO, ERR_BUSY. */
enum error site_list_read(struct store *store, struct site_list *list);

void site_list_add(struct site_list *list, struct listed_site site);

/* The one of that number, or NULL. `list` is ascending. */
const struct listed_site *site_list_find(const struct site_list *list,
					 uint32_t site);

void site_list_free(struct site_list *list);

#endif
