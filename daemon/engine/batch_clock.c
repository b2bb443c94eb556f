/* Correct times of a clock that was ahead, after it is set back. */
#include "daemon/engine/batch.h"

#include <stdlib.h>

#include "base/memory.h"
#include "store/key.h"
#include "store/rows_frontier.h"
#include "store/rows_page.h"
#include "store/rows_template.h"

/* A page of the sample of a cluster. */
struct clamp_sample {
	uint32_t cluster;
	uint64_t page;
};

/* Set a time in the future to just before now. */
static bool clamp_future_time(uint64_t *time_ms, uint64_t now_ms)
{
	if (*time_ms <= now_ms)
		return false;
	*time_ms = now_ms - 1; /* later visits have a later time */
	return true;
}

/*
 * Clamp the times of the sample and of the stored page alike: a page that was
 * not visited since stays so, and a later visit is later than both.
 */
static void clamp_page(struct commit *batch, uint32_t site,
		       const struct clamp_sample *sampled)
{
	struct sample_page_row sample;
	struct frontier_row visit;
	struct page_row page;

	if (sample_page_row_get(batch->txn, site, sampled->cluster,
				sampled->page, &sample) &&
	    clamp_future_time(&sample.since_ms, batch->now_ms))
		sample_page_row_put(batch->txn, site, sampled->cluster,
				    sampled->page, &sample);
	if (page_row_get(batch->txn, site, sampled->page, &page) &&
	    clamp_future_time(&page.fetched_ms, batch->now_ms))
		page_row_put(batch->txn, site, sampled->page, &page);
	if (frontier_row_get(batch->txn, site, sampled->page, &visit) &&
	    clamp_future_time(&visit.answered_ms, batch->now_ms))
		frontier_row_put(batch->txn, site, sampled->page, &visit);
}

static void clamp_samples(struct commit *batch, uint32_t site)
{
	struct key prefix = key_site(site);
	struct scan scan =
		scan_begin(batch->txn, TABLE_SAMPLE_PAGES, key_slice(&prefix));
	struct clamp_sample *sampled = NULL;
	size_t count = 0;
	size_t capacity = 0;

	scan.is_keys_only = true;
	while (scan_next(&scan)) {
		sampled = mem_grow(sampled, count, &capacity, sizeof(*sampled));
		sampled[count++] = (struct clamp_sample){
			key_u32(scan.key, sizeof(site)),
			key_u64(scan.key, 2 * sizeof(site))};
	}
	scan_end(&scan);
	for (size_t i = 0; i < count; i++)
		clamp_page(batch, site, &sampled[i]);
	free(sampled);
}

void commit_clamp_site(struct commit *batch, struct site *site)
{
	bool was_ahead = clamp_future_time(&site->row.asked_ms, batch->now_ms);

	was_ahead |= clamp_future_time(&site->row.seen_ms, batch->now_ms);
	was_ahead |= clamp_future_time(&site->row.added_ms, batch->now_ms);
	site->rests_until_ms =
		0; /* the fetcher still knows the pause of its host */
	frontier_clamp(batch->txn, &site->row, batch->now_ms);
	if (!was_ahead)
		return;
	site->is_changed = true;
	clamp_samples(batch, site->row.id);
}
