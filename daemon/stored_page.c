#include "daemon/stored_page.h"

#include "store/compress.h"

enum error stored_page_parse(const struct stored_pages *from, uint64_t key,
			     const struct page_row *row, struct page **page_out)
{
	struct key name = key_page(from->site, key);
	struct slice packed =
		txn_get(from->txn, TABLE_BODIES, key_slice(&name));
	struct page_limits wide = *from->limits;
	struct buffer body = {0};
	enum error error = ERR_CORRUPT;

	if (wide.max_bytes < row->body_bytes)
		wide.max_bytes = row->body_bytes;
	if (packed.data != NULL)
		error = decompress(packed, row->body_bytes, &body);
	if (error == ERR_NONE)
		error = page_parse(page_out, buffer_slice(&body), row->charset,
				   &wide);
	buffer_free(&body);
	return error;
}

uint32_t stored_pages_sample(const struct stored_pages *from,
			     uint32_t max_count, uint64_t max_bytes,
			     struct page **pages_out)
{
	struct key prefix = key_cluster(from->site, from->cluster);
	struct scan scan =
		scan_begin(from->txn, TABLE_MEMBERS, key_slice(&prefix));
	uint64_t bytes = 0;
	uint32_t count = 0;

	while (count < max_count && (count < 2 || bytes <= max_bytes) &&
	       scan_next(&scan)) {
		uint64_t key = key_u64(scan.key, 2 * sizeof(uint32_t));
		struct page_row row;

		if (!page_row_get(from->txn, from->site, key, &row) ||
		    stored_page_parse(from, key, &row, &pages_out[count]) !=
			    ERR_NONE)
			continue;
		bytes += row.body_bytes;
		count++;
	}
	scan_end(&scan);
	return count;
}
