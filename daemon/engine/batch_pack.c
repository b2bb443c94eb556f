/* Replace stored rows by smaller ones, and add and delete dictionaries. */
#include "daemon/engine/batch.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"
#include "daemon/engine/packing.h"
#include "store/key.h"
#include "store/partitions.h"
#include "store/store.h"

/*
 * Delete the old row. Return false and keep it if it has changed since it was
 * read.
 */
static bool packing_remove_row(struct commit *batch, const struct pack_row *row)
{
	struct slice key = key_slice(&row->key);
	struct slice value = txn_get(batch->txn, row->table, key);

	if (!store_owns_site(batch->txn->store, key_u32(key, 0)))
		return false;
	if (value.data == NULL ||
	    hash64(value.data, value.size, 0) != row->before)
		return false;
	txn_delete(batch->txn, row->table, key);
	return true;
}

/*
 * Delete all rows before writing the first one: LMDB merges nearly empty pages
 * when a row is deleted, not when it shrinks. And it fills a page completely
 * when rows are appended in order, but splits it in half otherwise.
 */
static uint32_t packing_replace_rows(struct commit *batch,
				     const struct packing *packing)
{
	bool *is_out = mem_alloc(packing->count + 1, sizeof(*is_out));
	uint32_t count = 0;

	for (size_t i = 0; i < packing->count; i++)
		is_out[i] = packing->rows[i].table != TABLE_DICTIONARIES &&
			    packing_remove_row(batch, &packing->rows[i]);
	for (size_t i = 0; i < packing->count; i++) {
		const struct pack_row *row = &packing->rows[i];

		if (!is_out[i])
			continue;
		txn_put(batch->txn, row->table, key_slice(&row->key),
			buffer_slice(&row->value));
		count++;
	}
	free(is_out);
	return count;
}

/* Add a dictionary, unless its site or cluster was deleted since. */
static bool add_dictionary(struct commit *batch, const struct pack_row *row)
{
	struct slice cluster = key_slice(&row->key);
	uint64_t number;
	struct key key;

	if (txn_get(batch->txn, TABLE_CLUSTERS, cluster).data == NULL)
		return false;
	number = store_next_number(batch->txn, "dictionary");
	if (number > UINT32_MAX) {
		txn_fail(batch->txn, ERR_TOO_LARGE);
		return false;
	}
	key = key_cluster(key_u32(cluster, 0), (uint32_t)number);
	txn_put(batch->txn, TABLE_DICTIONARIES, key_slice(&key),
		buffer_slice(&row->value));
	return true;
}

static bool apply_dictionary(struct commit *batch, const struct pack_row *row)
{
	if (row->table != TABLE_DICTIONARIES ||
	    !store_owns_site(batch->txn->store,
			     key_u32(key_slice(&row->key), 0)))
		return false;
	if (row->value.size > 0)
		return add_dictionary(batch, row);
	txn_delete(batch->txn, TABLE_DICTIONARIES, key_slice(&row->key));
	return true;
}

enum error commit_pack(struct commit *batch, struct change *change)
{
	const struct packing *packing = change->pack.packing;

	change->pack.packed = packing_replace_rows(batch, packing);
	for (size_t i = 0; i < packing->count; i++)
		change->pack.packed +=
			apply_dictionary(batch, &packing->rows[i]);
	return ERR_NONE;
}
