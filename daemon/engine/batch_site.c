/* Add, change and delete a site. */
#include "daemon/engine/batch.h"

#include "base/buffer.h"
#include "base/redaction.h"
#include "crawl/url.h"
#include "store/journal.h"
#include "store/key.h"
#include "store/partitions.h"
#include "store/rows_event.h"
#include "store/rows_frontier.h"
#include "store/rows_hook.h"
#include "store/rows_site.h"
#include "store/sealed.h"

/* Replace an encrypted text of the row. The commit wipes the old secret. */
static void commit_replace_secret(struct commit *batch, struct slice *sealed,
				  redaction *redact, struct slice text)
{
	struct buffer fresh = {0};

	txn_drop_secret_text(batch->txn, *sealed);
	txn_store_secret_text(batch->txn, redact, text, &fresh);
	site_set_text(sealed, buffer_slice(&fresh));
	buffer_free(&fresh);
}

/*
 * Set the options, except the threshold, which only commit_threshold() changes;
 * computed and missing values stay.
 */
static void commit_set_site_options(struct commit *batch, struct site *site,
				    const struct site_options *options)
{
	struct site_options *own = &site->row.options;
	const struct site_options before = *own;

	*own = *options;
	own->measure = before.measure;
	own->threshold = before.threshold;
	own->width = before.width;
	own->flags |= before.flags & SITE_FINDINGS;
	own->headers = before.headers;
	own->proxy = before.proxy;
	if (options->headers.data != NULL)
		commit_replace_secret(batch, &own->headers, redact_headers,
				      options->headers);
	if (options->proxy.data != NULL)
		commit_replace_secret(batch, &own->proxy, redact_proxy,
				      options->proxy);
	site->is_changed = true;
}

struct site *commit_new_site(struct commit *batch, const struct url *seed,
			     const struct site_options *options)
{
	struct site_row row = {
		.next_cluster = 1,
		.added_ms = batch->now_ms,
		.options = *options,
		.host = slice_of(seed->host),
		.seed = slice_of(seed->text),
	};
	struct buffer headers = {0};
	struct buffer proxy = {0};
	struct site *site;

	if (batch->sites->all.count >= batch->options->max_sites ||
	    !commit_owns_host(batch, row.host))
		return NULL;
	row.id = store_next_site(batch->txn, row.host);
	txn_store_secret_text(batch->txn, redact_headers, options->headers,
			      &headers);
	txn_store_secret_text(batch->txn, redact_proxy, options->proxy, &proxy);
	row.options.headers = buffer_slice(&headers);
	row.options.proxy = buffer_slice(&proxy);
	site = site_create(&row);
	buffer_free(&headers);
	buffer_free(&proxy);
	site->is_new = true;
	sites_add(batch->sites, site);
	commit_event(
		batch, site,
		&(struct event_row){.kind = EVENT_SITE_ADDED, .url = row.seed});
	return site;
}

enum error commit_no_site_error(const struct commit *batch)
{
	return batch->sites->all.count >= batch->options->max_sites
		       ? ERR_TOO_LARGE
		       : ERR_BUSY;
}

/* Return whether skipped URLs may be visited now. */
static bool has_other_limits(const struct site_options *before,
			     const struct site_options *options)
{
	return before->max_pages != options->max_pages ||
	       before->max_bytes != options->max_bytes ||
	       before->max_time_ms != options->max_time_ms ||
	       before->saturation != options->saturation;
}

bool commit_reads_site(struct commit *batch, const struct url *seed,
		       const struct site_options *options)
{
	const struct site *site =
		sites_find(batch->sites, slice_of(seed->host));

	return site != NULL &&
	       (has_other_limits(&site->row.options, options) ||
		((options->flags & SITE_IS_AUTO) == 0 &&
		 site->row.options.threshold != options->threshold));
}

/*
 * Set another seed. Headers and proxy belong to the seed's origin: a seed of
 * another origin drops the old ones and keeps only those passed with it.
 */
static void move_seed(struct commit *batch, struct site *site,
		      const struct url *seed)
{
	struct site_options *own = &site->row.options;

	if (!slice_equal(url_origin(site->row.seed),
			 slice_of(seed->authority))) {
		commit_replace_secret(batch, &own->headers, redact_headers,
				      slice_of(""));
		commit_replace_secret(batch, &own->proxy, redact_proxy,
				      slice_of(""));
	}
	site_set_text(&site->row.seed, slice_of(seed->text));
}

/*
 * Change the options. A threshold set by the operator takes effect immediately;
 * with "auto" the old one is used until a new one is chosen.
 */
static void change_options(struct commit *batch, struct site *site,
			   const struct url *seed,
			   const struct site_options *options)
{
	bool is_unnamed = (site->row.options.flags &
			   (SITE_IS_SAMPLE | SITE_IS_OFFLINE)) != 0;
	bool is_elsewhere = !slice_equal(url_origin(site->row.seed),
					 slice_of(seed->authority));

	/* no user chose the first page of a sample */
	if (is_unnamed || (is_elsewhere && (options->headers.data != NULL ||
					    options->proxy.data != NULL)))
		move_seed(batch, site, seed);
	if (has_other_limits(&site->row.options, options))
		frontier_revive(batch->txn, &site->row, 0);
	commit_set_site_options(batch, site, options);
	if ((options->flags & SITE_IS_AUTO) != 0)
		site->row.threshold_generation = 0;
	else
		commit_threshold(batch, site,
				 &(struct threshold_update){
					 options->threshold,
					 slice_of("set by the operator")});
}

/*
 * Add a site, or change a known one. A known site keeps its measure and width,
 * because its signatures depend on them, and a watched site never becomes a
 * sample. `redirects`: number of redirects that led to the seed.
 */
enum error commit_add_site(struct commit *batch, const struct url *seed,
			   const struct site_options *options,
			   unsigned redirects)
{
	struct site *site = sites_find(batch->sites, slice_of(seed->host));

	if (!txn_may_store_secret_text(batch->txn, redact_headers,
				       options->headers) ||
	    !txn_may_store_secret_text(batch->txn, redact_proxy,
				       options->proxy))
		return ERR_NO_ENCRYPTION_KEY;
	if (site == NULL)
		site = commit_new_site(batch, seed, options);
	else
		change_options(batch, site, seed, options);
	if (site == NULL)
		return commit_no_site_error(batch);
	if ((options->flags & SITE_IS_OFFLINE) != 0)
		return ERR_NONE;
	commit_discover(batch, site,
			&(struct discovery){
				.url = seed,
				.how = ADMIT_SEED,
				.redirects = redirects,
				.flags = FRONTIER_IS_ON_DEMAND,
			});
	commit_schedule_auxiliary(batch, site, seed);
	return ERR_NONE;
}

/*
 * Apply a threshold that was chosen from the pages, even if pages have changed
 * since; the next choice will follow soon.
 */
enum error commit_set_site_threshold(struct commit *batch,
				     struct change *change)
{
	const struct site_select_threshold *select_threshold =
		&change->site_select_threshold;
	struct site *site =
		sites_find(batch->sites, slice_of(change->url->host));
	bool is_current;

	if (site == NULL || site->row.id != select_threshold->site)
		return ERR_NOT_FOUND;
	if ((site->row.options.flags & SITE_IS_AUTO) == 0)
		return ERR_NONE; /* the operator has set one since */
	is_current = site->row.generation == select_threshold->generation;
	commit_threshold(batch, site,
			 &(struct threshold_update){select_threshold->threshold,
						    select_threshold->reason});
	site->row.threshold_generation = is_current
						 ? site->row.generation
						 : select_threshold->generation;
	site->row.threshold_pages = site->row.page_count;
	return ERR_NONE;
}

/* Delete the row of the host. */
static void delete_robots(struct commit *batch, const char *scheme,
			  struct slice host)
{
	struct buffer authority = {0};

	buffer_append_text(&authority, scheme);
	buffer_append_slice(&authority, host);
	txn_delete(batch->txn, TABLE_HOSTS, buffer_slice(&authority));
	buffer_free(&authority);
}

/*
 * Delete the silences of single templates, because a site that is added again
 * renumbers its templates. Silences of the whole site stay.
 */
static void delete_silences(struct commit *batch, struct slice host)
{
	struct scan scan = scan_begin(batch->txn, TABLE_SILENCES, slice_of(""));
	struct silence_row row;

	if (!store_owns(batch->txn->store, JOURNAL_COMMON))
		scan_end(&scan); /* another node owns them */
	while (scan_next(&scan))
		if (silence_row_decode(scan.value, &row) &&
		    (row.cluster != 0 || row.guard != 0) &&
		    slice_equal(row.host, host))
			scan_delete(&scan);
	scan_end(&scan);
	subscriptions_reset(batch->audience);
}

void commit_remove_site(struct commit *batch, struct site *site)
{
	static const enum table tables[] = TABLES_OF_SITES;
	struct key key = key_site(site->row.id);

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		txn_delete_prefix(batch->txn, tables[i], key_slice(&key));
	txn_delete(batch->txn, TABLE_SITES, site->row.host);
	txn_drop_secret_text(batch->txn, site->row.options.headers);
	txn_drop_secret_text(batch->txn, site->row.options.proxy);
	delete_silences(batch, site->row.host);
	delete_robots(batch, "http://", site->row.host);
	delete_robots(batch, "https://", site->row.host);
	commit_event(batch, site,
		     &(struct event_row){.kind = EVENT_SITE_DELETED,
					 .pages = site->row.page_count});
	site->is_deleted = true;
}

enum error commit_delete_site(struct commit *batch, struct change *change)
{
	struct site *site =
		sites_find(batch->sites, slice_of(change->url->host));

	if (site == NULL)
		return ERR_NOT_FOUND;
	commit_remove_site(batch, site);
	return ERR_NONE;
}
