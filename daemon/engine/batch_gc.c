/* Garbage collection of data over the limits of daemon/config/retention.h. */
#include "daemon/engine/batch.h"

#include "daemon/engine/gc.h"
#include "store/key.h"
#include "store/partitions.h"
#include "store/rows_page.h"
#include "store/rows_template.h"

/*
 * Delete the body of a page and keep everything else. A requested visit is
 * unconditional then (engine.c), so it stores the body again.
 */
static bool drop_body(struct commit *batch, struct slice key)
{
	uint32_t site = key_u32(key, 0);
	uint64_t page = key_u64(key, sizeof(uint32_t));
	struct sample_page_row sample;
	struct page_row row;

	if (txn_get(batch->txn, TABLE_BODIES, key).data == NULL ||
	    !page_row_get(batch->txn, site, page, &row) ||
	    sample_page_row_get(batch->txn, site, row.cluster, page, &sample))
		return false;
	row.flags |= PAGE_ROW_HAS_NO_BODY;
	page_row_put(batch->txn, site, page, &row);
	txn_delete(batch->txn, TABLE_BODIES, key);
	return true;
}

static bool drop_version(struct commit *batch, struct slice key)
{
	struct template_row row;

	if (!template_row_get(batch->txn, key_u32(key, 0),
			      key_u32(key, sizeof(uint32_t)), &row) ||
	    key_u32(key, 2 * sizeof(uint32_t)) >= row.version)
		return false;
	txn_delete(batch->txn, TABLE_VERSIONS, key);
	return true;
}

static bool commit_gc_delete_row(struct commit *batch, const struct gc_row *row)
{
	struct slice key = key_slice(&row->key);

	if (!store_owns(batch->txn->store,
			row->table == TABLE_EVENTS
				? store_partition_of_event(batch->txn->store,
							   key_u64(key, 0))
				: store_partition_of_site(batch->txn->store,
							  key_u32(key, 0))))
		return false;
	switch (row->table) {
	case TABLE_BODIES:
		return drop_body(batch, key);
	case TABLE_VERSIONS:
		return drop_version(batch, key);
	case TABLE_EVENTS:
		txn_delete(batch->txn, TABLE_EVENTS, key);
		return true;
	default:
		return false;
	}
}

enum error commit_gc_rows(struct commit *batch, struct change *change)
{
	struct gc_change *gc = &change->gc;

	gc->collected = 0;
	for (size_t i = 0; i < gc->count; i++)
		gc->collected += commit_gc_delete_row(batch, &gc->rows[i]);
	return ERR_NONE;
}
