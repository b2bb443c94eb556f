#include "store/rows_poison.h"

#include "store/key.h"
#include "store/row.h"

static const struct field poison_row_fields[] = {
	FIELD(poison_row, time_ms),
	FIELD(poison_row, content_hash),
	FIELD(poison_row, body_bytes),
};

static const struct row_layout poison_row_layout = LAYOUT(
	poison_row, poison_row_fields, offsetof(struct poison_row, url), 4);

ROW_FUNCTIONS(poison_row, TABLE_POISON, key_page(site, page), uint32_t site,
	      uint64_t page)
