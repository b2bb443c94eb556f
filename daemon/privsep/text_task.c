#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/memory.h"
#include "daemon/privsep/messages.h"
#include "daemon/privsep/model_cache.h"
#include "daemon/privsep/worker_process.h"
#include "extract/core/extractor.h"
#include "extract/text/fragment.h"
#include "store/record.h"
#include "template/extraction.h"
#include "template/page_tree.h"
#include "template/result.h"
#include "template/text_change.h"
#include "template/version.h"
#include "template/version_json.h"

/* The task that finds the texts of fragments in pages with these fragments. */

enum { FRAGMENTS_TASK_MAX_PAGES = 16 };

/* The fragments to find. */
struct wanted {
	uint64_t *hashes; /* [count], ascending */
	bool *is_found;   /* [count] */
	size_t count;
	struct message *answer;
};

static void fragments_task_append(struct wanted *wanted, size_t index,
				  struct slice text, struct arena *arena)
{
	uint32_t number = (uint32_t)index;
	char *copy = arena_alloc(arena, text.size, 1);

	wanted->is_found[index] = true;
	item_append(&wanted->answer->body,
		    (struct slice){&number, sizeof(number)});
	item_append(&wanted->answer->body,
		    (struct slice){copy, text_collapse(text, copy)});
}

static void fragments_task_search_page(const struct page *page,
				       struct wanted *wanted)
{
	const struct fragment *fragments = fragments_of_page(page->arena, page);

	for (uint32_t i = 0; i < page->text_count; i++) {
		size_t index = sorted_find(wanted->hashes, wanted->count,
					   fragments[i].hash);

		if (index < wanted->count && !wanted->is_found[index])
			fragments_task_append(wanted, index, page_text(page, i),
					      page->arena);
	}
}

static bool fragments_task_read_request(const struct task *task,
					struct fragments_request *request,
					struct wanted *wanted,
					struct slice *pages)
{
	struct slice hashes;

	*pages = task->body;
	if (!row_codec_decode(&fragments_request_layout, task->head, request) ||
	    request->count > pages->size / sizeof(*wanted->hashes) ||
	    !item_cut(pages, request->count * sizeof(*wanted->hashes), &hashes))
		return false;
	wanted->count = (size_t)request->count;
	wanted->hashes = mem_alloc(wanted->count, sizeof(*wanted->hashes));
	wanted->is_found = mem_alloc(wanted->count, sizeof(bool));
	if (hashes.size > 0)
		memcpy(wanted->hashes, hashes.data, hashes.size);
	return true;
}

enum error fragments_task(struct task *task, struct message *answer)
{
	struct fragments_request request;
	struct wanted wanted = {.answer = answer};
	struct page *pages[FRAGMENTS_TASK_MAX_PAGES];
	struct slice list;
	uint32_t count;

	if (!fragments_task_read_request(task, &request, &wanted, &list))
		return ERR_MALFORMED;
	count = sample_parse(list, &request.limits, pages,
			     FRAGMENTS_TASK_MAX_PAGES);
	for (uint32_t i = 0; i < count; i++) {
		fragments_task_search_page(pages[i], &wanted);
		page_destroy(pages[i]);
	}
	free(wanted.hashes);
	free(wanted.is_found);
	return ERR_NONE;
}

/* The task that merges pages of a template into a tree. */

enum { TREE_TASK_MAX_PAGES = 16 };

/*
 * Request in how many pages of the template each text of `page` occurs. Return
 * these numbers [page->text_count]; NULL if there was no valid response.
 */
static const uint32_t *ask_counts(struct task *task, const struct page *page)
{
	const struct fragment *fragments = fragments_of_page(page->arena, page);
	uint32_t *counts = ARENA_NEW(page->arena, uint32_t, page->text_count);
	size_t size = page->text_count * sizeof(*counts);
	struct buffer hashes = {0};
	struct message answer;
	bool is_right;

	for (uint32_t i = 0; i < page->text_count; i++)
		buffer_append(&hashes, &fragments[i].hash,
			      sizeof(fragments[i].hash));
	is_right = task_send_request(task,
				     &(struct task_request){
					     .kind = ASK_COUNTS,
					     .body = buffer_slice(&hashes)},
				     &answer) &&
		   answer.body.size == size;
	if (is_right && size > 0)
		memcpy(counts, answer.body.data, size);
	buffer_free(&hashes);
	message_free(&answer);
	return is_right ? counts : NULL;
}

enum error tree_task(struct task *task, struct message *answer)
{
	struct page *pages[TREE_TASK_MAX_PAGES];
	struct tree_request request;
	struct page_tree tree;
	struct arena *arena;
	uint32_t count;

	if (!row_codec_decode(&tree_request_layout, task->head, &request))
		return ERR_MALFORMED;
	arena = arena_create();
	tree = page_tree_make(arena);
	count = sample_parse(task->body, &request.limits, pages,
			     TREE_TASK_MAX_PAGES);
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t *counts = ask_counts(task, pages[i]);

		if (counts != NULL)
			page_tree_add(&tree, pages[i],
				      &(struct template_counts){
					      request.page_count, counts});
		page_destroy(pages[i]);
	}
	page_tree_encode(&tree, &answer->body);
	arena_destroy(arena);
	return ERR_NONE;
}

/* The task that computes the version of a template from its pages. */

/* A decoded request. */
struct version_task_input {
	struct version_request request;
	struct arena *arena;
	struct record *records;
	uint32_t record_count;
	struct page *owned[VERSION_MAX_SAMPLES];
	const struct page *pages[VERSION_MAX_SAMPLES];
	struct slice urls[VERSION_MAX_SAMPLES];
	uint32_t page_count;
};

static bool read_records(struct version_task_input *given, struct slice *list)
{
	uint32_t count = given->request.record_count;
	struct slice item;

	if (count > VERSION_MAX_RECORDS)
		return false;
	given->records = ARENA_NEW(given->arena, struct record, count);
	for (; given->record_count < count; given->record_count++) {
		struct slice copy;

		if (!item_next(list, &item))
			return false;
		/* a record must be aligned */
		copy = (struct slice){
			arena_copy(given->arena, item.data, item.size),
			item.size};
		if (record_open(copy, &given->records[given->record_count]) !=
		    ERR_NONE)
			return false;
	}
	return true;
}

static bool version_task_read_pages(struct version_task_input *given,
				    struct slice list)
{
	struct slice charset;
	struct slice body;
	struct slice url;

	while (list.size > 0) {
		struct page **page = &given->owned[given->page_count];

		if (!item_next(&list, &url) || !item_next(&list, &body) ||
		    !item_next(&list, &charset))
			return false;
		if (given->page_count == VERSION_MAX_SAMPLES ||
		    sample_page_parse(body, charset, &given->request.limits,
				      page) != ERR_NONE)
			continue;
		given->pages[given->page_count] = *page;
		given->urls[given->page_count++] = url;
	}
	return true;
}

enum error version_task(struct task *task, struct message *answer)
{
	struct version_task_input given = {.arena = arena_create()};
	struct slice list = task->body;
	enum error error = ERR_MALFORMED;

	if (row_codec_decode(&version_request_layout, task->head,
			     &given.request) &&
	    read_records(&given, &list) &&
	    version_task_read_pages(&given, list))
		error = ERR_NONE;
	/* if no page could be parsed, the body of the response is empty */
	if (error == ERR_NONE && given.record_count > 0 && given.page_count > 0)
		version_encode(
			version_make(
				given.arena,
				&(struct version_input){
					.page_count = given.request.page_count,
					.generation = given.request.generation,
					.records = given.records,
					.record_count = given.record_count,
					.pages = given.pages,
					.urls = given.urls,
					.sample_count = given.page_count,
				}),
			&answer->body);
	for (uint32_t i = 0; i < given.page_count; i++)
		page_destroy(given.owned[i]);
	arena_destroy(given.arena);
	return error;
}

/* The task that extracts the text of a page (template/extraction.h). */

/* A decoded request. */
struct text_task_arguments {
	struct text_task_request row;
	struct known_field known;
	struct extraction_options rules;
	struct text_request request;
	struct url url;
	const char *parameters[MAX_PARAMETERS + 1];
	struct site_client site;
};

/*
 * Return in *text_out the text of the slice; NULL if it is empty. Return false
 * if the slice is not a text.
 */
static bool text_task_read_text(struct slice given, const char **text_out)
{
	*text_out = message_text_of(given);
	return message_is_text(given);
}

static bool text_task_read_parameters(struct text_task_arguments *asked)
{
	struct slice list = asked->row.parameters;
	struct slice item;
	size_t count = 0;

	while (list.size > 0) {
		if (count == MAX_PARAMETERS || !item_next(&list, &item) ||
		    item.size == 0 ||
		    !text_task_read_text(item, &asked->parameters[count++]))
			return false;
	}
	if (count > 0)
		asked->request.parameters = asked->parameters;
	return true;
}

static bool read_texts(struct text_task_arguments *asked)
{
	const struct text_task_request *row = &asked->row;

	if (row->url.size > 0)
		asked->request.url = &asked->url;
	return text_task_read_text(row->settings, &asked->rules.settings) &&
	       text_task_read_text(row->method, &asked->request.method) &&
	       text_task_read_text(row->include, &asked->request.include) &&
	       text_task_read_text(row->exclude, &asked->request.exclude) &&
	       text_task_read_parameters(asked) &&
	       (row->url.size == 0 ||
		url_parse(&asked->url, row->url, NULL) == ERR_NONE);
}

static bool is_in_range(const struct text_task_request *row)
{
	return row->format < FORMAT_COUNT && row->measure < MEASURE_COUNT &&
	       row->width <= SIGNATURE_MAX_WIDTH && row->scope < SCOPE_COUNT &&
	       row->favor < FAVOR_COUNT && row->extras <= EXTRAS &&
	       row->page_url.size <= MAX_URL_BYTES;
}

/* Copy numbers of 4 or 8 bytes into aligned memory. */
static void *copy_numbers(struct arena *arena, struct slice numbers)
{
	uint64_t *copy = ARENA_ROOM(arena, uint64_t,
				    numbers.size / sizeof(uint64_t) + 1);

	if (numbers.size > 0)
		memcpy(copy, numbers.data, numbers.size);
	return copy;
}

/*
 * Move the data of the site about the page from asked->request.body to
 * asked->site.told, aligned, so that only the page remains in the body. Return
 * false if the body is invalid.
 */
static bool text_task_read_site_data(struct text_task_arguments *asked)
{
	const struct text_task_request *row = &asked->row;
	struct site_client *site = &asked->site;
	struct slice body = asked->request.body;
	struct slice fragments;
	struct slice frequencies;
	uint64_t count = row->told_count;

	if (row->is_told == 0)
		return true;
	if (row->is_stored == 0 || count > body.size ||
	    !item_cut(&body, row->page_bytes, &asked->request.body) ||
	    !item_cut(&body, count * sizeof(uint64_t), &fragments) ||
	    !item_cut(&body, count * sizeof(uint32_t), &frequencies) ||
	    body.size != 0)
		return false;
	site->told = (struct page_site_data){
		.is_there = true,
		.cluster = row->told_cluster,
		.page_count = row->told_pages,
		.changes = row->told_changes,
		.count = (size_t)count,
		.fragments = copy_numbers(site->arena, fragments),
		.frequencies = copy_numbers(site->arena, frequencies),
	};
	return true;
}

static void open_site(struct text_task_arguments *asked, struct task *task)
{
	const struct text_task_request *row = &asked->row;
	struct site_client *site = &asked->site;

	if (row->site == 0)
		return;
	site->view = (struct site_view){
		.host = row->host,
		.measure = (enum measure)row->measure,
		.width = row->width,
		.threshold = row->threshold,
		.generation = row->generation,
	};
	site->task = task;
	site->arena = arena_create();
	site->learned =
		worker_model_cache(task->worker, (size_t)row->max_learned);
	site->limits = &asked->rules.limits;
	site->site = row->site;
	site_client_init(site);
}

/* Decode the request. ERR_MALFORMED: the request is invalid. */
static enum error text_task_read_request(struct task *task,
					 struct text_task_arguments *asked)
{
	struct text_task_request *row = &asked->row;

	*asked = (struct text_task_arguments){0};
	if (!row_codec_decode(&text_task_request_layout, task->head, row) ||
	    !is_in_range(row) || !read_texts(asked))
		return ERR_MALFORMED;
	if (row->is_stored != 0 &&
	    (row->site == 0 ||
	     !row_codec_decode(&known_field_layout, row->known, &asked->known)))
		return ERR_MALFORMED;
	asked->rules.limits = row->limits;
	asked->rules.min_cluster_pages = row->min_cluster_pages;
	asked->request.format = (enum format)row->format;
	asked->request.preference = (struct preference){
		(enum preference_scope)row->scope, (enum favor)row->favor};
	asked->request.extras = row->extras;
	asked->request.body = task->body;
	asked->request.charset = row->charset;
	open_site(asked, task);
	return text_task_read_site_data(asked) ? ERR_NONE : ERR_MALFORMED;
}

static enum error text_task_extract(struct task *task,
				    struct text_task_arguments *asked,
				    struct extraction_result *answer)
{
	struct known_page known = known_of_field(&asked->known);
	struct extraction extraction = {
		.rules = &asked->rules,
		.request = &asked->request,
		.site = asked->row.site == 0 ? NULL : &asked->site.view,
		.load_model = asked->row.has_models == 0
				      ? NULL
				      : site_client_load_model,
		.load_context = task,
	};
	enum error error;

	if (asked->row.is_stored == 0)
		return extraction_of_body(&extraction, answer);
	if (asked->row.is_packed != 0) {
		error = site_client_unpack(&asked->site, asked->row.dictionary,
					   asked->request.body,
					   asked->row.source_bytes);
		if (error != ERR_NONE)
			return error;
		asked->request.body = buffer_slice(&task->worker->source);
	}
	memcpy(answer->url, asked->row.page_url.data, asked->row.page_url.size);
	answer->fetched_ms = asked->row.fetched_ms;
	answer->waiting_ms = asked->row.waiting_ms;
	error = sample_page_parse(asked->request.body, known.charset,
				  &asked->rules.limits, &answer->page);
	return error == ERR_NONE
		       ? extraction_of_known(&extraction, answer->page, &known,
					     answer)
		       : error;
}

static void text_task_write_response(const struct text_task_arguments *asked,
				     enum error error,
				     const struct extraction_result *result,
				     struct message *answer)
{
	bool has_confidence = !isnan(result->confidence);
	struct generation_places places = {0};
	struct text_task_answer row = {
		.error = error,
		.quality = result->quality,
		.has_confidence = has_confidence,
		.confidence = has_confidence ? result->confidence : 0,
		.method = slice_of(result->method),
		.reason = slice_of(result->reason),
		.cluster = slice_of(result->cluster),
	};

	if (error == ERR_NONE && asked->request.format == FORMAT_JSON)
		result_json(result, &places, &answer->body);
	else if (error == ERR_NONE)
		buffer_append_slice(&answer->body, buffer_slice(&result->text));
	row.generation_at = places.at[0];
	row.version_at = places.at[1];
	answer->head = row_codec_encode(&text_task_answer_layout, &row);
}

enum error text_task(struct task *task, struct message *answer)
{
	struct extraction_result result = {0};
	struct text_task_arguments asked;
	enum error error = text_task_read_request(task, &asked);

	if (error == ERR_NONE)
		text_task_write_response(
			&asked, text_task_extract(task, &asked, &result),
			&result, answer);
	extraction_result_free(&result);
	arena_destroy(asked.site.arena);
	return error;
}

/* The task that compares the texts of a page at two visits. */

enum error change_task(struct task *task, struct message *answer)
{
	struct change_request request;
	struct text_visit visit = {0};
	struct slice body = task->body;
	struct slice page;
	json_t *change = NULL;

	if (!row_codec_decode(&change_request_layout, task->head, &request) ||
	    !item_cut(&body, request.page_bytes, &page))
		return ERR_MALFORMED;
	if (sample_page_parse(body, request.before_charset, &request.limits,
			      &visit.before) == ERR_NONE &&
	    page_parse(&visit.after, page, request.after_charset,
		       &request.limits) == ERR_NONE) {
		visit.parts = request.parts;
		visit.visits = request.visits;
		visit.quiet = request.quiet;
		change = text_change_make(&visit);
	}
	if (change != NULL)
		json_append(&answer->body, change, JSON_COMPACT);
	page_destroy(visit.before);
	page_destroy(visit.after);
	return ERR_NONE;
}
