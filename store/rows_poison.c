#include "store/rows_poison.h"

#include "store/key.h"
#include "store/row.h"

static const struct row_field quarantine_row_fields[] = {
	FIELD(quarantine_row, time_ms),
	FIELD(quarantine_row, content_hash),
	FIELD(quarantine_row, body_bytes),
};

static const struct row_codec quarantine_row_layout =
	LAYOUT(quarantine_row, quarantine_row_fields,
	       offsetof(struct quarantine_row, url), 4);

ROW_FUNCTIONS(quarantine_row, TABLE_QUARANTINE, key_page(site, page),
	      uint32_t site, uint64_t page)
