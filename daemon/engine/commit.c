#include "daemon/engine/commit.h"

#include <assert.h>

#include "base/memory.h"
#include "crawl/url/url.h"
#include "store/key.h"
#include "store/rows.h"

/*
 * Return whether the page was fetched after the time of this request. Then no
 * new fetch is needed, because a fetch for another request has brought the
 * page.
 */
static bool commit_page_was_fetched(struct commit *batch,
				    const struct site *site,
				    const struct change *change)
{
	uint64_t asked_ms = change->ask.asked_ms;
	uint64_t page = page_key_of(slice_of(change->url->text));
	struct page_row row;

	return asked_ms != 0 &&
	       page_row_get(batch->txn, site->row.id, page, &row) &&
	       row.redirect.size == 0 &&
	       (!change->ask.renders ||
		(row.flags & PAGE_ROW_IS_RENDERED) != 0) &&
	       (row.flags & (PAGE_ROW_HAS_NO_BODY | PAGE_ROW_IS_INGESTED)) ==
		       0 &&
	       row.fetched_ms >= asked_ms &&
	       /*
		* a fetch time in the future is from before the clock was set
		* back
		*/
	       row.fetched_ms <= batch->now_ms;
}

static enum error commit_fetch_now(struct commit *batch, struct change *change)
{
	struct site *site =
		sites_find(batch->sites, slice_of(change->url->host));

	if (site == NULL)
		site = commit_new_site(batch, change->url,
				       &change->ask.options);
	if (site == NULL)
		return commit_no_site_error(batch);
	if (commit_has_no_credentials(batch, site))
		return ERR_NO_CREDENTIALS;
	if (commit_page_was_fetched(batch, site, change))
		return ERR_NONE;
	commit_discover(
		batch, site,
		&(struct discovery){
			.url = change->url,
			.how = ADMIT_ON_DEMAND,
			.flags = FRONTIER_IS_ON_DEMAND |
				 (change->ask.renders ? FRONTIER_IS_RENDERED
						      : 0U),
		});
	site->is_changed = true;
	return ERR_NONE;
}

enum admission commit_discover(struct commit *batch, struct site *site,
			       const struct discovery *discovery)
{
	/* every change of this kind has a URL */
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
	struct url url = *discovery->url;
	struct discovery one = *discovery;

	/* drop tracking parameters only if no client has requested this URL */
	if ((discovery->flags & FRONTIER_IS_ON_DEMAND) == 0 &&
	    parameters_drop(&url, batch->options->drop_parameters))
		one.url = &url;
	site->is_changed = true;
	return frontier_discover(batch->txn, &site->row, &batch->options->rules,
				 &one, batch->now_ms);
}

/*
 * Store the robots.txt or the pause of a host. ERR_NOT_FOUND: the host's site
 * was deleted.
 */
static enum error apply_to_host(struct commit *batch, struct change *change)
{
	struct slice authority = slice_of(change->url->authority);
	const struct host_row *host = &change->host;
	struct site *site =
		sites_find(batch->sites, slice_of(change->url->host));
	struct host_row row = {0};

	if (site == NULL)
		return ERR_NOT_FOUND;
	host_row_get(batch->txn, authority, &row);
	if (host->robots_ms == 0) {
		row.next_ms = host->next_ms;
		row.failures = host->failures;
	} else {
		row.robots_ms = host->robots_ms;
		row.robots_status = host->robots_status;
		row.robots = host->robots;
		commit_robots_sitemaps(batch, site, change->url, row.robots);
	}
	host_row_put(batch->txn, authority, &row);
	return ERR_NONE;
}

static enum error commit_apply_site_add(struct commit *batch,
					struct change *change)
{
	return commit_add_site(batch, change->url, &change->site_add, 0);
}

static const struct change_rule {
	const char *name;
	enum error (*apply)(struct commit *batch, struct change *change);
	/* LEASED_URL: the change ends the lease of its URL */
	enum { URL, NO_URL, LEASED_URL } url;
} rules[] = {
	[CHANGE_SITE_ADD] = {"site_add", commit_apply_site_add, URL},
	[CHANGE_SITE_THRESHOLD] = {"site_select_threshold",
				   commit_set_site_threshold, URL},
	[CHANGE_SITE_DELETE] = {"site_delete", commit_delete_site, URL},
	[CHANGE_PAGE_DELETE] = {"page_delete", commit_delete_page, URL},
	[CHANGE_GUARD] = {"guard", commit_change_guard, URL},
	[CHANGE_ALERTS] = {"alerts", commit_alerts, NO_URL},
	[CHANGE_FETCH_NOW] = {"ask", commit_fetch_now, URL},
	[CHANGE_TEMPLATES] = {"templates", commit_template_updates, URL},
	[CHANGE_NAME] = {"name", commit_change_name, URL},
	[CHANGE_FIELDS] = {"fields", commit_change_fields, URL},
	[CHANGE_GC] = {"gc", commit_gc_rows, NO_URL},
	[CHANGE_PACK] = {"pack", commit_pack, NO_URL},
	[CHANGE_JOBS] = {"jobs", commit_executed_jobs, NO_URL},
	[CHANGE_PARTITION] = {"partition", commit_partition, NO_URL},
	[CHANGE_UNQUARANTINE] = {"cure", commit_quarantine_remove, URL},
	[CHANGE_HOST] = {"host", apply_to_host, URL},
	[CHANGE_COOKIES] = {"cookies", commit_cookies, URL},
	[CHANGE_PAGE] = {"page", commit_visit, LEASED_URL},
	[CHANGE_REDIRECT] = {"redirect", commit_visit, LEASED_URL},
	[CHANGE_NOT_MODIFIED] = {"fresh", commit_visit, LEASED_URL},
	[CHANGE_SITEMAP] = {"sitemap", commit_visit, LEASED_URL},
	[CHANGE_FAILED] = {"failed", commit_visit, LEASED_URL},
	[CHANGE_INGEST] = {"ingest", commit_visit, URL},
	[CHANGE_QUARANTINE] = {"poison", commit_visit, URL},
};

_Static_assert(sizeof(rules) / sizeof(rules[0]) == CHANGE_KINDS,
	       "each kind of change has its row");

const char *change_kind_name(enum change_kind kind)
{
	assert((size_t)kind < CHANGE_KINDS);
	return rules[kind].name;
}

bool change_ends_lease(enum change_kind kind)
{
	assert((size_t)kind < CHANGE_KINDS);
	return rules[kind].url == LEASED_URL;
}

void commit_apply(struct commit *batch, struct change *change)
{
	const struct change_rule *rule;

	assert((size_t)change->kind < CHANGE_KINDS);
	rule = &rules[change->kind];
	assert((change->url == NULL) == (rule->url == NO_URL));
	if (change->url != NULL &&
	    !commit_owns_host(batch, slice_of(change->url->host)))
		change->error = ERR_NOT_OWNER;
	else
		change->error = rule->apply(batch, change);
}
