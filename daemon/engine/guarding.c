#include "daemon/engine/guarding.h"

#include "daemon/engine/guard_change.h"
#include "daemon/privsep/item_list.h"
#include "daemon/privsep/requests.h"
#include "store/key.h"
#include "store/rows_guard.h"
#include "store/rows_site.h"

/* Return a guard with its last result on the page. */
static struct wanted_guard wanted_of(struct txn *txn, uint32_t site,
				     uint32_t number, uint64_t page,
				     const struct guard_row *guard)
{
	struct wanted_guard wanted = {
		.number = number,
		.language = guard->language,
		.minimum = guard->minimum,
		.maximum = guard->maximum,
		.selector = guard->selector,
	};
	struct guarded_row row;

	if (guarded_row_get(txn, site, number, page, &row) &&
	    row.good_ms != 0) {
		wanted.is_known = 1;
		wanted.value = row.value;
		wanted.path = row.path;
	}
	return wanted;
}

void guard_check_read(struct store *store, const char *host, struct slice url,
		      struct buffer *list)
{
	struct txn txn = txn_begin_read(store);
	struct site_row site;
	struct scan scan;
	struct key prefix;

	if (site_get(&txn, slice_of(host), &site)) {
		prefix = key_site(site.id);
		scan = scan_begin(&txn, TABLE_GUARDS, key_slice(&prefix));
		for (uint32_t i = 0; i < MAX_SITE_GUARDS && scan_next(&scan);
		     i++) {
			struct wanted_guard wanted;
			struct guard_row guard;

			if (!guard_row_decode(scan.value, &guard) ||
			    guard.state == GUARD_SUSPENDED)
				continue;
			wanted = wanted_of(&txn, site.id, key_u32(scan.key, 4),
					   page_key_of(url), &guard);
			item_append_row(list, &wanted_guard_layout, &wanted);
		}
		scan_end(&scan);
	}
	txn_abort(&txn);
}
