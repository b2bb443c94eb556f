#include "daemon/query/bundle_export.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/compress.h"
#include "base/hash.h"
#include "base/memory.h"
#include "crawl/url/url.h"
#include "daemon/privsep/messages.h"
#include "daemon/query/query.h"
#include "daemon/query/stored_site.h"
#include "extract/core/extractor.h"
#include "extract/methods/ridge.h"
#include "store/content.h"
#include "store/key.h"
#include "store/record.h"
#include "store/rows.h"
#include "store/sets.h"
#include "store/txn.h"
#include "template/bundle.h"
#include "template/extraction.h"

/* State of bundle_export() while it writes a bundle. */

struct bundle_exporter {
	const struct bundle_export_options *bundling;
	struct txn *txn; /* an error of the transaction, including
			    ERR_TOO_LARGE, stops the export */
	struct site_row site;
	struct bundle_writer writer;
};

enum { MAX_REASON = 256, MAX_VERSION_BYTES = 64 << 20 };

/*
 * Return whether the export must stop, because an error has occurred or the
 * bundle is too large.
 */
static bool bundle_exporter_has_failed(struct bundle_exporter *bundler)
{
	if (bundle_is_full(&bundler->writer))
		txn_fail(bundler->txn, ERR_TOO_LARGE);
	return bundler->txn->error != ERR_NONE;
}

/* Return the names of the templates in the arena. */
static const struct bundle_name *
bundle_export_names(struct bundle_exporter *bundler, struct arena *arena,
		    size_t *count_out)
{
	struct scan scan =
		scan_site(bundler->txn, TABLE_NAMES, bundler->site.id);
	struct bundle_name *names = NULL;
	struct bundle_name *copy;
	size_t capacity = 0;
	size_t count = 0;
	struct name_row row;

	while (scan_next(&scan)) {
		if (!name_row_decode(scan.value, &row) || row.name.size == 0)
			continue;
		names = mem_grow(names, count, &capacity, sizeof(*names));
		names[count++] = (struct bundle_name){
			key_u32(scan.key, sizeof(uint32_t)),
			arena_copy(arena, row.name.data, row.name.size)};
	}
	scan_end(&scan);
	copy = ARENA_NEW(arena, struct bundle_name, count);
	if (count > 0)
		memcpy(copy, names, count * sizeof(*names));
	free(names);
	*count_out = count;
	return copy;
}

static void bundle_export_site(struct bundle_exporter *bundler)
{
	const struct bundle_export_options *bundling = bundler->bundling;
	const struct extraction_options *rules = bundling->rules;
	const struct bundle_name *names;
	struct arena *arena;
	struct buffer base = {0};
	size_t name_count;
	struct url seed;

	if (url_parse(&seed, bundler->site.seed, NULL) != ERR_NONE ||
	    bundler->site.options.measure >= MEASURE_COUNT) {
		txn_fail(bundler->txn, ERR_CORRUPT);
		return;
	}
	arena = arena_create();
	names = bundle_export_names(bundler, arena, &name_count);
	buffer_printf(&base, "%s/", seed.authority);
	bundle_put_site(
		&bundler->writer,
		&(struct bundle_site){
			.host = bundling->host,
			.base = base.data,
			.measure = (enum measure)bundler->site.options.measure,
			.width = bundler->site.options.width,
			.threshold = bundler->site.options.threshold,
			.generation = bundler->site.generation,
			.made_ms = bundling->now_ms,
			.program = bundling->program,
			.limits = rules->limits,
			.min_cluster_pages = rules->min_cluster_pages,
			.settings =
				rules->settings == NULL ? "" : rules->settings,
			.names = names,
			.name_count = name_count,
		});
	arena_destroy(arena);
	buffer_free(&base);
}

/*
 * Add the site's own model. An invalid model is an error here, because
 * otherwise each user of the bundle would get this error.
 */
static void put_model(struct bundle_exporter *bundler, char *reason)
{
	struct ridge_model *model = NULL;
	struct buffer path = {0};
	struct buffer text = {0};
	enum error error =
		site_model_read(bundler->bundling->rules->models,
				bundler->bundling->host, &path, &text);

	if (error == ERR_NONE && text.data != NULL)
		error = ridge_model_read(&model, buffer_slice(&text));
	if (error == ERR_NONE && text.data != NULL)
		bundle_put_model(&bundler->writer, buffer_slice(&text));
	if (error != ERR_NONE) {
		snprintf(reason, MAX_REASON,
			 "%.150s: %s; train the model again or remove it",
			 path.data, error_text(error));
		txn_fail(bundler->txn, error);
	}
	ridge_model_destroy(model);
	buffer_free(&path);
	buffer_free(&text);
}

/*
 * Add the sample pages of the cluster, from which models are built.
 * stored_sample_append() selects them.
 */
static void put_samples_of(struct bundle_exporter *bundler, uint32_t cluster)
{
	const struct stored_pages from = {
		.txn = bundler->txn,
		.site = bundler->site.id,
		.cluster = cluster,
	};
	uint64_t keys[MAX_SAMPLE_PAGES];
	uint32_t found =
		stored_pages_find(&from, MAX_SAMPLE_PAGES, UINT64_MAX, keys);
	struct buffer body = {0};
	uint64_t bytes = 0;
	uint32_t count = 0;

	for (uint32_t i = 0; i < found && (count < MIN_SAMPLE_PAGES ||
					   bytes <= MAX_SAMPLE_BYTES);
	     i++) {
		struct page_row row;

		buffer_clear(&body);
		if (!page_row_get(from.txn, from.site, keys[i], &row) ||
		    stored_page_body(&from, keys[i], &row, &body) != ERR_NONE)
			continue;
		bundle_put_sample(&bundler->writer, cluster, row.charset,
				  buffer_slice(&body));
		bytes += body.size;
		count++;
	}
	buffer_free(&body);
}

static void put_version_of(struct bundle_exporter *bundler, uint32_t cluster)
{
	struct template_row row;
	struct version_row version;
	struct buffer json = {0};

	if (!template_row_get(bundler->txn, bundler->site.id, cluster, &row) ||
	    !version_row_get(bundler->txn, bundler->site.id, cluster,
			     row.version, &version))
		return;
	if (decompress_slice(version.packed, MAX_VERSION_BYTES, &json) ==
	    ERR_NONE)
		bundle_put_version(&bundler->writer, cluster, row.version,
				   buffer_slice(&json));
	else
		txn_fail(bundler->txn, ERR_CORRUPT);
	buffer_free(&json);
}

/*
 * Add samples of the cluster if it has enough pages for a template or is one
 * page too small: then a page that a user of the bundle submits may make it
 * large enough.
 */
static void put_samples(struct bundle_exporter *bundler, uint32_t cluster,
			const struct cluster_row *row)
{
	if (row->page_count + 1 >= bundler->bundling->rules->min_cluster_pages)
		put_samples_of(bundler, cluster);
}

static void bundle_export_version(struct bundle_exporter *bundler,
				  uint32_t cluster,
				  const struct cluster_row *row)
{
	(void)row;
	put_version_of(bundler, cluster);
}

/* Call `put` for every cluster of the site, ascending. */
static void each_cluster(struct bundle_exporter *bundler,
			 void (*put)(struct bundle_exporter *bundler,
				     uint32_t cluster,
				     const struct cluster_row *row))
{
	struct key prefix = key_site(bundler->site.id);
	struct scan scan =
		scan_begin(bundler->txn, TABLE_CLUSTERS, key_slice(&prefix));
	struct cluster_row row;

	while (!bundle_exporter_has_failed(bundler) && scan_next(&scan))
		if (cluster_row_decode(scan.value, &row))
			put(bundler, key_u32(scan.key, sizeof(uint32_t)), &row);
	scan_end(&scan);
}

/*
 * A set of hashes. The hashes after the first `distinct` ones may be
 * duplicates.
 */
struct hash_list {
	uint64_t *items; /* [count] */
	size_t count;
	size_t capacity;
	/* this many hashes at the front are strictly ascending */
	size_t distinct;
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

/* A stored page that is not a redirect. */
struct content {
	struct known_page known;
	struct record record; /* empty if the page has no cluster */
	struct buffer bytes;  /* bytes that `record` points into, or empty */
};

/*
 * Read the page at the position of the scan. Return false if it is a redirect,
 * or after an error. The caller frees content->bytes with buffer_free().
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

/* Call `take` for every page that is not a redirect, ascending by key. */
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

/*
 * Add the hashes of the page's fragments to the list. Sort the list and remove
 * duplicates whenever its size has doubled.
 */
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

/*
 * Add the hashes of all fragments, then the pages, which refer to these hashes.
 */
static void bundle_exporter_put_pages(struct bundle_exporter *bundler)
{
	struct hash_list fragments = {0};

	each_page(bundler, &fragments, bundle_export_collect_hashes);
	make_distinct(&fragments);
	bundle_put_hashes(&bundler->writer, SECTION_FRAGMENTS, fragments.items,
			  fragments.count);
	each_page(bundler, &fragments, bundle_export_page);
	free(fragments.items);
}

/* A shingle of the store and its index in the bundle. */
struct numbered_shingle {
	uint64_t shingle;
	uint32_t number; /* number of the shingle in the store */
	uint32_t index;  /* index of the shingle in the bundle, where shingles
			    are ascending */
};

struct shingle_list {
	struct numbered_shingle *items; /* [count] */
	size_t count;
	size_t capacity;
};

/* A signature and the cluster of its pages. */
struct signature_cluster {
	uint32_t set;
	uint32_t cluster;
};

struct owner_list {
	struct signature_cluster *items; /* [count], ascending by `set` */
	size_t count;
	size_t capacity;
};

static int by_shingle(const void *left, const void *right)
{
	const struct numbered_shingle *a = left;
	const struct numbered_shingle *b = right;

	return (a->shingle > b->shingle) - (a->shingle < b->shingle);
}

static int by_number(const void *left, const void *right)
{
	const struct numbered_shingle *a = left;
	const struct numbered_shingle *b = right;

	return (a->number > b->number) - (a->number < b->number);
}

static int by_set(const void *left, const void *right)
{
	const struct signature_cluster *a = left;
	const struct signature_cluster *b = right;

	if (a->set != b->set)
		return a->set < b->set ? -1 : 1;
	return (a->cluster > b->cluster) - (a->cluster < b->cluster);
}

static void bundle_export_load_shingles(struct bundle_exporter *bundler,
					struct shingle_list *shingle_ids)
{
	struct key prefix = key_site(bundler->site.id);
	struct scan scan =
		scan_begin(bundler->txn, TABLE_SHINGLES, key_slice(&prefix));

	while (scan_next(&scan)) {
		struct numbered_shingle shingle_id = {
			.number = key_u32(scan.key, sizeof(uint32_t))};

		if (!shingle_decode(scan.value, &shingle_id.shingle)) {
			txn_fail(bundler->txn, ERR_CORRUPT);
			break;
		}
		if (shingle_ids->count * sizeof(shingle_id.shingle) >
		    bundler->bundling->max_bytes) {
			txn_fail(bundler->txn, ERR_TOO_LARGE);
			break;
		}
		shingle_ids->items =
			mem_grow(shingle_ids->items, shingle_ids->count,
				 &shingle_ids->capacity, sizeof(shingle_id));
		shingle_ids->items[shingle_ids->count++] = shingle_id;
	}
	scan_end(&scan);
}

/*
 * Number the shingles of the bundle in ascending order and add them; afterwards
 * sort the list by the numbers in the store, for bundle_export_translate().
 */
static void put_shingles(struct bundle_exporter *bundler,
			 struct shingle_list *shingle_ids)
{
	uint64_t *shingles =
		mem_alloc(shingle_ids->count + 1, sizeof(*shingles));

	qsort(shingle_ids->items, shingle_ids->count,
	      sizeof(*shingle_ids->items), by_shingle);
	for (size_t i = 0; i < shingle_ids->count; i++) {
		shingles[i] = shingle_ids->items[i].shingle;
		shingle_ids->items[i].index = (uint32_t)i;
	}
	bundle_put_hashes(&bundler->writer, SECTION_SHINGLES, shingles,
			  shingle_ids->count);
	qsort(shingle_ids->items, shingle_ids->count,
	      sizeof(*shingle_ids->items), by_number);
	free(shingles);
}

static void load_owners(struct bundle_exporter *bundler,
			struct owner_list *owners)
{
	struct key prefix = key_site(bundler->site.id);
	struct scan scan =
		scan_begin(bundler->txn, TABLE_MEMBERS, key_slice(&prefix));

	while (scan_next(&scan)) {
		struct signature_cluster owner = {
			.cluster = key_u32(scan.key, sizeof(uint32_t))};
		const struct signature_cluster *last =
			owners->count == 0 ? NULL
					   : &owners->items[owners->count - 1];

		if (!member_decode(scan.value, &owner.set))
			continue;
		if (last != NULL && last->set == owner.set)
			continue;
		owners->items = mem_grow(owners->items, owners->count,
					 &owners->capacity, sizeof(owner));
		owners->items[owners->count++] = owner;
	}
	scan_end(&scan);
	if (owners->count > 1)
		qsort(owners->items, owners->count, sizeof(*owners->items),
		      by_set);
}

/*
 * Return the first cluster that has a page with the signature `set`; 0 if no
 * cluster has it.
 */
static uint32_t owner_of(const struct owner_list *owners, uint32_t set)
{
	size_t at;

	LOWER_BOUND(at, owners->count, owners->items[at].set < set);
	return at < owners->count && owners->items[at].set == set
		       ? owners->items[at].cluster
		       : 0;
}

/*
 * Write the indexes of the signature's shingles in the bundle to `out`
 * [set->count]. Return false if a shingle is not in the list.
 */
static bool bundle_export_translate(const struct shingle_list *shingle_ids,
				    const struct set_scan *set, uint32_t *out)
{
	for (size_t i = 0; i < set->count; i++) {
		const struct numbered_shingle wanted = {
			.number = set->shingle_ids[i]};
		const struct numbered_shingle *shingle_id =
			bsearch(&wanted, shingle_ids->items, shingle_ids->count,
				sizeof(*shingle_ids->items), by_number);

		if (shingle_id == NULL)
			return false;
		out[i] = shingle_id->index;
	}
	if (set->count > 1)
		qsort(out, set->count, sizeof(*out), order_u32);
	return true;
}

static void put_sets(struct bundle_exporter *bundler,
		     const struct shingle_list *shingle_ids,
		     const struct owner_list *owners)
{
	struct set_scan scan = set_scan_begin(bundler->txn, bundler->site.id);
	uint32_t *indices = mem_alloc(shingle_ids->count + 1, sizeof(*indices));

	while (!bundle_exporter_has_failed(bundler) && set_scan_next(&scan)) {
		if (scan.count > shingle_ids->count ||
		    !bundle_export_translate(shingle_ids, &scan, indices))
			txn_fail(bundler->txn, ERR_CORRUPT);
		else
			bundle_put_set(&bundler->writer,
				       owner_of(owners, scan.set), indices,
				       scan.count);
	}
	set_scan_end(&scan);
	free(indices);
}

/* Add the unique signatures of the site and their shingles. */
static void bundle_exporter_put_signatures(struct bundle_exporter *bundler)
{
	struct shingle_list shingle_ids = {0};
	struct owner_list owners = {0};

	bundle_export_load_shingles(bundler, &shingle_ids);
	if (bundler->txn->error == ERR_NONE && shingle_ids.count > 0)
		put_shingles(bundler, &shingle_ids);
	load_owners(bundler, &owners);
	put_sets(bundler, &shingle_ids, &owners);
	free(shingle_ids.items);
	free(owners.items);
}

static void bundle_export_weights(struct bundle_exporter *bundler)
{
	struct shingle_weights weights =
		site_weights(bundler->txn, &bundler->site);

	if (weights.heavy_units > 0 && !bundle_exporter_has_failed(bundler))
		bundle_put_weights(&bundler->writer, &weights);
	shingle_weights_free(&weights);
}

/* Add the fields of the template. Their sets are bytes for this process. */
static void bundle_export_fields(struct bundle_exporter *bundler,
				 uint32_t cluster,
				 const struct cluster_row *row)
{
	struct fields_row fields;
	struct slice set;

	(void)row;
	if (!fields_row_get(bundler->txn, bundler->site.id, cluster, &fields) ||
	    fields.sets.size > MAX_FIELDS_BYTES)
		return;
	while (item_next(&fields.sets, &set))
		bundle_put_fields(&bundler->writer, cluster, set);
}

static void put_all(struct bundle_exporter *bundler, char *reason)
{
	bundle_export_site(bundler);
	put_model(bundler, reason);
	if (!bundle_exporter_has_failed(bundler))
		bundle_exporter_put_signatures(bundler);
	if (!bundle_exporter_has_failed(bundler))
		bundle_exporter_put_pages(bundler);
	each_cluster(bundler, put_samples);
	each_cluster(bundler, bundle_export_version);
	bundle_export_weights(bundler);
	each_cluster(bundler, bundle_export_fields);
}

enum error bundle_export(struct store *store,
			 const struct bundle_export_options *bundling,
			 struct buffer *out, char *reason)
{
	struct txn txn = txn_begin_read(store);
	struct bundle_exporter bundler = {
		.bundling = bundling,
		.txn = &txn,
		.writer = {.max_bytes = bundling->max_bytes},
	};
	enum error error;

	reason[0] = '\0';
	if (site_get(&txn, slice_of(bundling->host), &bundler.site))
		put_all(&bundler, reason);
	else
		txn_fail(&txn, ERR_NOT_FOUND);
	error = txn.error;
	txn_abort(&txn);
	if (error == ERR_NONE)
		error = bundle_end(&bundler.writer, out);
	bundle_writer_free(&bundler.writer);
	if (error == ERR_TOO_LARGE)
		snprintf(reason, MAX_REASON,
			 "the bundle exceeds %zu bytes; raise "
			 "extract.max_bundle_size",
			 bundling->max_bytes);
	return error;
}
