#include "daemon/engine/packing.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"
#include "daemon/engine/packing_parts.h"
#include "store/content.h"
#include "store/rows_page.h"
#include "store/rows_template.h"

enum { MAX_ROWS_READ = 4096 }; /* per step */

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

struct pack_row *packing_add(struct packing *packing, enum table table,
			     struct key key)
{
	packing->rows = mem_grow(packing->rows, packing->count,
				 &packing->capacity, sizeof(*packing->rows));
	packing->rows[packing->count] =
		(struct pack_row){.table = table, .key = key};
	return &packing->rows[packing->count++];
}

/* One step through a table. */
struct packing_scan {
	struct packing_walk *walk;
	struct txn *txn;
	struct packing *packing;
	enum table table;
};

/* The position of a scan over rows with content. */
struct packing_content {
	struct slice content; /* in the map */
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

/* Return the dictionary for content that now uses dictionary `now`. */
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
		.packer =
			packer_create(buffer_slice(&bytes), step->walk->level),
	};
	buffer_free(&bytes);
	return kept->packer;
}

/*
 * Return the content compressed with that dictionary; empty if that is
 * impossible.
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

/* Count `content` for its dictionary. */
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

static void packing_add_row(const struct packing_scan *step,
			    const struct scan *scan, struct buffer *content)
{
	struct key key = {.size = scan->key.size};
	struct pack_row *row;
	struct sample_page_row sample;

	memcpy(key.bytes, scan->key.data, scan->key.size);
	row = packing_add(step->packing, step->table, key);
	row->before = hash64(scan->value.data, scan->value.size, 0);
	row->value = *content;
	if (step->table != TABLE_SAMPLE_PAGES)
		return;
	sample_page_row_decode(scan->value, &sample);
	sample.record = buffer_slice(content);
	row->value = sample_page_row_encode(&sample);
	buffer_free(content);
}

static void packing_check_row(const struct packing_scan *step,
			      const struct scan *scan)
{
	struct buffer content = {0};
	struct packing_content found;
	uint32_t dictionary;
	uint32_t by;
	bool is_packed;

	if (scan->key.size > sizeof(((struct key *)NULL)->bytes) ||
	    !find_content(step, scan->key, scan->value, &found))
		return; /* verify reports it */
	is_packed = content_is_packed(found.content, &dictionary);
	by = packing_choose_dictionary(step->walk->known, found.cluster,
				       dictionary);
	if (!is_packed || by != dictionary)
		content = packing_compress(step, &found, by);
	packing_count_use(step, &found,
			  content.size > 0 ? buffer_slice(&content)
					   : found.content);
	if (content.size > 0)
		packing_add_row(step, scan, &content);
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

static void drop_unused(const struct packing_walk *walk,
			struct packing *packing)
{
	const struct packing_site *known = walk->known;

	for (size_t i = 0; i < known->count; i++)
		if (!known->items[i].is_current && !known->items[i].is_used)
			packing_add(packing, TABLE_DICTIONARIES,
				    key_cluster(walk->site,
						known->items[i].number));
}

/* Start again: new dictionaries have their numbers only after the commit. */
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
