/*
 * Which dictionaries exist, which ones are needed, and the pages that they are
 * made of.
 */
#include "daemon/engine/packing_parts.h"

#include <stdlib.h>

#include "base/lower_bound.h"
#include "base/memory.h"
#include "store/content.h"
#include "store/record_slim.h"
#include "store/rows_cluster.h"
#include "store/rows_dictionary.h"
#include "store/rows_page.h"

enum {
	MAX_MADE = 4, /* per step */
	MAX_LOOKED =
		4096, /* number of members that typical pages are chosen from */
	TYPICAL_PAGES = 4,   /* maximum per dictionary */
	PAGES_FOR_TWO = 8,   /* a smaller cluster uses one page */
	PAGES_FOR_ALL = 16,  /* a smaller cluster uses two pages */
	MIN_DRIFTED = 8,     /* newer pages */
	WORSE_PERCENT = 125, /* of the earlier ratio: newer pages differ from
				the dictionary */
};

struct stored_dictionary *
packing_dictionary_find(const struct packing_site *site, uint32_t number)
{
	size_t at;

	LOWER_BOUND(at, site->count, site->items[at].number < number);
	return at < site->count && site->items[at].number == number
		       ? &site->items[at]
		       : NULL;
}

/* Return the newest dictionary of the cluster, or NULL. */
static struct stored_dictionary *newest_of(const struct packing_site *site,
					   uint32_t cluster)
{
	size_t end;

	LOWER_BOUND(end, site->count,
		    site->items[site->by_cluster[end]].cluster <= cluster);
	if (end == 0)
		return NULL;
	end = site->by_cluster[end - 1];
	return site->items[end].cluster == cluster ? &site->items[end] : NULL;
}

struct stored_dictionary *packing_dictionary_of(const struct packing_site *site,
						uint32_t cluster)
{
	struct stored_dictionary *one = newest_of(site, cluster);

	return one != NULL && one->is_current ? one : NULL;
}

static void packing_site_read_rows(struct txn *txn, uint32_t site,
				   struct packing_site *known)
{
	struct key prefix = key_site(site);
	struct scan scan =
		scan_begin(txn, TABLE_DICTIONARIES, key_slice(&prefix));
	struct dictionary_row row;

	while (scan_next(&scan)) {
		if (!dictionary_row_decode(scan.value, &row))
			continue; /* verify reports it */
		known->items =
			mem_grow(known->items, known->count, &known->capacity,
				 sizeof(*known->items));
		known->items[known->count++] = (struct stored_dictionary){
			.number = key_u32(scan.key, sizeof(uint32_t)),
			.cluster = row.cluster,
			.created_ms = row.created_ms,
		};
	}
	scan_end(&scan);
}

/* A cluster and an index, for sorting. */
struct dictionary_position {
	uint32_t cluster;
	uint32_t place;
};

static int dictionary_compare_clusters(const void *left, const void *right)
{
	const struct dictionary_position *a = left;
	const struct dictionary_position *b = right;

	if (a->cluster != b->cluster)
		return a->cluster < b->cluster ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

static void packing_site_sort(struct packing_site *known)
{
	struct dictionary_position *placed =
		mem_alloc(known->count, sizeof(*placed));

	known->by_cluster = mem_alloc(known->count, sizeof(uint32_t));
	for (size_t i = 0; i < known->count; i++)
		placed[i] = (struct dictionary_position){
			known->items[i].cluster, (uint32_t)i};
	if (known->count > 1)
		qsort(placed, known->count, sizeof(*placed),
		      dictionary_compare_clusters);
	for (size_t i = 0; i < known->count; i++)
		known->by_cluster[i] = placed[i].place;
	free(placed);
}

struct packing_site *packing_site_read(struct txn *txn, uint32_t site)
{
	struct packing_site *known = mem_alloc(1, sizeof(*known));
	uint32_t most = 0;

	packing_site_read_rows(txn, site, known);
	packing_site_sort(known);
	for (size_t i = 0; i < known->count; i++) {
		struct stored_dictionary *one = &known->items[i];
		struct cluster_row row;

		one->is_current =
			newest_of(known, one->cluster) == one &&
			cluster_row_get(txn, site, one->cluster, &row);
		if (one->is_current && row.page_count > most) {
			most = row.page_count;
			known->common = one->number;
		}
	}
	return known;
}

void packing_site_free(struct packing_site *site)
{
	if (site == NULL)
		return;
	for (size_t i = 0; i < MAX_PACKERS; i++)
		packer_destroy(site->packers[i].packer);
	free(site->by_cluster);
	free(site->items);
	free(site);
}

/* A page whose bytes may go into the dictionary. */
struct typical {
	uint64_t page;
	uint32_t body_bytes;
};

static int by_size(const void *left, const void *right)
{
	const struct typical *a = left;
	const struct typical *b = right;

	if (a->body_bytes != b->body_bytes)
		return a->body_bytes < b->body_bytes ? -1 : 1;
	return (a->page > b->page) - (a->page < b->page);
}

/* Find the members whose bodies are stored; `pages` is [MAX_LOOKED]. */
static size_t find_members(struct txn *txn, uint32_t site, uint32_t cluster,
			   struct typical *pages)
{
	struct key prefix = key_cluster(site, cluster);
	struct scan scan = scan_begin(txn, TABLE_MEMBERS, key_slice(&prefix));
	struct page_row row;
	size_t count = 0;

	while (count < MAX_LOOKED && scan_next(&scan)) {
		uint64_t page = key_u64(scan.key, 2 * sizeof(uint32_t));

		if (page_row_get(txn, site, page, &row) &&
		    (row.flags & PAGE_ROW_HAS_NO_BODY) == 0)
			pages[count++] = (struct typical){page, row.body_bytes};
	}
	scan_end(&scan);
	return count;
}

/* The pages of a dictionary, the most typical one first. */
struct dictionary_pages {
	struct typical pages[TYPICAL_PAGES]; /* [count] */
	size_t count;
};

/*
 * Choose pages by size: the median, a larger one, a smaller one and one of the
 * largest; fewer for a small cluster, whose dictionary must not be larger than
 * its savings.
 */
static struct dictionary_pages
dictionary_choose_pages(const struct typical *pages, size_t count)
{
	static const size_t tenths[TYPICAL_PAGES] = {5, 8, 2, 9};
	struct dictionary_pages chosen = {.count = 1};

	if (count >= PAGES_FOR_TWO)
		chosen.count = count < PAGES_FOR_ALL ? 2 : TYPICAL_PAGES;
	for (size_t i = 0; i < chosen.count; i++)
		chosen.pages[i] = pages[count * tenths[i] / 10];
	return chosen;
}

/*
 * Return the stored content of the page, a record in packed form
 * (store/record_pack.h); empty if it cannot be read.
 */
static struct buffer dictionary_read_content(struct txn *txn, enum table table,
					     uint32_t site,
					     const struct typical *page)
{
	struct key key = key_page(site, page->page);
	struct slice value = txn_get(txn, table, key_slice(&key));
	struct buffer bytes = {0};
	struct buffer slim = {0};

	if (value.data != NULL)
		content_unpack(txn, (struct content_source){table, site}, value,
			       table == TABLE_BODIES ? page->body_bytes
						     : CONTENT_MAX_RECORD_BYTES,
			       &bytes);
	if (table == TABLE_BODIES)
		return bytes;
	record_pack(buffer_slice(&bytes), &slim);
	buffer_free(&bytes);
	return slim;
}

/*
 * Join the pages, the most typical one at the end, where it is nearest to the
 * data, and complete: every page would repeat a missing part. The others share
 * the remaining space. A line feed at the start prevents page bytes from being
 * read as a header (base/compress.h).
 */
static struct buffer
dictionary_join_pages(struct txn *txn, enum table table, uint32_t site,
		      const struct dictionary_pages *chosen)
{
	struct buffer parts[TYPICAL_PAGES];
	struct buffer bytes = {0};
	size_t used = 0;

	for (size_t i = 0; i < chosen->count; i++) {
		size_t room = DICTIONARY_MAX_BYTES - 1 - used;

		parts[i] = dictionary_read_content(txn, table, site,
						   &chosen->pages[i]);
		if (parts[i].size > room)
			parts[i].size = room;
		used += parts[i].size;
	}
	buffer_append_byte(&bytes, '\n');
	for (size_t i = chosen->count; i-- > 0;) {
		buffer_append(&bytes, parts[i].data, parts[i].size);
		buffer_free(&parts[i]);
	}
	return bytes;
}

static uint32_t dictionary_compress(struct buffer *bytes, struct buffer *packed)
{
	uint32_t size = (uint32_t)bytes->size;

	compress_well(buffer_slice(bytes), packed);
	buffer_free(bytes);
	return size;
}

/* Make a dictionary for the cluster, if enough of its pages are stored. */
static void dictionary_create(const struct packing_walk *walk, struct txn *txn,
			      uint32_t cluster, struct packing *packing)
{
	struct typical *pages = mem_alloc(MAX_LOOKED, sizeof(*pages));
	size_t count = find_members(txn, walk->site, cluster, pages);
	struct dictionary_pages chosen;
	struct dictionary_row row = {.created_ms = walk->now_ms,
				     .cluster = cluster};
	struct buffer packed[2] = {{0}, {0}};
	struct buffer bytes;

	if (count >= PACKING_MIN_PAGES) {
		qsort(pages, count, sizeof(*pages), by_size);
		chosen = dictionary_choose_pages(pages, count);
		bytes = dictionary_join_pages(txn, TABLE_BODIES, walk->site,
					      &chosen);
		row.body_bytes = dictionary_compress(&bytes, &packed[0]);
		bytes = dictionary_join_pages(txn, TABLE_RECORDS, walk->site,
					      &chosen);
		row.record_bytes = dictionary_compress(&bytes, &packed[1]);
		row.bodies = buffer_slice(&packed[0]);
		row.records = buffer_slice(&packed[1]);
		packing_add(packing, TABLE_DICTIONARIES,
			    key_cluster(walk->site, cluster))
			->value = dictionary_row_encode(&row);
	}
	buffer_free(&packed[0]);
	buffer_free(&packed[1]);
	free(pages);
}

void packing_make_dictionaries(const struct packing_walk *walk, struct txn *txn,
			       struct packing *packing)
{
	struct key prefix = key_site(walk->site);
	struct scan scan = scan_begin(txn, TABLE_CLUSTERS, key_slice(&prefix));
	struct cluster_row row;

	while (packing->count < MAX_MADE && scan_next(&scan)) {
		uint32_t cluster = key_u32(scan.key, sizeof(uint32_t));

		if (cluster_row_decode(scan.value, &row) &&
		    row.page_count >= PACKING_MIN_PAGES &&
		    packing_dictionary_of(walk->known, cluster) == NULL)
			dictionary_create(walk, txn, cluster, packing);
	}
	scan_end(&scan);
}

/* Return per mille of the source. */
static uint64_t dictionary_ratio(uint64_t packed, uint64_t source)
{
	return source == 0 ? 0 : packed * 1000 / source;
}

static bool has_drifted(const struct stored_dictionary *one)
{
	if (!one->is_current || one->since.pages < MIN_DRIFTED ||
	    one->since.pages < one->before.pages)
		return false;
	return one->before.pages == 0 ||
	       dictionary_ratio(one->since.packed, one->since.source) * 100 >
		       dictionary_ratio(one->before.packed,
					one->before.source) *
			       WORSE_PERCENT;
}

void packing_replace_dictionaries(const struct packing_walk *walk,
				  struct txn *txn, struct packing *packing)
{
	const struct packing_site *known = walk->known;

	for (size_t i = 0; i < known->count && packing->count < MAX_MADE; i++)
		if (has_drifted(&known->items[i]))
			dictionary_create(walk, txn, known->items[i].cluster,
					  packing);
}
