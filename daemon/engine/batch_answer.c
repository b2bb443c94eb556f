/* Store the result of a visit: the page and the end of its lease. */
#include "daemon/engine/batch.h"

#include <assert.h>

#include "store/key.h"
#include "store/rows_frontier.h"
#include "store/rows_page.h"
#include "store/rows_site.h"

/* End the lease of the URL, if it was leased. */
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

/* Return whether the page was a redirect at its last visit. */
static bool has_led(struct batch *batch, const struct site *site,
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
static void follow_seed(struct batch *batch, const struct site *site,
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
		batch_add_site(batch, target, &options, redirects + 1);
}

/* Return the error of a redirect whose target is rejected by this rule. */
static enum error error_of(enum admission rule)
{
	if (rule == REFUSE_HOST)
		return ERR_OUT_OF_SITE;
	if (rule == REFUSE_ENDING)
		return ERR_NOT_HTML;
	return rule >= REFUSE_HOST && rule < SKIP_SATURATED ? ERR_TOO_LARGE
							    : ERR_NONE;
}

/* Add the target of a redirect to the frontier. */
static enum error discover_target(struct batch *batch, struct site *site,
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
		discovery.flags |= row->flags & FRONTIER_IS_ASKED;
	if (slice_equal(site->row.host, slice_of(target->host)) &&
	    row->redirects >= MAX_REDIRECTS)
		return ERR_TOO_LARGE;
	return error_of(batch_discover(batch, site, &discovery));
}

static void redirect(struct batch *batch, struct site *site,
		     struct change *change)
{
	uint64_t key = page_key_of(slice_of(change->url->text));
	struct outcome outcome = change->answer.outcome;
	struct frontier_row row = {0};

	frontier_row_get(batch->txn, site->row.id, key, &row);
	outcome.error =
		discover_target(batch, site, change->answer.target, &row);
	if (outcome.error == ERR_OUT_OF_SITE)
		follow_seed(batch, site, change, row.redirects);
	if ((row.flags & FRONTIER_IS_AUXILIARY) == 0)
		batch_remove_page(batch, site, change->url,
				  change->answer.target);
	answer_lease(batch, site, change, &outcome);
}

/*
 * The page is unchanged: update only the visit. If an archive has replaced the
 * page since, the server's response does not refer to it.
 */
static void refresh(struct batch *batch, struct site *site,
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
		batch_guard_fresh(batch, site, key);
	}
	answer_lease(batch, site, change, &outcome);
}

/* Store a page and end its lease. */
static void take_page(struct batch *batch, struct site *site,
		      struct change *change)
{
	struct outcome outcome = change->answer.outcome;

	batch_put_page(batch, site, change, &outcome);
	if (change->kind == CHANGE_INGEST)
		return; /* an ingested page does not affect visits */
	site->poisoned_in_row = 0;
	if (change->answer.page.was_poisoned)
		batch_cure(batch, site, change->url);
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
	return change->answer.outcome.error == ERR_REFUSED &&
	       site->row.page_count == 0 &&
	       (site->row.options.flags &
		(SITE_IS_PORT_OK | SITE_IS_NETWORK_OK | SITE_IS_OFFLINE)) == 0;
}

static void fail(struct batch *batch, struct site *site, struct change *change)
{
	const struct outcome *outcome = &change->answer.outcome;
	bool is_gone =
		outcome->http_status == 404 || outcome->http_status == 410;
	bool is_seed = slice_equal(site->row.seed, slice_of(change->url->text));

	if (is_forbidden(site, change)) {
		batch_forget_site(batch, site);
		return;
	}
	if (outcome->error == ERR_POISONED)
		batch_poison(batch, site, change);
	/*
	 * store the first redirect of the seed permanently: see follow_seed()
	 */
	if (is_gone && !(is_seed && site->row.page_count == 0))
		batch_remove_page(batch, site, change->url, NULL);
	answer_lease(batch, site, change, outcome);
}

static void read_sitemap(struct batch *batch, struct site *site,
			 struct change *change)
{
	batch_read_listing(batch, site, change);
	answer_lease(batch, site, change, &change->answer.outcome);
}

static void poison(struct batch *batch, struct site *site,
		   struct change *change)
{
	batch_poison(batch, site, change);
}

/* Functions that apply a result to a known site, by kind. */
static void (*const takers[CHANGE_KINDS])(struct batch *batch,
					  struct site *site,
					  struct change *change) = {
	[CHANGE_PAGE] = take_page,       [CHANGE_INGEST] = take_page,
	[CHANGE_REDIRECT] = redirect,    [CHANGE_FRESH] = refresh,
	[CHANGE_SITEMAP] = read_sitemap, [CHANGE_FAILED] = fail,
	[CHANGE_POISON] = poison,
};

enum error batch_answer(struct batch *batch, struct change *change)
{
	bool is_ingest = change->kind == CHANGE_INGEST;
	bool is_leased = change_ends_lease(change->kind);
	struct answer *answer = &change->answer;
	struct site *site =
		sites_find(batch->sites, slice_of(change->url->host));

	if (site == NULL && is_ingest && answer->page.options != NULL) {
		site = batch_new_site(batch, change->url, answer->page.options);
		if (site == NULL)
			return batch_no_site(batch);
		answer->page.is_new_site = true;
	}
	if (site == NULL)
		return ERR_NOT_FOUND;
	if (answer->site != 0 && answer->site != site->row.id)
		return ERR_NOT_FOUND; /* the site was deleted */
	if (is_leased && answer->adoption != site->adoption)
		return ERR_MOVED; /* the site came back since: its lease was
				     released */
	answer->outcome.now_ms = batch->now_ms;
	site->used = batch->number;
	if (is_leased)
		site->pace_ms = answer->pace_ms;
	if (answer->pause_ms > 0)
		site->rests_until_ms = batch->now_ms + answer->pause_ms;
	takers[change->kind](batch, site, change);
	site_flush_counts(site, batch->txn, MAX_WAITING_COUNTS);
	return ERR_NONE;
}
