#include "store/rows.h"

#include <stddef.h>
#include <string.h>

#include "store/buffer.h"
#include "store/row.h"
#include "store/store.h"

static const struct field site_fields[] = {
	FIELD(site_row, id),
	FIELD(site_row, next_cluster),
	FIELD(site_row, added_ms),
	FIELD(site_row, generation),
	FIELD(site_row, threshold_generation),
	FIELD(site_row, threshold_pages),
	FIELD(site_row, revisit_ms),
	FIELD(site_row, watch_ms),
	FIELD(site_row, seen_ms),
	FIELD(site_row, asked_ms),
	FIELD(site_row, max_bytes),
	FIELD(site_row, max_time_ms),
	FIELD(site_row, spent_bytes),
	FIELD(site_row, spent_ms),
	FIELD(site_row, max_pages),
	FIELD(site_row, saturation),
	FIELD(site_row, max_depth),
	FIELD(site_row, delay_ms),
	FIELD(site_row, measure),
	FIELD(site_row, threshold),
	FIELD(site_row, width),
	FIELD(site_row, flags),
	FIELD(site_row, page_count),
	FIELD(site_row, found_count),
	FIELD(site_row, pending_count),
	FIELD(site_row, fetched_count),
	FIELD(site_row, failed_count),
	FIELD(site_row, skipped_count),
	FIELD(site_row, tried_count),
	FIELD(site_row, sitemap_count),
	FIELD(site_row, coarse_count),
	FIELD(site_row, class_counts),
};

static const struct layout site_layout =
	LAYOUT(site_row, site_fields, offsetof(struct site_row, host), 5);

static const struct field page_fields[] = {
	FIELD(page_row, fetched_ms),  FIELD(page_row, changed_ms),
	FIELD(page_row, stored_ms),   FIELD(page_row, content_hash),
	FIELD(page_row, cluster),     FIELD(page_row, body_bytes),
	FIELD(page_row, http_status), FIELD(page_row, flags),
	FIELD(page_row, page_class),
};

static const struct layout page_layout =
	LAYOUT(page_row, page_fields, offsetof(struct page_row, url), 3);

static const struct field cluster_fields[] = {
	FIELD(cluster_row, page_count),  FIELD(cluster_row, flags),
	FIELD(cluster_row, created_ms),  FIELD(cluster_row, changed_ms),
	FIELD(cluster_row, interval_ms),
};

static const struct layout cluster_layout =
	LAYOUT(cluster_row, cluster_fields, 0, 0);

static const struct field frontier_fields[] = {
	FIELD(frontier_row, found_ms),    FIELD(frontier_row, due_ms),
	FIELD(frontier_row, fetched_ms),  FIELD(frontier_row, answered_ms),
	FIELD(frontier_row, lastmod_ms),  FIELD(frontier_row, interval_ms),
	FIELD(frontier_row, pattern),     FIELD(frontier_row, coarse),
	FIELD(frontier_row, state),       FIELD(frontier_row, depth),
	FIELD(frontier_row, attempts),    FIELD(frontier_row, redirects),
	FIELD(frontier_row, http_status), FIELD(frontier_row, error),
	FIELD(frontier_row, rule),        FIELD(frontier_row, flags),
};

static const struct layout frontier_layout = LAYOUT(
	frontier_row, frontier_fields, offsetof(struct frontier_row, url), 3);

static const struct field pattern_fields[] = {
	FIELD(pattern_row, found),      FIELD(pattern_row, tried),
	FIELD(pattern_row, learned),    FIELD(pattern_row, quiet),
	FIELD(pattern_row, cluster),    FIELD(pattern_row, flags),
	FIELD(pattern_row, changed_ms),
};

static const struct layout pattern_layout = LAYOUT(
	pattern_row, pattern_fields, offsetof(struct pattern_row, text), 1);

static const struct field host_fields[] = {
	FIELD(host_row, robots_ms),
	FIELD(host_row, next_ms),
	FIELD(host_row, failures),
	FIELD(host_row, robots_status),
};

static const struct layout host_layout =
	LAYOUT(host_row, host_fields, offsetof(struct host_row, robots), 1);

bool site_decode(struct slice value, struct site_row *row_out)
{
	return layout_decode(&site_layout, value, row_out);
}

bool site_get(struct txn *txn, struct slice host, struct site_row *row_out)
{
	return row_get(txn, TABLE_SITES, host, &site_layout, row_out);
}

void site_put(struct txn *txn, const struct site_row *row)
{
	struct buffer value = layout_encode(&site_layout, row);
	struct site_row copy;

	/* The host of `row` may lie in the page that the put moves. */
	if (site_decode(buffer_slice(&value), &copy))
		txn_put(txn, TABLE_SITES, copy.host, buffer_slice(&value));
	buffer_free(&value);
}

bool page_row_decode(struct slice value, struct page_row *row_out)
{
	return layout_decode(&page_layout, value, row_out);
}

bool page_row_get(struct txn *txn, uint32_t site, uint64_t page,
		  struct page_row *row_out)
{
	struct key key = key_page(site, page);

	return row_get(txn, TABLE_PAGES, key_slice(&key), &page_layout,
		       row_out);
}

void page_row_put(struct txn *txn, uint32_t site, uint64_t page,
		  const struct page_row *row)
{
	struct key key = key_page(site, page);

	row_put(txn, TABLE_PAGES, key_slice(&key), &page_layout, row);
}

bool cluster_row_decode(struct slice value, struct cluster_row *row_out)
{
	return layout_decode(&cluster_layout, value, row_out);
}

bool cluster_row_get(struct txn *txn, uint32_t site, uint32_t cluster,
		     struct cluster_row *row_out)
{
	struct key key = key_cluster(site, cluster);

	return row_get(txn, TABLE_CLUSTERS, key_slice(&key), &cluster_layout,
		       row_out);
}

void cluster_row_put(struct txn *txn, uint32_t site, uint32_t cluster,
		     const struct cluster_row *row)
{
	struct key key = key_cluster(site, cluster);

	row_put(txn, TABLE_CLUSTERS, key_slice(&key), &cluster_layout, row);
}

void member_put(struct txn *txn, uint32_t site, uint32_t cluster, uint64_t page,
		uint32_t set)
{
	struct key key = key_member(site, cluster, page);

	txn_put(txn, TABLE_MEMBERS, key_slice(&key),
		(struct slice){&set, sizeof(set)});
}

bool member_decode(struct slice value, uint32_t *set_out)
{
	if (value.size != sizeof(*set_out))
		return false;
	memcpy(set_out, value.data, sizeof(*set_out));
	return true;
}

void member_delete(struct txn *txn, uint32_t site, uint32_t cluster,
		   uint64_t page)
{
	struct key key = key_member(site, cluster, page);

	txn_delete(txn, TABLE_MEMBERS, key_slice(&key));
}

bool frontier_row_decode(struct slice value, struct frontier_row *row_out)
{
	return layout_decode(&frontier_layout, value, row_out);
}

bool frontier_row_get(struct txn *txn, uint32_t site, uint64_t url,
		      struct frontier_row *row_out)
{
	struct key key = key_page(site, url);

	return row_get(txn, TABLE_FRONTIER, key_slice(&key), &frontier_layout,
		       row_out);
}

void frontier_row_put(struct txn *txn, uint32_t site, uint64_t url,
		      const struct frontier_row *row)
{
	struct key key = key_page(site, url);
	struct key due = key_due(site, row->due_ms, url);
	struct buffer value = layout_encode(&frontier_layout, row);
	struct frontier_row before;
	struct key due_before;

	/* A new row has due_ms 0 here; a damaged one fails the transaction. */
	frontier_row_get(txn, site, url, &before);
	due_before = key_due(site, before.due_ms, url);
	if (before.due_ms != row->due_ms && before.due_ms != 0)
		txn_delete(txn, TABLE_DUE, key_slice(&due_before));
	if (before.due_ms != row->due_ms && row->due_ms != 0)
		txn_put(txn, TABLE_DUE, key_slice(&due), slice_of(""));
	txn_put(txn, TABLE_FRONTIER, key_slice(&key), buffer_slice(&value));
	buffer_free(&value);
}

bool pattern_row_decode(struct slice value, struct pattern_row *row_out)
{
	return layout_decode(&pattern_layout, value, row_out);
}

bool pattern_row_get(struct txn *txn, uint32_t site, uint64_t pattern,
		     struct pattern_row *row_out)
{
	struct key key = key_page(site, pattern);

	return row_get(txn, TABLE_PATTERNS, key_slice(&key), &pattern_layout,
		       row_out);
}

void pattern_row_put(struct txn *txn, uint32_t site, uint64_t pattern,
		     const struct pattern_row *row)
{
	struct key key = key_page(site, pattern);

	row_put(txn, TABLE_PATTERNS, key_slice(&key), &pattern_layout, row);
}

bool host_row_decode(struct slice value, struct host_row *row_out)
{
	return layout_decode(&host_layout, value, row_out);
}

bool host_row_get(struct txn *txn, struct slice authority,
		  struct host_row *row_out)
{
	return row_get(txn, TABLE_HOSTS, authority, &host_layout, row_out);
}

void host_row_put(struct txn *txn, struct slice authority,
		  const struct host_row *row)
{
	row_put(txn, TABLE_HOSTS, authority, &host_layout, row);
}
