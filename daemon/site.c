#include "daemon/site.h"

#include <stdlib.h>
#include <string.h>

#include "store/memory.h"

static void copy_strings(struct site *site, const struct site_row *row)
{
	char *host = mem_copy_text(row->host.data, row->host.size);
	char *seed = mem_copy_text(row->seed.data, row->seed.size);

	site->row = *row;
	site->row.host.data = host;
	site->row.seed.data = seed;
}

static void free_strings(struct site *site)
{
	free((void *)site->row.host.data);
	free((void *)site->row.seed.data);
}

struct site *site_create(const struct site_row *row)
{
	struct site *site = mem_alloc(1, sizeof(*site));

	copy_strings(site, row);
	return site;
}

void site_destroy(struct site *site)
{
	if (site == NULL)
		return;
	site_close(site);
	free_strings(site);
	free(site->deltas);
	free(site);
}

void site_reset(struct site *site, const struct site_row *row)
{
	site_close(site);
	free_strings(site);
	copy_strings(site, row);
	site->delta_count = 0;
	site->leased = site->leased_before;
	site->is_changed = false;
	site->is_deleted = false;
}

void site_close(struct site *site)
{
	linkage_destroy(site->linkage);
	site->linkage = NULL;
}

/* Put the page of one row of TABLE_SIGNATURES back into the linkage. */
static void restore_page(struct site *site, struct txn *txn, struct slice key,
			 struct slice value, uint64_t *members)
{
	uint64_t page = key_u64(key, sizeof(uint32_t));
	struct page_row row;
	enum error error;

	if (!page_row_get(txn, site->row.id, page, &row)) {
		txn_fail(txn, ERR_CORRUPT);
		return;
	}
	/* LMDB aligns values to two bytes only */
	memcpy(members, value.data, value.size);
	error = linkage_restore(
		site->linkage, page,
		(struct signature){members, value.size / sizeof(*members)},
		row.cluster);
	if (error != ERR_NONE)
		txn_fail(txn, error);
}

void site_open(struct site *site, struct txn *txn)
{
	struct key prefix = key_site(site->row.id);
	uint64_t *members = NULL;
	size_t capacity = 0;
	struct scan scan;

	if (site->linkage != NULL)
		return;
	site->linkage = linkage_create(&(struct linkage_options){
		.threshold = site->row.threshold,
		/* what is stored stays, whatever the limit is by now */
		.max_members = SIZE_MAX,
	});
	scan = scan_begin(txn, TABLE_SIGNATURES, key_slice(&prefix));
	while (scan_next(&scan)) {
		if (members == NULL || scan.value.size > capacity) {
			capacity = scan.value.size;
			members = mem_resize(members, capacity, 1);
		}
		restore_page(site, txn, scan.key, scan.value, members);
	}
	scan_end(&scan);
	free(members);
	if (txn->error != ERR_NONE)
		site_close(site);
}

void site_count(struct site *site, uint32_t cluster,
		const struct record *record, int32_t delta)
{
	if (cluster == 0)
		return;
	for (uint32_t i = 0; i < record->fragment_count; i++) {
		site->deltas =
			mem_grow(site->deltas, site->delta_count,
				 &site->delta_capacity, sizeof(*site->deltas));
		site->deltas[site->delta_count++] = (struct df_delta){
			.cluster = cluster,
			.delta = delta,
			.fragment = record->fragments[i].hash,
		};
	}
}

void site_flush_counts(struct site *site, struct txn *txn, size_t max)
{
	if (site->delta_count <= max)
		return;
	df_apply(txn, site->row.id, site->deltas, site->delta_count);
	site->delta_count = 0;
}
