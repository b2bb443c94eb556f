/*
 * The linkage of a site and its tables: shingles, signatures, members,
 * clusters, counts and events change together.
 */
#include "daemon/engine/batch.h"

#include <stdlib.h>

#include "base/log.h"
#include "store/content.h"
#include "store/key.h"
#include "store/rows_cluster.h"
#include "store/rows_event.h"
#include "store/rows_page.h"
#include "store/sets.h"

void commit_load_record(struct commit *batch, const struct site *site,
			uint64_t page, struct record *record_out,
			struct buffer *bytes_out)
{
	enum error error = content_record(batch->txn, site->row.id, page,
					  bytes_out, record_out);

	if (error != ERR_NONE)
		txn_fail(batch->txn,
			 error == ERR_NOT_FOUND ? ERR_CORRUPT : error);
}

/* Add `more` pages; 0 = replace one of them. */
static void change_cluster(struct commit *batch, const struct site *site,
			   uint32_t cluster, int more)
{
	struct key key = key_cluster(site->row.id, cluster);
	struct cluster_row row;

	if (!cluster_row_get(batch->txn, site->row.id, cluster, &row))
		row = (struct cluster_row){.created_ms = batch->now_ms};
	row.page_count += (uint32_t)more;
	row.changes++;
	if (more != 0)
		row.changed_ms = batch->now_ms;
	if (row.page_count == 0)
		txn_delete(batch->txn, TABLE_CLUSTERS, key_slice(&key));
	else
		cluster_row_put(batch->txn, site->row.id, cluster, &row);
}

/* Cluster 0 means no cluster. */
static void change_member(struct commit *batch, const struct site *site,
			  const struct linkage_move *move)
{
	uint32_t id = site->row.id;

	if (move->from != 0 && move->from != move->to) {
		member_delete(batch->txn, id, move->from, move->page);
		change_cluster(batch, site, move->from, -1);
	}
	if (move->to == 0)
		return;
	member_put(batch->txn, id, move->to, move->page, move->set);
	change_cluster(batch, site, move->to, move->from != move->to);
}

/* Move an unchanged page to another cluster. */
static void move_page(struct commit *batch, struct site *site,
		      const struct linkage_move *move)
{
	struct buffer bytes = {0};
	struct record record;
	struct page_row row;

	commit_load_record(batch, site, move->page, &record, &bytes);
	site_count(site, move->from, &record, -1);
	site_count(site, move->to, &record, 1);
	buffer_free(&bytes);
	change_member(batch, site, move);
	if (!page_row_get(batch->txn, site->row.id, move->page, &row)) {
		txn_fail(batch->txn, ERR_CORRUPT);
		return;
	}
	row.cluster = move->to;
	page_row_put(batch->txn, site->row.id, move->page, &row);
	site_flush_counts(site, batch->txn, MAX_UNWRITTEN_COUNTS);
}

static void store_sets(struct commit *batch, const struct site *site,
		       const struct linkage_changes *changes)
{
	struct txn *txn = batch->txn;
	uint32_t id = site->row.id;

	for (size_t i = 0; i < changes->dropped_shingle_count; i++)
		shingle_delete(txn, id, changes->dropped_shingles[i]);
	if (changes->dropped_set != LINKAGE_NONE)
		set_delete(txn, id, changes->dropped_set);
	for (size_t i = 0; i < changes->added_shingle_count; i++)
		shingle_put(txn, id, changes->added_shingles[i],
			    linkage_shingle(site->linkage,
					    changes->added_shingles[i]));
	if (changes->added_set != LINKAGE_NONE) {
		struct linkage_set_view set =
			linkage_set_at(site->linkage, changes->added_set);

		set_put(txn, id, changes->added_set, set.shingle_ids,
			set.count);
	}
}

static void emit_events(struct commit *batch, const struct site *site,
			const struct linkage_changes *changes)
{
	static const uint16_t kinds[] = {
		[LINKAGE_ADDED] = EVENT_CLUSTER_NEW,
		[LINKAGE_MERGED] = EVENT_CLUSTER_MERGED,
		[LINKAGE_SPLIT] = EVENT_CLUSTER_SPLIT,
		[LINKAGE_REMOVED] = EVENT_CLUSTER_GONE,
	};

	for (size_t i = 0; i < changes->event_count; i++)
		commit_event(batch, site,
			     &(struct event_row){
				     .kind = kinds[changes->events[i].kind],
				     .cluster = changes->events[i].cluster,
				     .other = changes->events[i].other,
			     });
}

void commit_linkage_changes(struct commit *batch, struct site *site,
			    const uint64_t *page,
			    const struct linkage_changes *changes)
{
	store_sets(batch, site, changes);
	for (size_t i = 0; i < changes->move_count; i++)
		if (page == NULL || changes->moves[i].page != *page)
			move_page(batch, site, &changes->moves[i]);
	emit_events(batch, site, changes);
}

static void warn_refused(const struct site *site, enum error error)
{
	log_warn_limited_about(
		(struct log_subject){.site = site->row.host},
		"a page is in no cluster: its signature is %s; see "
		"clustering.max_signature_size and clustering.max_signatures",
		error_text(error));
}

struct link_result commit_link(struct commit *batch, struct site *site,
			       uint64_t page, const struct signature *signature)
{
	struct linkage_changes changes = {0};
	enum error error = ERR_NONE;
	struct linkage_move own = {.page = page};

	site_open(site, batch->options, batch->txn);
	sites_mark_open(batch->sites, site);
	if (batch->txn->error != ERR_NONE)
		return (struct link_result){0};
	own.from = linkage_label(site->linkage, page);
	if (signature != NULL)
		error = linkage_put(site->linkage, page, *signature,
				    &site->row.next_cluster, &changes);
	if (signature == NULL || error != ERR_NONE)
		linkage_remove(site->linkage, page, &site->row.next_cluster,
			       &changes);
	if (error != ERR_NONE)
		warn_refused(site, error);
	commit_linkage_changes(batch, site, &page, &changes);
	own.to = linkage_label(site->linkage, page);
	own.set = linkage_set(site->linkage, page);
	change_member(batch, site, &own);
	return (struct link_result){
		.cluster = own.to,
		.is_news = changes.event_count > 0 || changes.move_count > 1,
	};
}
