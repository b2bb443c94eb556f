#include "store/rows_guard.h"

#include "store/key.h"
#include "store/row.h"

static const struct row_field guard_row_fields[] = {
	FIELD(guard_row, created_ms), FIELD(guard_row, changed_ms),
	FIELD(guard_row, cluster),    FIELD(guard_row, minimum),
	FIELD(guard_row, maximum),    FIELD(guard_row, language),
	FIELD(guard_row, state),      FIELD(guard_row, checked),
	FIELD(guard_row, failing),    FIELD(guard_row, recent_count),
	FIELD(guard_row, recent_bad), FIELD(guard_row, recent),
};

static const struct row_codec guard_row_layout = LAYOUT(
	guard_row, guard_row_fields, offsetof(struct guard_row, name), 3);

ROW_FUNCTIONS(guard_row, TABLE_GUARDS, key_cluster(site, guard), uint32_t site,
	      uint32_t guard)

static const struct row_field guarded_row_fields[] = {
	FIELD(guarded_row, checked_ms),
	FIELD(guarded_row, good_ms),
	FIELD(guarded_row, matches),
	FIELD(guarded_row, cluster),
};

static const struct row_codec guarded_row_layout = LAYOUT(
	guarded_row, guarded_row_fields, offsetof(struct guarded_row, url), 4);

ROW_FUNCTIONS(guarded_row, TABLE_GUARDED, key_member(site, guard, page),
	      uint32_t site, uint32_t guard, uint64_t page)
