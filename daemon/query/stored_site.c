#include "daemon/query/stored_site.h"

#include <assert.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/sorted.h"
#include "daemon/privsep/learned.h"
#include "daemon/query/stored_page.h"
#include "store/content.h"
#include "store/document_frequency.h"
#include "store/key.h"
#include "store/record.h"
#include "store/rows_cluster.h"
#include "store/sets.h"
#include "template/learning.h"

enum { FIRST_MEMBERS = 16 };

static size_t stored_site_find_shingles(void *context, struct signature own,
					uint32_t *shingles_out)
{
	struct stored_site *site = context;
	struct key prefix = key_site(site->id);
	struct scan scan =
		scan_begin(&site->txn, TABLE_SHINGLES, key_slice(&prefix));
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

static void stored_site_each_signature(
	void *context,
	void (*visit)(void *visitor, const struct site_signature *set),
	void *visitor)
{
	struct stored_site *site = context;
	struct set_scan scan = set_scan_begin(&site->txn, site->id);

	while (set_scan_next(&scan))
		visit(visitor, &(struct site_signature){
				       scan.set, scan.shingle_ids, scan.count});
	set_scan_end(&scan);
}

/*
 * Search members from *from on, which moves to the next cluster, at most `max`
 * of each. Return the cluster that has the signature. If the searched ones do
 * not have it, return 0; then *is_end_out = all were searched.
 */
static uint32_t find_set(struct stored_site *site, uint32_t set, size_t max,
			 struct key *from, bool *is_end_out)
{
	struct scan scan = scan_begin_at(&site->txn, TABLE_MEMBERS,
					 key_slice(from), sizeof(uint32_t));
	uint32_t found = 0;
	uint32_t cluster = 0;
	size_t count = 0;
	uint32_t other;

	while (found == 0 && count < max) {
		*is_end_out = !scan_next(&scan);
		if (*is_end_out)
			break;
		count = key_u32(scan.key, sizeof(uint32_t)) == cluster
				? count + 1
				: 1;
		cluster = key_u32(scan.key, sizeof(uint32_t));
		if (member_decode(scan.value, &other) && other == set)
			found = cluster;
	}
	scan_end(&scan);
	*is_end_out |= cluster == UINT32_MAX;
	*from = key_member(site->id, cluster + 1, 0);
	return found;
}

static uint32_t stored_site_find_cluster(struct stored_site *site, uint32_t set,
					 size_t max)
{
	struct key from = key_member(site->id, 0, 0);
	bool is_end = false;
	uint32_t cluster = 0;

	while (cluster == 0 && !is_end)
		cluster = find_set(site, set, max, &from, &is_end);
	return cluster;
}

/*
 * Most clusters have few distinct signatures: search the first members of each
 * cluster before all members.
 */
static uint32_t stored_site_cluster_of(void *context, uint32_t set)
{
	struct stored_site *site = context;
	uint32_t cluster = stored_site_find_cluster(site, set, FIRST_MEMBERS);

	return cluster != 0 ? cluster
			    : stored_site_find_cluster(site, set, SIZE_MAX);
}

struct cluster_state stored_site_state(struct txn *txn, uint32_t site,
				       uint32_t cluster)
{
	struct cluster_row row = {0};

	if (cluster != 0)
		cluster_row_get(txn, site, cluster, &row);
	return (struct cluster_state){row.page_count, row.changes};
}

static struct cluster_state stored_site_view_state(void *context,
						   uint32_t cluster)
{
	struct stored_site *site = context;

	return stored_site_state(&site->txn, site->id, cluster);
}

static uint32_t stored_site_frequency(void *context, uint32_t cluster,
				      uint64_t fragment)
{
	struct stored_site *site = context;

	return df_get(&site->txn, site->id, cluster, fragment);
}

struct known_page stored_site_known_page(uint64_t key,
					 const struct page_row *row)
{
	return (struct known_page){
		.key = key,
		.content_hash = row->content_hash,
		.cluster = row->cluster,
		.http_status = row->http_status,
		.charset = row->charset,
	};
}

struct known_page stored_site_own_page(struct stored_site *site,
				       struct known_page page)
{
	page.charset.data =
		arena_copy(site->arena, page.charset.data, page.charset.size);
	return page;
}

static bool stored_site_read_page(struct stored_site *site, uint64_t key,
				  struct page_row *row_out)
{
	return page_row_get(&site->txn, site->id, key, row_out) &&
	       row_out->redirect.size == 0;
}

static bool stored_site_find_page(void *context, const struct url *url,
				  struct known_page *page_out)
{
	struct stored_site *site = context;
	uint64_t key = page_key_of(slice_of(url->text));
	struct page_row row;

	if (!stored_site_read_page(site, key, &row))
		return false;
	*page_out =
		stored_site_own_page(site, stored_site_known_page(key, &row));
	return true;
}

static bool stored_site_page_is_current(void *context, struct known_page *page)
{
	struct page_row row;

	if (!stored_site_read_page(context, page->key, &row) ||
	    row.content_hash != page->content_hash)
		return false;
	page->cluster = row.cluster;
	return true;
}

enum error stored_site_sample(struct stored_site *site, uint32_t cluster,
			      struct buffer *list, uint32_t *changes_out)
{
	struct txn txn = txn_begin_read(site->store);
	const struct stored_pages pages = {&txn, site->id, cluster,
					   &site->rules->limits};
	struct cluster_row state = {0};
	struct site_row row;
	enum error error = ERR_BUSY;

	/* the cluster existed when the caller read its number */
	if (site_get(&txn, site->view.host, &row) && row.id == site->id &&
	    cluster_row_get(&txn, site->id, cluster, &state))
		error = stored_sample_append(&pages, MAX_SAMPLE_PAGES,
					     MAX_SAMPLE_BYTES, list);
	else if (txn.error != ERR_NONE)
		error = txn.error;
	*changes_out = state.changes;
	txn_abort(&txn);
	return error;
}

/* Return a copy of the record; NULL if it is damaged or missing. */
static void *load_record(struct stored_site *site, uint64_t page,
			 struct record *record_out)
{
	struct buffer bytes = {0};

	if (content_record(&site->txn, site->id, page, &bytes, record_out) ==
	    ERR_NONE)
		return bytes.data;
	buffer_free(&bytes);
	return NULL;
}

static const uint64_t *stored_site_fragments(void *context,
					     const struct known_page *page,
					     struct arena *arena,
					     uint32_t *count_out)
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

static enum error stored_site_read_sample(void *context, uint32_t cluster,
					  struct buffer *list,
					  uint32_t *changes_out)
{
	return stored_site_sample(context, cluster, list, changes_out);
}

static struct template_model
stored_site_build_model(void *context, uint32_t cluster, uint32_t changes,
			const struct extractor *extractor,
			const double *parameters)
{
	struct stored_site *site = context;
	struct cached_model *learned;
	enum error error;

	assert(!site->is_read);
	error = model_cache_get(site->rules->learned,
				&(struct model_query){
					.extractor = extractor,
					.parameters = parameters,
					.read = stored_site_read_sample,
					.context = site,
					.site = site->id,
					.cluster = cluster,
					.limits = &site->rules->limits,
					.changes = changes,
				},
				&learned);
	return (struct template_model){cached_model_template(learned), learned,
				       error};
}

static void stored_site_release_model(void *context,
				      struct template_model taught)
{
	const struct stored_site *site = context;

	model_cache_release(site->rules->learned, taught.holder);
}

/* Read the row again: the site may have been deleted or changed. */
static void stored_site_begin(void *context)
{
	struct stored_site *site = context;
	struct site_row row;

	assert(!site->is_read);
	site->txn = txn_begin_read(site->store);
	site->is_read = true;
	if (!site_get(&site->txn, site->view.host, &row) ||
	    row.id != site->id) {
		txn_fail(&site->txn, ERR_BUSY);
		return;
	}
	site->view.threshold = row.options.threshold;
	site->view.generation = row.generation;
}

static void stored_site_end(void *context)
{
	struct stored_site *site = context;
	enum error error;

	assert(site->is_read);
	site->is_read = false;
	error = txn_end(&site->txn);
	if (site->error == ERR_NONE)
		site->error = error;
}

static enum error stored_site_error(const void *context)
{
	const struct stored_site *site = context;

	assert(!site->is_read);
	return site->error;
}

const struct site_view *stored_site_open(struct stored_site *site,
					 struct store *store,
					 const struct site_row *row,
					 const struct extraction_options *rules)
{
	static const struct site_source source = {
		.begin = stored_site_begin,
		.end = stored_site_end,
		.is_current = stored_site_page_is_current,
		.find_shingles = stored_site_find_shingles,
		.each_set = stored_site_each_signature,
		.cluster_of = stored_site_cluster_of,
		.state = stored_site_view_state,
		.frequency = stored_site_frequency,
		.find_page = stored_site_find_page,
		.fragments = stored_site_fragments,
		.learn = stored_site_build_model,
		.release = stored_site_release_model,
		.failure = stored_site_error,
	};

	*site = (struct stored_site){.arena = arena_create()};
	if (row->options.measure >= MEASURE_COUNT)
		return NULL;
	site->view = (struct site_view){
		.host = {arena_copy(site->arena, row->host.data,
				    row->host.size),
			 row->host.size},
		.measure = (enum measure)row->options.measure,
		.width = row->options.width,
		.threshold = row->options.threshold,
		.generation = row->generation,
		.source = &source,
		.context = site,
	};
	site->store = store;
	site->id = row->id;
	site->rules = rules;
	return &site->view;
}

void stored_site_close(struct stored_site *site)
{
	assert(!site->is_read);
	arena_destroy(site->arena);
}
