#include "daemon/status_line.h"

#include <inttypes.h>
#include <stdio.h>

#include "store/rows_site.h"
#include "store/store.h"
#include "store/txn.h"

/* Append the number with separators: "3,400". */
static void append_grouped(uint64_t number, struct buffer *out)
{
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, number);

	for (int i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			buffer_append_byte(out, ',');
		buffer_append_byte(out, digits[i]);
	}
}

static void append_count(uint64_t count, const char *noun, struct buffer *out)
{
	append_grouped(count, out);
	buffer_printf(out, " %s%s", noun, count == 1 ? "" : "s");
}

/* Count sites that have URLs due or scheduled. */
static uint64_t count_crawling(struct txn *txn)
{
	struct scan scan =
		scan_begin(txn, TABLE_SITES, (struct slice){NULL, 0});
	struct site_row row;
	uint64_t count = 0;

	while (scan_next(&scan))
		count += site_decode(scan.value, &row) && row.pending_count > 0;
	scan_end(&scan);
	return count;
}

void status_line(struct store *store, struct buffer *out)
{
	struct store_usage usage;
	struct txn txn;
	uint64_t crawling;

	if (store_usage(store, &usage) != ERR_NONE)
		return;
	txn = txn_begin_read(store);
	crawling = count_crawling(&txn);
	if (txn_end(&txn) != ERR_NONE)
		return;
	append_count(usage.rows[TABLE_SITES], "site", out);
	buffer_append_text(out, ", ");
	append_count(usage.rows[TABLE_RECORDS], "page", out);
	buffer_append_text(out, ", ");
	append_grouped(crawling, out);
	buffer_append_text(out, " crawling");
}
