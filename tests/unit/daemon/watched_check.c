/* What holds of the store whatever has happened. */
#include "tests/unit/daemon/watched_parts.h"

#include <check.h>

#include "daemon/engine/incident.h"
#include "store/content.h"
#include "store/key.h"
#include "store/rows.h"

/* A live template has its version and a sample, which is compressed; an ended
 * one has a sample only while its end is not final, or while its pages are
 * sought. */
static void check_template(struct txn *txn, struct slice key,
			   const struct template_row *row)
{
	uint32_t site = key_u32(key, 0);
	uint32_t cluster = key_u32(key, sizeof(uint32_t));
	struct key prefix = key_cluster(site, cluster);
	struct scan scan =
		scan_begin(txn, TABLE_SAMPLE_PAGES, key_slice(&prefix));
	bool has_sample = scan_next(&scan);
	bool is_live = row->state == TEMPLATE_LIVE;
	const unsigned unfinished = TEMPLATE_IS_LEAVING | TEMPLATE_IS_SOUGHT;
	struct version_row version;
	struct sample_page_row sample;
	uint32_t dictionary;

	if (has_sample) {
		ck_assert(sample_page_row_decode(scan.value, &sample));
		ck_assert(content_is_packed(sample.record, &dictionary));
	}
	scan_end(&scan);
	ck_assert_int_eq(has_sample, is_live || (row->flags & unfinished) != 0);
	ck_assert_int_eq(row->ended_ms == 0, is_live);
	ck_assert_uint_ge(row->version, 1);
	ck_assert(version_row_get(txn, site, cluster, row->version, &version));
	ck_assert_uint_ge(version.last_ms, version.first_ms);
	ck_assert_uint_gt(version.packed.size, 0);
}

void watched_check_templates(struct watched *watched)
{
	struct txn txn = txn_begin_read(watched->world.store);
	struct scan scan = scan_begin(&txn, TABLE_TEMPLATES, slice_of(""));
	struct template_row row;

	while (scan_next(&scan)) {
		ck_assert(template_row_decode(scan.value, &row));
		check_template(&txn, scan.key, &row);
	}
	scan_end(&scan);
	txn_abort(&txn);
}

/* Every event has evidence. */
void watched_check_alerts(struct watched *watched)
{
	struct txn txn = txn_begin_read(watched->world.store);
	struct scan scan = scan_begin(&txn, TABLE_EVENTS, slice_of(""));
	struct event_row row;

	while (scan_next(&scan)) {
		json_t *detail;

		ck_assert(event_decode(scan.value, &row));
		if (finding_kind_of(row.kind) == NULL)
			continue;
		detail = json_loadb(row.detail.data, row.detail.size, 0, NULL);
		ck_assert_uint_ge(json_object_size(detail), 2);
		ck_assert_uint_gt(row.pages, 0);
		ck_assert_uint_gt(row.url.size, 0);
		json_decref(detail);
	}
	scan_end(&scan);
	txn_abort(&txn);
}
