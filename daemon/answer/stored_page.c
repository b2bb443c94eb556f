#include "daemon/answer/stored_page.h"

#include <stdlib.h>

#include "store/arena.h"
#include "store/compress.h"
#include "store/key.h"
#include "store/memory.h"
#include "store/record.h"

struct slice stored_page_title(struct arena *arena, struct txn *txn,
			       uint32_t site, uint64_t page)
{
	struct key key = key_page(site, page);
	struct slice value = txn_get(txn, TABLE_RECORDS, key_slice(&key));
	struct slice title = {NULL, 0};
	struct record record;
	void *copy;

	if (value.data == NULL)
		return title;
	copy = record_copy(value);
	if (record_open((struct slice){copy, value.size}, &record) == ERR_NONE)
		title = (struct slice){record.title.size == 0
					       ? ""
					       : arena_copy(arena,
							    record.title.data,
							    record.title.size),
				       record.title.size};
	free(copy);
	return title;
}

enum error stored_page_body(const struct stored_pages *from, uint64_t key,
			    const struct page_row *row, struct buffer *out)
{
	struct key name = key_page(from->site, key);
	struct slice packed =
		txn_get(from->txn, TABLE_BODIES, key_slice(&name));

	if (packed.data != NULL)
		return decompress(packed, row->body_bytes, out);
	return (row->flags & PAGE_ROW_HAS_NO_BODY) != 0 ? ERR_NOT_KEPT
							: ERR_CORRUPT;
}

enum error packed_page_read(const struct stored_pages *from, uint64_t key,
			    const struct page_row *row,
			    struct packed_page *page_out)
{
	struct key name = key_page(from->site, key);
	struct slice packed =
		txn_get(from->txn, TABLE_BODIES, key_slice(&name));

	*page_out = (struct packed_page){.packed_bytes = packed.size,
					 .body_bytes = row->body_bytes};
	if (packed.data == NULL)
		return (row->flags & PAGE_ROW_HAS_NO_BODY) != 0 ? ERR_NOT_KEPT
								: ERR_CORRUPT;
	buffer_append_slice(&page_out->bytes, packed);
	buffer_append_slice(&page_out->bytes, row->charset);
	return ERR_NONE;
}

enum error packed_page_parse(const struct packed_page *packed,
			     const struct page_limits *limits,
			     struct page **page_out)
{
	const struct slice bytes = {packed->bytes.data, packed->packed_bytes};
	const struct slice charset = {packed->bytes.data + packed->packed_bytes,
				      packed->bytes.size -
					      packed->packed_bytes};
	struct page_limits wide = *limits;
	struct buffer body = {0};
	enum error error = decompress(bytes, packed->body_bytes, &body);

	if (wide.max_bytes < packed->body_bytes)
		wide.max_bytes = packed->body_bytes;
	if (error == ERR_NONE)
		error = page_parse(page_out, buffer_slice(&body), charset,
				   &wide);
	buffer_free(&body);
	return error;
}

void packed_page_free(struct packed_page *packed)
{
	buffer_free(&packed->bytes);
}

enum error stored_page_parse(const struct stored_pages *from, uint64_t key,
			     const struct page_row *row, struct page **page_out)
{
	struct packed_page packed;
	enum error error = packed_page_read(from, key, row, &packed);

	if (error == ERR_NONE)
		error = packed_page_parse(&packed, from->limits, page_out);
	packed_page_free(&packed);
	return error;
}

/* A page of the cluster that may be one of the sample. */
struct candidate {
	uint64_t key;
	struct page_row row;
};

static bool precedes(const struct candidate *a, const struct candidate *b)
{
	return a->row.content_hash != b->row.content_hash
		       ? a->row.content_hash < b->row.content_hash
		       : a->key < b->key;
}

/* Insert it among the `count` first ones, sorted; returns the new count. */
static uint32_t insert(struct candidate *first, uint32_t count,
		       uint32_t max_count, const struct candidate *candidate)
{
	uint32_t at = count;

	if (count == max_count) {
		if (count == 0 || !precedes(candidate, &first[count - 1]))
			return count;
		at--;
	} else {
		count++;
	}
	for (; at > 0 && precedes(candidate, &first[at - 1]); at--)
		first[at] = first[at - 1];
	first[at] = *candidate;
	return count;
}

/* The candidates with the lowest hashes; `first` is [max_count]. */
static uint32_t find_first(const struct stored_pages *from, uint32_t max_count,
			   struct candidate *first)
{
	struct key prefix = key_cluster(from->site, from->cluster);
	struct scan scan =
		scan_begin(from->txn, TABLE_MEMBERS, key_slice(&prefix));
	uint32_t count = 0;

	while (scan_next(&scan)) {
		struct candidate candidate = {
			.key = key_u64(scan.key, 2 * sizeof(uint32_t))};

		if (page_row_get(from->txn, from->site, candidate.key,
				 &candidate.row) &&
		    (candidate.row.flags & PAGE_ROW_HAS_NO_BODY) == 0)
			count = insert(first, count, max_count, &candidate);
	}
	scan_end(&scan);
	return count;
}

uint32_t stored_pages_find(const struct stored_pages *from, uint32_t max_count,
			   uint64_t *keys_out)
{
	struct candidate *first = mem_alloc(max_count, sizeof(*first));
	uint32_t count = find_first(from, max_count, first);

	for (uint32_t i = 0; i < count; i++)
		keys_out[i] = first[i].key;
	free(first);
	return count;
}

uint32_t stored_pages_sample(const struct stored_pages *from,
			     uint32_t max_count, uint64_t max_bytes,
			     struct page **pages_out)
{
	struct candidate *first = mem_alloc(max_count, sizeof(*first));
	uint32_t found = find_first(from, max_count, first);
	uint64_t bytes = 0;
	uint32_t count = 0;

	for (uint32_t i = 0; i < found && (count < 2 || bytes <= max_bytes);
	     i++) {
		if (stored_page_parse(from, first[i].key, &first[i].row,
				      &pages_out[count]) != ERR_NONE)
			continue;
		bytes += first[i].row.body_bytes;
		count++;
	}
	free(first);
	return count;
}

uint32_t packed_sample_read(const struct stored_pages *from, uint32_t max_count,
			    uint64_t max_bytes, struct packed_page *pages_out)
{
	struct candidate *first = mem_alloc(max_count, sizeof(*first));
	uint32_t found = find_first(from, max_count, first);
	uint64_t bytes = 0;
	uint32_t count = 0;

	for (uint32_t i = 0; i < found && (count < 2 || bytes <= max_bytes);
	     i++) {
		if (packed_page_read(from, first[i].key, &first[i].row,
				     &pages_out[count]) != ERR_NONE)
			continue;
		bytes += first[i].row.body_bytes;
		count++;
	}
	free(first);
	return count;
}

uint32_t packed_sample_parse(struct packed_page *packed, uint32_t count,
			     const struct page_limits *limits,
			     struct page **pages_out)
{
	uint32_t parsed = 0;

	for (uint32_t i = 0; i < count; i++) {
		parsed += packed_page_parse(&packed[i], limits,
					    &pages_out[parsed]) == ERR_NONE;
		packed_page_free(&packed[i]);
	}
	return parsed;
}
