/* Lease due URLs of a site, with the site's headers and proxy. */
#include "daemon/engine/batch.h"

#include <stdlib.h>

#include "base/memory.h"
#include "crawl/url.h"
#include "store/key.h"
#include "store/rows_frontier.h"
#include "store/rows_page.h"
#include "store/sealed.h"

enum {
	LOOKAHEAD_MS = 10000, /* time that a slow site's leases may take */
};

/* Return how many more URLs of the site may be leased, if it does not rest. */
static size_t lease_room_of_site(const struct site *site,
				 const struct work_order *order)
{
	size_t window = order->max_per_site;
	uint32_t delay_ms = site->row.options.delay_ms;

	if (delay_ms < site->pace_ms)
		delay_ms = site->pace_ms;
	if (delay_ms > 0 && LOOKAHEAD_MS / delay_ms < window)
		window = LOOKAHEAD_MS / delay_ms;
	/* leased URLs are fetched even if the pattern is saturated */
	if (site->row.options.saturation > 0 &&
	    site->row.options.saturation < window)
		window = site->row.options.saturation;
	if (window == 0)
		window = 1;
	return site->leased < window ? window - site->leased : 0;
}

void work_free(struct work *work)
{
	free(work->headers);
	free(work->proxy);
	work->headers = NULL;
	work->proxy = NULL;
}

/* Return the decrypted text; NULL if it is empty. */
static char *open_or_null(struct commit *batch, struct slice sealed)
{
	struct buffer text = {0};

	if (sealed.size > 0)
		secret_text_read(batch->txn->store, sealed, &text);
	return text.data;
}

bool commit_has_no_credentials(struct commit *batch, const struct site *site)
{
	const struct site_options *options = &site->row.options;

	return !secret_text_read(batch->txn->store, options->headers, NULL) ||
	       !secret_text_read(batch->txn->store, options->proxy, NULL);
}

/*
 * Return whether the response "not modified" would be usable: the page is
 * stored, with its body if the URL is fetched on demand.
 */
static bool has_page(struct commit *batch, const struct site *site,
		     const struct lease *lease)
{
	struct page_row row;

	return (lease->flags & FRONTIER_IS_SITEMAP) != 0 ||
	       (page_row_get(batch->txn, site->row.id, lease->key, &row) &&
		row.redirect.size == 0 &&
		((row.flags & PAGE_ROW_HAS_NO_BODY) == 0 ||
		 (lease->flags & FRONTIER_IS_ON_DEMAND) == 0));
}

static struct work work_of(struct commit *batch, const struct site *site,
			   const struct lease *lease)
{
	const struct site_options *options = &site->row.options;
	/* credentials for one origin must not go to another */
	bool is_of_seed = slice_equal(url_origin(slice_of(lease->url)),
				      url_origin(site->row.seed));
	struct slice none = slice_of("");
	struct work work = {
		.lease = *lease,
		.site = site->row.id,
		.adoption = site->adoption,
		.delay_ms = options->delay_ms,
		.measure = (enum measure)options->measure,
		.width = options->width,
		.site_flags = options->flags,
		.headers = open_or_null(batch,
					is_of_seed ? options->headers : none),
		.proxy =
			open_or_null(batch, is_of_seed ? options->proxy : none),
	};
	bool is_conditional =
		lease->etag[0] != '\0' || lease->modified[0] != '\0';

	if (is_conditional && !has_page(batch, site, lease)) {
		work.lease.etag[0] = '\0';
		work.lease.modified[0] = '\0';
	}
	return work;
}

void commit_lease(struct commit *batch, struct site *site,
		  struct work_order *order)
{
	uint32_t pending_count = site->row.pending_count;
	uint32_t tried_count = site->row.tried_count;
	size_t max = lease_room_of_site(site, order);
	struct lease *leases;
	size_t count;

	if (max > order->max - order->count)
		max = order->max - order->count;
	if (max == 0 || site->is_deleted || site->row.found_count == 0 ||
	    batch->now_ms < site->rests_until_ms ||
	    commit_has_no_credentials(batch, site))
		return;
	sites_touch(batch->sites, site);
	leases = mem_alloc(max, sizeof(*leases));
	count = frontier_lease(
		batch->txn, &site->row, &batch->options->rules,
		&(struct lease_request){
			.now_ms = batch->now_ms,
			.until_ms = batch->now_ms + order->lease_ms,
			.max = max,
		},
		leases);
	for (size_t i = 0; i < count; i++)
		order->work[order->count++] = work_of(batch, site, &leases[i]);
	free(leases);
	site->leased += count;
	site->is_explored |= site->row.tried_count != tried_count;
	/* some URLs may have been skipped */
	site->is_changed |=
		count > 0 || site->row.pending_count != pending_count;
}

uint64_t commit_wake_time(struct commit *batch, const struct site *site,
			  const struct work_order *order)
{
	uint64_t due;

	if (site->is_deleted || lease_room_of_site(site, order) == 0 ||
	    commit_has_no_credentials(batch, site))
		return UINT64_MAX;
	due = frontier_next_due(batch->txn, site->row.id);
	return due < site->rests_until_ms ? site->rests_until_ms : due;
}
