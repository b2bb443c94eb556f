/* Store the result of a visit: the page and the end of its lease. */
#include "daemon/engine/batch.h"

#include <assert.h>

#include "store/key.h"
#include "store/rows_frontier.h"
#include "store/rows_page.h"
#include "store/rows_site.h"

/* End the lease of the URL, if it was leased. */
static void answer_lease(struct commit *batch, struct site *site,
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
	frontier_record_outcome(batch->txn, &site->row, key, outcome);
	site->is_changed = true;
}

/* Return whether the page was a redirect at its last visit. */
static bool has_led(struct commit *batch, const struct site *site,
		    const struct change *change)
{
	uint64_t page = page_key_of(slice_of(change->url->text));
	struct page_row row;

	return page_row_get(batch->txn, site->row.id, page, &row) &&
	       row.redirect.size > 0;
}

/*
 * If the first page of a site redirects to another host, as example.org to
 * www.example.org, add that host as a site. Redirects are counted from host to
 * host, and only the first target counts; otherwise a wildcard name would
 * create sites without end.
 */
static void follow_seed(struct commit *batch, const struct site *site,
			const struct change *change, unsigned redirects)
{
	const struct url *target = change->answer.target;
	struct site_options options = site->row.options;

	options.headers = slice_of(""); /* do not send them to another host */
	options.proxy = slice_of("");
	options.flags &= ~(uint32_t)(SITE_IS_PRIVATE_OK | SITE_IS_PORT_OK |
				     SITE_IS_NETWORK_OK | SITE_FINDINGS);
	if (site->row.page_count == 0 && redirects < MAX_REDIRECTS &&
	    slice_equal(site->row.seed, slice_of(change->url->text)) &&
	    sites_find(batch->sites, slice_of(target->host)) == NULL &&
	    !has_led(batch, site, change))
		commit_add_site(batch, target, &options, redirects + 1);
}

/* Return the error of a redirect whose target is rejected by this rule. */
static enum error admission_error(enum admission rule)
{
	if (rule == REFUSE_HOST)
		return ERR_OUT_OF_SCOPE;
	if (rule == REFUSE_ENDING)
		return ERR_NOT_HTML;
	return rule >= REFUSE_HOST && rule < SKIP_SATURATED ? ERR_TOO_LARGE
							    : ERR_NONE;
}

/* Add the target of a redirect to the frontier. */
static enum error discover_target(struct commit *batch, struct site *site,
				  const struct url *target,
				  const struct frontier_row *row)
{
	struct discovery discovery = {
		.url = target,
		.how = ADMIT_REDIRECT,
		.depth = row->depth,
		.redirects = row->redirects + 1U,
		.flags = row->flags & FRONTIER_IS_SITEMAP,
	};

	/* only the first visit is on demand */
	if (row->fetched_ms == 0 && row->interval_ms == 0)
		discovery.flags |= row->flags & FRONTIER_IS_ON_DEMAND;
	if (slice_equal(site->row.host, slice_of(target->host)) &&
	    row->redirects >= MAX_REDIRECTS)
		return ERR_TOO_LARGE;
	return admission_error(commit_discover(batch, site, &discovery));
}

static void commit_redirect(struct commit *batch, struct site *site,
			    struct change *change)
{
	uint64_t key = page_key_of(slice_of(change->url->text));
	struct outcome outcome = change->answer.outcome;
	struct frontier_row row = {0};

	frontier_row_get(batch->txn, site->row.id, key, &row);
	outcome.error =
		discover_target(batch, site, change->answer.target, &row);
	if (outcome.error == ERR_OUT_OF_SCOPE)
		follow_seed(batch, site, change, row.redirects);
	if ((row.flags & FRONTIER_IS_AUXILIARY) == 0)
		commit_remove_page(batch, site, change->url,
				   change->answer.target);
	answer_lease(batch, site, change, &outcome);
}

/*
 * The page is unchanged: update only the visit. If an archive has replaced the
 * page since, the server's response does not refer to it.
 */
static void commit_not_modified(struct commit *batch, struct site *site,
				struct change *change)
{
	uint64_t key = page_key_of(slice_of(change->url->text));
	struct outcome outcome = change->answer.outcome;
	struct page_row row;

	if (page_row_get(batch->txn, site->row.id, key, &row) &&
	    row.redirect.size == 0 && (row.flags & PAGE_ROW_IS_INGESTED) == 0) {
		outcome.cluster = row.cluster;
		row.fetched_ms = batch->now_ms;
		site->row.seen_ms = batch->now_ms;
		page_row_put(batch->txn, site->row.id, key, &row);
		commit_guard_not_modified(batch, site, key);
	}
	answer_lease(batch, site, change, &outcome);
}

/* Store a page and end its lease. */
static void commit_fetched_page(struct commit *batch, struct site *site,
				struct change *change)
{
	struct outcome outcome = change->answer.outcome;

	commit_put_page(batch, site, change, &outcome);
	if (change->kind == CHANGE_INGEST)
		return; /* an ingested page does not affect visits */
	site->poisoned_in_row = 0;
	if (change->answer.page.was_poisoned)
		commit_unquarantine(batch, site, change->url);
	if (change->answer.page.is_broken)
		outcome.error =
			ERR_NETWORK; /* the next visit may get all of it */
	answer_lease(batch, site, change, &outcome);
}

/*
 * Return whether no user has added the host, only a redirect, and its address
 * is forbidden.
 */
static bool is_forbidden(const struct site *site, const struct change *change)
{
	return change->answer.outcome.error == ERR_ADDRESS_FORBIDDEN &&
	       site->row.page_count == 0 &&
	       (site->row.options.flags &
		(SITE_IS_PORT_OK | SITE_IS_NETWORK_OK | SITE_IS_OFFLINE)) == 0;
}

static void commit_failed_visit(struct commit *batch, struct site *site,
				struct change *change)
{
	const struct outcome *outcome = &change->answer.outcome;
	bool is_gone =
		outcome->http_status == 404 || outcome->http_status == 410;
	bool is_seed = slice_equal(site->row.seed, slice_of(change->url->text));

	if (is_forbidden(site, change)) {
		commit_remove_site(batch, site);
		return;
	}
	if (outcome->error == ERR_QUARANTINED)
		commit_quarantine(batch, site, change);
	/*
	 * store the first redirect of the seed permanently: see follow_seed()
	 */
	if (is_gone && !(is_seed && site->row.page_count == 0))
		commit_remove_page(batch, site, change->url, NULL);
	answer_lease(batch, site, change, outcome);
}

static void read_sitemap(struct commit *batch, struct site *site,
			 struct change *change)
{
	commit_sitemap_entries(batch, site, change);
	answer_lease(batch, site, change, &change->answer.outcome);
}

static void commit_submitted_quarantine(struct commit *batch, struct site *site,
					struct change *change)
{
	commit_quarantine(batch, site, change);
}

/* Functions that apply a result to a known site, by kind. */
static void (*const takers[CHANGE_KINDS])(struct commit *batch,
					  struct site *site,
					  struct change *change) = {
	[CHANGE_PAGE] = commit_fetched_page,
	[CHANGE_INGEST] = commit_fetched_page,
	[CHANGE_REDIRECT] = commit_redirect,
	[CHANGE_NOT_MODIFIED] = commit_not_modified,
	[CHANGE_SITEMAP] = read_sitemap,
	[CHANGE_FAILED] = commit_failed_visit,
	[CHANGE_QUARANTINE] = commit_submitted_quarantine,
};

enum error commit_fetch_outcome(struct commit *batch, struct change *change)
{
	bool is_ingest = change->kind == CHANGE_INGEST;
	bool is_leased = change_ends_lease(change->kind);
	struct fetch_outcome *answer = &change->answer;
	struct site *site =
		sites_find(batch->sites, slice_of(change->url->host));

	if (site == NULL && is_ingest && answer->page.options != NULL) {
		site = commit_new_site(batch, change->url,
				       answer->page.options);
		if (site == NULL)
			return commit_no_site_error(batch);
		answer->page.is_new_site = true;
	}
	if (site == NULL)
		return ERR_NOT_FOUND;
	if (answer->site != 0 && answer->site != site->row.id)
		return ERR_NOT_FOUND; /* the site was deleted */
	if (is_leased && answer->adoption != site->adoption)
		return ERR_NOT_OWNER; /* the site came back since: its lease was
				     released */
	answer->outcome.now_ms = batch->now_ms;
	site->used = batch->number;
	if (is_leased)
		site->pace_ms = answer->pace_ms;
	if (answer->pause_ms > 0)
		site->rests_until_ms = batch->now_ms + answer->pause_ms;
	takers[change->kind](batch, site, change);
	site_flush_counts(site, batch->txn, MAX_UNWRITTEN_COUNTS);
	return ERR_NONE;
}
