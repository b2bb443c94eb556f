/*
 * Add, change and delete a page: row, record, body, cluster, counts and events
 * change together.
 */
#include "daemon/engine/batch.h"

#include "daemon/engine/soft_404.h"
#include "page/page_class.h"
#include "store/key.h"
#include "store/rows_event.h"
#include "store/rows_frontier.h"
#include "store/rows_page.h"
#include "store/rows_poison.h"

/*
 * The page before the change. Copied, because writes invalidate LMDB's memory.
 */
struct before {
	bool is_row;  /* a page or a redirect */
	bool is_page; /* it has a record, whose fragments are counted */
	bool has_no_body;
	bool is_archived;
	bool is_ingested;
	unsigned page_class;
	uint64_t fetched_ms;
	uint64_t changed_ms;
	uint64_t stored_ms;
	uint32_t cluster;
	struct buffer bytes; /* of the record */
	struct record record;
};

static struct before load_before(struct commit *batch, const struct site *site,
				 uint64_t page, struct slice url)
{
	struct before before = {0};
	struct page_row row;

	if (!page_row_get(batch->txn, site->row.id, page, &row))
		return before;
	if (!slice_equal(row.url, url)) {
		/* two URLs of a site with the same hash are always an attack */
		txn_fail(batch->txn, ERR_ADDRESS_FORBIDDEN);
		return before;
	}
	before.is_row = true;
	before.is_page = row.redirect.size == 0;
	before.has_no_body = (row.flags & PAGE_ROW_HAS_NO_BODY) != 0;
	before.is_archived = (row.flags & PAGE_ROW_IS_ARCHIVED) != 0;
	before.is_ingested = (row.flags & PAGE_ROW_IS_INGESTED) != 0;
	before.fetched_ms = row.fetched_ms;
	before.changed_ms = row.changed_ms;
	before.stored_ms = row.stored_ms;
	before.cluster = row.cluster;
	before.page_class = row.page_class % SITE_CLASSES;
	if (before.is_page)
		commit_load_record(batch, site, page, &before.record,
				   &before.bytes);
	return before;
}

/* A visited page, before and now. */
struct page_visit {
	struct commit *batch;
	struct site *site;
	const struct change *change;
	const struct crawled_page *arrived; /* of the change */
	uint64_t page;
	struct before before;
	struct record record;
	unsigned page_class; /* enum page_class */
};

static void put_content(const struct page_visit *arrival)
{
	struct txn *txn = arrival->batch->txn;
	struct key key = key_page(arrival->site->row.id, arrival->page);

	txn_put(txn, TABLE_BODIES, key_slice(&key), arrival->arrived->packed);
	txn_put(txn, TABLE_RECORDS, key_slice(&key), arrival->arrived->record);
}

static void delete_content(struct commit *batch, const struct site *site,
			   uint64_t page)
{
	struct key key = key_page(site->row.id, page);

	txn_delete(batch->txn, TABLE_BODIES, key_slice(&key));
	txn_delete(batch->txn, TABLE_RECORDS, key_slice(&key));
}

/* Set when the content last changed, and whether an archive has it. */
static void put_time(const struct page_visit *arrival, bool is_changed,
		     struct page_row *row)
{
	const struct crawled_page *arrived = arrival->arrived;
	bool is_archived = arrived->archived_ms != 0;

	if (!is_changed) {
		row->changed_ms = arrival->before.changed_ms;
		row->stored_ms = arrival->before.stored_ms;
		is_archived = arrival->before.is_archived;
	} else {
		row->changed_ms =
			is_archived ? arrived->archived_ms : row->fetched_ms;
		row->stored_ms = arrival->batch->now_ms;
	}
	if (is_archived)
		row->flags |= PAGE_ROW_IS_ARCHIVED;
}

/* Write the row of the page, and an event if it is new or changed. */
static void page_visit_put_row(const struct page_visit *arrival,
			       bool is_changed, struct page_row *row)
{
	const struct crawled_page *arrived = arrival->arrived;
	const struct before *before = &arrival->before;
	const struct change *change = arrival->change;
	struct commit *batch = arrival->batch;
	struct site *site = arrival->site;

	row->content_hash = arrival->record.content_hash;
	row->fetched_ms =
		arrived->time_ms != 0 ? arrived->time_ms : batch->now_ms;
	row->body_bytes = arrived->body_bytes;
	row->http_status = change->answer.outcome.http_status;
	row->flags = row->cluster == 0 ? PAGE_ROW_IS_TRUNCATED : 0;
	if (change->kind == CHANGE_INGEST &&
	    (is_changed || before->is_ingested))
		row->flags |= PAGE_ROW_IS_INGESTED;
	put_time(arrival, is_changed, row);
	row->page_class = (uint16_t)arrival->page_class;
	row->url = slice_of(change->url->text);
	row->charset = arrived->charset;
	page_row_put(batch->txn, site->row.id, arrival->page, row);
	if (!is_changed)
		return;
	site->row.generation++;
	commit_event(batch, site,
		     &(struct event_row){
			     .kind = before->is_page ? EVENT_PAGE_CHANGED
						     : EVENT_PAGE_ADDED,
			     .cluster = row->cluster,
			     .other = before->cluster == row->cluster
					      ? 0
					      : before->cluster,
			     .pages = 1,
			     .url = row->url,
		     });
}

/* Store new content: update signature, cluster and counts. */
static struct link_result take_content(const struct page_visit *arrival)
{
	const struct before *before = &arrival->before;
	const struct record *record = &arrival->record;
	struct site *site = arrival->site;
	unsigned slot =
		signature_slot(site->row.options.measure % MEASURE_COUNT);
	struct signature signature = {record->signatures[slot],
				      record->signature_counts[slot]};
	bool is_learned = arrival->page_class == CLASS_PAGE;
	struct link_result linked =
		commit_link(arrival->batch, site, arrival->page,
			    is_learned ? &signature : NULL);

	put_content(arrival);
	site_count(site, before->cluster, &before->record, -1);
	site_count(site, linked.cluster, record, 1);
	if (before->is_page)
		site->row.class_counts[before->page_class]--;
	else
		site->row.page_count++;
	site->row.class_counts[arrival->page_class]++;
	return linked;
}

static bool has_changed(const struct page_visit *arrival)
{
	const struct before *before = &arrival->before;
	unsigned slot = signature_slot(arrival->site->row.options.measure %
				       MEASURE_COUNT);

	return !before->is_page || before->page_class != arrival->page_class ||
	       before->record.signature_counts[slot] !=
		       arrival->record.signature_counts[slot] ||
	       !record_is_same(&before->record, &arrival->record);
}

/*
 * Return the class of the page; the seed is always a page, even if it looks
 * like the soft 404.
 */
static unsigned commit_page_class(const struct site *site,
				  const struct record *record, struct slice url)
{
	unsigned page_class = record_class(record);

	return page_class == CLASS_PAGE && !slice_equal(url, site->row.seed) &&
			       soft_404_is(record, site->row.missing)
		       ? CLASS_SOFT_404
		       : page_class;
}

/* Store the page of the probe: pages that look like it are soft 404s. */
static void learn_missing(struct site *site, const struct record *record)
{
	struct buffer missing = {0};

	if (record->fragment_count == 0)
		return; /* otherwise every page without text would look like it
			 */
	soft_404_store_probe(record, &missing);
	site_set_text(&site->row.missing, buffer_slice(&missing));
	buffer_free(&missing);
	site->is_changed = true;
}

/*
 * Return whether links of a document of this class are followed; links of an
 * error page are not.
 */
static bool is_followed(unsigned page_class)
{
	switch (page_class) {
	case CLASS_PAGE:
	case CLASS_STUB:
	case CLASS_TRUNCATED:
	case CLASS_EMPTY:
		return true;
	default:
		return false;
	}
}

/* Reset the visit: the last one did not see the stored page. */
static void forget_visit(const struct page_visit *arrival)
{
	frontier_clear_validators(arrival->batch->txn, arrival->site->row.id,
				  arrival->page);
	if (arrival->arrived->was_poisoned)
		commit_unquarantine(arrival->batch, arrival->site,
				    arrival->change->url);
}

/* Store the page: row, cluster, counts, links and novelty. */
static void store_arrival(const struct page_visit *arrival,
			  const struct frontier_row *visit,
			  struct outcome *outcome)
{
	struct commit *batch = arrival->batch;
	struct site *site = arrival->site;
	struct link_result linked = {.cluster = arrival->before.cluster};
	struct page_row row = {0};
	bool is_changed = has_changed(arrival);

	if (is_changed)
		linked = take_content(arrival);
	else if (arrival->before.has_no_body)
		put_content(arrival);
	row.cluster = linked.cluster;
	page_visit_put_row(arrival, is_changed, &row);
	if (arrival->page_class == CLASS_PAGE &&
	    !commit_guard_page(batch, site, &row, arrival->arrived->guarded)) {
		/* the next visit must get the page and not a 304 */
		outcome->etag = slice_of("");
		outcome->modified = slice_of("");
	}
	outcome->is_changed = is_changed;
	outcome->cluster = linked.cluster;
	if (arrival->change->kind == CHANGE_INGEST)
		forget_visit(arrival);
	if (visit == NULL)
		return;
	if ((visit->flags & FRONTIER_IS_COUNTED) == 0)
		commit_note_novelty(batch, site, arrival->page,
				    &arrival->record, linked);
	else if (linked.is_news || linked.cluster != arrival->before.cluster)
		frontier_reopen(batch->txn, &site->row, arrival->page,
				batch->now_ms);
	if (is_followed(arrival->page_class))
		commit_links(batch, site, arrival->change->url,
			     &arrival->record, visit);
}

/*
 * Return whether the document only hides a page that still exists (a challenge,
 * consent).
 */
static bool is_obstacle(unsigned page_class)
{
	return page_class == CLASS_ERROR || page_class == CLASS_CHALLENGE ||
	       page_class == CLASS_CONSENT;
}

/*
 * Return whether the daemon itself has fetched the URL: a page, a redirect, or
 * not found.
 */
static bool batch_page_is_own(const struct page_visit *arrival)
{
	const struct before *before = &arrival->before;
	const struct site_row *site = &arrival->site->row;
	struct frontier_row visit = {0};

	if (before->is_row)
		return !before->is_ingested;
	frontier_row_get(arrival->batch->txn, site->id, arrival->page, &visit);
	return visit.http_status == 404 || visit.http_status == 410;
}

/* Return whether the new document should replace the stored one. */
static bool page_visit_is_better(const struct page_visit *arrival)
{
	const struct crawled_page *arrived = arrival->arrived;

	if (arrived->is_undated && arrival->before.is_row && !arrived->replaces)
		return false;
	if (arrived->time_ms != 0 &&
	    arrived->time_ms < arrival->before.fetched_ms)
		return false;
	if (!arrival->before.is_page ||
	    arrival->before.page_class == CLASS_TRUNCATED)
		return true;
	if (arrival->before.page_class == CLASS_PAGE &&
	    is_obstacle(arrival->page_class))
		return false;
	return !arrived->is_broken && (arrival->change->kind == CHANGE_PAGE ||
				       arrival->page_class != CLASS_TRUNCATED);
}

void commit_put_page(struct commit *batch, struct site *site,
		     struct change *change, struct outcome *outcome)
{
	struct crawled_page *arrived = &change->answer.page;
	struct slice url = slice_of(change->url->text);
	struct page_visit arrival = {
		.batch = batch,
		.site = site,
		.change = change,
		.arrived = arrived,
		.page = page_key_of(url),
	};
	enum error error = record_open(arrived->record, &arrival.record);
	struct frontier_row visit;
	bool is_visit;

	arrival.before = load_before(batch, site, arrival.page, url);
	if (error != ERR_NONE)
		txn_fail(batch->txn, error);
	if (batch->txn->error != ERR_NONE)
		goto out;
	arrived->is_kept = change->kind == CHANGE_INGEST &&
			   !arrived->replaces && batch_page_is_own(&arrival);
	if (arrived->is_kept)
		goto out;
	arrival.page_class = commit_page_class(site, &arrival.record, url);
	is_visit = change->kind == CHANGE_PAGE &&
		   frontier_row_get(batch->txn, site->row.id, arrival.page,
				    &visit);
	if (is_visit && (visit.flags & FRONTIER_IS_PROBE) != 0)
		learn_missing(site, &arrival.record);
	else if (page_visit_is_better(&arrival))
		store_arrival(&arrival, is_visit ? &visit : NULL, outcome);
	else if (is_obstacle(arrival.page_class))
		outcome->error = ERR_NETWORK; /* the page may be back soon */
	if (arrival.page_class == CLASS_PAGE && is_visit)
		site->row.seen_ms = batch->now_ms;
	if (arrived->is_broken)
		frontier_clear_validators(batch->txn, site->row.id,
					  arrival.page);
	site->is_changed = true;
out:
	buffer_free(&arrival.before.bytes);
}

void commit_remove_page(struct commit *batch, struct site *site,
			const struct url *url, const struct url *redirect)
{
	struct slice text = slice_of(url->text);
	uint64_t page = page_key_of(text);
	struct before before = load_before(batch, site, page, text);
	struct key key = key_page(site->row.id, page);

	if (batch->txn->error == ERR_NONE && before.is_page) {
		commit_link(batch, site, page, NULL);
		commit_unguard_page(batch, site, page);
		site_count(site, before.cluster, &before.record, -1);
		delete_content(batch, site, page);
		site->row.page_count--;
		site->row.class_counts[before.page_class]--;
		site->row.generation++;
		site->is_changed = true;
		commit_event(batch, site,
			     &(struct event_row){.kind = EVENT_PAGE_GONE,
						 .cluster = before.cluster,
						 .pages = 1,
						 .url = text});
	}
	buffer_free(&before.bytes);
	if (redirect != NULL)
		page_row_put(batch->txn, site->row.id, page,
			     &(struct page_row){
				     .fetched_ms = batch->now_ms,
				     .changed_ms = batch->now_ms,
				     .url = text,
				     .redirect = slice_of(redirect->text),
			     });
	else
		txn_delete(batch->txn, TABLE_PAGES, key_slice(&key));
}

/* Delete the page, its redirect, and its quarantine row. */
enum error commit_delete_page(struct commit *batch, struct change *change)
{
	const struct url *url = change->url;
	struct site *site = sites_find(batch->sites, slice_of(url->host));
	uint64_t page = page_key_of(slice_of(url->text));
	struct quarantine_row poison;
	struct page_row row;
	enum error error;

	if (site == NULL ||
	    (!page_row_get(batch->txn, site->row.id, page, &row) &&
	     !quarantine_row_get(batch->txn, site->row.id, page, &poison)))
		return ERR_NOT_FOUND;
	error = frontier_exclude(batch->txn, &site->row, page);
	if (error != ERR_NONE)
		return error;
	site->used = batch->number;
	site->is_changed = true;
	commit_remove_page(batch, site, url, NULL);
	commit_unquarantine(batch, site, url);
	site_flush_counts(site, batch->txn, MAX_UNWRITTEN_COUNTS);
	return ERR_NONE;
}
