#include "store/check.h"

#include <inttypes.h>

#include "base/compress.h"
#include "base/hash.h"
#include "store/key.h"
#include "store/rows_poison.h"

static const char *wrong_in(const struct quarantine_row *row, uint64_t page)
{
	struct buffer body = {0};
	const char *wrong = NULL;

	if (page_key_of(row->url) != page)
		wrong = "has another URL";
	else if (decompress_slice(row->body, (size_t)row->body_bytes, &body) !=
			 ERR_NONE ||
		 body.size != row->body_bytes ||
		 hash64(body.data, body.size, 0) != row->content_hash)
		wrong = "has a damaged body";
	buffer_free(&body);
	return wrong;
}

void verify_quarantine_table(const struct table_check *check)
{
	struct key prefix = key_site(check->site->id);
	struct scan scan =
		scan_begin(check->txn, TABLE_QUARANTINE, key_slice(&prefix));
	struct quarantine_row row;

	while (scan_next(&scan)) {
		uint64_t page = key_u64(scan.key, sizeof(uint32_t));
		const char *wrong = "is damaged";

		if (scan.key.size == 12 &&
		    quarantine_row_decode(scan.value, &row))
			wrong = wrong_in(&row, page);
		if (wrong != NULL)
			verify_problem(check->report,
				       CHECK_SITE
				       "the quarantined page %016" PRIx64 " %s",
				       CHECK_HOST(check), page, wrong);
	}
	scan_end(&scan);
}
