#include "daemon/batch.h"

#include <stdlib.h>
#include <string.h>

#include "store/buffer.h"
#include "store/memory.h"

enum {
	MAX_REDIRECTS = 5,
	MAX_FORGOTTEN = 8, /* events that make room for a new one */
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

void batch_event(struct batch *batch, const struct site *site,
		 const struct event_row *event)
{
	uint64_t max = batch->options->max_events;
	struct event_row row = *event;
	struct slice all = {NULL, 0};
	struct scan scan;
	uint64_t number;

	row.time_ms = batch->now_ms;
	row.host = site->row.host;
	number = event_add(batch->txn, &row);
	if (number <= max)
		return;
	/* more than one, because the limit may have been higher before */
	scan = scan_begin(batch->txn, TABLE_EVENTS, all);
	for (int i = 0; i < MAX_FORGOTTEN && scan_next(&scan) &&
			key_u64(scan.key, 0) <= number - max;
	     i++)
		scan_delete(&scan);
	scan_end(&scan);
}

static void set_options(struct site *site, const struct site_options *options)
{
	site->row.max_pages = options->max_pages;
	site->row.max_depth = options->max_depth;
	site->row.delay_ms = options->delay_ms;
	site->row.revisit_ms = options->revisit_ms;
	site->row.flags = options->flags;
	site->is_changed = true;
}

/* NULL, with the error in the change, when there are too many sites. */
static struct site *new_site(struct batch *batch, struct change *change)
{
	const struct site_options *options = &change->options;
	const struct url *seed = change->url;
	struct site_row row = {
		.id = (uint32_t)store_next_number(batch->txn, "site"),
		.next_cluster = 1,
		.added_ms = batch->now_ms,
		.measure = (uint16_t)options->measure,
		.threshold = options->threshold,
		.width = options->width,
		.host = slice_of(seed->host),
		.seed = slice_of(seed->text),
	};
	struct site *site;

	if (batch->sites->count >= batch->options->max_sites) {
		change->error = ERR_BUSY;
		return NULL;
	}
	site = site_create(&row);
	site->is_new = true;
	set_options(site, options);
	sites_add(batch->sites, site);
	batch_event(
		batch, site,
		&(struct event_row){.kind = EVENT_SITE_ADDED, .url = row.seed});
	return site;
}

/* The operator's threshold counts at once; one that is chosen from the pages
 * stays as it is until that is done. */
static void change_options(struct batch *batch, struct site *site,
			   const struct site_options *options)
{
	set_options(site, options);
	if ((options->flags & SITE_IS_AUTO) != 0)
		site->row.tuned = 0;
	else
		batch_recut(batch, site, options->threshold);
}

/*
 * A known site keeps its measure and width, because its signatures were made
 * by them, and a site that is watched is never turned into a mere sample.
 * `redirects`: hops that led to the seed.
 */
static void add_site(struct batch *batch, struct change *change,
		     unsigned redirects)
{
	struct site *site =
		sites_find(batch->sites, slice_of(change->url->host));
	const struct site_options *options = &change->options;
	struct slice seed = slice_of(change->url->text);

	if (site == NULL)
		site = new_site(batch, change);
	else
		change_options(batch, site, options);
	if (site != NULL && (options->flags & SITE_IS_OFFLINE) == 0)
		frontier_add(batch->txn, &site->row, seed, 0, redirects,
			     FRONTIER_IS_ASKED, batch->now_ms, batch->now_ms);
}

/*
 * A threshold was chosen from the pages. When pages have changed since, it
 * counts all the same, and the next choice will be made soon.
 */
static void tune_site(struct batch *batch, struct change *change)
{
	struct site *site =
		sites_find(batch->sites, slice_of(change->url->host));
	bool is_current;

	if (site == NULL || site->row.id != change->site) {
		change->error = ERR_NOT_FOUND;
		return;
	}
	if ((site->row.flags & SITE_IS_AUTO) == 0)
		return; /* the operator was faster */
	is_current = site->row.generation == change->generation;
	batch_recut(batch, site, change->options.threshold);
	site->row.tuned =
		is_current ? site->row.generation : change->generation;
	site->row.tuned_pages = site->row.page_count;
}

/* What is remembered of the host itself. */
static void delete_robots(struct batch *batch, const char *scheme,
			  struct slice host)
{
	struct buffer authority = {0};

	buffer_append_text(&authority, scheme);
	buffer_append_slice(&authority, host);
	txn_delete(batch->txn, TABLE_HOSTS, buffer_slice(&authority));
	buffer_free(&authority);
}

static void delete_site(struct batch *batch, struct change *change)
{
	static const enum table tables[] = TABLES_OF_SITES;
	struct site *site =
		sites_find(batch->sites, slice_of(change->url->host));
	struct key key;

	if (site == NULL) {
		change->error = ERR_NOT_FOUND;
		return;
	}
	key = key_site(site->row.id);
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		txn_delete_prefix(batch->txn, tables[i], key_slice(&key));
	txn_delete(batch->txn, TABLE_SITES, site->row.host);
	delete_robots(batch, "http://", site->row.host);
	delete_robots(batch, "https://", site->row.host);
	batch_event(batch, site,
		    &(struct event_row){.kind = EVENT_SITE_DELETED,
					.pages = site->row.page_count});
	site->is_deleted = true;
}

/* Has the page come since it was asked for? Many may ask at the same time. */
static bool was_fetched(struct batch *batch, const struct site *site,
			const struct change *change)
{
	uint64_t page = page_key_of(slice_of(change->url->text));
	struct page_row row;

	return change->asked_ms != 0 &&
	       page_row_get(batch->txn, site->row.id, page, &row) &&
	       row.redirect.size == 0 && row.fetched_ms >= change->asked_ms;
}

static void ask(struct batch *batch, struct change *change)
{
	struct site *site =
		sites_find(batch->sites, slice_of(change->url->host));

	if (site == NULL)
		site = new_site(batch, change);
	if (site == NULL || was_fetched(batch, site, change))
		return;
	/* due before everything that merely waits for its turn */
	frontier_add(batch->txn, &site->row, slice_of(change->url->text), 0, 0,
		     FRONTIER_IS_ASKED, 1, batch->now_ms);
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
	frontier_answer(batch->txn, &site->row, key, outcome);
	site->is_changed = true;
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
				.flags = site->row.flags &
					 ~(uint32_t)SITE_IS_PRIVATE_OK,
			},
	};

	if (site->row.page_count == 0 && redirects < MAX_REDIRECTS &&
	    slice_equal(site->row.seed, slice_of(change->url->text)) &&
	    sites_find(batch->sites, slice_of(change->target->host)) == NULL &&
	    !leads_elsewhere(batch, site, change))
		add_site(batch, &add, redirects + 1);
}

static void redirect(struct batch *batch, struct site *site,
		     struct change *change)
{
	uint64_t key = page_key_of(slice_of(change->url->text));
	struct outcome outcome = change->outcome;
	struct frontier_row row = {0};

	frontier_row_get(batch->txn, site->row.id, key, &row);
	outcome.error = frontier_admits(&site->row, change->target, row.depth);
	if (outcome.error == ERR_OUT_OF_SITE)
		follow_seed(batch, site, change, row.redirects);
	if (outcome.error == ERR_NONE && row.redirects >= MAX_REDIRECTS)
		outcome.error = ERR_TOO_LARGE;
	if (outcome.error == ERR_NONE)
		frontier_add(batch->txn, &site->row,
			     slice_of(change->target->text), row.depth,
			     row.redirects + 1U, row.flags, batch->now_ms,
			     batch->now_ms);
	batch_remove_page(batch, site, change->url, change->target);
	answer_lease(batch, site, change, &outcome);
}

static void fail(struct batch *batch, struct site *site,
		 const struct change *change)
{
	if (change->outcome.http_status == 404 ||
	    change->outcome.http_status == 410)
		batch_remove_page(batch, site, change->url, NULL);
	answer_lease(batch, site, change, &change->outcome);
}

/* The changes that concern a page of a known site. */
static void apply_to_site(struct batch *batch, struct change *change)
{
	struct site *site =
		sites_find(batch->sites, slice_of(change->url->host));

	if (site == NULL) {
		change->error = ERR_NOT_FOUND;
		return;
	}
	site->used = batch->number;
	site->pace_ms = change->pace_ms;
	if (change->pause_ms > 0)
		site->rests_until_ms = batch->now_ms + change->pause_ms;
	switch (change->kind) {
	case CHANGE_PAGE:
		batch_put_page(batch, site, change);
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
	if (sites_find(batch->sites, slice_of(change->url->host)) == NULL)
		change->error = ERR_NOT_FOUND;
	else
		host_row_put(batch->txn, slice_of(change->url->authority),
			     &change->host);
}

void batch_apply(struct batch *batch, struct change *change)
{
	change->error = ERR_NONE;
	switch (change->kind) {
	case CHANGE_SITE_ADD:
		add_site(batch, change, 0);
		break;
	case CHANGE_SITE_TUNE:
		tune_site(batch, change);
		break;
	case CHANGE_SITE_DELETE:
		delete_site(batch, change);
		break;
	case CHANGE_ASK:
		ask(batch, change);
		break;
	case CHANGE_HOST:
		apply_to_host(batch, change);
		break;
	case CHANGE_PAGE:
	case CHANGE_REDIRECT:
	case CHANGE_FAILED:
		apply_to_site(batch, change);
		break;
	}
}
