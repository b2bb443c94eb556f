#include "store/rows_site.h"

#include "base/buffer.h"
#include "store/row.h"

static const struct row_field site_row_fields[] = {
	FIELD(site_row, id),
	FIELD(site_row, next_cluster),
	FIELD(site_row, added_ms),
	FIELD(site_row, generation),
	FIELD(site_row, threshold_generation),
	FIELD(site_row, threshold_pages),
	FIELD(site_row, options.revisit_ms),
	FIELD(site_row, options.watch_ms),
	FIELD(site_row, seen_ms),
	FIELD(site_row, asked_ms),
	FIELD(site_row, options.max_bytes),
	FIELD(site_row, options.max_time_ms),
	FIELD(site_row, spent_bytes),
	FIELD(site_row, spent_ms),
	FIELD(site_row, options.max_pages),
	FIELD(site_row, options.saturation),
	FIELD(site_row, options.max_depth),
	FIELD(site_row, options.delay_ms),
	FIELD(site_row, options.measure),
	FIELD(site_row, options.threshold),
	FIELD(site_row, options.width),
	FIELD(site_row, options.flags),
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

static const size_t site_row_slices[] = {
	offsetof(struct site_row, host),
	offsetof(struct site_row, seed),
	offsetof(struct site_row, options.headers),
	offsetof(struct site_row, options.proxy),
	offsetof(struct site_row, missing),
};

static const struct row_codec site_row_layout =
	LAYOUT_APART(site_row, site_row_fields, site_row_slices);

/* The code that uses the measure and the thresholds relies on valid values. */
static bool is_sound(const struct site_row *row)
{
	return row->options.threshold <= SITE_MAX_THRESHOLD;
}

bool site_decode(struct slice value, struct site_row *row_out)
{
	return row_codec_decode(&site_row_layout, value, row_out) &&
	       is_sound(row_out);
}

bool site_get(struct txn *txn, struct slice host, struct site_row *row_out)
{
	if (!row_get(txn, TABLE_SITES, host, &site_row_layout, row_out))
		return false;
	if (is_sound(row_out))
		return true;
	*row_out = (struct site_row){0};
	txn_fail(txn, ERR_CORRUPT);
	return false;
}

struct buffer site_encode(const struct site_row *row)
{
	return row_codec_encode(&site_row_layout, row);
}

void site_put(struct txn *txn, const struct site_row *row)
{
	struct buffer value = site_encode(row);
	struct site_row copy;

	/* The host of `row` may be in a page that txn_put() moves. */
	if (row_codec_decode(&site_row_layout, buffer_slice(&value), &copy))
		txn_put(txn, TABLE_SITES, copy.host, buffer_slice(&value));
	buffer_free(&value);
}
