#include "daemon/ctl/offline.h"

#include <assert.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "daemon/ctl/offline_input.h"
#include "daemon/ctl/offline_run.h"
#include "daemon/privsep/model_cache.h"
#include "daemon/query/query.h"
#include "daemon/query/stored_site.h"
#include "extract/extractors.h"
#include "page/page.h"
#include "store/key.h"
#include "store/rows.h"
#include "template/extraction.h"
#include "template/request.h"
#include "template/result.h"

enum format offline_format(const struct ctl *ctl)
{
	const char *name = option_text(ctl, "format");
	enum format format = ctl->is_json ? FORMAT_JSON : FORMAT_TXT;

	if (name != NULL)
		format_from_name(name, &format);
	return format;
}

enum measure offline_measure(const struct ctl *ctl)
{
	const char *name = option_text(ctl, "measure");
	enum measure measure = MEASURE_WCAS;

	if (name != NULL)
		measure_from_name(name, &measure);
	return measure;
}

unsigned offline_threshold(const struct ctl *ctl)
{
	return option_threshold(ctl, "threshold", THRESHOLD_AUTO);
}

uint16_t offline_width(const struct ctl *ctl)
{
	return (uint16_t)option_whole(ctl, "shingle-width", 0);
}

const char **offline_parameters(const struct ctl *ctl)
{
	const char **parameters =
		mem_alloc(ctl->value_count + 1, sizeof(*parameters));
	size_t count = 0;

	for (size_t i = 0; i < ctl->value_count; i++)
		if (strcmp(ctl->values[i].option->name, "param") == 0)
			parameters[count++] = ctl->values[i].text;
	return parameters;
}

void offline_render(const struct extraction_result *answer, enum format format,
		    struct buffer *out)
{
	if (format == FORMAT_JSON)
		result_json(answer, NULL, out);
	else
		buffer_append_slice(out, buffer_slice(&answer->text));
}

bool offline_write(const struct ctl *ctl, const char *folder, const char *name,
		   enum format format, struct slice bytes)
{
	struct buffer path = {0};
	bool is_written;

	output_path(folder, name, format, &path);
	is_written = ctl_write_file(ctl, path.data, bytes, file_write);
	buffer_free(&path);
	return is_written;
}

void offline_trouble(enum error error, const struct extraction_result *answer,
		     struct buffer *out)
{
	if (answer->reason[0] != '\0' && error != ERR_NOT_HTML &&
	    error != ERR_TOO_LARGE)
		buffer_append_text(out, answer->reason);
	else
		input_trouble(error,
			      extraction_options_default.limits.max_bytes, out);
}

enum error offline_url(const char *name, struct url *url_out)
{
	return offline_url_below("http://" OFFLINE_HOST "/", name, url_out);
}

enum error offline_url_below(const char *base, const char *name,
			     struct url *url_out)
{
	const char *slash = strrchr(base, '/');
	struct buffer text = {0};
	enum error error;

	buffer_append(&text, base, (size_t)(slash - base) + 1);
	percent_append(&text, slice_of(name), "/");
	error = url_parse(url_out, buffer_slice(&text), NULL);
	buffer_free(&text);
	return error;
}

enum { HTTP_OK = 200 };

struct extraction_result *
fallback_text_create(const struct fallback_options *rules,
		     const struct url *url, struct page *page)
{
	struct extraction extraction = {.rules = rules->rules,
					.request = rules->request};
	struct extraction_result *early = mem_alloc(1, sizeof(*early));

	early->page = page;
	snprintf(early->url, sizeof(early->url), "%s", url->text);
	if (extraction_of_page(&extraction, page, HTTP_OK, early) != ERR_NONE) {
		fallback_text_free(early);
		return NULL;
	}
	if (rules->is_strict)
		early->is_citable = result_is_citable(early);
	result_detach(early, rules->request->format);
	return early;
}

void fallback_text_free(struct extraction_result *early)
{
	if (early == NULL)
		return;
	extraction_result_free(early);
	free(early);
}

size_t fallback_text_bytes(const struct extraction_result *early)
{
	return sizeof(*early) + early->text.capacity +
	       early->detached.head.capacity + early->detached.rest.capacity;
}

bool fallback_text_move(struct extraction_result *early, struct store *store,
			const struct extraction_options *rules,
			const struct text_request *request,
			struct extraction_result *answer_out)
{
	struct method_selection choice;

	if (early == NULL ||
	    query_page_place(store, request->url, early) != ERR_NONE ||
	    method_select(request->method, early->cluster_pages,
			  rules->min_cluster_pages, &choice) != ERR_NONE ||
	    choice.has_template ||
	    strcmp(choice.extractor->name, early->method) != 0)
		return false;
	snprintf(early->reason, sizeof(early->reason), "%s", choice.reason);
	*answer_out = *early;
	*early = (struct extraction_result){0};
	return true;
}

struct page_cache_entry {
	size_t index;
	uint64_t key; /* key of the stored page */
	struct parsed_page parsed;
};

struct page_cache {
	struct page_cache_entry *items;   /* [count], sorted by index */
	struct page_cache_entry **by_key; /* [count], sorted by key; NULL until
					     models are built */
	size_t count;
	size_t capacity;
	size_t bytes;
	size_t max_bytes;
	unsigned jobs;
};

struct page_cache *page_cache_create(size_t max_bytes, unsigned jobs)
{
	struct page_cache *kept = mem_alloc(1, sizeof(*kept));

	kept->max_bytes = max_bytes;
	kept->jobs = jobs;
	return kept;
}

void page_cache_destroy(struct page_cache *kept)
{
	if (kept == NULL)
		return;
	for (size_t i = 0; i < kept->count; i++)
		page_destroy(kept->items[i].parsed.page);
	free(kept->items);
	free(kept->by_key);
	free(kept);
}

size_t page_cache_bytes(const struct page_cache *kept)
{
	return kept->bytes;
}

void page_cache_add(struct page_cache *kept, size_t index,
		    const struct url *url, struct page *page)
{
	assert(kept->count == 0 || kept->items[kept->count - 1].index < index);
	kept->items = mem_grow(kept->items, kept->count, &kept->capacity,
			       sizeof(*kept->items));
	kept->items[kept->count++] = (struct page_cache_entry){
		.index = index,
		.key = page_key_of(slice_of(url->text)),
		.parsed = {.page = page},
	};
	kept->bytes += arena_bytes(page->arena);
}

static int page_cache_compare(const void *a, const void *b)
{
	const struct page_cache_entry *const *left = a;
	const struct page_cache_entry *const *right = b;

	if ((*left)->key != (*right)->key)
		return (*left)->key < (*right)->key ? -1 : 1;
	return 0;
}

static struct page_cache_entry *page_cache_find(const struct page_cache *kept,
						uint64_t key)
{
	size_t at;

	LOWER_BOUND(at, kept->count, kept->by_key[at]->key < key);
	return at < kept->count && kept->by_key[at]->key == key
		       ? kept->by_key[at]
		       : NULL;
}

/* The state of building the models of a site. */
struct model_builder {
	struct page_cache *kept;
	struct store *store;
	const struct extraction_options *rules;
	const struct text_request *request;
	struct model_query question; /* a query without cluster and state */
	uint32_t site;
	uint32_t *clusters; /* [count], the clusters that may have a template */
	size_t count;
	size_t capacity;
	size_t next;
};

struct class
{
	uint32_t cluster;
	uint32_t changes; /* state of the cluster, see struct cluster_state */
	/* [count], the pages of its sample */
	struct page_cache_entry *pages[MAX_SAMPLE_PAGES];
	uint32_t count;
	bool keeps_prepared; /* cache the prepared data; false = extraction
				prepares the pages again */
	size_t grown_bytes;
};

static void find_clusters(struct model_builder *teaching, struct txn *txn)
{
	struct key prefix = key_site(teaching->site);
	struct scan scan = scan_begin(txn, TABLE_CLUSTERS, key_slice(&prefix));
	struct cluster_row row;

	while (scan_next(&scan)) {
		if (!cluster_row_decode(scan.value, &row) ||
		    row.page_count < teaching->rules->min_cluster_pages)
			continue;
		teaching->clusters = mem_grow(
			teaching->clusters, teaching->count,
			&teaching->capacity, sizeof(*teaching->clusters));
		teaching->clusters[teaching->count++] =
			key_u32(scan.key, sizeof(uint32_t));
	}
	scan_end(&scan);
}

/*
 * Find the pages of the sample of the cluster in the cache. Return false if
 * some are not cached.
 */
static bool model_builder_collect(const struct model_builder *teaching,
				  struct class *class)
{
	uint64_t keys[MAX_SAMPLE_PAGES];
	struct txn txn = txn_begin_read(teaching->store);
	const struct stored_pages pages = {&txn, teaching->site, class->cluster,
					   &teaching->rules->limits};
	uint32_t count = stored_pages_find(&pages, MAX_SAMPLE_PAGES,
					   MAX_SAMPLE_BYTES, keys);
	bool is_read;

	class->changes =
		stored_site_state(&txn, teaching->site, class->cluster).changes;
	is_read = txn.error == ERR_NONE;
	txn_abort(&txn);
	for (class->count = 0; class->count < count; class->count++) {
		class->pages[class->count] =
			page_cache_find(teaching->kept, keys[class->count]);
		if (class->pages[class->count] == NULL)
			return false;
	}
	return is_read && count > 0;
}

static bool next_class(void *context, void *place)
{
	struct model_builder *teaching = context;
	struct class *class = place;
	size_t taught = model_cache_bytes(teaching->rules->learned);

	class->keeps_prepared =
		teaching->kept->bytes < teaching->kept->max_bytes;
	while (teaching->next < teaching->count &&
	       taught < teaching->rules->max_learned) {
		class->cluster = teaching->clusters[teaching->next++];
		if (model_builder_collect(teaching, class))
			return true;
	}
	return false;
}

/*
 * Prepare a page for the method. The result is stored in the arena of the page,
 * which grows, or in `scratch` if it is not cached.
 */
static const void *model_builder_prepare(const struct model_query *question,
					 struct class *class, uint32_t page,
					 struct arena *scratch)
{
	struct parsed_page *parsed = &class->pages[page]->parsed;
	struct arena *arena = parsed->page->arena;
	size_t bytes = arena_bytes(arena);

	if (!class->keeps_prepared)
		return question->extractor->prepare(
			parsed->page, question->parameters, scratch);
	parsed->prepared = question->extractor->prepare(
		parsed->page, question->parameters, arena);
	class->grown_bytes += arena_bytes(arena) - bytes;
	return parsed->prepared;
}

/*
 * Build the model of a cluster. A page is in only one cluster, so no other
 * thread uses it now.
 */
static void model_builder_build(void *context, void *place)
{
	const struct model_builder *teaching = context;
	struct class *class = place;
	struct model_query question = teaching->question;
	bool is_prepared = question.extractor->prepare != NULL;
	struct arena *scratch = arena_create();
	const struct page *pages[MAX_SAMPLE_PAGES];
	const void *prepared[MAX_SAMPLE_PAGES];

	question.cluster = class->cluster;
	question.changes = class->changes;
	for (uint32_t i = 0; i < class->count; i++) {
		pages[i] = class->pages[i]->parsed.page;
		prepared[i] = is_prepared
				      ? model_builder_prepare(&question, class,
							      i, scratch)
				      : NULL;
	}
	model_cache_add_sample(
		teaching->rules->learned, &question,
		&(struct sample){
			.pages = pages,
			.count = class->count,
			.prepared = is_prepared ? prepared : NULL,
		});
	arena_destroy(scratch);
}

static bool end_class(void *context, void *place)
{
	const struct model_builder *teaching = context;
	const struct class *class = place;

	teaching->kept->bytes += class->grown_bytes;
	return true;
}

/*
 * Set the method and the parameters for pages with a template. Return false if
 * the method builds no model.
 */
static bool make_question(struct model_builder *teaching,
			  const struct site_row *row, double *parameters)
{
	char reason[256];
	struct method_selection choice;

	if (method_select(teaching->request->method, UINT32_MAX, 1, &choice) !=
		    ERR_NONE ||
	    !choice.has_template || !extractor_builds_model(choice.extractor) ||
	    !request_parameters(teaching->request, choice.extractor,
				teaching->rules->settings, parameters, reason))
		return false;
	teaching->site = row->id;
	teaching->question = (struct model_query){
		.extractor = choice.extractor,
		.parameters = parameters,
		.site = row->id,
		.limits = &teaching->rules->limits,
	};
	return true;
}

void page_cache_build_models(struct page_cache *kept, struct store *store,
			     const char *host,
			     const struct extraction_options *rules,
			     const struct text_request *request)
{
	struct model_builder teaching = {.kept = kept,
					 .store = store,
					 .rules = rules,
					 .request = request};
	const struct ordered_work work = {
		.next = next_class,
		.work = model_builder_build,
		.done = end_class,
		.context = &teaching,
		.item_bytes = sizeof(struct class),
	};
	double parameters[MAX_PARAMETERS];
	struct site_row row;
	struct txn txn = txn_begin_read(store);
	bool is_wanted = site_get(&txn, slice_of(host), &row) &&
			 make_question(&teaching, &row, parameters);

	if (is_wanted)
		find_clusters(&teaching, &txn);
	txn_abort(&txn);
	if (kept->by_key == NULL) {
		kept->by_key = mem_alloc(kept->count,
					 sizeof(struct page_cache_entry *));
		for (size_t i = 0; i < kept->count; i++)
			kept->by_key[i] = &kept->items[i];
		qsort(kept->by_key, kept->count,
		      sizeof(struct page_cache_entry *), page_cache_compare);
	}
	if (is_wanted)
		ordered_work_run(&work, kept->jobs);
	free(teaching.clusters);
}

struct parsed_page page_cache_remove(struct page_cache *kept, size_t index)
{
	struct parsed_page parsed = {0};
	size_t at;

	LOWER_BOUND(at, kept->count, kept->items[at].index < index);
	if (at < kept->count && kept->items[at].index == index) {
		parsed = kept->items[at].parsed;
		kept->items[at].parsed = (struct parsed_page){0};
	}
	return parsed;
}

/* Extract the text of a page; the request contains its URL. */
static enum error answer_placed(struct offline_site *site, size_t page,
				const struct text_request *request,
				struct extraction_result *answer_out)
{
	struct parsed_page parsed = {0};

	if (site->kept != NULL)
		parsed = page_cache_remove(site->kept, page);
	if (parsed.page != NULL)
		return query_parsed_page(site->store, &site->rules, request,
					 parsed, answer_out);
	if (fallback_text_move(site->pages[page].early, site->store,
			       &site->rules, request, answer_out))
		return ERR_NONE;
	return query_text(site->store, &site->rules, request, answer_out);
}

enum error offline_site_answer(struct offline_site *site, size_t page,
			       const struct text_request *request,
			       struct extraction_result *answer_out)
{
	struct text_request placed = *request;
	struct url url;
	enum error error =
		url_parse(&url, slice_of(site->pages[page].url), NULL);

	placed.url = &url;
	if (error == ERR_NONE)
		error = answer_placed(site, page, &placed, answer_out);
	answer_out->fetched_ms = 0; /* the page was not fetched */
	return error;
}

void offline_site_close(struct offline_site *site)
{
	for (size_t i = 0; i < site->count; i++) {
		struct offline_page *page = &site->pages[i];

		free(page->name);
		free(page->path);
		free(page->output);
		free(page->url);
		free(page->trouble);
		fallback_text_free(page->early);
	}
	free(site->pages);
	page_cache_destroy(site->kept);
	model_cache_destroy(site->rules.learned);
	store_close(site->store);
	*site = (struct offline_site){0};
}

char *temporary_folder_make(const struct ctl *ctl)
{
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread */
	const char *parent = getenv("TMPDIR");
	struct buffer path = {0};

	buffer_printf(&path, "%s/templatectl.XXXXXX",
		      parent == NULL || *parent == '\0' ? "/tmp" : parent);
	if (mkdtemp(path.data) != NULL)
		return path.data;
	ctl_print_error(
		ctl,
		"%s: cannot create; set TMPDIR to a folder with space for "
		"a compressed copy of the pages",
		path.data);
	buffer_free(&path);
	return NULL;
}

void temporary_folder_remove(const char *path)
{
	DIR *folder = opendir(path);
	const struct dirent *entry;
	struct buffer name = {0};

	/* only this thread uses the folder */
	/* NOLINTNEXTLINE(concurrency-mt-unsafe) */
	while (folder != NULL && (entry = readdir(folder)) != NULL) {
		buffer_clear(&name);
		buffer_printf(&name, "%s/%s", path, entry->d_name);
		unlink(name.data); /* "." and ".." are not removed: unlink()
				      fails for them */
	}
	if (folder != NULL)
		closedir(folder);
	rmdir(path);
	buffer_free(&name);
}

enum error temporary_store_open(const struct ctl *ctl, struct store **store_out)
{
	const struct store_options options = {.is_temporary = true};
	char *path = temporary_folder_make(ctl);
	enum error error;

	if (path == NULL)
		return ERR_IO;
	error = store_open(store_out, path, &options);
	if (error != ERR_NONE)
		ctl_print_error(ctl, "%s: %s", path, error_text(error));
	temporary_folder_remove(path);
	free(path);
	return error;
}
