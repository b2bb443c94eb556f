/*
 * A page enters, changes or leaves its site: row, record, body, cluster,
 * counts and events move together.
 */
#include "daemon/batch.h"

#include <stdlib.h>
#include <string.h>

/* What the page was. Copied, because LMDB's bytes move when it is written. */
struct before {
	bool is_page; /* it has content: a record that must be uncounted */
	uint64_t changed_ms;
	uint32_t cluster;
	void *bytes; /* of the record, [size] */
	size_t size;
	struct record record;
};

static struct before load_before(struct batch *batch, const struct site *site,
				 uint64_t page, struct slice url)
{
	struct before before = {0};
	struct page_row row;

	if (!page_row_get(batch->txn, site->row.id, page, &row))
		return before;
	if (!slice_equal(row.url, url)) {
		/* two URLs of a site with one hash: only by intent */
		txn_fail(batch->txn, ERR_REFUSED);
		return before;
	}
	before.is_page = row.redirect.size == 0;
	before.changed_ms = row.changed_ms;
	before.cluster = row.cluster;
	if (before.is_page)
		before.size = batch_load_record(batch, site, page,
						&before.record, &before.bytes);
	return before;
}

/* A page that has come: what it is, and what it was. */
struct arrival {
	struct batch *batch;
	struct site *site;
	const struct change *change;
	uint64_t page;
	struct before before;
	struct record record;
};

static void put_content(const struct arrival *arrival)
{
	const struct change *change = arrival->change;
	struct txn *txn = arrival->batch->txn;
	struct key key = key_page(arrival->site->row.id, arrival->page);

	txn_put(txn, TABLE_BODIES, key_slice(&key), change->packed);
	txn_put(txn, TABLE_RECORDS, key_slice(&key), change->record);
}

static void delete_content(struct batch *batch, const struct site *site,
			   uint64_t page)
{
	struct key key = key_page(site->row.id, page);

	txn_delete(batch->txn, TABLE_BODIES, key_slice(&key));
	txn_delete(batch->txn, TABLE_RECORDS, key_slice(&key));
}

/* The page as it is now: the row, and an event when it is new or changed. */
static void put_row(const struct arrival *arrival, bool is_changed,
		    struct page_row *row)
{
	const struct before *before = &arrival->before;
	const struct change *change = arrival->change;
	struct batch *batch = arrival->batch;
	struct site *site = arrival->site;

	row->content_hash = arrival->record.content_hash;
	row->fetched_ms = batch->now_ms;
	row->changed_ms = is_changed ? batch->now_ms : before->changed_ms;
	row->body_bytes = change->body_bytes;
	row->http_status = change->outcome.http_status;
	row->flags = row->cluster == 0 ? PAGE_ROW_IS_TRUNCATED : 0;
	row->url = slice_of(change->url->text);
	row->charset = change->charset;
	page_row_put(batch->txn, site->row.id, arrival->page, row);
	if (!is_changed)
		return;
	site->row.generation++;
	batch_event(batch, site,
		    &(struct event_row){
			    .kind = before->is_page ? EVENT_PAGE_CHANGED
						    : EVENT_PAGE_ADDED,
			    .cluster = row->cluster,
			    .pages = 1,
			    .url = row->url,
		    });
}

/* The content is new: signature, cluster and counts follow. The cluster. */
static uint32_t take_content(const struct arrival *arrival)
{
	const struct before *before = &arrival->before;
	const struct record *record = &arrival->record;
	struct site *site = arrival->site;
	unsigned measure = site->row.measure % MEASURE_COUNT;
	struct signature signature = {record->signatures[measure],
				      record->signature_counts[measure]};
	bool is_whole = (record->flags & RECORD_IS_TRUNCATED) == 0;
	uint32_t cluster = batch_link(arrival->batch, site, arrival->page,
				      is_whole ? &signature : NULL);

	put_content(arrival);
	site_count(site, before->cluster, &before->record, -1);
	site_count(site, cluster, record, 1);
	if (!before->is_page)
		site->row.page_count++;
	return cluster;
}

static bool has_changed(const struct arrival *arrival)
{
	struct slice before = {arrival->before.bytes, arrival->before.size};

	return before.data == NULL ||
	       !slice_equal(before, arrival->change->record);
}

void batch_put_page(struct batch *batch, struct site *site,
		    struct change *change)
{
	struct slice url = slice_of(change->url->text);
	struct arrival arrival = {
		.batch = batch,
		.site = site,
		.change = change,
		.page = page_key_of(url),
	};
	enum error error = record_open(change->record, &arrival.record);
	bool is_changed;
	struct frontier_row visit;
	struct page_row row = {0};

	arrival.before = load_before(batch, site, arrival.page, url);
	if (error != ERR_NONE)
		txn_fail(batch->txn, error);
	if (batch->txn->error != ERR_NONE)
		goto out;
	is_changed = has_changed(&arrival);
	row.cluster =
		is_changed ? take_content(&arrival) : arrival.before.cluster;
	put_row(&arrival, is_changed, &row);
	if (frontier_row_get(batch->txn, site->row.id, arrival.page, &visit))
		batch_follow(batch, site, change->url, &arrival.record, &visit);
	site->is_changed = true;
out:
	free(arrival.before.bytes);
}

void batch_remove_page(struct batch *batch, struct site *site,
		       const struct url *url, const struct url *redirect)
{
	struct slice text = slice_of(url->text);
	uint64_t page = page_key_of(text);
	struct before before = load_before(batch, site, page, text);
	struct key key = key_page(site->row.id, page);

	if (batch->txn->error == ERR_NONE && before.is_page) {
		batch_link(batch, site, page, NULL);
		site_count(site, before.cluster, &before.record, -1);
		delete_content(batch, site, page);
		site->row.page_count--;
		site->row.generation++;
		site->is_changed = true;
		batch_event(batch, site,
			    &(struct event_row){.kind = EVENT_PAGE_GONE,
						.cluster = before.cluster,
						.pages = 1,
						.url = text});
	}
	free(before.bytes);
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
