#include "daemon/engine/site.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "store/key.h"
#include "store/rows_cluster.h"
#include "store/rows_site.h"
#include "store/sets.h"

static void copy_strings(struct site *site, const struct site_row *row)
{
	struct slice *strings[] = {
		&site->row.host, &site->row.seed, &site->row.options.headers,
		&site->row.options.proxy, &site->row.missing};

	site->row = *row;
	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
		strings[i]->data =
			mem_copy_text(strings[i]->data, strings[i]->size);
}

static void free_strings(struct site *site)
{
	free((void *)site->row.host.data);
	free((void *)site->row.seed.data);
	free((void *)site->row.options.headers.data);
	free((void *)site->row.options.proxy.data);
	free((void *)site->row.missing.data);
}

void site_set_text(struct slice *text, struct slice value)
{
	char *copy = mem_copy_text(value.data, value.size);

	free((void *)text->data);
	*text = (struct slice){copy, value.size};
}

struct site *site_create(const struct site_row *row)
{
	struct site *site = mem_alloc(1, sizeof(*site));

	copy_strings(site, row);
	site->is_explored =
		row->pending_count > 0; /* an interrupted crawl continues */
	return site;
}

void site_destroy(struct site *site)
{
	if (site == NULL)
		return;
	site_close(site);
	free_strings(site);
	counts_reset(&site->counts);
	free(site);
}

void site_reset(struct site *site, const struct site_row *row)
{
	site_close(site);
	free_strings(site);
	copy_strings(site, row);
	counts_reset(&site->counts);
	site->leased = site->leased_before;
	site->is_changed = false;
	site->is_deleted = false;
}

void site_close(struct site *site)
{
	linkage_destroy(site->linkage);
	site->linkage = NULL;
	free(site->known);
	site->known = NULL;
}

static void restore_shingles(struct site *site, struct txn *txn)
{
	struct key prefix = key_site(site->row.id);
	struct scan scan = scan_begin(txn, TABLE_SHINGLES, key_slice(&prefix));

	while (scan_next(&scan)) {
		uint32_t shingle_id = key_u32(scan.key, sizeof(uint32_t));
		uint64_t member;

		if (!shingle_decode(scan.value, &member))
			txn_fail(txn, ERR_CORRUPT);
		else
			txn_fail(txn,
				 linkage_restore_shingle(site->linkage,
							 shingle_id, member));
	}
	scan_end(&scan);
}

static void restore_sets(struct site *site, struct txn *txn)
{
	struct set_scan scan = set_scan_begin(txn, site->row.id);

	while (set_scan_next(&scan))
		txn_fail(txn,
			 linkage_restore_set(site->linkage, scan.set,
					     scan.shingle_ids, scan.count));
	set_scan_end(&scan);
}

static void restore_pages(struct site *site, struct txn *txn)
{
	struct key prefix = key_site(site->row.id);
	struct scan scan = scan_begin(txn, TABLE_MEMBERS, key_slice(&prefix));

	while (scan_next(&scan)) {
		uint32_t cluster = key_u32(scan.key, sizeof(uint32_t));
		uint64_t page = key_u64(scan.key, 2 * sizeof(uint32_t));
		uint32_t set;

		if (!member_decode(scan.value, &set))
			txn_fail(txn, ERR_CORRUPT);
		else
			txn_fail(txn, linkage_restore_page(site->linkage, page,
							   set, cluster));
	}
	scan_end(&scan);
}

void site_open(struct site *site, const struct engine_options *options,
	       struct txn *txn)
{
	if (site->linkage != NULL)
		return;
	site->linkage = linkage_create(&(struct linkage_options){
		.threshold = site->row.options.threshold,
		.max_shingles = options->max_signature,
		.max_sets = options->max_sets,
	});
	restore_shingles(site, txn);
	restore_sets(site, txn);
	restore_pages(site, txn);
	site->known = mem_alloc(SITE_KNOWN, sizeof(*site->known));
	if (txn->error == ERR_NONE)
		txn_fail(txn, linkage_restore_end(site->linkage));
	if (txn->error != ERR_NONE)
		site_close(site);
}

void site_count(struct site *site, uint32_t cluster,
		const struct record *record, int32_t delta)
{
	if (cluster == 0)
		return;
	for (uint32_t i = 0; i < record->fragment_count; i++)
		counts_add(&site->counts, cluster, record->fragments[i].hash,
			   delta);
}

void site_flush_counts(struct site *site, struct txn *txn, size_t max)
{
	if (site->counts.used > max)
		counts_write(&site->counts, txn, site->row.id);
}
