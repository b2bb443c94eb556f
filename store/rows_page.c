#include "store/rows_page.h"

#include "store/key.h"
#include "store/row.h"

static const struct row_field page_row_fields[] = {
	FIELD(page_row, fetched_ms),  FIELD(page_row, changed_ms),
	FIELD(page_row, stored_ms),   FIELD(page_row, content_hash),
	FIELD(page_row, cluster),     FIELD(page_row, body_bytes),
	FIELD(page_row, http_status), FIELD(page_row, flags),
	FIELD(page_row, page_class),
};

static const struct row_codec page_row_layout =
	LAYOUT(page_row, page_row_fields, offsetof(struct page_row, url), 3);

ROW_FUNCTIONS(page_row, TABLE_PAGES, key_page(site, page), uint32_t site,
	      uint64_t page)
