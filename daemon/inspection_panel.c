/* The pages of a panel: what they were, and what they are. */
#include "daemon/inspection_parts.h"

#include <stdlib.h>

#include "cluster/signature.h"
#include "page/page_class.h"

/* Permille: content alone moves the paths of a page by so much. */
enum { MAX_DRIFT = 200 };

/* A record out of the store, in the arena. */
static enum error load_record(struct inspector *inspector, struct slice value,
			      struct record *record_out)
{
	char *copy = arena_alloc(inspector->arena, value.size + 1, 1);

	if (value.size > 0)
		memcpy(copy, value.data, value.size);
	return record_open((struct slice){copy, value.size}, record_out);
}

/* The cluster of the page that a redirect leads to; 0: of none. */
static uint32_t cluster_behind(struct txn *txn, uint32_t site,
			       struct slice target)
{
	struct page_row row;

	return page_row_get(txn, site, page_key_of(target), &row) ? row.cluster
								  : 0;
}

/* Was its visit given up, so that nothing is known? */
static bool is_given_up(struct txn *txn, uint32_t site, uint64_t page)
{
	struct frontier_row row;

	return frontier_row_get(txn, site, page, &row) &&
	       (row.state == FRONTIER_FAILED || row.state == FRONTIER_DENIED);
}

static enum fate fate_of_class(unsigned page_class)
{
	switch (page_class) {
	case CLASS_PAGE:
		return FATE_PAGE;
	case CLASS_ERROR:
	case CLASS_CHALLENGE:
	case CLASS_CONSENT:
	case CLASS_TRUNCATED:
		return FATE_BLOCKED;
	default:
		return FATE_GONE;
	}
}

/* Are the paths of the page other ones than at its baseline? */
static bool has_other_paths(const struct witness *witness)
{
	const struct record *before = &witness->before;
	const struct record *after = &witness->after;
	struct signature a = {before->signatures[MEASURE_CPC],
			      before->signature_counts[MEASURE_CPC]};
	struct signature b = {after->signatures[MEASURE_CPC],
			      after->signature_counts[MEASURE_CPC]};

	return !signature_linked(a, b, MAX_DRIFT);
}

/*
 * What is stored is a page. It tells when it was seen since the window began;
 * and when its paths are others than they were, because it does not come back
 * by itself to what it was.
 */
static enum error read_page(struct inspector *inspector, struct txn *txn,
			    const struct page_row *row, uint64_t window_ms,
			    struct panel_page *page)
{
	struct witness *witness = &page->witness;
	struct key key = key_page(inspector->site.id, witness->page);
	bool is_fresh = row->fetched_ms > page->since_ms &&
			row->fetched_ms >= window_ms;
	enum error error = ERR_NONE;

	page->fetched_ms = row->fetched_ms;
	witness->cluster = row->cluster;
	witness->after = witness->before;
	witness->fate = FATE_PAGE;
	if (row->content_hash != witness->before.content_hash)
		error = load_record(
			inspector, txn_get(txn, TABLE_RECORDS, key_slice(&key)),
			&witness->after);
	if (is_fresh || error != ERR_NONE)
		return error;
	page->is_fresh = false;
	if (is_given_up(txn, inspector->site.id, witness->page))
		witness->fate = FATE_BLOCKED;
	else if (!has_other_paths(witness))
		witness->fate = FATE_UNSEEN;
	return ERR_NONE;
}

static enum error read_fate(struct inspector *inspector, struct txn *txn,
			    uint64_t window_ms, struct panel_page *page)
{
	struct witness *witness = &page->witness;
	uint32_t site = inspector->site.id;
	struct page_row row;

	witness->fate = FATE_GONE;
	if (!page_row_get(txn, site, witness->page, &row))
		return txn->error;
	if (row.redirect.size > 0) {
		witness->cluster = cluster_behind(txn, site, row.redirect);
		page->is_moved = witness->cluster != 0;
		return txn->error;
	}
	witness->fate = fate_of_class(row.page_class);
	return witness->fate == FATE_PAGE
		       ? read_page(inspector, txn, &row, window_ms, page)
		       : txn->error;
}

static enum error read_entry(struct inspector *inspector, struct slice key,
			     struct slice value, struct panel_page *page)
{
	struct panel_row row;

	*page = (struct panel_page){.is_fresh = true};
	if (!panel_row_decode(value, &row))
		return ERR_CORRUPT;
	page->witness.page = key_u64(key, 2 * sizeof(uint32_t));
	page->since_ms = row.since_ms;
	page->url = (struct slice){
		arena_copy(inspector->arena, row.url.data, row.url.size),
		row.url.size};
	return load_record(inspector, row.record, &page->witness.before);
}

enum error panel_read(struct inspector *inspector,
		      const struct subject *subject, uint64_t window_ms,
		      struct panel *panel_out)
{
	struct key prefix = key_cluster(inspector->site.id, subject->cluster);
	struct txn txn = txn_begin_read(inspector->store);
	struct scan scan = scan_begin(&txn, TABLE_PANEL, key_slice(&prefix));
	enum error error = ERR_NONE;

	panel_out->count = 0;
	while (error == ERR_NONE && panel_out->count < MAX_PANEL &&
	       scan_next(&scan)) {
		struct panel_page *page = &panel_out->pages[panel_out->count++];

		error = read_entry(inspector, scan.key, scan.value, page);
		if (error == ERR_NONE)
			error = read_fate(inspector, &txn, window_ms, page);
	}
	scan_end(&scan);
	if (txn.error != ERR_NONE)
		error = txn.error;
	txn_abort(&txn);
	return error;
}
