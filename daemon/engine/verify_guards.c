#include "daemon/engine/verify_guards.h"

#include "daemon/engine/guard_state.h"
#include "store/key.h"
#include "store/rows_guard.h"
#include "store/rows_site.h"

static uint32_t count_failing(struct txn *txn, uint32_t site, uint32_t guard,
			      const struct guard_row *row)
{
	struct key prefix = key_cluster(site, guard);
	struct scan scan = scan_begin(txn, TABLE_GUARDED, key_slice(&prefix));
	struct guarded_row guarded;
	uint32_t failing = 0;

	while (scan_next(&scan))
		if (guarded_row_decode(scan.value, &guarded))
			failing += guard_fails(row, guarded.matches);
	scan_end(&scan);
	return failing;
}

void invariants_verify_guards(struct txn *txn, const struct site_row *site,
			      struct verify_report *report)
{
	struct key prefix = key_site(site->id);
	struct scan scan = scan_begin(txn, TABLE_GUARDS, key_slice(&prefix));
	struct guard_row row;

	while (scan_next(&scan)) {
		uint32_t guard = key_u32(scan.key, sizeof(site->id));
		uint32_t failing;

		if (!guard_row_decode(scan.value, &row))
			continue;
		failing = count_failing(txn, site->id, guard, &row);
		if (failing != row.failing)
			verify_problem(report,
				       "guard %.*s %u: fails on %u pages, but "
				       "counts %u",
				       (int)site->host.size,
				       (const char *)site->host.data, guard,
				       failing, row.failing);
	}
	scan_end(&scan);
}
