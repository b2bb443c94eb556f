#include "daemon/engine/site_list.h"

#include <stdlib.h>

#include "base/lower_bound.h"
#include "base/memory.h"
#include "store/partitions.h"
#include "store/rows_site.h"

static int site_list_compare(const void *left, const void *right)
{
	const struct listed_site *a = left;
	const struct listed_site *b = right;

	return (a->site > b->site) - (a->site < b->site);
}

enum error stored_site_list_read(struct store *store,
				 struct stored_site_list *list)
{
	struct txn txn = txn_begin_read(store);
	struct scan scan = scan_begin(&txn, TABLE_SITES, slice_of(""));
	struct site_row row;

	while (scan_next(&scan))
		if (site_decode(scan.value, &row) &&
		    store_owns_site(store, row.id))
			stored_site_list_add(
				list,
				(struct listed_site){row.id, row.generation});
	scan_end(&scan);
	if (list->count > 1)
		qsort(list->items, list->count, sizeof(*list->items),
		      site_list_compare);
	return txn_end(&txn);
}

void stored_site_list_add(struct stored_site_list *list,
			  struct listed_site site)
{
	list->items = mem_grow(list->items, list->count, &list->capacity,
			       sizeof(*list->items));
	list->items[list->count++] = site;
}

const struct listed_site *
stored_site_list_find(const struct stored_site_list *list, uint32_t site)
{
	size_t at;

	LOWER_BOUND(at, list->count, list->items[at].site < site);
	return at < list->count && list->items[at].site == site
		       ? &list->items[at]
		       : NULL;
}

void stored_site_list_free(struct stored_site_list *list)
{
	free(list->items);
	*list = (struct stored_site_list){0};
}
