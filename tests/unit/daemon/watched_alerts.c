/* What was emitted. */
#include "tests/unit/daemon/watched.h"

#include <check.h>

#include "daemon/engine/incident.h"
#include "store/key.h"
#include "store/rows.h"

static uint64_t last_event(struct watched *watched)
{
	struct txn txn = txn_begin_read(watched->world.store);
	struct scan scan = scan_begin(&txn, TABLE_EVENTS, slice_of(""));
	uint64_t number = 0;

	while (scan_next(&scan))
		number = key_u64(scan.key, 0);
	scan_end(&scan);
	txn_abort(&txn);
	return number;
}

void watched_forget(struct watched *watched)
{
	watched->since = last_event(watched);
	watched->visits = 0;
	for (unsigned i = 0; i < watched->page_count; i++) {
		watched->pages[i].asked = 0;
		watched->pages[i].fresh = 0;
	}
}

static void tell(struct watched *watched, const struct event_row *row)
{
	const char *name = row->cluster < WATCHED_CLUSTERS
				   ? watched->names[row->cluster]
				   : NULL;
	const char *other = row->other < WATCHED_CLUSTERS
				    ? watched->names[row->other]
				    : NULL;

	if (watched->told.size > 0)
		buffer_append_text(&watched->told, "; ");
	buffer_append_text(&watched->told, event_kind_name(row->kind));
	if (row->cluster != 0)
		buffer_printf(&watched->told, " %s", name == NULL ? "?" : name);
	if (row->other != 0)
		buffer_printf(&watched->told, ">%s",
			      other == NULL ? "?" : other);
}

/* Number of alerts of the kind (0 = any). Print them and copy the last one,
 * with its evidence if requested. */
static unsigned read_alerts(struct watched *watched, uint16_t kind,
			    struct event_row *row_out, json_t **detail_out)
{
	struct txn txn = txn_begin_read(watched->world.store);
	struct scan scan = scan_begin(&txn, TABLE_EVENTS, slice_of(""));
	unsigned count = 0;
	struct event_row row;

	buffer_clear(&watched->told);
	buffer_append_text(&watched->told, "");
	while (scan_next(&scan)) {
		if (key_u64(scan.key, 0) <= watched->since ||
		    !event_decode(scan.value, &row) ||
		    finding_kind_of(row.kind) == NULL)
			continue;
		tell(watched, &row);
		if (kind != 0 && row.kind != kind)
			continue;
		count++;
		ck_assert(slice_equal(row.host, slice_of(WATCHED_HOST)));
		if (detail_out != NULL) {
			json_decref(*detail_out);
			*detail_out = json_loadb(row.detail.data,
						 row.detail.size, 0, NULL);
		}
		row.host = row.url = row.detail = (struct slice){0};
		*row_out = row;
	}
	scan_end(&scan);
	txn_abort(&txn);
	return count;
}

const char *watched_emitted(struct watched *watched)
{
	struct event_row row;

	read_alerts(watched, 0, &row, NULL);
	return watched->told.data == NULL ? "" : watched->told.data;
}

unsigned watched_count(struct watched *watched, enum event_kind kind)
{
	struct event_row row;

	return read_alerts(watched, (uint16_t)kind, &row, NULL);
}

json_t *watched_only(struct watched *watched, enum event_kind kind,
		     struct event_row *row_out)
{
	json_t *detail = NULL;
	unsigned count = read_alerts(watched, 0, row_out, &detail);

	ck_assert_msg(count == 1 && row_out->kind == kind,
		      "instead of one %s: %s", event_kind_name((uint16_t)kind),
		      watched->told.data);
	ck_assert_msg(json_is_object(detail), "no evidence");
	return detail;
}
