/*
 * A page enters, changes or leaves its site: row, record, body, signature,
 * cluster, members, counts and events move together.
 */
#include "daemon/batch.h"

#include <stdlib.h>
#include <string.h>

#include "store/log.h"

/* What the page was. Copied, because LMDB's bytes move when it is written. */
struct before {
	bool is_page; /* it has content: a record that must be uncounted */
	uint64_t changed_ms;
	uint32_t cluster;
	void *bytes; /* of the record, [size] */
	size_t size;
	struct record record;
};

/* The record of a page, copied to *bytes_out; free() that. Its size. */
static size_t load_record(struct batch *batch, const struct site *site,
			  uint64_t page, struct record *record_out,
			  void **bytes_out)
{
	struct key key = key_page(site->row.id, page);
	struct slice value =
		txn_get(batch->txn, TABLE_RECORDS, key_slice(&key));
	enum error error = ERR_CORRUPT;

	*bytes_out = NULL;
	*record_out = (struct record){0};
	if (value.data != NULL) {
		*bytes_out = record_copy(value);
		value.data = *bytes_out;
		error = record_open(value, record_out);
	}
	if (error != ERR_NONE)
		txn_fail(batch->txn, error);
	return value.size;
}

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
		before.size = load_record(batch, site, page, &before.record,
					  &before.bytes);
	return before;
}

static void resize_cluster(struct batch *batch, const struct site *site,
			   uint32_t cluster, int change)
{
	struct key key = key_cluster(site->row.id, cluster);
	struct cluster_row row;

	if (!cluster_row_get(batch->txn, site->row.id, cluster, &row))
		row = (struct cluster_row){.created_ms = batch->now_ms};
	row.page_count += (uint32_t)change;
	row.changed_ms = batch->now_ms;
	if (row.page_count == 0)
		txn_delete(batch->txn, TABLE_CLUSTERS, key_slice(&key));
	else
		cluster_row_put(batch->txn, site->row.id, cluster, &row);
}

/* Cluster 0 stands for none. */
static void change_member(struct batch *batch, const struct site *site,
			  uint64_t page, uint32_t from, uint32_t to)
{
	if (from == to)
		return;
	if (from != 0) {
		member_delete(batch->txn, site->row.id, from, page);
		resize_cluster(batch, site, from, -1);
	}
	if (to != 0) {
		member_put(batch->txn, site->row.id, to, page);
		resize_cluster(batch, site, to, 1);
	}
}

/* A page that another page's coming or going has put into another cluster. */
static void move_page(struct batch *batch, struct site *site,
		      const struct linkage_move *move)
{
	struct record record;
	struct page_row row;
	void *bytes;

	load_record(batch, site, move->page, &record, &bytes);
	site_count(site, move->from, &record, -1);
	site_count(site, move->to, &record, 1);
	free(bytes);
	change_member(batch, site, move->page, move->from, move->to);
	if (!page_row_get(batch->txn, site->row.id, move->page, &row)) {
		txn_fail(batch->txn, ERR_CORRUPT);
		return;
	}
	row.cluster = move->to;
	page_row_put(batch->txn, site->row.id, move->page, &row);
}

static void tell_events(struct batch *batch, const struct site *site,
			const struct linkage_changes *changes)
{
	static const uint16_t kinds[] = {
		[LINKAGE_NEW] = EVENT_CLUSTER_NEW,
		[LINKAGE_MERGED] = EVENT_CLUSTER_MERGED,
		[LINKAGE_SPLIT] = EVENT_CLUSTER_SPLIT,
		[LINKAGE_GONE] = EVENT_CLUSTER_GONE,
	};

	for (size_t i = 0; i < changes->event_count; i++)
		batch_event(batch, site,
			    &(struct event_row){
				    .kind = kinds[changes->events[i].kind],
				    .cluster = changes->events[i].cluster,
				    .other = changes->events[i].other,
			    });
}

/*
 * Give `page` its signature in the linkage, or take it out (NULL). Moves every
 * other page that this moves; returns the cluster of `page`, 0 for none.
 */
static uint32_t link_page(struct batch *batch, struct site *site, uint64_t page,
			  const struct signature *signature)
{
	struct linkage_changes changes = {0};
	enum error error = ERR_NONE;

	site_open(site, batch->txn);
	if (batch->txn->error != ERR_NONE)
		return 0;
	if (signature != NULL &&
	    signature->count > batch->options->max_signature)
		error = ERR_TOO_LARGE;
	else if (signature != NULL)
		error = linkage_put(site->linkage, page, *signature,
				    &site->row.next_cluster, &changes);
	if (signature == NULL || error != ERR_NONE)
		linkage_remove(site->linkage, page, &site->row.next_cluster,
			       &changes);
	if (error != ERR_NONE)
		log_warn("site %.*s: a page stays outside of all clusters: its "
			 "signature is %s (cluster.max_signature)",
			 (int)site->row.host.size,
			 (const char *)site->row.host.data, error_text(error));
	for (size_t i = 0; i < changes.move_count; i++) {
		if (changes.moves[i].page == page)
			continue;
		move_page(batch, site, &changes.moves[i]);
		site_flush_counts(site, batch->txn, MAX_WAITING_COUNTS);
	}
	tell_events(batch, site, &changes);
	return linkage_label(site->linkage, page);
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

static void put_content(const struct arrival *arrival,
			const struct signature *signature)
{
	const struct change *change = arrival->change;
	struct txn *txn = arrival->batch->txn;
	struct key key = key_page(arrival->site->row.id, arrival->page);

	txn_put(txn, TABLE_BODIES, key_slice(&key), change->packed);
	txn_put(txn, TABLE_RECORDS, key_slice(&key), change->record);
	if (signature == NULL)
		txn_delete(txn, TABLE_SIGNATURES, key_slice(&key));
	else
		txn_put(txn, TABLE_SIGNATURES, key_slice(&key),
			(struct slice){signature->members,
				       signature->count *
					       sizeof(*signature->members)});
}

static void delete_content(struct batch *batch, const struct site *site,
			   uint64_t page)
{
	struct key key = key_page(site->row.id, page);

	txn_delete(batch->txn, TABLE_BODIES, key_slice(&key));
	txn_delete(batch->txn, TABLE_RECORDS, key_slice(&key));
	txn_delete(batch->txn, TABLE_SIGNATURES, key_slice(&key));
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
	uint32_t cluster = link_page(arrival->batch, site, arrival->page,
				     is_whole ? &signature : NULL);

	put_content(arrival, cluster == 0 ? NULL : &signature);
	site_count(site, before->cluster, &before->record, -1);
	site_count(site, cluster, record, 1);
	change_member(arrival->batch, site, arrival->page, before->cluster,
		      cluster);
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
		link_page(batch, site, page, NULL);
		site_count(site, before.cluster, &before.record, -1);
		change_member(batch, site, page, before.cluster, 0);
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
