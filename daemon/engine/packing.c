#include "daemon/engine/packing.h"

#include <stdlib.h>

#include "base/compress.h"
#include "base/hash.h"
#include "base/memory.h"
#include "daemon/engine/commit.h"
#include "daemon/engine/sites.h"
#include "store/content.h"
#include "store/key.h"
#include "store/partitions.h"
#include "store/record.h"
#include "store/rows.h"
#include "store/store.h"

struct packed_pages {
	uint32_t pages;
	uint64_t packed; /* size after compression, in bytes */
	uint64_t source;
};

/* A stored dictionary; its bytes are not read. */
struct stored_dictionary {
	uint32_t number;
	uint32_t cluster;
	uint64_t created_ms;
	/* it is the newest dictionary of a cluster that still exists */
	bool is_current;
	/* this walk has found a value that is compressed with it */
	bool is_used;
	/*
	 * counts of the bodies that are compressed with it: bodies that are
	 * older than the dictionary, and newer ones
	 */
	struct packed_pages before;
	struct packed_pages since;
};

enum { MAX_PACKERS = 16 };

/* A packer that is kept for the next page with the same dictionary. */
struct cached_packer {
	uint32_t dictionary;
	enum table table;
	struct packer *packer;
};

struct packing_site {
	struct stored_dictionary *items; /* [count], ascending by number */
	size_t count;
	size_t capacity;
	uint64_t *by_cluster; /* [count], ascending: cluster << 32 | index in
				 `items` */
	/*
	 * number of the dictionary for pages whose cluster has none; 0 = none
	 */
	uint32_t common;
	struct cached_packer packers[MAX_PACKERS];
	size_t next_packer; /* index of the packer to replace next */
};

enum { MAX_ROWS_READ = 4096 }; /* rows that one step reads */

enum stage {
	STAGE_MAKE,
	STAGE_BODIES,
	STAGE_RECORDS,
	STAGE_SAMPLE_PAGES,
	STAGE_MAKE_ANEW,
	STAGE_DROP,
	STAGES
};

void packing_free(struct packing *packing)
{
	for (size_t i = 0; i < packing->count; i++)
		buffer_free(&packing->rows[i].value);
	free(packing->rows);
	*packing = (struct packing){0};
}

/* Add a row with an empty value to the result, and return it. */
static struct pack_row *packing_add(struct packing *packing, enum table table,
				    struct key key)
{
	packing->rows = mem_grow(packing->rows, packing->count,
				 &packing->capacity, sizeof(*packing->rows));
	packing->rows[packing->count] =
		(struct pack_row){.table = table, .key = key};
	return &packing->rows[packing->count++];
}

/*
 * Functions that decide which dictionaries are missing or outdated, and that
 * choose the pages for a new dictionary.
 */

enum {
	MAX_MADE = 4, /* dictionaries that one step makes */
	/*
	 * maximum number of members among which typical pages are searched for
	 */
	MAX_LOOKED = 4096,
	TYPICAL_PAGES = 4, /* maximum pages of a dictionary */
	/* maximum size of a dictionary with more than its most typical page */
	OTHER_PAGES_BYTES = 256 << 10,
	PAGES_FOR_TWO = 8, /* a cluster with fewer pages uses one page */
	/* minimum newer bodies before a dictionary may be replaced */
	MIN_DRIFTED = 8,
	/*
	 * a dictionary is replaced if newer bodies compress to more than this
	 * percentage of the size of older ones; the pages in the dictionary are
	 * among these and take almost nothing
	 */
	WORSE_PERCENT = 150,
	/* newer bodies never need a new one if they compress to so little */
	GOOD_PERMILLE = 5,
	/* if there are no older ones, newer ones must be as large as this */
	POOR_PERMILLE = 100,
};

/* Return the dictionary with this number, or NULL. */
static struct stored_dictionary *
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

	LOWER_BOUND(end, site->count, site->by_cluster[end] >> 32 <= cluster);
	if (end == 0)
		return NULL;
	end = (uint32_t)site->by_cluster[end - 1];
	return site->items[end].cluster == cluster ? &site->items[end] : NULL;
}

/* Return the current dictionary of the cluster, or NULL. */
static struct stored_dictionary *
packing_dictionary_of(const struct packing_site *site, uint32_t cluster)
{
	struct stored_dictionary *one = newest_of(site, cluster);

	return one != NULL && one->is_current ? one : NULL;
}

static void packing_site_read_rows(struct txn *txn, uint32_t site,
				   struct packing_site *known)
{
	struct scan scan = scan_site(txn, TABLE_DICTIONARIES, site);
	struct dictionary_row row;

	while (scan_next(&scan)) {
		if (!dictionary_row_decode(scan.value, &row))
			continue; /* verify reports this damaged row */
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

/* Read the list of the site's dictionaries. */
static struct packing_site *packing_site_read(struct txn *txn, uint32_t site)
{
	struct packing_site *known = mem_alloc(1, sizeof(*known));
	uint32_t most = 0;

	packing_site_read_rows(txn, site, known);
	known->by_cluster = mem_alloc(known->count + 1, sizeof(uint64_t));
	for (size_t i = 0; i < known->count; i++)
		known->by_cluster[i] =
			(uint64_t)known->items[i].cluster << 32 | i;
	qsort(known->by_cluster, known->count, sizeof(uint64_t), order_u64);
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

static void packing_site_free(struct packing_site *site)
{
	if (site == NULL)
		return;
	for (size_t i = 0; i < MAX_PACKERS; i++)
		packer_destroy(site->packers[i].packer);
	free(site->by_cluster);
	free(site->items);
	free(site);
}

/* A page whose content may become a part of a dictionary. */
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

/*
 * Write the members of the cluster whose bodies are stored to `pages`
 * [MAX_LOOKED]. Return their number.
 */
static size_t find_members(struct txn *txn, uint32_t site, uint32_t cluster,
			   struct typical *pages)
{
	struct scan scan = scan_cluster(txn, TABLE_MEMBERS, site, cluster);
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
 * Choose pages from `pages`, which are sorted by size: the median, a larger
 * one, a smaller one, and one of the largest. Choose fewer for a small cluster,
 * because its dictionary must not be larger than the space that it saves.
 */
static struct dictionary_pages
dictionary_choose_pages(const struct typical *pages, size_t count)
{
	static const size_t tenths[TYPICAL_PAGES] = {5, 8, 2, 9};
	struct dictionary_pages chosen = {.count = 1};

	if (count >= PAGES_FOR_TWO)
		chosen.count = count < PACKING_ENOUGH_PAGES ? 2 : TYPICAL_PAGES;
	for (size_t i = 0; i < chosen.count; i++)
		chosen.pages[i] = pages[count * tenths[i] / 10];
	return chosen;
}

/*
 * Return the stored content of the page: its source, or its record in packed
 * form (store/record.h). Return an empty buffer if it cannot be read.
 */
static struct buffer dictionary_read_content(struct txn *txn, enum table table,
					     uint32_t site,
					     const struct typical *page)
{
	struct buffer joined = {0};
	struct slice value = content_get(
		txn, table, KEY(key_page(site, page->page)), &joined);
	struct buffer bytes = {0};
	struct buffer slim = {0};

	if (value.data != NULL)
		content_unpack(txn, (struct content_source){table, site}, value,
			       table == TABLE_BODIES ? page->body_bytes
						     : CONTENT_MAX_RECORD_BYTES,
			       &bytes);
	buffer_free(&joined);
	if (table == TABLE_BODIES)
		return bytes;
	record_pack(buffer_slice(&bytes), &slim);
	buffer_free(&bytes);
	return slim;
}

void packing_begin_dictionary(struct buffer *out)
{
	buffer_append_byte(out, '\n');
}

/*
 * Join the pages to a dictionary. The most typical page is at the end, because
 * compression prefers the nearest text. This page is complete if possible:
 * every page that uses the dictionary would have to repeat a part that is
 * missing. The other pages share what is left of OTHER_PAGES_BYTES.
 */
static struct buffer
dictionary_join_pages(struct txn *txn, enum table table, uint32_t site,
		      const struct dictionary_pages *chosen)
{
	struct buffer parts[TYPICAL_PAGES];
	struct buffer bytes = {0};
	size_t used = 0;

	for (size_t i = 0; i < chosen->count; i++) {
		size_t most =
			i == 0 ? DICTIONARY_MAX_BYTES - 1 : OTHER_PAGES_BYTES;
		size_t room = used < most ? most - used : 0;

		parts[i] = dictionary_read_content(txn, table, site,
						   &chosen->pages[i]);
		if (parts[i].size > room)
			parts[i].size = room;
		used += parts[i].size;
	}
	packing_begin_dictionary(&bytes);
	for (size_t i = chosen->count; i-- > 0;) {
		buffer_append(&bytes, parts[i].data, parts[i].size);
		buffer_free(&parts[i]);
	}
	return bytes;
}

uint32_t packing_find_dictionary(struct txn *txn,
				 const struct cluster_name *name)
{
	struct scan scan = scan_site(txn, TABLE_DICTIONARIES, name->site);
	struct dictionary_row row;
	uint32_t number = 0;

	while (scan_next(&scan))
		if (dictionary_row_decode(scan.value, &row) &&
		    row.cluster == name->cluster)
			number = key_u32(scan.key, sizeof(uint32_t));
	scan_end(&scan);
	return number;
}

bool packing_join_dictionary(struct txn *txn, const struct cluster_name *name,
			     struct buffer *bodies, struct buffer *records)
{
	struct typical *pages = mem_alloc(MAX_LOOKED, sizeof(*pages));
	size_t count = find_members(txn, name->site, name->cluster, pages);
	struct dictionary_pages chosen;

	if (count >= PACKING_MIN_PAGES) {
		qsort(pages, count, sizeof(*pages), by_size);
		chosen = dictionary_choose_pages(pages, count);
		*bodies = dictionary_join_pages(txn, TABLE_BODIES, name->site,
						&chosen);
		*records = dictionary_join_pages(txn, TABLE_RECORDS, name->site,
						 &chosen);
	}
	free(pages);
	return count >= PACKING_MIN_PAGES;
}

void packing_compress_dictionary(struct dictionary_row *row,
				 struct buffer packed[static 2],
				 struct slice bodies, struct slice records)
{
	compress_well(bodies, &packed[0]);
	compress_well(records, &packed[1]);
	row->body_bytes = (uint32_t)bodies.size;
	row->record_bytes = (uint32_t)records.size;
	row->bodies = buffer_slice(&packed[0]);
	row->records = buffer_slice(&packed[1]);
}

/*
 * Add a new dictionary for the cluster to the result, if enough of its pages
 * are stored.
 */
static void dictionary_create(const struct packing_walk *walk, struct txn *txn,
			      uint32_t cluster, struct packing *packing)
{
	const struct cluster_name name = {walk->site, cluster};
	struct dictionary_row row = {.created_ms = walk->now_ms,
				     .cluster = cluster};
	struct buffer bodies = {0};
	struct buffer records = {0};
	struct buffer packed[2] = {{0}, {0}};

	if (packing_join_dictionary(txn, &name, &bodies, &records)) {
		packing_compress_dictionary(&row, packed, buffer_slice(&bodies),
					    buffer_slice(&records));
		packing_add(packing, TABLE_DICTIONARIES,
			    key_cluster(walk->site, cluster))
			->value = dictionary_row_encode(&row);
	}
	buffer_free(&packed[0]);
	buffer_free(&packed[1]);
	buffer_free(&bodies);
	buffer_free(&records);
}

/*
 * Make dictionaries for clusters that need one and have none. Make at most
 * MAX_MADE in one call.
 */
static void packing_make_dictionaries(const struct packing_walk *walk,
				      struct txn *txn, struct packing *packing)
{
	struct scan scan = scan_site(txn, TABLE_CLUSTERS, walk->site);
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

/* Return the compressed size in permille of the source size. */
static uint64_t dictionary_ratio(uint64_t packed, uint64_t source)
{
	return source == 0 ? 0 : packed * 1000 / source;
}

static bool has_drifted(const struct stored_dictionary *one)
{
	uint64_t now = dictionary_ratio(one->since.packed, one->since.source);

	if (!one->is_current || one->since.pages < MIN_DRIFTED ||
	    one->since.pages < one->before.pages)
		return false;
	if (one->before.pages == 0)
		return now > POOR_PERMILLE;
	return now > GOOD_PERMILLE &&
	       now * 100 > dictionary_ratio(one->before.packed,
					    one->before.source) *
				   WORSE_PERCENT;
}

/*
 * After a walk, make new dictionaries for clusters whose newer pages compress
 * worse than older ones.
 */
static void packing_replace_dictionaries(const struct packing_walk *walk,
					 struct txn *txn,
					 struct packing *packing)
{
	const struct packing_site *known = walk->known;

	for (size_t i = 0; i < known->count && packing->count < MAX_MADE; i++)
		if (has_drifted(&known->items[i]))
			dictionary_create(walk, txn, known->items[i].cluster,
					  packing);
}

/* Functions that compress the stored content of one table after another. */

/* One step of the walk through a table. */
struct packing_scan {
	struct packing_walk *walk;
	struct txn *txn;
	struct packing *packing;
	enum table table;
};

/* The content of a row, with its properties. */
struct packing_content {
	/* the bytes are in the memory map of the database */
	struct slice content;
	uint32_t cluster;
	uint32_t max_bytes;
	uint64_t stored_ms;
};

static bool find_content(const struct packing_scan *step, struct slice key,
			 struct slice value, struct packing_content *found_out)
{
	struct sample_page_row sample;
	struct page_row row;

	*found_out = (struct packing_content){
		.content = value, .max_bytes = CONTENT_MAX_RECORD_BYTES};
	if (step->table == TABLE_SAMPLE_PAGES) {
		if (!sample_page_row_decode(value, &sample))
			return false;
		found_out->content = sample.record;
		found_out->cluster = key_u32(key, sizeof(uint32_t));
		return true;
	}
	if (!page_row_get(step->txn, step->walk->site,
			  key_u64(key, sizeof(uint32_t)), &row))
		return false;
	found_out->cluster = row.cluster;
	found_out->stored_ms = row.stored_ms;
	if (step->table == TABLE_BODIES)
		found_out->max_bytes = row.body_bytes;
	return true;
}

/*
 * Return the number of the dictionary that the content of a page of `cluster`
 * should use. `now` is the number of the dictionary that it uses at present.
 */
static uint32_t packing_choose_dictionary(const struct packing_site *site,
					  uint32_t cluster, uint32_t now)
{
	const struct stored_dictionary *own =
		packing_dictionary_of(site, cluster);
	const struct stored_dictionary *has =
		packing_dictionary_find(site, now);

	if (own != NULL)
		return own->number;
	return has != NULL && has->is_current ? now : site->common;
}

static struct packer *packer_for(const struct packing_scan *step,
				 enum table table, uint32_t dictionary)
{
	struct packing_site *site = step->walk->known;
	struct cached_packer *kept = site->packers;
	struct buffer bytes = {0};

	for (size_t i = 0; i < MAX_PACKERS; i++)
		if (kept[i].packer != NULL && kept[i].table == table &&
		    kept[i].dictionary == dictionary)
			return kept[i].packer;
	if (dictionary != 0 &&
	    content_dictionary(step->txn, table, step->walk->site, dictionary,
			       &bytes) != ERR_NONE) {
		buffer_free(&bytes);
		return NULL;
	}
	kept += site->next_packer++ % MAX_PACKERS;
	packer_destroy(kept->packer);
	*kept = (struct cached_packer){
		.dictionary = dictionary,
		.table = table,
		.packer = packer_create(buffer_slice(&bytes),
					table == TABLE_BODIES ? LEVEL_SMALL
							      : LEVEL_SHORT),
	};
	buffer_free(&bytes);
	return kept->packer;
}

/*
 * Return the content compressed with dictionary number `dictionary`; an empty
 * buffer if that is impossible.
 */
static struct buffer packing_compress(const struct packing_scan *step,
				      const struct packing_content *found,
				      uint32_t dictionary)
{
	enum table table =
		step->table == TABLE_BODIES ? TABLE_BODIES : TABLE_RECORDS;
	struct packer *packer = packer_for(step, table, dictionary);
	struct buffer bytes = {0};
	struct buffer packed = {0};

	if (packer != NULL &&
	    content_unpack(
		    step->txn, (struct content_source){table, step->walk->site},
		    found->content, found->max_bytes, &bytes) == ERR_NONE &&
	    bytes.size <= CONTENT_MAX_RECORD_BYTES) {
		(table == TABLE_BODIES ? content_pack : content_pack_record)(
			packer, dictionary, buffer_slice(&bytes), &packed);
		step->packing->bytes += bytes.size;
	}
	buffer_free(&bytes);
	return packed;
}

/*
 * If the content is compressed with a known dictionary, mark the dictionary as
 * used. If the content is a body of the dictionary's own cluster, add its
 * compressed and its original size to the sums of the dictionary.
 */
static void packing_count_use(const struct packing_scan *step,
			      const struct packing_content *found,
			      struct slice content)
{
	struct stored_dictionary *one;
	struct packed_pages *pages;
	uint32_t dictionary;

	if (!content_is_packed(content, &dictionary))
		return;
	one = packing_dictionary_find(step->walk->known, dictionary);
	if (one == NULL)
		return;
	one->is_used = true;
	if (step->table != TABLE_BODIES || one->cluster != found->cluster)
		return;
	pages = found->stored_ms > one->created_ms ? &one->since : &one->before;
	pages->pages++;
	pages->packed += content.size;
	pages->source += found->max_bytes;
}

static void packing_add_row(const struct packing_scan *step, struct slice at,
			    struct slice value, struct buffer *content)
{
	struct key key = {.size = at.size};
	struct pack_row *row;
	struct sample_page_row sample;

	memcpy(key.bytes, at.data, at.size);
	row = packing_add(step->packing, step->table, key);
	row->before = hash64(value.data, value.size, 0);
	row->value = *content;
	if (step->table != TABLE_SAMPLE_PAGES)
		return;
	sample_page_row_decode(value, &sample);
	sample.record = buffer_slice(content);
	row->value = sample_page_row_encode(&sample);
	buffer_free(content);
}

static void packing_check_value(const struct packing_scan *step,
				struct slice key, struct slice value)
{
	struct buffer content = {0};
	struct packing_content found;
	uint32_t dictionary;
	uint32_t by;
	bool is_packed;

	if (key.size > sizeof(((struct key *)NULL)->bytes) ||
	    !find_content(step, key, value, &found))
		return; /* verify reports this damaged row */
	is_packed = content_is_packed(found.content, &dictionary);
	by = packing_choose_dictionary(step->walk->known, found.cluster,
				       dictionary);
	if (!is_packed || by != dictionary)
		content = packing_compress(step, &found, by);
	packing_count_use(step, &found,
			  content.size > 0 ? buffer_slice(&content)
					   : found.content);
	if (content.size > 0)
		packing_add_row(step, key, value, &content);
}

static void packing_check_row(const struct packing_scan *step,
			      const struct scan *scan)
{
	struct buffer joined = {0};

	packing_check_value(step, scan->key,
			    content_join(step->txn, step->table, scan->key,
					 scan->value, &joined));
	buffer_free(&joined);
}

static bool packing_is_full(const struct packing *packing)
{
	return packing->count >= PACKING_AT_ONCE ||
	       packing->bytes >= PACKING_STEP_BYTES;
}

static void next_stage(struct packing_walk *walk)
{
	walk->stage++;
	walk->from = key_site(walk->site);
	walk->is_ended = walk->stage == STAGES;
}

static void walk_table(struct packing_walk *walk, struct txn *txn,
		       enum table table, struct packing *packing)
{
	const struct packing_scan step = {walk, txn, packing, table};
	struct scan scan = scan_begin_at(txn, table, key_slice(&walk->from),
					 sizeof(uint32_t));
	size_t read = 0;
	bool is_row = scan_next(&scan);

	while (is_row && read++ < MAX_ROWS_READ && !packing_is_full(packing)) {
		packing_check_row(&step, &scan);
		is_row = scan_next(&scan);
	}
	if (!is_row)
		next_stage(walk);
	else if (scan.key.size <= sizeof(walk->from.bytes)) {
		memcpy(walk->from.bytes, scan.key.data, scan.key.size);
		walk->from.size = scan.key.size;
	}
	scan_end(&scan);
}

/*
 * Retire the dictionaries that no page uses. Delete a dictionary only if it was
 * retired before this walk: arriving pages may have begun to use the others
 * since the walk has read the pages.
 */
static void drop_unused(const struct packing_walk *walk,
			struct packing *packing)
{
	const struct packing_site *known = walk->known;

	for (size_t i = 0; i < known->count; i++) {
		const struct stored_dictionary *one = &known->items[i];

		if (!one->is_current && !one->is_used)
			packing_add(packing, TABLE_DICTIONARIES,
				    key_cluster(walk->site, one->number))
				->retires =
				one->cluster != DICTIONARY_IS_RETIRED;
	}
}

/*
 * Start the walk again: the new dictionaries get their numbers only at the
 * commit.
 */
static void begin_again(struct packing_walk *walk)
{
	packing_site_free(walk->known);
	walk->known = NULL;
	walk->stage = STAGE_MAKE;
}

static void packing_run_stage(struct packing_walk *walk, struct txn *txn,
			      struct packing *packing)
{
	static const enum table tables[STAGES] = {
		[STAGE_BODIES] = TABLE_BODIES,
		[STAGE_RECORDS] = TABLE_RECORDS,
		[STAGE_SAMPLE_PAGES] = TABLE_SAMPLE_PAGES,
	};

	if (walk->known == NULL)
		walk->known = packing_site_read(txn, walk->site);
	switch (walk->stage) {
	case STAGE_MAKE:
	case STAGE_MAKE_ANEW:
		if (walk->stage == STAGE_MAKE)
			packing_make_dictionaries(walk, txn, packing);
		else
			packing_replace_dictionaries(walk, txn, packing);
		if (packing->count > 0)
			begin_again(walk);
		else
			next_stage(walk);
		break;
	case STAGE_DROP:
		drop_unused(walk, packing);
		next_stage(walk);
		break;
	default:
		walk_table(walk, txn, tables[walk->stage], packing);
	}
}

enum error packing_step(struct packing_walk *walk, struct store *store,
			struct packing *packing_out)
{
	struct txn txn = txn_begin_read(store);

	if (txn.error == ERR_NONE && !walk->is_ended)
		packing_run_stage(walk, &txn, packing_out);
	return txn_end(&txn);
}

void packing_walk_end(struct packing_walk *walk)
{
	packing_site_free(walk->known);
	walk->known = NULL;
	walk->is_ended = true;
}

struct walked_site walked_site_note(const struct listed_site *site,
				    uint64_t packed, uint64_t now_ms)
{
	return (struct walked_site){site->site, packed == 0, site->generation,
				    now_ms + site->page_count};
}

bool walked_site_rests(const struct walked_site *last,
		       const struct listed_site *site, uint64_t now_ms)
{
	return last != NULL &&
	       ((last->is_done && last->generation == site->generation) ||
		now_ms < last->rests_until_ms);
}

/*
 * The commit of a step: it replaces stored rows by smaller ones, and adds and
 * deletes dictionaries.
 */

/*
 * Delete the old row. If it has changed since the step read it, keep it and
 * return false.
 */
static bool packing_remove_row(struct commit *batch, const struct pack_row *row)
{
	struct slice key = key_slice(&row->key);
	struct buffer joined = {0};
	struct slice value = content_get(batch->txn, row->table, key, &joined);
	bool is_same = store_owns_site(batch->txn->store, key_u32(key, 0)) &&
		       value.data != NULL &&
		       hash64(value.data, value.size, 0) == row->before;

	if (is_same)
		content_delete(batch->txn, row->table, key);
	buffer_free(&joined);
	return is_same;
}

/*
 * Replace the rows. Delete all old rows before writing the first new one, for
 * two reasons. LMDB merges nearly empty pages when a row is deleted, but not
 * when a row becomes smaller. It fills pages completely when rows are appended
 * in order; otherwise it splits them into halves.
 */
static uint32_t packing_replace_rows(struct commit *batch,
				     const struct packing *packing)
{
	bool *is_out = mem_alloc(packing->count + 1, sizeof(*is_out));
	uint32_t count = 0;

	for (size_t i = 0; i < packing->count; i++)
		is_out[i] = packing->rows[i].table != TABLE_DICTIONARIES &&
			    packing_remove_row(batch, &packing->rows[i]);
	for (size_t i = 0; i < packing->count; i++) {
		const struct pack_row *row = &packing->rows[i];

		if (!is_out[i])
			continue;
		content_put(batch->txn, row->table, key_slice(&row->key),
			    buffer_slice(&row->value));
		count++;
	}
	free(is_out);
	return count;
}

uint32_t commit_add_dictionary(struct commit *batch, uint32_t site,
			       struct slice value)
{
	uint64_t number = store_next_number(batch->txn, "dictionary");

	if (number > UINT32_MAX)
		txn_fail(batch->txn, ERR_TOO_LARGE);
	txn_put(batch->txn, TABLE_DICTIONARIES,
		KEY(key_cluster(site, (uint32_t)number)), value);
	return (uint32_t)number;
}

/* Add a dictionary, unless its site or cluster was deleted since the step. */
static bool add_dictionary(struct commit *batch, const struct pack_row *row)
{
	struct slice cluster = key_slice(&row->key);

	if (txn_get(batch->txn, TABLE_CLUSTERS, cluster).data == NULL)
		return false;
	commit_add_dictionary(batch, key_u32(cluster, 0),
			      buffer_slice(&row->value));
	return true;
}

static bool retire_dictionary(struct commit *batch, const struct pack_row *row)
{
	struct slice value =
		txn_get(batch->txn, TABLE_DICTIONARIES, key_slice(&row->key));
	struct dictionary_row dictionary;
	struct buffer bytes;

	if (value.data == NULL || !dictionary_row_decode(value, &dictionary))
		return false;
	dictionary.cluster = DICTIONARY_IS_RETIRED;
	bytes = dictionary_row_encode(&dictionary);
	txn_put(batch->txn, TABLE_DICTIONARIES, key_slice(&row->key),
		buffer_slice(&bytes));
	buffer_free(&bytes);
	return true;
}

static bool apply_dictionary(struct commit *batch, const struct pack_row *row)
{
	if (row->table != TABLE_DICTIONARIES ||
	    !store_owns_site(batch->txn->store,
			     key_u32(key_slice(&row->key), 0)))
		return false;
	if (row->value.size > 0)
		return add_dictionary(batch, row);
	if (row->retires)
		return retire_dictionary(batch, row);
	txn_delete(batch->txn, TABLE_DICTIONARIES, key_slice(&row->key));
	return true;
}

enum error commit_pack(struct commit *batch, struct change *change)
{
	const struct packing *packing = change->pack.packing;

	change->pack.packed = packing_replace_rows(batch, packing);
	for (size_t i = 0; i < packing->count; i++)
		change->pack.packed +=
			apply_dictionary(batch, &packing->rows[i]);
	return ERR_NONE;
}
