#include "daemon/engine/batch.h"

#include <assert.h>

#include "base/memory.h"
#include "crawl/parameters.h"
#include "store/key.h"
#include "store/rows_event.h"
#include "store/rows_frontier.h"
#include "store/rows_page.h"

/*
 * Return whether the page was fetched since the request: several requests may
 * be for the same page.
 */
static bool was_fetched(struct batch *batch, const struct site *site,
			const struct change *change)
{
	uint64_t asked_ms = change->ask.asked_ms;
	uint64_t page = page_key_of(slice_of(change->url->text));
	struct page_row row;

	return asked_ms != 0 &&
	       page_row_get(batch->txn, site->row.id, page, &row) &&
	       row.redirect.size == 0 &&
	       (row.flags & (PAGE_ROW_HAS_NO_BODY | PAGE_ROW_IS_INGESTED)) ==
		       0 &&
	       row.fetched_ms >= asked_ms &&
	       /* otherwise it was fetched before the clock was set back */
	       row.fetched_ms <= batch->now_ms;
}

static enum error ask(struct batch *batch, struct change *change)
{
	struct site *site =
		sites_find(batch->sites, slice_of(change->url->host));

	if (site == NULL)
		site = batch_new_site(batch, change->url, &change->ask.options);
	if (site == NULL)
		return batch_no_site(batch);
	if (batch_is_locked(batch, site))
		return ERR_LOCKED;
	if (was_fetched(batch, site, change))
		return ERR_NONE;
	batch_discover(batch, site,
		       &(struct discovery){
			       .url = change->url,
			       .how = ADMIT_ASKED,
			       .flags = FRONTIER_IS_ASKED,
		       });
	site->is_changed = true;
	return ERR_NONE;
}

enum admission batch_discover(struct batch *batch, struct site *site,
			      const struct discovery *discovery)
{
	/* every change of a page has a URL */
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
	struct url url = *discovery->url;
	struct discovery one = *discovery;

	/* requested URLs keep all parameters */
	if ((discovery->flags & FRONTIER_IS_ASKED) == 0 &&
	    parameters_drop(&url, batch->options->drop_parameters))
		one.url = &url;
	site->is_changed = true;
	return frontier_discover(batch->txn, &site->row, &batch->options->rules,
				 &one, batch->now_ms);
}

/*
 * Apply a robots.txt or a pause. A host is only stored as long as its site is.
 */
static enum error apply_to_host(struct batch *batch, struct change *change)
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
		batch_read_robots(batch, site, change->url, row.robots);
	}
	host_row_put(batch->txn, authority, &row);
	return ERR_NONE;
}

static enum error add_site(struct batch *batch, struct change *change)
{
	return batch_add_site(batch, change->url, &change->site_add, 0);
}

static const struct change_rule {
	const char *name;
	enum error (*apply)(struct batch *batch, struct change *change);
	bool has_no_url;
	bool ends_lease;
} rules[] = {
	[CHANGE_SITE_ADD] = {.name = "site_add", .apply = add_site},
	[CHANGE_SITE_THRESHOLD] = {.name = "site_select_threshold",
				   .apply = batch_set_site_threshold},
	[CHANGE_SITE_DELETE] = {.name = "site_delete",
				.apply = batch_delete_site},
	[CHANGE_PAGE_DELETE] = {.name = "page_delete",
				.apply = batch_delete_page},
	[CHANGE_GUARD] = {.name = "guard", .apply = batch_change_guard},
	[CHANGE_ALERTS] = {.name = "alerts",
			   .apply = batch_take_alerts,
			   .has_no_url = true},
	[CHANGE_ASK] = {.name = "ask", .apply = ask},
	[CHANGE_TEMPLATES] = {.name = "templates",
			      .apply = batch_take_findings},
	[CHANGE_GC] = {.name = "gc", .apply = batch_gc, .has_no_url = true},
	[CHANGE_PACK] = {.name = "pack",
			 .apply = batch_pack,
			 .has_no_url = true},
	[CHANGE_JOBS] = {.name = "jobs",
			 .apply = batch_take_jobs,
			 .has_no_url = true},
	[CHANGE_PARTITION] = {.name = "partition",
			      .apply = batch_take_partition,
			      .has_no_url = true},
	[CHANGE_CURE] = {.name = "cure", .apply = batch_forget_poison},
	[CHANGE_HOST] = {.name = "host", .apply = apply_to_host},
	[CHANGE_PAGE] = {.name = "page",
			 .apply = batch_answer,
			 .ends_lease = true},
	[CHANGE_REDIRECT] = {.name = "redirect",
			     .apply = batch_answer,
			     .ends_lease = true},
	[CHANGE_FRESH] = {.name = "fresh",
			  .apply = batch_answer,
			  .ends_lease = true},
	[CHANGE_SITEMAP] = {.name = "sitemap",
			    .apply = batch_answer,
			    .ends_lease = true},
	[CHANGE_FAILED] = {.name = "failed",
			   .apply = batch_answer,
			   .ends_lease = true},
	[CHANGE_INGEST] = {.name = "ingest", .apply = batch_answer},
	[CHANGE_POISON] = {.name = "poison", .apply = batch_answer},
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
	return rules[kind].ends_lease;
}

void batch_apply(struct batch *batch, struct change *change)
{
	const struct change_rule *rule;

	assert((size_t)change->kind < CHANGE_KINDS);
	rule = &rules[change->kind];
	assert((change->url == NULL) == rule->has_no_url);
	if (change->url != NULL &&
	    !batch_owns_host(batch, slice_of(change->url->host)))
		change->error = ERR_MOVED;
	else
		change->error = rule->apply(batch, change);
}
