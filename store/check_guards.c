#include <inttypes.h>

#include "store/check.h"
#include "store/key.h"
#include "store/rows_guard.h"
#include "store/store.h"

#define GUARD "guard %.*s %u: "

static void check_report_guard(const struct table_check *check, uint32_t guard,
			       const char *what)
{
	verify_problem(check->report, GUARD "%s", CHECK_HOST(check), guard,
		       what);
}

static void check_report_guard_page(const struct table_check *check,
				    uint32_t guard, uint64_t page,
				    const char *what)
{
	verify_problem(check->report, GUARD "page %016" PRIx64 " %s",
		       CHECK_HOST(check), guard, page, what);
}

/* Check the rows of a guard's pages, and the counts against their sums. */
static void check_rows(const struct table_check *check, uint32_t guard,
		       const struct guard_row *row)
{
	struct key prefix = key_cluster(check->site->id, guard);
	struct scan scan =
		scan_begin(check->txn, TABLE_GUARDED, key_slice(&prefix));
	struct guarded_row guarded;
	struct page_row page_row;
	uint32_t checked = 0;

	while (scan_next(&scan)) {
		uint64_t page = key_u64(scan.key, 8);

		checked++;
		if (scan.key.size != 16 ||
		    !guarded_row_decode(scan.value, &guarded)) {
			check_report_guard_page(check, guard, page,
						"is damaged");
			continue;
		}
		if (page_key_of(guarded.url) != page)
			check_report_guard_page(check, guard, page,
						"has another URL");
		else if (!verify_page_row(check->txn, check->site->id, page,
					  &page_row) ||
			 page_row.redirect.size > 0)
			check_report_guard_page(check, guard, page,
						"is no page of the site");
	}
	scan_end(&scan);
	if (checked != row->checked)
		verify_problem(check->report,
			       GUARD "has %u pages, but counts %u",
			       CHECK_HOST(check), guard, checked, row->checked);
}

static void check_guard(const struct table_check *check, struct slice key,
			struct slice value, uint64_t last)
{
	uint32_t guard = key_u32(key, 4);
	struct guard_row row;

	if (key.size != 8 || !guard_row_decode(value, &row) ||
	    row.state >= GUARD_STATES || row.recent_count > GUARD_RECENT ||
	    row.minimum > row.maximum || row.selector.size == 0) {
		check_report_guard(check, guard, "the row is damaged");
		return;
	}
	if (guard == 0 || guard > last)
		check_report_guard(check, guard,
				   "the number was never assigned");
	check_rows(check, guard, &row);
}

/*
 * Report rows of TABLE_GUARDED whose guard does not exist. One seek per guard.
 */
static void check_guard_owners(const struct table_check *check)
{
	uint64_t next = 0;

	while (next <= UINT32_MAX && check->txn->error == ERR_NONE) {
		struct key from = key_cluster(check->site->id, (uint32_t)next);
		struct scan scan = scan_begin_at(check->txn, TABLE_GUARDED,
						 key_slice(&from), 4);
		bool is_row = scan_next(&scan);
		uint32_t guard = is_row ? key_u32(scan.key, 4) : 0;
		struct key key = key_cluster(check->site->id, guard);

		scan_end(&scan);
		if (!is_row)
			return;
		if (txn_get(check->txn, TABLE_GUARDS, key_slice(&key)).data ==
		    NULL)
			check_report_guard(check, guard,
					   "does not exist, but has pages");
		next = (uint64_t)guard + 1;
	}
}

void verify_guard_tables(const struct table_check *check)
{
	struct key prefix = key_site(check->site->id);
	uint64_t last = store_last_number(check->txn, "guard");
	struct scan scan =
		scan_begin(check->txn, TABLE_GUARDS, key_slice(&prefix));

	while (scan_next(&scan))
		check_guard(check, scan.key, scan.value, last);
	scan_end(&scan);
	check_guard_owners(check);
}
