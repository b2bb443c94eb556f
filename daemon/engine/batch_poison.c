/* Quarantine pages whose bytes crash or stall workers. */
#include "daemon/engine/batch.h"

#include "store/key.h"
#include "store/rows_poison.h"

enum {
	MAX_SITE_POISONS =
		100,    /* maximum rows of a site; the oldest is deleted */
	SLOW_AFTER = 3, /* consecutive ones after which the site rests */
	FIRST_REST_MS = 60 * 1000,
	MAX_DOUBLINGS = 6, /* about one hour */
};

/* Delete the oldest row if the site has the maximum. */
static void quarantine_drop_oldest(struct commit *batch,
				   const struct site *site)
{
	struct key prefix = key_site(site->row.id);
	struct scan scan =
		scan_begin(batch->txn, TABLE_QUARANTINE, key_slice(&prefix));
	uint64_t oldest_ms = UINT64_MAX;
	struct key oldest = {0};
	uint32_t count = 0;
	struct quarantine_row row;

	while (scan_next(&scan)) {
		count++;
		if (!quarantine_row_decode(scan.value, &row))
			row.time_ms = 0;
		if (row.time_ms >= oldest_ms)
			continue;
		oldest_ms = row.time_ms;
		oldest = key_page(site->row.id,
				  key_u64(scan.key, sizeof(uint32_t)));
	}
	scan_end(&scan);
	if (count >= MAX_SITE_POISONS)
		txn_delete(batch->txn, TABLE_QUARANTINE, key_slice(&oldest));
}

void commit_quarantine(struct commit *batch, struct site *site,
		       const struct change *change)
{
	const struct quarantined_page *poison = &change->answer.poison;
	const struct slice url = slice_of(change->url->text);
	const struct quarantine_row row = {
		.time_ms = batch->now_ms,
		.content_hash = poison->content_hash,
		.body_bytes = poison->body_bytes,
		.url = url,
		.charset = poison->charset,
		.reason = poison->reason,
		.body = poison->packed,
	};
	uint32_t doublings;

	if (poison->packed.size == 0)
		return; /* skipped without a worker: its bytes are known */
	quarantine_drop_oldest(batch, site);
	quarantine_row_put(batch->txn, site->row.id, page_key_of(url), &row);
	if (change->kind == CHANGE_QUARANTINE)
		return; /* submitted by a client: no reason to rest the site */
	site->poisoned_in_row++;
	if (site->poisoned_in_row < SLOW_AFTER)
		return;
	doublings = site->poisoned_in_row - SLOW_AFTER;
	site->rests_until_ms =
		batch->now_ms +
		((uint64_t)FIRST_REST_MS
		 << (doublings < MAX_DOUBLINGS ? doublings : MAX_DOUBLINGS));
}

void commit_unquarantine(struct commit *batch, struct site *site,
			 const struct url *url)
{
	struct key key =
		key_page(site->row.id, page_key_of(slice_of(url->text)));

	txn_delete(batch->txn, TABLE_QUARANTINE, key_slice(&key));
}

enum error commit_quarantine_remove(struct commit *batch, struct change *change)
{
	struct site *site =
		sites_find(batch->sites, slice_of(change->url->host));
	struct quarantine_row row;

	if (site == NULL ||
	    !quarantine_row_get(batch->txn, site->row.id,
				page_key_of(slice_of(change->url->text)), &row))
		return ERR_NOT_FOUND;
	commit_unquarantine(batch, site, change->url);
	return ERR_NONE;
}
