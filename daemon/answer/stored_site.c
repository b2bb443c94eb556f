#include "daemon/answer/stored_site.h"

#include <stdlib.h>

#include "daemon/answer/learned.h"
#include "store/arena.h"
#include "store/document_frequency.h"
#include "store/key.h"
#include "store/record.h"
#include "store/rows_cluster.h"
#include "store/sets.h"
#include "template/sorted.h"

static size_t find_shingles(void *context, struct signature own,
			    uint32_t *shingles_out)
{
	const struct stored_site *site = context;
	struct key prefix = key_site(site->id);
	struct scan scan =
		scan_begin(site->txn, TABLE_SHINGLES, key_slice(&prefix));
	size_t count = 0;

	while (scan_next(&scan) && count < own.count) {
		uint64_t shingle;

		if (shingle_decode(scan.value, &shingle) &&
		    sorted_find(own.shingles, own.count, shingle) < own.count)
			shingles_out[count++] =
				key_u32(scan.key, sizeof(uint32_t));
	}
	scan_end(&scan);
	return count;
}

static void each_set(void *context,
		     void (*visit)(void *visitor,
				   const struct shingle_set *set),
		     void *visitor)
{
	const struct stored_site *site = context;
	struct set_scan scan = set_scan_begin(site->txn, site->id);

	while (set_scan_next(&scan))
		visit(visitor, &(struct shingle_set){scan.set, scan.shingle_ids,
						     scan.count});
	set_scan_end(&scan);
}

static uint32_t cluster_of(void *context, uint32_t set)
{
	const struct stored_site *site = context;
	struct key prefix = key_site(site->id);
	struct scan scan =
		scan_begin(site->txn, TABLE_MEMBERS, key_slice(&prefix));
	uint32_t cluster = 0;
	uint32_t other;

	while (cluster == 0 && scan_next(&scan))
		if (member_decode(scan.value, &other) && other == set)
			cluster = key_u32(scan.key, sizeof(uint32_t));
	scan_end(&scan);
	return cluster;
}

uint32_t stored_site_pages(struct txn *txn, uint32_t site, uint32_t cluster)
{
	struct cluster_row row;

	return cluster != 0 && cluster_row_get(txn, site, cluster, &row)
		       ? row.page_count
		       : 0;
}

static uint32_t page_count(void *context, uint32_t cluster)
{
	const struct stored_site *site = context;

	return stored_site_pages(site->txn, site->id, cluster);
}

static uint32_t frequency(void *context, uint32_t cluster, uint64_t fragment)
{
	const struct stored_site *site = context;

	return df_get(site->txn, site->id, cluster, fragment);
}

struct known_page stored_site_known(uint64_t key, const struct page_row *row)
{
	return (struct known_page){
		.key = key,
		.content_hash = row->content_hash,
		.cluster = row->cluster,
		.http_status = row->http_status,
		.charset = row->charset,
	};
}

static bool find_page(void *context, const struct url *url,
		      struct known_page *page_out)
{
	const struct stored_site *site = context;
	uint64_t key = page_key_of(slice_of(url->text));
	struct page_row row;

	if (!page_row_get(site->txn, site->id, key, &row) ||
	    row.redirect.size != 0)
		return false;
	*page_out = stored_site_known(key, &row);
	return true;
}

/* A copy of the record; NULL when it is damaged or not there. */
static void *load_record(const struct stored_site *site, uint64_t page,
			 struct record *record_out)
{
	struct key key = key_page(site->id, page);
	struct slice value = txn_get(site->txn, TABLE_RECORDS, key_slice(&key));
	void *copy;

	if (value.data == NULL)
		return NULL;
	copy = record_copy(value);
	if (record_open((struct slice){copy, value.size}, record_out) ==
	    ERR_NONE)
		return copy;
	free(copy);
	return NULL;
}

static const uint64_t *fragments(void *context, const struct known_page *page,
				 struct arena *arena, uint32_t *count_out)
{
	struct record record;
	void *bytes = load_record(context, page->key, &record);
	uint64_t *hashes;

	if (bytes == NULL)
		return NULL;
	hashes = ARENA_NEW(arena, uint64_t, record.fragment_count);
	for (uint32_t i = 0; i < record.fragment_count; i++)
		hashes[i] = record.fragments[i].hash;
	*count_out = record.fragment_count;
	free(bytes);
	return hashes;
}

static struct taught learn(void *context, uint32_t cluster,
			   const struct extractor *extractor,
			   const double *parameters)
{
	const struct stored_site *site = context;
	struct learned *learned =
		learned_get(site->rules->learned,
			    &(struct learned_question){
				    .extractor = extractor,
				    .parameters = parameters,
				    .pages = {.txn = site->txn,
					      .site = site->id,
					      .cluster = cluster,
					      .limits = &site->rules->limits},
				    .generation = site->view.generation,
			    });

	return (struct taught){learned_knowledge(learned), learned};
}

static void release(void *context, struct taught taught)
{
	const struct stored_site *site = context;

	learned_release(site->rules->learned, taught.holder);
}

static enum error failure(const void *context)
{
	const struct stored_site *site = context;

	return site->txn->error;
}

const struct site_view *stored_site_view(struct stored_site *site,
					 struct txn *txn,
					 const struct site_row *row,
					 const struct answer_rules *rules)
{
	static const struct site_source source = {
		.find_shingles = find_shingles,
		.each_set = each_set,
		.cluster_of = cluster_of,
		.page_count = page_count,
		.frequency = frequency,
		.find_page = find_page,
		.fragments = fragments,
		.learn = learn,
		.release = release,
		.failure = failure,
	};

	if (row->options.measure >= MEASURE_COUNT)
		return NULL;
	*site = (struct stored_site){
		.view = {.host = row->host,
			 .measure = (enum measure)row->options.measure,
			 .width = row->options.width,
			 .threshold = row->options.threshold,
			 .generation = row->generation,
			 .source = &source,
			 .context = site},
		.txn = txn,
		.id = row->id,
		.rules = rules,
	};
	return &site->view;
}
