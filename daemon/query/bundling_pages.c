#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "base/sorted.h"
#include "daemon/query/bundling_parts.h"
#include "daemon/query/stored_site.h"
#include "store/content.h"
#include "store/key.h"
#include "store/record.h"

/* A set of hashes; those after `distinct` may be duplicates. */
struct hash_list {
	uint64_t *items; /* [count] */
	size_t count;
	size_t capacity;
	size_t distinct; /* this many at the front are strictly ascending */
};

static void make_distinct(struct hash_list *list)
{
	size_t count = 0;

	if (list->count > 1)
		qsort(list->items, list->count, sizeof(*list->items),
		      order_u64);
	for (size_t i = 0; i < list->count; i++)
		if (count == 0 || list->items[i] != list->items[count - 1])
			list->items[count++] = list->items[i];
	list->count = count;
	list->distinct = count;
}

/* A stored page with content. */
struct content {
	struct known_page known;
	struct record record; /* of a page in a cluster, otherwise empty */
	struct buffer bytes;  /* bytes of the record, or empty */
};

/*
 * Read a page; false if it has no content, or after an error. Free the bytes
 * with buffer_free().
 */
static bool read_content(struct bundle_exporter *bundler,
			 const struct scan *scan, struct content *content)
{
	uint64_t page = key_u64(scan->key, sizeof(uint32_t));
	struct page_row row;

	*content = (struct content){0};
	if (!page_row_decode(scan->value, &row)) {
		txn_fail(bundler->txn, ERR_CORRUPT);
		return false;
	}
	content->known = stored_site_known_page(page, &row);
	if (row.redirect.size > 0 || row.cluster == 0)
		return row.redirect.size == 0;
	if (content_record(bundler->txn, bundler->site.id, page,
			   &content->bytes, &content->record) == ERR_NONE)
		return true;
	buffer_free(&content->bytes);
	txn_fail(bundler->txn, ERR_CORRUPT);
	return false;
}

/* Call `take` for every page with content, ascending by key. */
static void each_page(struct bundle_exporter *bundler,
		      struct hash_list *fragments,
		      void (*take)(struct bundle_exporter *bundler,
				   const struct content *content,
				   struct hash_list *fragments))
{
	struct key prefix = key_site(bundler->site.id);
	struct scan scan =
		scan_begin(bundler->txn, TABLE_PAGES, key_slice(&prefix));
	struct content content;

	while (!bundle_exporter_has_failed(bundler) && scan_next(&scan))
		if (read_content(bundler, &scan, &content)) {
			take(bundler, &content, fragments);
			buffer_free(&content.bytes);
		}
	scan_end(&scan);
}

/* Add the hashes; sort the list whenever its size has doubled. */
static void bundle_export_collect_hashes(struct bundle_exporter *bundler,
					 const struct content *content,
					 struct hash_list *list)
{
	const struct record *record = &content->record;

	for (uint32_t i = 0; i < record->fragment_count; i++) {
		list->items = mem_grow(list->items, list->count,
				       &list->capacity, sizeof(*list->items));
		list->items[list->count++] = record->fragments[i].hash;
	}
	if (list->count / 2 > list->distinct + record->fragment_count)
		make_distinct(list);
	if (list->distinct * sizeof(*list->items) >
	    bundler->bundling->max_bytes)
		txn_fail(bundler->txn, ERR_TOO_LARGE);
}

static void bundle_export_page(struct bundle_exporter *bundler,
			       const struct content *content,
			       struct hash_list *fragments)
{
	const struct record *record = &content->record;
	uint32_t *indices =
		mem_alloc(record->fragment_count + 1U, sizeof(*indices));

	for (uint32_t i = 0; i < record->fragment_count; i++)
		indices[i] = (uint32_t)sorted_find(fragments->items,
						   fragments->count,
						   record->fragments[i].hash);
	bundle_put_page(&bundler->writer, &content->known, indices,
			record->fragment_count);
	free(indices);
}

void bundle_exporter_put_pages(struct bundle_exporter *bundler)
{
	struct hash_list fragments = {0};

	each_page(bundler, &fragments, bundle_export_collect_hashes);
	make_distinct(&fragments);
	bundle_put_fragments(&bundler->writer, fragments.items,
			     fragments.count);
	each_page(bundler, &fragments, bundle_export_page);
	free(fragments.items);
}
