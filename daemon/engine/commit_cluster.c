#include <jansson.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"
#include "daemon/engine/commit.h"
#include "store/content.h"
#include "store/key.h"
#include "store/rows.h"
#include "store/sets.h"
#include "template/version_json.h"

/*
 * The linkage of a site and the tables that depend on it. Shingles, signatures,
 * members, clusters, counts and events change in the same transaction.
 */

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

/*
 * Add `more` pages to the count of the cluster. If `more` is 0, one of its
 * pages was replaced by another.
 */
static void change_cluster(struct commit *batch, const struct site *site,
			   uint32_t cluster, int more)
{
	struct key key = key_cluster(site->row.id, cluster);
	struct cluster_row row;

	if (!cluster_row_get(batch->txn, site->row.id, cluster, &row))
		/*
		 * the number may have been that of another cluster, see
		 * commit_swap_clusters()
		 */
		row = (struct cluster_row){
			.changes = (uint32_t)batch->now_ms,
			.created_ms = batch->now_ms,
		};
	row.page_count += (uint32_t)more;
	row.changes++;
	if (more != 0)
		row.changed_ms = batch->now_ms;
	if (row.page_count == 0)
		txn_delete(batch->txn, TABLE_CLUSTERS, key_slice(&key));
	else
		cluster_row_put(batch->txn, site->row.id, cluster, &row);
}

/*
 * Move a page between clusters in the member table and in both cluster rows.
 * Cluster 0 means no cluster.
 */
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

/* Move a page whose content is unchanged to another cluster. */
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

/*
 * Apply the changes of the linkage to the store, except for `page`, which
 * caused them and which the caller updates. `page` may be NULL.
 */
static void commit_linkage_changes(struct commit *batch, struct site *site,
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

struct signature commit_signature(const struct site *site,
				  const struct record *record)
{
	unsigned slot =
		signature_slot(site->row.options.measure % MEASURE_COUNT);

	return (struct signature){record->signatures[slot],
				  record->signature_counts[slot]};
}

/* The site whose templates keep their numbers when clusters merge. */
struct template_labels {
	struct txn *txn;
	uint32_t site;
};

/* Return whether the cluster is a live template. */
static bool cluster_is_template(void *context, uint32_t cluster)
{
	const struct template_labels *labels = context;
	struct template_row row;

	return template_row_get(labels->txn, labels->site, cluster, &row) &&
	       row.state == TEMPLATE_LIVE;
}

struct link_result commit_link(struct commit *batch, struct site *site,
			       uint64_t page, const struct signature *signature)
{
	struct linkage_changes changes = {0};
	enum error error = ERR_NONE;
	struct linkage_move own = {.page = page};
	struct template_labels labels = {batch->txn, site->row.id};

	site_open(site, batch->options, batch->txn);
	sites_mark_open(batch->sites, site);
	if (batch->txn->error != ERR_NONE)
		return (struct link_result){0};
	own.from = linkage_label(site->linkage, page);
	linkage_prefer_labels(site->linkage, cluster_is_template, &labels);
	if (signature != NULL)
		error = linkage_put(site->linkage, page, *signature,
				    &site->row.next_cluster, &changes);
	if (signature == NULL || error != ERR_NONE)
		linkage_remove(site->linkage, page, &site->row.next_cluster,
			       &changes);
	linkage_prefer_labels(site->linkage, NULL, NULL);
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

void commit_swap_clusters(struct commit *batch, struct site *site, uint32_t a,
			  uint32_t b)
{
	struct linkage_changes changes = {0};
	struct cluster_row row;

	site_open(site, batch->options, batch->txn);
	sites_mark_open(batch->sites, site);
	/* the cluster may have ended since the decision */
	if (batch->txn->error != ERR_NONE ||
	    !cluster_row_get(batch->txn, site->row.id, b, &row))
		return;
	linkage_swap_labels(site->linkage, a, b, &changes);
	commit_linkage_changes(batch, site, NULL, &changes);
	site->row.generation++;
	site->is_changed = true;
}

/* Limits for the quarantine of pages whose bytes crash or stall workers. */

enum {
	/* maximum rows of a site; over it the oldest row is deleted */
	MAX_SITE_POISONS = 100,
	/*
	 * after this number of consecutive pages that crash or stall a worker,
	 * the site is not visited for a while
	 */
	SLOW_AFTER = 3,
	FIRST_REST_MS = 60 * 1000,
	MAX_DOUBLINGS = 6, /* limits the rest to about one hour */
};

/* Delete the oldest row if the site has MAX_SITE_POISONS rows. */
static void quarantine_drop_oldest(struct commit *batch,
				   const struct site *site)
{
	struct scan scan =
		scan_site(batch->txn, TABLE_QUARANTINE, site->row.id);
	uint64_t oldest_ms = UINT64_MAX;
	struct key oldest = {0};
	uint32_t count = 0;
	struct quarantine_row row;

	while (scan_next(&scan)) {
		count++;
		if (!quarantine_row_decode(scan.value, &row))
			row.time_ms = 0;
		if (row.time_ms >= oldest_ms)
			continue;
		oldest_ms = row.time_ms;
		oldest = key_page(site->row.id,
				  key_u64(scan.key, sizeof(uint32_t)));
	}
	scan_end(&scan);
	if (count >= MAX_SITE_POISONS)
		txn_delete(batch->txn, TABLE_QUARANTINE, key_slice(&oldest));
}

void commit_quarantine(struct commit *batch, struct site *site,
		       struct change *change)
{
	const struct analysis *poison = &change->answer;
	const struct slice url = slice_of(change->url->text);
	const struct quarantine_row row = {
		.time_ms = batch->now_ms,
		.content_hash = poison->content_hash,
		.body_bytes = poison->body_bytes,
		.url = url,
		.charset = poison->charset,
		.reason = poison->reason,
		.body = poison->packed,
	};
	uint32_t doublings;

	if (poison->packed.size == 0)
		/*
		 * no worker read the page, because its bytes were already in
		 * quarantine
		 */
		return;
	quarantine_drop_oldest(batch, site);
	quarantine_row_put(batch->txn, site->row.id, page_key_of(url), &row);
	if (change->kind == CHANGE_QUARANTINE)
		/*
		 * a client submitted the page, so the site itself need not rest
		 */
		return;
	site->poisoned_in_row++;
	if (site->poisoned_in_row < SLOW_AFTER)
		return;
	doublings = site->poisoned_in_row - SLOW_AFTER;
	site->rests_until_ms =
		batch->now_ms +
		((uint64_t)FIRST_REST_MS
		 << (doublings < MAX_DOUBLINGS ? doublings : MAX_DOUBLINGS));
}

void commit_unquarantine(struct commit *batch, struct site *site,
			 const struct url *url)
{
	struct key key =
		key_page(site->row.id, page_key_of(slice_of(url->text)));

	txn_delete(batch->txn, TABLE_QUARANTINE, key_slice(&key));
}

enum error commit_quarantine_remove(struct commit *batch, struct change *change)
{
	struct site *site =
		sites_find(batch->sites, slice_of(change->url->host));
	struct quarantine_row row;

	if (site == NULL ||
	    !quarantine_row_get(batch->txn, site->row.id,
				page_key_of(slice_of(change->url->text)), &row))
		return ERR_NOT_FOUND;
	commit_unquarantine(batch, site, change->url);
	return ERR_NONE;
}

/*
 * Set another threshold, and emit an event that lists how pages moved between
 * clusters.
 */

enum {
	MAX_FLOWS = 500, /* maximum number of pairs of clusters in the event */
	PERMILLE = 1000,
};

static int by_flow(const void *left, const void *right)
{
	const struct linkage_move *a = left;
	const struct linkage_move *b = right;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return (a->to > b->to) - (a->to < b->to);
}

/*
 * Return a list with one entry for each pair of clusters between which pages
 * moved: the two clusters and the number of pages.
 */
static json_t *threshold_moves_json(struct slice host,
				    const struct linkage_changes *changes)
{
	size_t count = changes->move_count;
	struct linkage_move *moves = mem_alloc(count, sizeof(*moves));
	json_t *list = json_array();
	size_t end;

	for (size_t i = 0; i < count; i++)
		moves[i] = changes->moves[i];
	if (count > 1)
		qsort(moves, count, sizeof(*moves), by_flow);
	for (size_t i = 0; i < count && json_array_size(list) < MAX_FLOWS;
	     i = end) {
		for (end = i + 1; end < count; end++)
			if (by_flow(&moves[i], &moves[end]) != 0)
				break;
		json_array_append_new(
			list,
			json_pack("{s:o, s:o, s:I}", "from",
				  json_cluster_id(host, moves[i].from), "to",
				  json_cluster_id(host, moves[i].to), "pages",
				  (json_int_t)(end - i)));
	}
	free(moves);
	return list;
}

static void threshold_emit_event(struct commit *batch, const struct site *site,
				 uint16_t before,
				 const struct threshold_update *recut,
				 json_t *flows)
{
	json_t *detail = json_pack("{s:f, s:f, s:b, s:o, s:o}", "from",
				   (double)before / PERMILLE, "to",
				   (double)recut->threshold / PERMILLE,
				   "weights", recut->weights != NULL, "reason",
				   json_text(recut->reason), "moves", flows);
	char *text = json_dumps(detail, JSON_COMPACT | JSON_REAL_PRECISION(3));

	commit_event(batch, site,
		     &(struct event_row){.kind = EVENT_SITE_RECUT,
					 .pages = site->row.page_count,
					 .detail = slice_of(text)});
	free(text);
	json_decref(detail);
}

static void store_weights(struct commit *batch, const struct site *site,
			  const struct shingle_weights *weights)
{
	struct buffer bytes = {0};

	shingle_weights_encode(weights, &bytes);
	weights_put(batch->txn, site->row.id, buffer_slice(&bytes));
	buffer_free(&bytes);
}

void commit_threshold(struct commit *batch, struct site *site,
		      const struct threshold_update *recut)
{
	struct linkage_changes changes = {0};
	struct template_labels labels = {batch->txn, site->row.id};
	uint16_t before = site->row.options.threshold;
	json_t *flows;

	site_open(site, batch->options, batch->txn);
	sites_mark_open(batch->sites, site);
	site->is_changed = true;
	if (batch->txn->error != ERR_NONE ||
	    (before == recut->threshold && recut->weights == NULL))
		return;
	if (recut->weights != NULL)
		store_weights(batch, site, recut->weights);
	linkage_prefer_labels(site->linkage, cluster_is_template, &labels);
	linkage_set_threshold(site->linkage, recut->threshold, recut->weights,
			      &site->row.next_cluster, &changes);
	linkage_prefer_labels(site->linkage, NULL, NULL);
	site->row.options.threshold = recut->threshold;
	site->row.generation++;
	flows = threshold_moves_json(site->row.host, &changes);
	commit_linkage_changes(batch, site, NULL, &changes);
	threshold_emit_event(batch, site, before, recut, flows);
}
