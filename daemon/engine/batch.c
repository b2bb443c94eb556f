#include "daemon/engine/batch.h"

#include <string.h>

#include "crawl/url/parameters.h"
#include "store/key.h"
#include "store/memory.h"

enum {
	MAX_REDIRECTS = 5,
};

struct site *sites_find(const struct sites *sites, struct slice host)
{
	for (size_t i = 0; i < sites->count; i++)
		if (!sites->items[i]->is_deleted &&
		    slice_equal(sites->items[i]->row.host, host))
			return sites->items[i];
	return NULL;
}

void sites_add(struct sites *sites, struct site *site)
{
	sites->items = mem_grow(sites->items, sites->count, &sites->capacity,
				sizeof(struct site *));
	sites->items[sites->count++] = site;
}

/* Has the page come since it was asked for? Many may ask at the same time. */
static bool was_fetched(struct batch *batch, const struct site *site,
			const struct change *change)
{
	uint64_t page = page_key_of(slice_of(change->url->text));
	struct page_row row;

	return change->asked_ms != 0 &&
	       page_row_get(batch->txn, site->row.id, page, &row) &&
	       row.redirect.size == 0 &&
	       (row.flags & PAGE_ROW_HAS_NO_BODY) == 0 &&
	       row.fetched_ms >= change->asked_ms;
}

static void ask(struct batch *batch, struct change *change)
{
	struct site *site =
		sites_find(batch->sites, slice_of(change->url->host));

	if (site == NULL)
		site = batch_new_site(batch, change);
	if (site == NULL || was_fetched(batch, site, change))
		return;
	batch_discover(batch, site,
		       &(struct discovery){
			       .url = change->url,
			       .how = ADMIT_ASKED,
			       .flags = FRONTIER_IS_ASKED,
		       });
	site->is_changed = true;
}

/* Answer the lease of the URL, if it was leased. */
static void answer_lease(struct batch *batch, struct site *site,
			 const struct change *change,
			 const struct outcome *outcome)
{
	uint64_t key = page_key_of(slice_of(change->url->text));
	struct frontier_row row;

	if (!frontier_row_get(batch->txn, site->row.id, key, &row))
		return;
	if (row.state == FRONTIER_LEASED && site->leased > 0)
		site->leased--;
	if (outcome->error != ERR_STOPPED)
		site->row.asked_ms = batch->now_ms;
	frontier_answer(batch->txn, &site->row, key, outcome);
	site->is_changed = true;
}

enum admission batch_discover(struct batch *batch, struct site *site,
			      const struct discovery *discovery)
{
	/* every change has its URL */
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
	struct url url = *discovery->url;
	struct discovery one = *discovery;

	/* what somebody has asked for is kept as it was written */
	if ((discovery->flags & FRONTIER_IS_ASKED) == 0 &&
	    parameters_drop(&url, batch->options->drop_parameters))
		one.url = &url;
	site->is_changed = true;
	return frontier_discover(batch->txn, &site->row, &batch->options->rules,
				 &one, batch->now_ms);
}

/* Does the page lead to another place than it did at its last visit? */
static bool leads_elsewhere(struct batch *batch, const struct site *site,
			    const struct change *change)
{
	uint64_t page = page_key_of(slice_of(change->url->text));
	struct page_row row;

	return page_row_get(batch->txn, site->row.id, page, &row) &&
	       !slice_equal(row.redirect, slice_of(change->target->text));
}

/*
 * The first page of a site leads to another host, as example.org to
 * www.example.org does: that host is the site that was meant. The hops are
 * counted from host to host, and only the first target counts, or a wildcard
 * name would make sites for ever.
 */
static void follow_seed(struct batch *batch, const struct site *site,
			const struct change *change, unsigned redirects)
{
	struct change add = {
		.kind = CHANGE_SITE_ADD,
		.url = change->target,
		.options =
			{
				.measure = (enum measure)site->row.measure,
				.threshold = site->row.threshold,
				.width = site->row.width,
				.max_pages = site->row.max_pages,
				.max_depth = site->row.max_depth,
				.delay_ms = site->row.delay_ms,
				.revisit_ms = site->row.revisit_ms,
				.watch_ms = site->row.watch_ms,
				.saturation = site->row.saturation,
				.max_bytes = site->row.max_bytes,
				.max_time_ms = site->row.max_time_ms,
				.headers = {"", 0}, /* not for another host */
				.proxy = site->row.proxy,
				.flags = site->row.flags &
					 ~(uint32_t)(SITE_IS_PRIVATE_OK |
						     SITE_IS_PORT_OK |
						     SITE_FINDINGS),
			},
	};

	if (site->row.page_count == 0 && redirects < MAX_REDIRECTS &&
	    slice_equal(site->row.seed, slice_of(change->url->text)) &&
	    sites_find(batch->sites, slice_of(change->target->host)) == NULL &&
	    !leads_elsewhere(batch, site, change))
		batch_add_site(batch, &add, redirects + 1);
}

/* What a rule says of the target of a redirect. */
static enum error error_of(enum admission rule)
{
	if (rule == REFUSE_HOST)
		return ERR_OUT_OF_SITE;
	if (rule == REFUSE_ENDING)
		return ERR_NOT_HTML;
	return rule >= REFUSE_HOST && rule < SKIP_SATURATED ? ERR_TOO_LARGE
							    : ERR_NONE;
}

/* The target of a redirect joins the frontier. */
static enum error discover_target(struct batch *batch, struct site *site,
				  const struct change *change,
				  const struct frontier_row *row)
{
	struct discovery discovery = {
		.url = change->target,
		.how = ADMIT_REDIRECT,
		.depth = row->depth,
		.redirects = row->redirects + 1U,
		.flags = row->flags & FRONTIER_IS_SITEMAP,
	};

	/* who asks is led on once; later visits have no such haste */
	if (row->fetched_ms == 0 && row->interval_ms == 0)
		discovery.flags |= row->flags & FRONTIER_IS_ASKED;
	if (slice_equal(site->row.host, slice_of(change->target->host)) &&
	    row->redirects >= MAX_REDIRECTS)
		return ERR_TOO_LARGE;
	return error_of(batch_discover(batch, site, &discovery));
}

static void redirect(struct batch *batch, struct site *site,
		     struct change *change)
{
	uint64_t key = page_key_of(slice_of(change->url->text));
	struct outcome outcome = change->outcome;
	struct frontier_row row = {0};

	frontier_row_get(batch->txn, site->row.id, key, &row);
	outcome.error = discover_target(batch, site, change, &row);
	if (outcome.error == ERR_OUT_OF_SITE)
		follow_seed(batch, site, change, row.redirects);
	if ((row.flags & FRONTIER_IS_AUXILIARY) == 0)
		batch_remove_page(batch, site, change->url, change->target);
	answer_lease(batch, site, change, &outcome);
}

/* The page is as it was: only the visit is new. */
static void refresh(struct batch *batch, struct site *site,
		    const struct change *change)
{
	uint64_t key = page_key_of(slice_of(change->url->text));
	struct outcome outcome = change->outcome;
	struct page_row row;

	if (page_row_get(batch->txn, site->row.id, key, &row) &&
	    row.redirect.size == 0) {
		outcome.cluster = row.cluster;
		row.fetched_ms = batch->now_ms;
		site->row.seen_ms = batch->now_ms;
		page_row_put(batch->txn, site->row.id, key, &row);
		batch_guard_fresh(batch, site, key);
	}
	answer_lease(batch, site, change, &outcome);
}

/* A page has come, for its lease, too. */
static void take_page(struct batch *batch, struct site *site,
		      struct change *change)
{
	struct outcome outcome = change->outcome;

	batch_put_page(batch, site, change, &outcome);
	if (change->kind == CHANGE_INGEST)
		return; /* what is fetched meanwhile is not answered by it */
	if (change->is_broken)
		outcome.error = ERR_NETWORK; /* all of it may come next time */
	answer_lease(batch, site, change, &outcome);
}

static void fail(struct batch *batch, struct site *site,
		 const struct change *change)
{
	bool is_gone = change->outcome.http_status == 404 ||
		       change->outcome.http_status == 410;
	bool is_seed = slice_equal(site->row.seed, slice_of(change->url->text));

	/* where the seed has led once stays known: see follow_seed() */
	if (is_gone && !(is_seed && site->row.page_count == 0))
		batch_remove_page(batch, site, change->url, NULL);
	answer_lease(batch, site, change, &change->outcome);
}

/* The changes that concern a page of a known site. */
static void apply_to_site(struct batch *batch, struct change *change)
{
	struct site *site =
		sites_find(batch->sites, slice_of(change->url->host));

	if (site == NULL && change->kind == CHANGE_INGEST)
		site = batch_new_site(batch, change);
	else if (site == NULL)
		change->error = ERR_NOT_FOUND;
	if (site == NULL)
		return;
	if (change->site != 0 && change->site != site->row.id) {
		change->error = ERR_NOT_FOUND; /* of a site that was deleted */
		return;
	}
	site->used = batch->number;
	if (change->kind != CHANGE_INGEST)
		site->pace_ms = change->pace_ms;
	if (change->pause_ms > 0)
		site->rests_until_ms = batch->now_ms + change->pause_ms;
	switch (change->kind) {
	case CHANGE_PAGE:
	case CHANGE_INGEST:
		take_page(batch, site, change);
		break;
	case CHANGE_FRESH:
		refresh(batch, site, change);
		break;
	case CHANGE_SITEMAP:
		batch_read_listing(batch, site, change);
		answer_lease(batch, site, change, &change->outcome);
		break;
	case CHANGE_REDIRECT:
		redirect(batch, site, change);
		break;
	default:
		fail(batch, site, change);
		break;
	}
	site_flush_counts(site, batch->txn, MAX_WAITING_COUNTS);
}

/* A host is of interest as long as its site is. */
static void apply_to_host(struct batch *batch, struct change *change)
{
	struct slice authority = slice_of(change->url->authority);
	struct site *site =
		sites_find(batch->sites, slice_of(change->url->host));
	struct host_row row = {0};

	if (site == NULL) {
		change->error = ERR_NOT_FOUND;
		return;
	}
	host_row_get(batch->txn, authority, &row);
	if (change->host.robots_ms == 0) {
		row.next_ms = change->host.next_ms;
		row.failures = change->host.failures;
	} else {
		row.robots_ms = change->host.robots_ms;
		row.robots_status = change->host.robots_status;
		row.robots = change->host.robots;
		batch_read_robots(batch, site, change->url, row.robots);
	}
	host_row_put(batch->txn, authority, &row);
}

void batch_apply(struct batch *batch, struct change *change)
{
	change->error = ERR_NONE;
	switch (change->kind) {
	case CHANGE_SITE_ADD:
		batch_add_site(batch, change, 0);
		break;
	case CHANGE_SITE_THRESHOLD:
		batch_set_site_threshold(batch, change);
		break;
	case CHANGE_SITE_DELETE:
		batch_delete_site(batch, change);
		break;
	case CHANGE_GUARD:
		batch_change_guard(batch, change);
		break;
	case CHANGE_ALERTS:
		batch_take_alerts(batch, change);
		break;
	case CHANGE_ASK:
		ask(batch, change);
		break;
	case CHANGE_TEMPLATES:
		batch_take_findings(batch, change);
		break;
	case CHANGE_GC:
		batch_gc(batch, change);
		break;
	case CHANGE_HOST:
		apply_to_host(batch, change);
		break;
	case CHANGE_PAGE:
	case CHANGE_REDIRECT:
	case CHANGE_FRESH:
	case CHANGE_SITEMAP:
	case CHANGE_INGEST:
	case CHANGE_FAILED:
		apply_to_site(batch, change);
		break;
	}
}
