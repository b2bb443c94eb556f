#include "store/rows_frontier.h"

#include "base/buffer.h"
#include "store/key.h"
#include "store/row.h"

static const struct row_field frontier_row_fields[] = {
	FIELD(frontier_row, found_ms),    FIELD(frontier_row, due_ms),
	FIELD(frontier_row, fetched_ms),  FIELD(frontier_row, answered_ms),
	FIELD(frontier_row, lastmod_ms),  FIELD(frontier_row, interval_ms),
	FIELD(frontier_row, pattern),     FIELD(frontier_row, coarse),
	FIELD(frontier_row, state),       FIELD(frontier_row, depth),
	FIELD(frontier_row, attempts),    FIELD(frontier_row, redirects),
	FIELD(frontier_row, http_status), FIELD(frontier_row, error),
	FIELD(frontier_row, rule),        FIELD(frontier_row, flags),
};

static const struct row_codec frontier_row_layout =
	LAYOUT(frontier_row, frontier_row_fields,
	       offsetof(struct frontier_row, url), 3);

static const struct row_field pattern_row_fields[] = {
	FIELD(pattern_row, found),      FIELD(pattern_row, tried),
	FIELD(pattern_row, learned),    FIELD(pattern_row, quiet),
	FIELD(pattern_row, cluster),    FIELD(pattern_row, flags),
	FIELD(pattern_row, changed_ms),
};

static const struct row_codec pattern_row_layout = LAYOUT(
	pattern_row, pattern_row_fields, offsetof(struct pattern_row, text), 1);

static const struct row_field host_row_fields[] = {
	FIELD(host_row, robots_ms),
	FIELD(host_row, next_ms),
	FIELD(host_row, failures),
	FIELD(host_row, robots_status),
};

static const struct row_codec host_row_layout =
	LAYOUT(host_row, host_row_fields, offsetof(struct host_row, robots), 1);

ROW_DECODE(frontier_row)
ROW_GET(frontier_row, TABLE_FRONTIER, key_page(site, url), uint32_t site,
	uint64_t url)

void frontier_row_put(struct txn *txn, uint32_t site, uint64_t url,
		      const struct frontier_row *row)
{
	struct key key = key_page(site, url);
	struct key due = key_due(site, row->due_ms, url);
	struct buffer value = row_codec_encode(&frontier_row_layout, row);
	struct frontier_row before;
	struct key due_before;

	/* `due_ms` is 0 for a new row; a damaged one fails the transaction. */
	frontier_row_get(txn, site, url, &before);
	due_before = key_due(site, before.due_ms, url);
	if (before.due_ms != row->due_ms && before.due_ms != 0)
		txn_delete(txn, TABLE_DUE, key_slice(&due_before));
	if (before.due_ms != row->due_ms && row->due_ms != 0)
		txn_put(txn, TABLE_DUE, key_slice(&due), slice_of(""));
	txn_put(txn, TABLE_FRONTIER, key_slice(&key), buffer_slice(&value));
	buffer_free(&value);
}

ROW_FUNCTIONS(pattern_row, TABLE_PATTERNS, key_page(site, pattern),
	      uint32_t site, uint64_t pattern)

ROW_DECODE(host_row)

bool host_row_get(struct txn *txn, struct slice authority,
		  struct host_row *row_out)
{
	return row_get(txn, TABLE_HOSTS, authority, &host_row_layout, row_out);
}

void host_row_put(struct txn *txn, struct slice authority,
		  const struct host_row *row)
{
	row_put(txn, TABLE_HOSTS, authority, &host_row_layout, row);
}
