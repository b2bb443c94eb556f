#include "template/bundle.h"
#include "template/template_name.h"

#include <inttypes.h>
#include <assert.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/limit.h"
#include "base/memory.h"
#include "crawl/url/url.h"
#include "extract/core/extractor.h"
#include "extract/extractors.h"
#include "extract/methods/ridge.h"
#include "store/key.h"
#include "template/fields/field_json.h"
#include "template/version_json.h"

static bool bundle_reject(char *reason, const char *why)
{
	snprintf(reason, BUNDLE_REASON_BYTES, "%s", why);
	return false;
}

/*
 * Return the index of the cluster with this number; bundle->cluster_count if
 * none exists.
 */
static uint32_t bundle_find_cluster(const struct bundle *bundle,
				    uint32_t number)
{
	size_t at;

	LOWER_BOUND(at, bundle->cluster_count,
		    bundle->clusters[at].number < number);
	return at < bundle->cluster_count &&
			       bundle->clusters[at].number == number
		       ? (uint32_t)at
		       : bundle->cluster_count;
}

/*
 * Create one cluster for each cluster number of the pages, and count its pages.
 */
static void name_clusters(struct bundle *bundle)
{
	uint32_t *numbers = mem_alloc(bundle->page_count + 1, sizeof(*numbers));
	size_t count = 0;

	for (size_t i = 0; i < bundle->page_count; i++)
		if (bundle->pages[i].known.cluster != 0)
			numbers[count++] = bundle->pages[i].known.cluster;
	qsort(numbers, count, sizeof(*numbers), order_u32);
	bundle->clusters = mem_alloc(count + 1, sizeof(*bundle->clusters));
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || numbers[i] != numbers[i - 1])
			bundle->clusters[bundle->cluster_count++].number =
				numbers[i];
		bundle->clusters[bundle->cluster_count - 1].page_count++;
	}
	free(numbers);
}

/* The pages of the bundle, sorted by cluster. */
struct grouping {
	uint32_t *order; /* [page_count] indices of pages; pages without a
			    cluster come last */
	size_t *first;   /* [cluster_count + 1] position in `order` of the first
			    page of each cluster */
};

static struct grouping bundle_group_pages(const struct bundle *bundle)
{
	struct grouping grouping = {
		.order = mem_alloc(bundle->page_count + 1, sizeof(uint32_t)),
		.first = mem_alloc(bundle->cluster_count + 2U, sizeof(size_t)),
	};
	size_t *next = mem_alloc(bundle->cluster_count + 1U, sizeof(*next));

	for (uint32_t c = 0; c < bundle->cluster_count; c++)
		grouping.first[c + 1] =
			grouping.first[c] + bundle->clusters[c].page_count;
	memcpy(next, grouping.first,
	       (bundle->cluster_count + 1U) * sizeof(*next));
	for (uint32_t i = 0; i < bundle->page_count; i++)
		grouping.order[next[bundle_find_cluster(
			bundle, bundle->pages[i].known.cluster)]++] = i;
	free(next);
	return grouping;
}

/*
 * Count the fragments of the pages of a cluster and add the rows to the bundle.
 * `order` contains the pages of the cluster. `counts` [fragment_count] must be
 * zero; it is zero again afterwards.
 */
static void count_cluster(struct bundle *bundle, struct bundle_cluster *cluster,
			  const uint32_t *order, uint32_t *counts)
{
	struct frequency_row *rows = bundle->rows + cluster->first_row;

	for (uint32_t i = 0; i < cluster->page_count; i++) {
		const struct bundle_page *page = &bundle->pages[order[i]];
		const uint32_t *fragments =
			bundle->page_fragments.items + page->first;

		for (uint32_t f = 0; f < page->count; f++)
			if (counts[fragments[f]]++ == 0)
				rows[cluster->row_count++].fragment =
					fragments[f];
	}
	for (size_t i = 0; i < cluster->row_count; i++) {
		rows[i].count = counts[rows[i].fragment];
		counts[rows[i].fragment] = 0;
	}
	assert(cluster->row_count <= bundle->fragment_count);
	if (cluster->row_count > 1)
		qsort(rows, cluster->row_count, sizeof(*rows), order_u32);
}

/* Create the clusters; all pages must have been read. */
static void bundle_make_clusters(struct bundle *bundle)
{
	uint32_t *counts =
		mem_alloc(bundle->fragment_count + 1, sizeof(*counts));
	struct grouping grouping;
	size_t row = 0;

	name_clusters(bundle);
	grouping = bundle_group_pages(bundle);
	/* There is at most one row for each fragment of each page. */
	bundle->rows = mem_alloc(bundle->page_fragments.size + 1,
				 sizeof(*bundle->rows));
	for (uint32_t c = 0; c < bundle->cluster_count; c++) {
		struct bundle_cluster *cluster = &bundle->clusters[c];

		cluster->first_row = row;
		count_cluster(bundle, cluster,
			      grouping.order + grouping.first[c], counts);
		assert(row + cluster->row_count <= bundle->page_fragments.size);
		row += cluster->row_count;
	}
	bundle->rows = mem_resize(bundle->rows, row + 1, sizeof(*bundle->rows));
	free(grouping.order);
	free(grouping.first);
	free(counts);
}

static bool bundle_read_version(struct bundle *bundle,
				struct bundle_cluster *cluster,
				struct slice bytes, char *reason)
{
	struct byte_cursor cursor = cursor_of(bytes);
	uint32_t version = (uint32_t)cursor_number(&cursor, UINT32_MAX);
	struct slice rest = cursor_bytes(&cursor, cursor_left(&cursor));
	json_t *value =
		json_loadb(rest.data, rest.size, JSON_REJECT_DUPLICATES, NULL);
	bool is_object = json_is_object(value);

	json_decref(value);
	if (!cursor_is_done(&cursor) || version == 0 || !is_object)
		return bundle_reject(reason, "it is damaged");
	cluster->version = version;
	cluster->json = (struct slice){
		arena_copy(bundle->arena, rest.data, rest.size), rest.size};
	return true;
}

/*
 * Add the names of the fields of a set to `names`. Return false if one exists
 * already.
 */
static bool bundle_add_field_names(struct hash_table *names,
				   const struct field_set *set)
{
	for (uint32_t f = 0; f < set->count; f++) {
		const char *name = set->fields[f].name;
		uint32_t count = names->count;

		hash_table_add(names, hash64(name, strlen(name), 0));
		if (names->count == count)
			return false;
	}
	return true;
}

/*
 * Decode the sets of a section, in `arena`. Return NULL if they are damaged, or
 * two fields have one name.
 */
static struct field_set *bundle_decode_fields(struct arena *arena,
					      struct slice bytes,
					      uint32_t *count_out)
{
	struct byte_cursor cursor = cursor_of(bytes);
	struct hash_table names = hash_table_make(arena, sizeof(uint64_t));
	struct slice texts[MAX_FIELD_SETS];
	struct field_set *sets;
	uint32_t count = 0;

	if (bytes.size > MAX_FIELDS_BYTES)
		return NULL;
	while (cursor_left(&cursor) > 0 && count < MAX_FIELD_SETS)
		texts[count++] = cursor_text(&cursor, bytes.size);
	if (!cursor_is_done(&cursor))
		return NULL;
	sets = ARENA_NEW(arena, struct field_set, count);
	for (uint32_t i = 0; i < count; i++)
		if (!field_set_decode(arena, texts[i], &sets[i]) ||
		    !bundle_add_field_names(&names, &sets[i]))
			return NULL;
	*count_out = count;
	return sets;
}

/* Check the fields; bundle_find_fields() decodes them again. */
static bool bundle_check_fields(struct slice bytes, char *reason)
{
	struct arena *scratch = arena_create();
	uint32_t count;
	bool is_right = bundle_decode_fields(scratch, bytes, &count) != NULL;

	arena_destroy(scratch);
	return is_right || bundle_reject(reason, "it is damaged");
}

/* Read a section that belongs to a cluster, and store it in the cluster. */
static bool bundle_read_cluster(struct bundle *bundle,
				const struct section *section,
				struct slice bytes, char *reason)
{
	uint32_t index = bundle_find_cluster(bundle, section->number);
	struct bundle_cluster *cluster = &bundle->clusters[index];

	if (index == bundle->cluster_count)
		return bundle_reject(reason, "there is no such cluster");
	if (section->kind == SECTION_VERSION)
		return bundle_read_version(bundle, cluster, bytes, reason);
	if (section->kind == SECTION_FIELDS) {
		cluster->fields = section;
		return bundle_check_fields(bytes, reason);
	}
	cluster->samples = section;
	return bundle_check_samples(bytes, bundle->limits.max_page_bytes) ||
	       bundle_reject(reason, "it is damaged");
}

uint32_t bundle_template_count(const struct bundle *bundle)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < bundle->cluster_count; i++)
		count += bundle->clusters[i].page_count >=
			 bundle->site.min_cluster_pages;
	return count;
}

const struct bundle_cluster *bundle_clusters(const struct bundle *bundle,
					     uint32_t *count_out)
{
	*count_out = bundle->cluster_count;
	return bundle->clusters;
}

const struct bundle_cluster *bundle_cluster(const struct bundle *bundle,
					    uint32_t number)
{
	uint32_t index = bundle_find_cluster(bundle, number);

	return index == bundle->cluster_count ? NULL : &bundle->clusters[index];
}

enum { MAX_CHARSET_BYTES = 256 };

/*
 * A template model: built by an extraction method from the sample of a cluster.
 */
struct bundle_model {
	struct bundle_model *next;
	const struct extractor *extractor;
	double parameters[MAX_PARAMETERS];
	uint32_t cluster;
	struct arena *arena;
	const struct model_data *data; /* in `arena` */
	size_t bytes;
};

bool bundle_check_samples(struct slice bytes, size_t max_bytes)
{
	struct byte_cursor cursor = cursor_of(bytes);
	uint32_t count = 0;

	while (!cursor.is_broken && cursor_left(&cursor) > 0) {
		cursor_text(&cursor, MAX_CHARSET_BYTES);
		cursor_text(&cursor, max_bytes);
		count++;
	}
	return cursor_is_done(&cursor) && count <= MAX_SAMPLE_PAGES &&
	       bytes.size / MIN_SAMPLE_PAGES <= max_bytes + MAX_SAMPLE_BYTES;
}

static void bundle_model_free(struct bundle_model *lesson)
{
	arena_destroy(lesson->arena);
	free(lesson);
}

/*
 * Free the least recently used models while the models exceed the limit. The
 * most recently used model is never freed.
 */
static void bundle_evict_models(struct bundle *bundle)
{
	while (bundle->learned_bytes > bundle->limits.max_learned &&
	       bundle->newest->next != NULL) {
		struct bundle_model **oldest = &bundle->newest->next;

		while ((*oldest)->next != NULL)
			oldest = &(*oldest)->next;
		bundle->learned_bytes -= (*oldest)->bytes;
		bundle_model_free(*oldest);
		*oldest = NULL;
	}
}

void bundle_each_sample(const struct bundle *bundle, uint32_t cluster,
			void (*visit)(void *visitor, struct slice charset,
				      struct slice body),
			void *visitor)
{
	const struct bundle_cluster *row = bundle_cluster(bundle, cluster);
	struct buffer bytes = {0};
	struct byte_cursor cursor = {0};

	if (row != NULL && row->samples != NULL &&
	    container_unpack(row->samples, &bytes) == ERR_NONE)
		cursor = cursor_of(buffer_slice(&bytes));
	while (cursor_left(&cursor) > 0) {
		struct slice charset = cursor_text(&cursor, MAX_CHARSET_BYTES);

		visit(visitor, charset, cursor_text(&cursor, UINT32_MAX));
	}
	buffer_free(&bytes);
}

struct parsed_sample {
	const struct page_limits *limits;
	struct page *pages[MAX_SAMPLE_PAGES];
	uint32_t count;
};

/*
 * Parse a page of a sample. The limits are the largest ones that the
 * configuration of a daemon allows.
 */
static void bundle_parse_sample_page(void *visitor, struct slice charset,
				     struct slice body)
{
	struct parsed_sample *sample = visitor;
	struct page_limits wide = *sample->limits;

	if (wide.max_bytes < body.size)
		wide.max_bytes = body.size;
	if (sample->count < MAX_SAMPLE_PAGES)
		sample->count += page_parse(&sample->pages[sample->count], body,
					    charset, &wide) == ERR_NONE;
}

static struct bundle_model *
bundle_model_build(const struct bundle *bundle,
		   const struct bundle_cluster *cluster,
		   const struct extractor *extractor, const double *parameters)
{
	struct parsed_sample sample = {.limits = &bundle->site.limits};
	struct bundle_model *lesson;

	bundle_each_sample(bundle, cluster->number, bundle_parse_sample_page,
			   &sample);
	if (sample.count == 0)
		return NULL;
	lesson = mem_alloc(1, sizeof(*lesson));
	lesson->extractor = extractor;
	memcpy(lesson->parameters, parameters, sizeof(lesson->parameters));
	lesson->cluster = cluster->number;
	lesson->arena = arena_create();
	lesson->data =
		template_model_build(extractor, lesson->parameters,
				     sample.pages, sample.count, lesson->arena);
	lesson->bytes = sizeof(*lesson) + arena_bytes(lesson->arena);
	return lesson;
}

struct template_model bundle_learn(struct bundle *bundle, uint32_t cluster,
				   const struct extractor *extractor,
				   const double *parameters)
{
	const struct bundle_cluster *row = bundle_cluster(bundle, cluster);
	struct bundle_model **link = &bundle->newest;
	struct bundle_model *lesson;

	while (*link != NULL &&
	       !((*link)->extractor == extractor &&
		 (*link)->cluster == cluster &&
		 extractor_builds_same_model(extractor, (*link)->parameters,
					     parameters)))
		link = &(*link)->next;
	lesson = *link;
	if (lesson != NULL) {
		*link = lesson->next;
	} else if (row != NULL && row->samples != NULL) {
		lesson = bundle_model_build(bundle, row, extractor, parameters);
		bundle->learned_bytes += lesson == NULL ? 0 : lesson->bytes;
	}
	if (lesson == NULL)
		return (struct template_model){
			.error = row == NULL || row->samples == NULL
					 ? ERR_BODY_EXPIRED
					 : ERR_CORRUPT};
	lesson->next = bundle->newest;
	bundle->newest = lesson;
	bundle_evict_models(bundle);
	return (struct template_model){lesson->data, lesson, ERR_NONE};
}

enum { MAX_STATUS = 999 };

/* Read hashes, which must be strictly ascending. */
static bool bundle_read_hashes(struct slice bytes, uint64_t **hashes_out,
			       size_t *count_out, char *reason)
{
	struct byte_cursor cursor = cursor_of(bytes);
	size_t count = bytes.size / sizeof(uint64_t);
	uint64_t *hashes;

	if (bytes.size % sizeof(uint64_t) != 0 || count > UINT32_MAX)
		return bundle_reject(reason, "its size is invalid");
	hashes = mem_alloc(count + 1, sizeof(*hashes));
	*hashes_out = hashes;
	*count_out = count;
	for (size_t i = 0; i < count; i++) {
		hashes[i] = cursor_u64(&cursor);
		if (i > 0 && hashes[i] <= hashes[i - 1])
			return bundle_reject(reason,
					     "it is not in ascending order");
	}
	return true;
}

/*
 * Read a list of indices below `limit`, append it to `lists` and return its
 * length. If the list is invalid, the cursor is marked as damaged.
 */
static uint32_t bundle_read_list(struct byte_cursor *cursor, size_t limit,
				 struct index_lists *lists)
{
	uint32_t count = (uint32_t)cursor_number(cursor, limit);
	uint64_t next = 0;

	for (uint32_t i = 0; i < count && !cursor->is_broken; i++) {
		uint64_t index = next + cursor_number(cursor, UINT32_MAX);

		if (index >= limit) {
			cursor->is_broken = true;
			return 0;
		}
		lists->items =
			mem_grow(lists->items, lists->size, &lists->capacity,
				 sizeof(*lists->items));
		lists->items[lists->size++] = (uint32_t)index;
		next = index + 1;
	}
	return count;
}

static bool bundle_read_signatures(struct bundle *bundle, struct slice bytes,
				   char *reason)
{
	struct byte_cursor cursor = cursor_of(bytes);
	size_t capacity = 0;

	while (!cursor.is_broken && cursor_left(&cursor) > 0) {
		struct bundle_set set = {.first = bundle->set_shingles.size};

		set.cluster = (uint32_t)cursor_number(&cursor, UINT32_MAX);
		set.count = bundle_read_list(&cursor, bundle->shingle_count,
					     &bundle->set_shingles);
		bundle->sets = mem_grow(bundle->sets, bundle->set_count,
					&capacity, sizeof(*bundle->sets));
		bundle->sets[bundle->set_count++] = set;
	}
	return cursor_is_done(&cursor) ||
	       bundle_reject(reason, "it is damaged");
}

static bool bundle_read_page(struct bundle *bundle, struct byte_cursor *cursor,
			     struct bundle_page *page)
{
	const struct bundle_page *before =
		bundle->page_count == 0
			? NULL
			: &bundle->pages[bundle->page_count - 1];
	struct known_page *known = &page->known;

	known->key = cursor_u64(cursor);
	known->content_hash = cursor_u64(cursor);
	known->cluster = (uint32_t)cursor_number(cursor, UINT32_MAX);
	known->http_status = (uint32_t)cursor_number(cursor, MAX_STATUS);
	known->charset = cursor_text(cursor, MAX_CHARSET_BYTES);
	if (known->charset.size > 0) /* the section is freed, so copy it */
		known->charset.data =
			arena_copy(bundle->arena, known->charset.data,
				   known->charset.size);
	page->first = bundle->page_fragments.size;
	page->count = bundle_read_list(cursor, bundle->fragment_count,
				       &bundle->page_fragments);
	return before == NULL || known->key > before->known.key;
}

static bool bundle_read_pages(struct bundle *bundle, struct slice bytes,
			      char *reason)
{
	struct byte_cursor cursor = cursor_of(bytes);
	size_t capacity = 0;

	while (!cursor.is_broken && cursor_left(&cursor) > 0) {
		struct bundle_page page = {0};

		if (!bundle_read_page(bundle, &cursor, &page))
			return bundle_reject(reason,
					     "it is not in ascending order");
		bundle->pages = mem_grow(bundle->pages, bundle->page_count,
					 &capacity, sizeof(*bundle->pages));
		bundle->pages[bundle->page_count++] = page;
	}
	return (cursor_is_done(&cursor) && bundle->page_count <= UINT32_MAX) ||
	       bundle_reject(reason, "it is damaged");
}

/* Read the weights, and compute the units of each shingle. */
static bool bundle_read_weights(struct bundle *bundle, struct slice bytes,
				char *reason)
{
	if (!shingle_weights_decode(bytes, &bundle->weights))
		return bundle_reject(reason, "it is damaged");
	bundle->units =
		mem_alloc(bundle->shingle_count + 1, sizeof(*bundle->units));
	for (size_t i = 0; i < bundle->shingle_count; i++)
		bundle->units[i] =
			shingle_units(&bundle->weights, bundle->shingle_ids[i]);
	return true;
}

static bool read_bytes(struct bundle *bundle, uint32_t kind, struct slice bytes,
		       char *reason)
{
	switch (kind) {
	case SECTION_SITE:
		return bundle_site_read(bundle->arena, bytes, &bundle->site,
					reason) == ERR_NONE;
	case SECTION_MODEL:
		return ridge_model_read(&bundle->model, bytes) == ERR_NONE ||
		       bundle_reject(reason,
				     "this program cannot read the model");
	case SECTION_SHINGLES:
		return bundle_read_hashes(bytes, &bundle->shingle_ids,
					  &bundle->shingle_count, reason);
	case SECTION_SETS:
		return bundle_read_signatures(bundle, bytes, reason);
	case SECTION_FRAGMENTS:
		return bundle_read_hashes(bytes, &bundle->fragments,
					  &bundle->fragment_count, reason);
	case SECTION_PAGES:
		return bundle_read_pages(bundle, bytes, reason);
	case SECTION_WEIGHTS:
		return bundle_read_weights(bundle, bytes, reason);
	default:
		return bundle_reject(reason, "there is no such section");
	}
}

enum { MAX_REASON = 256, MAX_TEXT = LIMIT(4096, 256) };

const char *bundle_template_name(const struct bundle_site *site,
				 uint32_t cluster)
{
	size_t at;

	LOWER_BOUND(at, site->name_count, site->names[at].cluster < cluster);
	return at < site->name_count && site->names[at].cluster == cluster
		       ? site->names[at].name
		       : NULL;
}

/* Return the names as an object: {"1": name}. */
static json_t *bundle_names_json(const struct bundle_site *site)
{
	json_t *object = json_object();
	char number[16];

	for (size_t i = 0; i < site->name_count; i++) {
		snprintf(number, sizeof(number), "%" PRIu32,
			 site->names[i].cluster);
		json_object_set_new(object, number,
				    json_text(slice_of(site->names[i].name)));
	}
	return object;
}

static void bundle_site_write(const struct bundle_site *site,
			      struct buffer *out)
{
	const struct page_limits *limits = &site->limits;
	json_t *object = json_pack(
		"{s:o, s:o, s:s, s:I, s:I, s:I, s:I, s:o, s:o, "
		"s:{s:I, s:I, s:I, s:I}, s:I, s:o, s:o}",
		"host", json_text(slice_of(site->host)), "base",
		json_text(slice_of(site->base)), "measure",
		measure_name(site->measure), "width", (json_int_t)site->width,
		"threshold", (json_int_t)site->threshold, "generation",
		(json_int_t)site->generation, "made_ms",
		(json_int_t)site->made_ms, "made", json_time(site->made_ms),
		"program", json_text(slice_of(site->program)), "limits",
		"bytes", (json_int_t)limits->max_bytes, "nodes",
		(json_int_t)limits->max_nodes, "depth",
		(json_int_t)limits->max_depth, "attributes",
		(json_int_t)limits->max_attributes, "min_cluster_pages",
		(json_int_t)site->min_cluster_pages, "settings",
		json_text(slice_of(site->settings)), "names",
		bundle_names_json(site));
	char *text = json_dumps(object, JSON_COMPACT);

	buffer_append_text(out, text == NULL ? "{}" : text);
	free(text);
	json_decref(object);
}

/* Reads the section "site"; `reason` describes the first error. */
struct bundle_site_reader {
	const json_t *object;
	struct arena *arena;
	char *reason; /* "" if there was no error */
};

static void bundle_site_reject(struct bundle_site_reader *reading,
			       const char *name, const char *why)
{
	if (reading->reason[0] == '\0')
		snprintf(reading->reason, MAX_REASON, "%s: %.200s", name, why);
}

static uint64_t bundle_site_read_number(struct bundle_site_reader *reading,
					const char *name, uint64_t low,
					uint64_t high)
{
	const json_t *value = json_object_get(reading->object, name);
	json_int_t number = json_integer_value(value);

	if (!json_is_integer(value) || number < 0 || (uint64_t)number < low ||
	    (uint64_t)number > high) {
		bundle_site_reject(reading, name,
				   "not a number within its range");
		return low;
	}
	return (uint64_t)number;
}

static const char *bundle_site_read_text(struct bundle_site_reader *reading,
					 const char *name)
{
	const json_t *value = json_object_get(reading->object, name);

	if (!json_is_string(value) || json_string_length(value) > MAX_TEXT) {
		bundle_site_reject(reading, name, "not a text, or too long");
		return "";
	}
	return arena_copy(reading->arena, json_string_value(value),
			  json_string_length(value));
}

static void read_limits(struct bundle_site_reader *reading,
			struct page_limits *limits)
{
	struct bundle_site_reader inner = *reading;

	inner.object = json_object_get(reading->object, "limits");
	/* The same ranges as in the configuration of the daemon. */
	limits->max_bytes =
		(size_t)bundle_site_read_number(&inner, "bytes", 1024, 1 << 30);
	limits->max_nodes = (uint32_t)bundle_site_read_number(&inner, "nodes",
							      100, 10000000);
	limits->max_depth =
		(uint32_t)bundle_site_read_number(&inner, "depth", 16, 4096);
	limits->max_attributes = (uint32_t)bundle_site_read_number(
		&inner, "attributes", 1, 4096);
}

/* Check that `host` is the host of `base` and in canonical form. */
static void check_address(struct bundle_site_reader *reading,
			  const struct bundle_site *site)
{
	struct url url;

	if (url_parse(&url, slice_of(site->base), NULL) != ERR_NONE ||
	    strcmp(url.text, site->base) != 0)
		bundle_site_reject(reading, "base", "not a canonical address");
	else if (strcmp(url.host, site->host) != 0)
		bundle_site_reject(reading, "host", "not the host of the base");
}

/* Read the names. A bundle without names, or with others, is not damaged. */
static void bundle_site_read_names(struct bundle_site_reader *reading,
				   struct bundle_site *site)
{
	json_t *object = json_object_get(reading->object, "names");
	struct bundle_name *names = ARENA_NEW(
		reading->arena, struct bundle_name, json_object_size(object));
	const char *number;
	json_t *value;

	json_object_foreach(object, number, value)
	{
		struct slice name = template_name_clean(
			reading->arena,
			(struct slice){json_string_value(value),
				       json_string_length(value)});

		if (name.size > 0)
			names[site->name_count++] = (struct bundle_name){
				(uint32_t)strtoul(number, NULL, 10), name.data};
	}
	if (site->name_count > 1)
		qsort(names, site->name_count, sizeof(*names), order_u32);
	site->names = names;
}

static void bundle_site_read_fields(struct bundle_site_reader *reading,
				    struct bundle_site *site)
{
	char error[MAX_REASON];

	site->host = bundle_site_read_text(reading, "host");
	site->base = bundle_site_read_text(reading, "base");
	if (!measure_from_name(bundle_site_read_text(reading, "measure"),
			       &site->measure))
		bundle_site_reject(reading, "measure",
				   "there is no such measure");
	site->width = (unsigned)bundle_site_read_number(reading, "width", 0,
							SIGNATURE_MAX_WIDTH);
	site->threshold = (unsigned)bundle_site_read_number(
		reading, "threshold", 0, 1000);
	site->generation =
		bundle_site_read_number(reading, "generation", 0, INT64_MAX);
	site->made_ms =
		bundle_site_read_number(reading, "made_ms", 0, INT64_MAX);
	site->program = bundle_site_read_text(reading, "program");
	site->min_cluster_pages = (uint32_t)bundle_site_read_number(
		reading, "min_cluster_pages", 1, UINT32_MAX);
	site->settings = bundle_site_read_text(reading, "settings");
	bundle_site_read_names(reading, site);
	read_limits(reading, &site->limits);
	check_address(reading, site);
	if (!settings_apply(site->settings, NULL, NULL, error))
		bundle_site_reject(reading, "settings", error);
}

enum error bundle_site_read(struct arena *arena, struct slice json,
			    struct bundle_site *site_out, char *reason)
{
	json_t *object = json_loadb(json.size == 0 ? "" : json.data, json.size,
				    JSON_REJECT_DUPLICATES, NULL);
	struct bundle_site_reader reading = {object, arena, reason};

	*site_out = (struct bundle_site){0};
	reason[0] = '\0';
	if (json_is_object(object))
		bundle_site_read_fields(&reading, site_out);
	else
		bundle_site_reject(&reading, "site", "not a JSON object");
	json_decref(object);
	return reason[0] == '\0' ? ERR_NONE : ERR_CORRUPT;
}

static const struct bundle *bundle_of(const void *context)
{
	return ((const struct bundle_view *)context)->bundle;
}

static struct found_shingles bundle_view_find_shingles(void *context,
						       struct signature own,
						       uint32_t *shingles_out)
{
	const struct bundle *bundle = bundle_of(context);
	struct found_shingles found = {
		.units = signature_units(&bundle->weights, own),
		.units_of = bundle->units,
	};

	for (size_t i = 0; i < own.count; i++) {
		size_t shingle_id =
			sorted_find(bundle->shingle_ids, bundle->shingle_count,
				    own.shingles[i]);

		if (shingle_id < bundle->shingle_count)
			shingles_out[found.count++] = (uint32_t)shingle_id;
	}
	return found;
}

static void bundle_view_each_signature(
	void *context,
	void (*visit)(void *visitor, const struct site_signature *set),
	void *visitor)
{
	const struct bundle *bundle = bundle_of(context);

	for (size_t i = 0; i < bundle->set_count; i++) {
		const struct bundle_set *set = &bundle->sets[i];

		visit(visitor,
		      &(struct site_signature){
			      .number = (uint32_t)i,
			      .shingle_ids =
				      bundle->set_shingles.items + set->first,
			      .count = set->count,
		      });
	}
}

static uint32_t bundle_view_cluster_of(void *context, uint32_t set)
{
	return bundle_of(context)->sets[set].cluster;
}

/* The state of a cluster in a bundle never changes, so `changes` is 0. */
static struct cluster_state bundle_view_cluster_state(void *context,
						      uint32_t cluster)
{
	const struct bundle_cluster *row =
		bundle_cluster(bundle_of(context), cluster);

	return (struct cluster_state){
		.page_count = row == NULL ? 0 : row->page_count};
}

static uint32_t bundle_view_frequency(void *context, uint32_t cluster,
				      uint64_t fragment)
{
	const struct bundle *bundle = bundle_of(context);
	const struct bundle_cluster *row = bundle_cluster(bundle, cluster);
	size_t wanted = sorted_find(bundle->fragments, bundle->fragment_count,
				    fragment);
	const struct frequency_row *rows;
	size_t at;

	if (row == NULL || wanted == bundle->fragment_count)
		return 0;
	rows = bundle->rows + row->first_row;
	LOWER_BOUND(at, row->row_count, rows[at].fragment < wanted);
	return at < row->row_count && rows[at].fragment == wanted
		       ? rows[at].count
		       : 0;
}

/* Return the page with this key, or NULL. */
static const struct bundle_page *bundle_view_page(const void *context,
						  uint64_t key)
{
	const struct bundle *bundle = bundle_of(context);
	size_t at;

	LOWER_BOUND(at, bundle->page_count, bundle->pages[at].known.key < key);
	return at < bundle->page_count && bundle->pages[at].known.key == key
		       ? &bundle->pages[at]
		       : NULL;
}

static bool bundle_view_find_page(void *context, const struct url *url,
				  struct known_page *page_out)
{
	const struct bundle_page *page =
		bundle_view_page(context, page_key_of(slice_of(url->text)));

	if (page != NULL)
		*page_out = page->known;
	return page != NULL;
}

static const uint64_t *bundle_view_fragments(void *context,
					     const struct known_page *known,
					     struct arena *arena,
					     uint32_t *count_out)
{
	const struct bundle *bundle = bundle_of(context);
	const struct bundle_page *page = bundle_view_page(context, known->key);
	uint64_t *hashes;

	if (page == NULL)
		return NULL;
	hashes = ARENA_NEW(arena, uint64_t, page->count);
	for (uint32_t i = 0; i < page->count; i++)
		hashes[i] = bundle->fragments[bundle->page_fragments
						      .items[page->first + i]];
	*count_out = page->count;
	return hashes;
}

static struct template_model
bundle_view_build_model(void *context, uint32_t cluster, uint32_t changes,
			const struct extractor *extractor,
			const double *parameters)
{
	const struct bundle_view *seen = context;
	const struct bundle_learner *learner = seen->learner;

	(void)changes;
	return learner == NULL ? bundle_learn(seen->bundle, cluster, extractor,
					      parameters)
			       : learner->learn(learner->context, cluster,
						extractor, parameters);
}

/*
 * Release a model that the learner has built. All other models belong to the
 * bundle, which frees them itself.
 */
static void bundle_view_release_model(void *context,
				      struct template_model taught)
{
	const struct bundle_view *seen = context;

	if (seen->learner != NULL)
		seen->learner->release(seen->learner->context, taught);
}

/* A bundle was checked when it was opened, so reading it cannot fail. */
static enum error bundle_view_failure(const void *context)
{
	(void)context;
	return ERR_NONE;
}

static void bundle_make_view(struct bundle *bundle)
{
	static const struct site_source source = {
		.find_shingles = bundle_view_find_shingles,
		.each_set = bundle_view_each_signature,
		.cluster_of = bundle_view_cluster_of,
		.state = bundle_view_cluster_state,
		.frequency = bundle_view_frequency,
		.find_page = bundle_view_find_page,
		.fragments = bundle_view_fragments,
		.learn = bundle_view_build_model,
		.release = bundle_view_release_model,
		.failure = bundle_view_failure,
	};

	bundle->seen = (struct bundle_view){.bundle = bundle};
	bundle->view = (struct site_view){
		.host = slice_of(bundle->site.host),
		.measure = bundle->site.measure,
		.width = bundle->site.width,
		.threshold = bundle->site.threshold,
		.generation = bundle->site.generation,
		.source = &source,
		.context = &bundle->seen,
	};
}

const struct bundle_limits bundle_limits_default = {
	.max_bytes = BUNDLE_MAX_BYTES,
	.max_learned = (size_t)64 << 20,
	.max_page_bytes = (size_t)64 << 20,
	.max_page_nodes = 2000000,
};

void bundle_close(struct bundle *bundle)
{
	if (bundle == NULL)
		return;
	while (bundle->newest != NULL) {
		struct bundle_model *next = bundle->newest->next;

		bundle_model_free(bundle->newest);
		bundle->newest = next;
	}
	ridge_model_destroy(bundle->model);
	free(bundle->shingle_ids);
	shingle_weights_free(&bundle->weights);
	free(bundle->units);
	free(bundle->sets);
	free(bundle->set_shingles.items);
	free(bundle->fragments);
	free(bundle->pages);
	free(bundle->page_fragments.items);
	free(bundle->clusters);
	free(bundle->rows);
	free(bundle->container.sections);
	arena_destroy(bundle->arena);
	buffer_free(&bundle->file);
	free(bundle);
}

/*
 * Read a section. If it is invalid, write the reason to `reason` and return
 * false.
 */
static bool bundle_read_section(struct bundle *bundle,
				const struct section *section, char *reason)
{
	const bool is_of_cluster = section->kind == SECTION_SAMPLES ||
				   section->kind == SECTION_VERSION ||
				   section->kind == SECTION_FIELDS;
	struct buffer bytes = {0};
	bool is_right = false;

	if (!is_of_cluster && section->number != 0)
		return bundle_reject(reason, "it belongs to no cluster");
	if (container_unpack(section, &bytes) != ERR_NONE)
		bundle_reject(reason, "it cannot be decompressed");
	else if (is_of_cluster)
		is_right = bundle_read_cluster(bundle, section,
					       buffer_slice(&bytes), reason);
	else
		is_right = read_bytes(bundle, section->kind,
				      buffer_slice(&bytes), reason);
	buffer_free(&bytes);
	return is_right;
}

static enum error bundle_fail(enum error error, const char *text, char *reason)
{
	snprintf(reason, BUNDLE_REASON_BYTES, "bundle: %s", text);
	return error;
}

/*
 * Read the sections in ascending order of their kinds, because a section may
 * refer to data of earlier ones.
 */
static enum error bundle_read_sections(struct bundle *bundle, char *reason)
{
	const struct container *container = &bundle->container;
	char phrase[BUNDLE_REASON_BYTES];
	char name[64];
	bool has_clusters = false;

	for (uint32_t i = 0; i < container->count; i++) {
		const struct section *section = &container->sections[i];

		if (!has_clusters && section->kind > SECTION_PAGES) {
			bundle_make_clusters(bundle);
			has_clusters = true;
		}
		if (bundle_read_section(bundle, section, phrase))
			continue;
		section_name(section, name, sizeof(name));
		snprintf(reason, BUNDLE_REASON_BYTES, "bundle: %s: %.180s",
			 name, phrase);
		return ERR_CORRUPT;
	}
	if (!has_clusters)
		bundle_make_clusters(bundle);
	return ERR_NONE;
}

/* Check what no single section shows: that sections exist and fit together. */
static enum error check_whole(const struct bundle *bundle, char *reason)
{
	const struct page_limits *limits = &bundle->site.limits;

	if (bundle->site.host == NULL)
		return bundle_fail(ERR_CORRUPT, "the section site is missing",
				   reason);
	if (limits->max_bytes > bundle->limits.max_page_bytes ||
	    limits->max_nodes > bundle->limits.max_page_nodes)
		return bundle_fail(
			ERR_TOO_LARGE,
			"its pages may be larger than this program allows",
			reason);
	for (size_t i = 0; i < bundle->set_count; i++)
		if (bundle->sets[i].cluster != 0 &&
		    bundle_cluster(bundle, bundle->sets[i].cluster) == NULL)
			return bundle_fail(
				ERR_CORRUPT,
				"section sets: a cluster has no pages", reason);
	return ERR_NONE;
}

enum error bundle_open(struct bundle **bundle_out, struct buffer *file,
		       const struct bundle_limits *limits, char *reason)
{
	struct bundle *bundle = mem_alloc(1, sizeof(*bundle));
	enum error error;

	bundle->file = *file;
	*file = (struct buffer){0};
	bundle->arena = arena_create();
	bundle->limits = *limits;
	error = container_read(buffer_slice(&bundle->file), limits->max_bytes,
			       &bundle->container, reason);
	if (error == ERR_NONE)
		error = bundle_read_sections(bundle, reason);
	if (error == ERR_NONE)
		error = check_whole(bundle, reason);
	if (error == ERR_NONE) {
		bundle_make_view(bundle);
		*bundle_out = bundle;
		bundle = NULL;
	}
	bundle_close(bundle);
	return error;
}

const struct bundle_site *bundle_site_of(const struct bundle *bundle)
{
	return &bundle->site;
}

size_t bundle_size(const struct bundle *bundle)
{
	return bundle->file.size;
}

uint32_t bundle_page_count(const struct bundle *bundle)
{
	return (uint32_t)bundle->page_count;
}

/*
 * Return whether the page may belong to the site: its URL has the host of the
 * site, or is unknown.
 */
static bool bundle_has_host_of(const struct bundle *bundle,
			       const struct text_request *request)
{
	return request->url == NULL ||
	       slice_equal(slice_of(request->url->host), bundle->view.host);
}

static enum error bundle_extract_page(const struct bundle *bundle,
				      const struct site_view *view,
				      const struct text_request *request,
				      struct extraction_result *answer_out)
{
	const struct site_view *site =
		bundle_has_host_of(bundle, request) ? view : NULL;
	const struct extraction_options rules = {
		.limits = bundle->site.limits,
		.min_cluster_pages = bundle->site.min_cluster_pages,
		.settings = bundle->site.settings,
		.ridges = site == NULL ? NULL : bundle->model,
	};
	struct extraction extraction = {
		.rules = &rules, .request = request, .site = site};

	*answer_out = (struct extraction_result){0};
	return extraction_of_body(&extraction, answer_out);
}

enum error bundle_extract(struct bundle *bundle,
			  const struct text_request *request,
			  struct extraction_result *answer_out)
{
	return bundle_extract_page(bundle, &bundle->view, request, answer_out);
}

enum error bundle_extract_by(const struct bundle *bundle,
			     const struct bundle_learner *learner,
			     const struct text_request *request,
			     struct extraction_result *answer_out)
{
	struct bundle_view seen = {.bundle = bundle->seen.bundle,
				   .learner = learner};
	struct site_view view = bundle->view;

	view.context = &seen;
	return bundle_extract_page(bundle, &view, request, answer_out);
}

static enum error bundle_parse_and_classify(struct bundle *bundle,
					    const struct text_request *request,
					    struct page **page_out,
					    struct cluster_match *match_out)
{
	return extraction_class(
		bundle_has_host_of(bundle, request) ? &bundle->view : NULL,
		request, &bundle->site.limits, page_out, match_out);
}

enum error bundle_classify(struct bundle *bundle,
			   const struct text_request *request,
			   struct cluster_match *classed_out)
{
	struct page *page;
	enum error error =
		bundle_parse_and_classify(bundle, request, &page, classed_out);

	page_destroy(page);
	return error;
}

/* Find the fields of a template in its sample. */
static void bundle_discover_fields(struct bundle *bundle,
				   struct bundle_cluster *cluster)
{
	struct parsed_sample sample = {.limits = &bundle->site.limits};

	bundle_each_sample(bundle, cluster->number, bundle_parse_sample_page,
			   &sample);
	cluster->field_sets = ARENA_NEW(bundle->arena, struct field_set, 1);
	cluster->field_sets[0] = fields_find(
		bundle->arena, (const struct page *const *)sample.pages,
		sample.count);
	cluster->field_set_count = 1;
	for (uint32_t i = 0; i < sample.count; i++)
		page_destroy(sample.pages[i]);
}

void bundle_find_fields(struct bundle *bundle, uint32_t cluster)
{
	uint32_t index = bundle_find_cluster(bundle, cluster);
	struct bundle_cluster *row = &bundle->clusters[index];
	struct buffer bytes = {0};

	if (index == bundle->cluster_count || row->has_found_fields)
		return;
	row->has_found_fields = true;
	if (row->fields != NULL &&
	    container_unpack(row->fields, &bytes) == ERR_NONE)
		row->field_sets = bundle_decode_fields(bundle->arena,
						       buffer_slice(&bytes),
						       &row->field_set_count);
	else if (row->page_count >= bundle->site.min_cluster_pages)
		bundle_discover_fields(bundle, row);
	buffer_free(&bytes);
}

json_t *bundle_describe_fields(const struct bundle_cluster *cluster)
{
	struct arena *scratch = arena_create();
	struct buffer bytes = {0};
	struct field_set *sets = NULL;
	json_t *list = json_null();
	uint32_t count = 0;

	if (cluster->fields != NULL &&
	    container_unpack(cluster->fields, &bytes) == ERR_NONE)
		sets = bundle_decode_fields(scratch, buffer_slice(&bytes),
					    &count);
	if (sets != NULL)
		list = json_array();
	for (uint32_t i = 0; i < count; i++)
		fields_describe(&sets[i], list);
	buffer_free(&bytes);
	arena_destroy(scratch);
	return list;
}

void bundle_cluster_fields(struct bundle *bundle, uint32_t cluster,
			   const struct page *page,
			   struct page_fields *fields_out)
{
	const struct bundle_cluster *row = bundle_cluster(bundle, cluster);

	*fields_out = (struct page_fields){.arena = arena_create()};
	if (row == NULL)
		return;
	bundle_find_fields(bundle, cluster);
	fields_out->cluster = cluster;
	page_fields_read(page, row->field_sets, row->field_set_count,
			 fields_out);
}

enum error bundle_page_fields(struct bundle *bundle,
			      const struct text_request *request,
			      struct page_fields *fields_out)
{
	struct cluster_match match;
	struct page *page;
	enum error error =
		bundle_parse_and_classify(bundle, request, &page, &match);

	bundle_cluster_fields(bundle, match.cluster, page, fields_out);
	page_destroy(page);
	return error;
}

enum error bundle_record(struct bundle *bundle,
			 const struct text_request *request,
			 uint32_t *cluster_out, json_t *record)
{
	const struct bundle_cluster *row;
	struct cluster_match match;
	struct page *page;
	enum error error =
		bundle_parse_and_classify(bundle, request, &page, &match);

	bundle_find_fields(bundle, match.cluster);
	row = bundle_cluster(bundle, match.cluster);
	*cluster_out = match.cluster;
	for (uint32_t i = 0; row != NULL && i < row->field_set_count; i++)
		record_add(&row->field_sets[i], page, true, record);
	page_destroy(page);
	return error;
}

enum { MAX_GROWTH = 4 };

bool bundle_is_full(const struct bundle_writer *writer)
{
	return writer->file.body.size + writer->file.table.size >
		       writer->max_bytes ||
	       writer->rows.size / MAX_GROWTH > writer->max_bytes ||
	       writer->unpacked + writer->rows.size > BUNDLE_MAX_BYTES;
}

/* Finish the current section: compress it and add it to the file. */
static void end_section(struct bundle_writer *writer)
{
	if (writer->rows.size == 0)
		return;
	if (!bundle_is_full(writer))
		container_add(&writer->file, writer->kind, writer->number,
			      buffer_slice(&writer->rows));
	writer->unpacked += writer->rows.size;
	buffer_free(&writer->rows);
}

/*
 * Return the buffer for a section. If it is not the current section, finish the
 * current one first.
 */
static struct buffer *bundle_writer_section(struct bundle_writer *writer,
					    enum section_kind kind,
					    uint32_t number)
{
	if (writer->kind != kind || writer->number != number)
		end_section(writer);
	writer->kind = kind;
	writer->number = number;
	return &writer->rows;
}

void bundle_put_site(struct bundle_writer *writer,
		     const struct bundle_site *site)
{
	bundle_site_write(site, bundle_writer_section(writer, SECTION_SITE, 0));
}

void bundle_put_model(struct bundle_writer *writer, struct slice model)
{
	buffer_append_slice(bundle_writer_section(writer, SECTION_MODEL, 0),
			    model);
}

void bundle_put_hashes(struct bundle_writer *writer, enum section_kind kind,
		       const uint64_t *hashes, size_t count)
{
	struct buffer *out = bundle_writer_section(writer, kind, 0);

	buffer_reserve(out, count * sizeof(*hashes));
	for (size_t i = 0; i < count; i++)
		pack_u64(out, hashes[i]);
}

void bundle_put_weights(struct bundle_writer *writer,
			const struct shingle_weights *weights)
{
	shingle_weights_encode(
		weights, bundle_writer_section(writer, SECTION_WEIGHTS, 0));
}

/*
 * Append a list of ascending indices: their number, then the gap before each
 * index.
 */
static void append_indices(struct buffer *out, const uint32_t *indices,
			   size_t count)
{
	uint32_t next = 0;

	pack_number(out, count);
	for (size_t i = 0; i < count; i++) {
		assert(indices[i] >= next);
		pack_number(out, indices[i] - next);
		next = indices[i] + 1;
	}
}

void bundle_put_set(struct bundle_writer *writer, uint32_t cluster,
		    const uint32_t *shingle_ids, size_t count)
{
	struct buffer *rows = bundle_writer_section(writer, SECTION_SETS, 0);

	pack_number(rows, cluster);
	append_indices(rows, shingle_ids, count);
}

void bundle_put_page(struct bundle_writer *writer,
		     const struct known_page *page, const uint32_t *fragments,
		     uint32_t count)
{
	struct buffer *rows = bundle_writer_section(writer, SECTION_PAGES, 0);

	pack_u64(rows, page->key);
	pack_u64(rows, page->content_hash);
	pack_number(rows, page->cluster);
	pack_number(rows, page->http_status);
	pack_text(rows, page->charset);
	append_indices(rows, fragments, count);
}

void bundle_put_sample(struct bundle_writer *writer, uint32_t cluster,
		       struct slice charset, struct slice body)
{
	struct buffer *rows =
		bundle_writer_section(writer, SECTION_SAMPLES, cluster);

	pack_text(rows, charset);
	pack_text(rows, body);
}

void bundle_put_version(struct bundle_writer *writer, uint32_t cluster,
			uint32_t version, struct slice json)
{
	struct buffer *rows =
		bundle_writer_section(writer, SECTION_VERSION, cluster);

	pack_number(rows, version);
	buffer_append_slice(rows, json);
}

void bundle_put_fields(struct bundle_writer *writer, uint32_t cluster,
		       struct slice set)
{
	pack_text(bundle_writer_section(writer, SECTION_FIELDS, cluster), set);
}

void bundle_writer_free(struct bundle_writer *writer)
{
	buffer_free(&writer->rows);
	container_free(&writer->file);
}

enum error bundle_end(struct bundle_writer *writer, struct buffer *out)
{
	enum error error = ERR_TOO_LARGE;

	end_section(writer);
	if (!bundle_is_full(writer)) {
		container_end(&writer->file, out);
		error = ERR_NONE;
	}
	assert(writer->rows.size == 0);
	bundle_writer_free(writer);
	return error;
}
