/* The task that extracts the text of a page (template/extraction.h). */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "daemon/privsep/item_list.h"
#include "daemon/privsep/learned.h"
#include "daemon/privsep/page_list.h"
#include "daemon/privsep/remote_site.h"
#include "daemon/privsep/task_parts.h"
#include "daemon/privsep/text_request.h"
#include "template/answer_json.h"
#include "template/extraction.h"

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
 * Return a text with its NUL; NULL for an empty one. Return false if the NUL is
 * missing.
 */
static bool text_task_read_text(struct slice given, const char **text_out)
{
	const char *text = given.data;

	*text_out = NULL;
	if (given.size == 0)
		return true;
	if (text[given.size - 1] != '\0')
		return false;
	*text_out = text;
	return true;
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

	return text_task_read_text(row->settings, &asked->rules.settings) &&
	       text_task_read_text(row->method, &asked->request.method) &&
	       text_task_read_text(row->include, &asked->request.include) &&
	       text_task_read_text(row->exclude, &asked->request.exclude) &&
	       text_task_read_parameters(asked);
}

static bool text_task_read_url(struct text_task_arguments *asked)
{
	if (asked->row.url.size == 0)
		return true;
	asked->request.url = &asked->url;
	return url_parse(&asked->url, asked->row.url, NULL) == ERR_NONE;
}

static bool is_in_range(const struct text_task_request *row)
{
	return row->format < FORMAT_COUNT && row->measure < MEASURE_COUNT &&
	       row->width <= SIGNATURE_MAX_WIDTH && row->scope < SCOPE_COUNT &&
	       row->favor < FAVOR_COUNT && row->extras <= EXTRAS &&
	       row->page_url.size <= MAX_URL_BYTES;
}

/* Copy numbers into aligned memory. */
static void *copy_numbers(struct arena *arena, struct slice numbers)
{
	uint64_t *copy = ARENA_ROOM(arena, uint64_t,
				    numbers.size / sizeof(uint64_t) + 1);

	if (numbers.size > 0)
		memcpy(copy, numbers.data, numbers.size);
	return copy;
}

/*
 * Remove the site's fragment data, which may be unaligned, from the body, so
 * that only the page remains. Return false if the body is invalid.
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

/* Decode the request. ERR_MALFORMED: it is invalid. */
static enum error text_task_read_request(struct task *task,
					 struct text_task_arguments *asked)
{
	struct text_task_request *row = &asked->row;

	*asked = (struct text_task_arguments){0};
	if (!row_codec_decode(&text_task_request_layout, task->head, row) ||
	    !is_in_range(row) || !read_texts(asked) ||
	    !text_task_read_url(asked))
		return ERR_MALFORMED;
	if (row->is_stored != 0 &&
	    (row->site == 0 ||
	     !row_codec_decode(&known_field_layout, row->known, &asked->known)))
		return ERR_MALFORMED;
	asked->rules.limits = limits_of_field(&row->limits);
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
	memcpy(answer->url, asked->row.page_url.data, asked->row.page_url.size);
	answer->fetched_ms = asked->row.fetched_ms;
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
