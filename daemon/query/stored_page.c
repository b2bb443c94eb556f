#include "daemon/query/stored_page.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/memory.h"
#include "daemon/privsep/item_list.h"
#include "daemon/privsep/page_list.h"
#include "store/content.h"
#include "store/key.h"
#include "store/record.h"

struct slice stored_page_title(struct arena *arena, struct txn *txn,
			       uint32_t site, uint64_t page)
{
	struct slice title = {NULL, 0};
	struct buffer bytes = {0};
	struct record record;

	if (content_record(txn, site, page, &bytes, &record) == ERR_NONE)
		title = (struct slice){record.title.size == 0
					       ? ""
					       : arena_copy(arena,
							    record.title.data,
							    record.title.size),
				       record.title.size};
	buffer_free(&bytes);
	return title;
}

enum error stored_page_body(const struct stored_pages *from, uint64_t key,
			    const struct page_row *row, struct buffer *out)
{
	enum error error =
		content_body(from->txn, from->site, key, row->body_bytes, out);

	if (error != ERR_NOT_FOUND)
		return error;
	return (row->flags & PAGE_ROW_HAS_NO_BODY) != 0 ? ERR_BODY_EXPIRED
							: ERR_CORRUPT;
}

enum error stored_page_append(const struct stored_pages *from, uint64_t key,
			      const struct page_row *row, struct buffer *list)
{
	struct buffer body = {0};
	enum error error = stored_page_body(from, key, row, &body);

	if (error == ERR_NONE) {
		item_append(list, buffer_slice(&body));
		item_append(list, row->charset);
	}
	buffer_free(&body);
	return error;
}

enum error stored_page_parse(const struct stored_pages *from, uint64_t key,
			     const struct page_row *row, struct page **page_out)
{
	struct buffer body = {0};
	enum error error = stored_page_body(from, key, row, &body);

	if (error == ERR_NONE)
		error = sample_page_parse(buffer_slice(&body), row->charset,
					  from->limits, page_out);
	buffer_free(&body);
	return error;
}

/* A page of the cluster that may be in the sample. */
struct sample_candidate {
	uint64_t key;
	struct page_row row;
};

static bool sample_candidate_precedes(const struct sample_candidate *a,
				      const struct sample_candidate *b)
{
	return a->row.content_hash != b->row.content_hash
		       ? a->row.content_hash < b->row.content_hash
		       : a->key < b->key;
}

/* Insert it into the `count` first ones, sorted; return the new count. */
static uint32_t
sample_candidate_insert(struct sample_candidate *first, uint32_t count,
			uint32_t max_count,
			const struct sample_candidate *candidate)
{
	uint32_t at = count;

	if (count == max_count) {
		if (count == 0 ||
		    !sample_candidate_precedes(candidate, &first[count - 1]))
			return count;
		at--;
	} else {
		count++;
	}
	for (; at > 0 && sample_candidate_precedes(candidate, &first[at - 1]);
	     at--)
		first[at] = first[at - 1];
	first[at] = *candidate;
	return count;
}

/* Find the candidates with the lowest hashes; `first` is [max_count]. */
static uint32_t find_first(const struct stored_pages *from, uint32_t max_count,
			   struct sample_candidate *first)
{
	struct key prefix = key_cluster(from->site, from->cluster);
	struct scan scan =
		scan_begin(from->txn, TABLE_MEMBERS, key_slice(&prefix));
	uint32_t count = 0;

	while (scan_next(&scan)) {
		struct sample_candidate candidate = {
			.key = key_u64(scan.key, 2 * sizeof(uint32_t))};

		if (page_row_get(from->txn, from->site, candidate.key,
				 &candidate.row) &&
		    (candidate.row.flags & PAGE_ROW_HAS_NO_BODY) == 0)
			count = sample_candidate_insert(first, count, max_count,
							&candidate);
	}
	scan_end(&scan);
	return count;
}

uint32_t stored_pages_find(const struct stored_pages *from, uint32_t max_count,
			   uint64_t *keys_out)
{
	struct sample_candidate *first = mem_alloc(max_count, sizeof(*first));
	uint32_t count = find_first(from, max_count, first);

	for (uint32_t i = 0; i < count; i++)
		keys_out[i] = first[i].key;
	free(first);
	return count;
}

uint32_t stored_sample_find(const struct stored_pages *from, uint32_t max_count,
			    uint64_t max_bytes, uint64_t *keys_out)
{
	struct sample_candidate *first = mem_alloc(max_count, sizeof(*first));
	uint32_t found = find_first(from, max_count, first);
	uint64_t bytes = 0;
	uint32_t count = 0;

	for (; count < found && (count < 2 || bytes <= max_bytes); count++) {
		keys_out[count] = first[count].key;
		bytes += first[count].row.body_bytes;
	}
	free(first);
	return count;
}

uint32_t stored_pages_sample(const struct stored_pages *from,
			     uint32_t max_count, uint64_t max_bytes,
			     struct page **pages_out)
{
	struct sample_candidate *first = mem_alloc(max_count, sizeof(*first));
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

enum error stored_sample_append(const struct stored_pages *from,
				uint32_t max_count, uint64_t max_bytes,
				struct buffer *list)
{
	struct sample_candidate *first = mem_alloc(max_count, sizeof(*first));
	uint32_t found = find_first(from, max_count, first);
	uint64_t bytes = 0;
	uint32_t count = 0;
	enum error failure = ERR_BODY_EXPIRED;

	for (uint32_t i = 0; i < found && (count < 2 || bytes <= max_bytes);
	     i++) {
		enum error error = stored_page_append(from, first[i].key,
						      &first[i].row, list);

		if (error != ERR_NONE) {
			failure = error;
			continue;
		}
		bytes += first[i].row.body_bytes;
		count++;
	}
	free(first);
	if (count == 0 && from->txn->error != ERR_NONE)
		failure = from->txn->error;
	return count == 0 ? failure : ERR_NONE;
}
