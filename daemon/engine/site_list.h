/*
 * daemon/engine/site_list.h - the list of sites, for loops that use one
 * transaction per site.
 */
#ifndef DAEMON_ENGINE_SITE_LIST_H
#define DAEMON_ENGINE_SITE_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "store/store.h"

struct listed_site {
	uint32_t site;
	uint64_t generation; /* of its row: changes when its pages change */
};

/* Initialize with {0}; free with stored_site_list_free(). */
struct stored_site_list {
	struct listed_site *items; /* [count] */
	size_t count;
	size_t capacity;
};

/*
 * Read the sites that this node owns (store/partitions.h), ascending by number.
 * ERR_IO, ERR_BUSY.
 */
enum error stored_site_list_read(struct store *store,
				 struct stored_site_list *list);

void stored_site_list_add(struct stored_site_list *list,
			  struct listed_site site);

/* Return the site of that number, or NULL. `list` is ascending. */
const struct listed_site *
stored_site_list_find(const struct stored_site_list *list, uint32_t site);

void stored_site_list_free(struct stored_site_list *list);

#endif
