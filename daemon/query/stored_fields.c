#include "daemon/query/stored_fields.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "daemon/privsep/worker_pool.h"
#include "daemon/query/stored_site.h"
#include "store/key.h"
#include "store/rows.h"
#include "template/fields/field.h"
#include "template/fields/records.h"
#include "template/version_json.h"

enum {
	MAX_FIELD_PAGE_BYTES = 24 << 20, /* of all sample pages */
	EXAMPLE_BYTES = 200,
	MAX_BATCH_PAGES = 64, /* of one task for records */
	MAX_BATCH_BYTES = 16 << 20,
};

/*
 * Workers may be under the control of a page: check what they send.
 */

bool field_description_is_valid(const json_t *list)
{
	const json_t *field;
	size_t i;

	json_array_foreach(list, i, field)
	{
		const json_t *name = json_object_get(field, "name");

		const char *text = json_string_value(name);
		const char *parent = json_member_text(field, "parent");

		if (!field_name_is_valid(
			    (struct slice){text, json_string_length(name)}) ||
		    (parent != NULL &&
		     (strncmp(text, parent, strlen(parent)) != 0 ||
		      text[strlen(parent)] != '.')))
			return false;
	}
	return json_is_array(list);
}

/*
 * Return whether a value is a text, an array of texts, or one of objects. Add
 * the objects to `later`.
 */
static bool is_value(json_t *value, json_t *later)
{
	bool has_objects = json_is_object(json_array_get(value, 0));
	json_t *item;
	size_t i;

	json_array_foreach(value, i, item)
	{
		if (has_objects ? !json_is_object(item) : !json_is_string(item))
			return false;
		if (has_objects)
			json_array_append(later, item);
	}
	return json_is_string(value) || json_is_array(value);
}

/* Return whether all members are values; add the records to `later`. */
static bool has_values(json_t *record, json_t *later)
{
	const char *name;
	json_t *value;

	json_object_foreach(record, name, value)
	{
		if (!is_value(value, later))
			return false;
	}
	return json_is_object(record);
}

static bool is_record(json_t *record)
{
	json_t *level = json_array();
	bool is_right = has_values(record, level);

	for (unsigned depth = 0;
	     is_right && depth < MAX_RECORD_DEPTH && json_array_size(level) > 0;
	     depth++) {
		json_t *next = json_array();
		json_t *one;
		size_t i;

		json_array_foreach(level, i, one)
		{
			is_right = is_right && has_values(one, next);
		}
		json_decref(level);
		level = next;
	}
	is_right = is_right && json_array_size(level) == 0;
	json_decref(level);
	return is_right;
}

/* Cut the record of the next page from the list. NULL: it has none. */
static json_t *record_next(struct slice *list)
{
	struct slice item;
	json_t *record;

	if (!item_next(list, &item))
		return NULL;
	record = json_read(item);
	if (is_record(record))
		return record;
	json_decref(record);
	return NULL;
}

/* Tasks */

static bool fields_take_reply(void *context, struct slice head,
			      struct slice body)
{
	struct fields_reply *reply = context;

	buffer_clear(&reply->body);
	buffer_append_slice(&reply->body, body);
	return row_codec_decode(&fields_answer_layout, head, &reply->answer) &&
	       reply->answer.fault < FIELDS_FAULTS &&
	       reply->answer.confidence <= 1000;
}

enum error fields_task_run(struct worker_pool *pool,
			   const struct fields_request *request,
			   const struct fields_task_body *parts,
			   struct fields_reply *reply)
{
	struct buffer head = row_codec_encode(&fields_request_layout, request);
	struct buffer body = {0};
	char *detail = parts->detail == NULL
			       ? NULL
			       : json_dumps(parts->detail, JSON_COMPACT);
	struct pool_task task = {.kind = TASK_FIELDS,
				 .head = buffer_slice(&head),
				 .take = fields_take_reply,
				 .take_context = reply};
	enum error error;

	item_append(&body, parts->sets);
	item_append(&body, slice_of(detail == NULL ? "{}" : detail));
	buffer_append_slice(&body, parts->pages);
	task.body = buffer_slice(&body);
	error = worker_pool_run(pool, &task);
	if (error == ERR_NONE && reply->answer.fault != FIELDS_NO_FAULT)
		error = reply->answer.fault == FIELDS_DAMAGED ? ERR_CORRUPT
							      : ERR_NOT_FOUND;
	free(detail);
	buffer_free(&head);
	buffer_free(&body);
	return error;
}

enum error fields_page_append(const struct stored_pages *from, uint64_t key,
			      const struct page_row *row, struct buffer *list)
{
	enum error error = stored_page_append(from, key, row, list);

	if (error == ERR_NONE)
		item_append(list, row->url);
	return error;
}

/* Changes */

/* What a change reads from the store, and the response of the worker. */
struct fields_work {
	uint32_t site;
	struct buffer sets;
	struct buffer pages; /* list of pages */
	json_t *urls;        /* of the pages */
	json_t *detail;      /* of the wish */
	uint64_t keys[MAX_FIELD_PAGES + MAX_FIELD_EXAMPLES];
	uint32_t count;
	struct fields_reply reply;
};

void fields_outcome_free(struct fields_outcome *outcome)
{
	buffer_free(&outcome->sets);
	buffer_free(&outcome->before);
	json_decref(outcome->description);
	json_decref(outcome->sample);
	json_decref(outcome->doubts);
	json_decref(outcome->likeness);
}

/* Append a page. */
static enum fields_fault fields_add_page(const struct stored_pages *from,
					 uint64_t key, struct fields_work *work)
{
	struct page_row row;

	if (!page_row_get(from->txn, from->site, key, &row))
		return FIELDS_NOT_STORED;
	if (row.cluster != from->cluster)
		return FIELDS_NOT_TEMPLATE;
	if (fields_page_append(from, key, &row, &work->pages) != ERR_NONE)
		return FIELDS_NOT_STORED;
	work->keys[work->count++] = key;
	json_array_append_new(work->urls, json_text(row.url));
	return FIELDS_NO_FAULT;
}

static bool fields_has_page(const struct fields_work *work, uint64_t key)
{
	for (uint32_t i = 0; i < work->count; i++)
		if (work->keys[i] == key)
			return true;
	return false;
}

/* Read the pages of the examples, then the sample of the template. */
static enum error fields_read_pages(const struct stored_pages *from,
				    const struct fields_wish *wish,
				    struct fields_work *work,
				    struct fields_outcome *outcome)
{
	uint64_t keys[MAX_FIELD_PAGES];
	uint32_t count;

	for (uint32_t i = 0; i < wish->example_count; i++) {
		outcome->example = i;
		outcome->fault = fields_add_page(
			from, page_key_of(slice_of(wish->examples[i].text)),
			work);
		if (outcome->fault != FIELDS_NO_FAULT)
			return ERR_NOT_FOUND;
	}
	count = stored_pages_find(from, MAX_FIELD_PAGES, MAX_FIELD_PAGE_BYTES,
				  keys);
	for (uint32_t i = 0; i < count; i++)
		if (!fields_has_page(work, keys[i]))
			fields_add_page(from, keys[i], work);
	/* an edit reads no page */
	return work->count == 0 && wish->action != FIELDS_EDIT
		       ? ERR_BODY_EXPIRED
		       : ERR_NONE;
}

/* Get the row of a template. */
static enum error fields_read_row(struct txn *txn,
				  const struct template_name *name,
				  struct fields_row *row_out)
{
	struct site_row site;

	if (site_get(txn, slice_of(name->host), &site) &&
	    fields_row_get(txn, site.id, name->cluster, row_out))
		return ERR_NONE;
	return txn->error != ERR_NONE ? txn->error : ERR_NOT_FOUND;
}

/* Read the fields of the other template, if the wish has one. */
static enum error fields_read_like(struct txn *txn,
				   const struct fields_wish *wish,
				   struct fields_work *work,
				   struct fields_outcome *outcome)
{
	struct fields_row row;
	json_t *list;

	if (wish->like == NULL)
		return ERR_NONE;
	if (fields_read_row(txn, wish->like, &row) != ERR_NONE) {
		outcome->fault = FIELDS_NONE_TO_LIKE;
		return txn->error != ERR_NONE ? txn->error : ERR_NOT_FOUND;
	}
	list = json_read(row.description);
	if (!field_description_is_valid(list)) {
		json_decref(list);
		return ERR_CORRUPT;
	}
	json_object_set_new(work->detail, "like", list);
	return ERR_NONE;
}

/* Read the fields and the pages of the template. */
static enum error fields_read_template(const struct fields_source *source,
				       const struct fields_wish *wish,
				       struct fields_work *work,
				       struct fields_outcome *outcome)
{
	const struct template_name *name = &source->name;
	struct txn txn = txn_begin_read(source->store);
	struct cluster_row cluster;
	struct fields_row row;
	struct site_row site;
	enum error error = ERR_NOT_FOUND;

	if (site_get(&txn, slice_of(name->host), &site) &&
	    cluster_row_get(&txn, site.id, name->cluster, &cluster)) {
		work->site = site.id;
		if (fields_row_find(&txn, site.id, name->cluster, &row)) {
			buffer_append_slice(&work->sets, row.sets);
			buffer_append_slice(&outcome->before, row.sets);
		}
		error = fields_read_like(&txn, wish, work, outcome);
		if (error == ERR_NONE)
			error = fields_read_pages(
				&(struct stored_pages){&txn, site.id,
						       name->cluster,
						       source->limits},
				wish, work, outcome);
	}
	if (txn.error != ERR_NONE)
		error = txn.error;
	txn_abort(&txn);
	return error;
}

static bool is_text_or_null(const json_t *value)
{
	return json_is_string(value) || json_is_null(value);
}

/* Return the doubts of the worker with the URLs of the pages. */
static json_t *fields_take_doubts(const json_t *report,
				  const struct fields_work *work)
{
	json_t *doubts = json_array();
	const json_t *item;
	size_t i;

	json_array_foreach(json_object_get(report, "doubts"), i, item)
	{
		const json_t *page = json_object_get(item, "page");
		json_t *values = json_object_get(item, "values");
		json_t *url = json_array_get(work->urls,
					     (size_t)json_integer_value(page));

		if (json_is_integer(page) && url != NULL &&
		    json_array_size(values) == 2 &&
		    is_text_or_null(json_array_get(values, 0)) &&
		    is_text_or_null(json_array_get(values, 1)) &&
		    json_array_size(doubts) < MAX_DOUBTS)
			json_array_append_new(doubts,
					      json_pack("{s:O, s:O}", "url",
							url, "values", values));
	}
	return doubts;
}

/* Read the last item of the response. */
static void fields_take_report(struct slice item,
			       const struct fields_work *work,
			       struct fields_outcome *outcome)
{
	json_t *report = json_read(item);
	const char *name;
	json_t *ratio;

	outcome->doubts = fields_take_doubts(report, work);
	outcome->likeness = json_object();
	json_object_foreach(json_object_get(report, "likeness"), name, ratio)
	{
		if (json_is_real(ratio) && json_real_value(ratio) >= 0 &&
		    json_real_value(ratio) <= 1)
			json_object_set(outcome->likeness, name, ratio);
	}
	json_decref(report);
}

/* Read the records of the sample pages, and the report. */
static void fields_take_sample(struct store *store, struct slice list,
			       const struct fields_work *work,
			       struct fields_outcome *outcome)
{
	struct slice report = {0};
	struct txn txn = txn_begin_read(store);

	outcome->sample = json_array();
	for (uint32_t i = 0; i < work->count; i++) {
		json_t *fields = record_next(&list);
		struct page_row row;

		if (fields == NULL)
			continue;
		if (page_row_get(&txn, work->site, work->keys[i], &row))
			json_array_append_new(outcome->sample,
					      json_pack("{s:o, s:O}", "url",
							json_text(row.url),
							"fields", fields));
		json_decref(fields);
	}
	txn_abort(&txn);
	item_next(&list, &report);
	fields_take_report(report, work, outcome);
}

/*
 * Return the value of a field in the record of a page; of a field of records,
 * that in the first record. NULL if there is none.
 */
static const json_t *field_value(const json_t *record, const json_t *field)
{
	const char *name = json_member_text(field, "name");
	const char *parent = json_member_text(field, "parent");
	const json_t *rows;

	if (parent == NULL)
		return json_object_get(record, name);
	rows = json_object_get(record, parent); /* NULL for nested ones */
	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *value = json_object_get(
			json_array_get(rows, i), name + strlen(parent) + 1);

		if (value != NULL)
			return value;
	}
	return NULL;
}

/* Return the first text of a value, shortened; NULL if there is none. */
static json_t *example_text(const json_t *value)
{
	if (json_is_array(value))
		value = json_array_get(value, 0);
	if (json_is_object(value)) {
		struct buffer text = {0};
		json_t *example;

		json_append(&text, json_incref((json_t *)value), JSON_COMPACT);
		example = json_text(
			utf8_truncate(buffer_slice(&text), EXAMPLE_BYTES));
		buffer_free(&text);
		return example;
	}
	if (!json_is_string(value))
		return NULL;
	return json_text(
		utf8_truncate((struct slice){json_string_value(value),
					     json_string_length(value)},
			      EXAMPLE_BYTES));
}

/* Add an example to the description of each field: its value on a page. */
static void fields_add_examples(const json_t *sample, json_t *description)
{
	json_t *field;
	size_t i;

	json_array_foreach(description, i, field)
	{
		json_t *text = NULL;

		for (size_t k = 0; k < json_array_size(sample) && text == NULL;
		     k++)
			text = example_text(field_value(
				json_object_get(json_array_get(sample, k),
						"fields"),
				field));
		json_object_set_new(field, "example",
				    text == NULL ? json_null() : text);
	}
}

/* Read the response of the worker. */
static enum error fields_take_outcome(struct store *store,
				      const struct fields_work *work,
				      struct fields_outcome *outcome)
{
	struct slice body = buffer_slice(&work->reply.body);
	struct slice sets;
	struct slice description;

	if (!item_next(&body, &sets) || !item_next(&body, &description))
		return ERR_QUARANTINED;
	outcome->description = json_read(description);
	if (!field_description_is_valid(outcome->description))
		return ERR_QUARANTINED;
	buffer_append_slice(&outcome->sets, sets);
	outcome->pages = work->count;
	outcome->confidence = work->reply.answer.confidence;
	fields_take_sample(store, body, work, outcome);
	fields_add_examples(outcome->sample, outcome->description);
	return ERR_NONE;
}

enum error stored_fields_change(const struct fields_source *source,
				const struct fields_wish *wish,
				struct fields_outcome *outcome_out)
{
	const struct fields_request request = {.limits = *source->limits,
					       .action = wish->action,
					       .max_fields = wish->max_fields};
	struct fields_work *work = mem_alloc(1, sizeof(*work));
	enum error error;

	*outcome_out = (struct fields_outcome){0};
	work->urls = json_array();
	work->detail = wish->detail == NULL ? json_object()
					    : json_copy((json_t *)wish->detail);
	error = fields_read_template(source, wish, work, outcome_out);
	if (error == ERR_NONE)
		error = fields_task_run(
			source->pool, &request,
			&(struct fields_task_body){buffer_slice(&work->sets),
						   work->detail,
						   buffer_slice(&work->pages)},
			&work->reply);
	if (error == ERR_NOT_FOUND && outcome_out->fault == FIELDS_NO_FAULT)
		outcome_out->fault =
			(enum fields_fault)work->reply.answer.fault;
	if (error == ERR_NONE)
		error = fields_take_outcome(source->store, work, outcome_out);
	buffer_free(&work->reply.body);
	buffer_free(&work->sets);
	buffer_free(&work->pages);
	json_decref(work->urls);
	json_decref(work->detail);
	free(work);
	return error;
}

/* Copy the sets of a template. */
static enum error fields_copy_sets(const struct fields_source *source,
				   struct buffer *sets)
{
	struct txn txn = txn_begin_read(source->store);
	struct fields_row row;
	enum error error = fields_read_row(&txn, &source->name, &row);

	if (error == ERR_NONE)
		buffer_append_slice(sets, row.sets);
	txn_abort(&txn);
	return error;
}

bool stored_fields_exist(struct store *store, const struct template_name *name)
{
	struct txn txn = txn_begin_read(store);
	struct fields_row row;
	bool exist = fields_read_row(&txn, name, &row) == ERR_NONE;

	txn_abort(&txn);
	return exist;
}

/* Return the rounds of a field as objects; see fields_row.history. */
static json_t *rounds_json(const json_t *history, const char *name)
{
	static const char *const members[] = {
		"pages", "filled", "type_errors", "outliers", "unsure", "lost"};
	json_t *list = json_array();
	const json_t *item;
	size_t i;

	json_array_foreach(
		json_object_get(json_object_get(history, "fields"), name), i,
		item)
	{
		json_t *round =
			json_pack("{s:o}", "time",
				  json_time((uint64_t)json_integer_value(
					  json_array_get(item, 0))));

		for (size_t k = 0; k < sizeof(members) / sizeof(*members); k++)
			json_object_set(round, members[k],
					json_array_get(item, k + 1));
		json_array_append_new(list, round);
	}
	return list;
}

/* Add to each field its rounds, and whether it is firing. */
static void fields_add_state(const struct fields_row *row, json_t *list)
{
	json_t *history = json_read(row->history);
	json_t *broken = json_read(row->broken);
	json_t *field;
	size_t i;

	json_array_foreach(list, i, field)
	{
		const char *name = json_member_text(field, "name");
		const json_t *state = json_object_get(broken, name);

		json_object_set_new(field, "rounds",
				    rounds_json(history, name));
		json_object_set_new(field, "firing",
				    json_boolean(json_is_true(
					    json_object_get(state, "fired"))));
	}
	json_decref(history);
	json_decref(broken);
}

enum error stored_fields_describe(struct store *store,
				  const struct template_name *name,
				  json_t **list_out, uint64_t *learned_ms_out)
{
	struct txn txn = txn_begin_read(store);
	struct fields_row row;
	enum error error = fields_read_row(&txn, name, &row);

	*list_out = NULL;
	*learned_ms_out = 0;
	if (error == ERR_NONE) {
		*list_out = json_read(row.description);
		*learned_ms_out = row.learned_ms;
	}
	if (error == ERR_NONE && !field_description_is_valid(*list_out)) {
		json_decref(*list_out);
		*list_out = NULL;
		error = ERR_CORRUPT;
	}
	if (error == ERR_NONE)
		fields_add_state(&row, *list_out);
	txn_abort(&txn);
	return error;
}

/* Records */

/* A page of a batch. */
struct batch_page {
	struct positioned_page page;
	struct text_position place;
	size_t begin; /* of the page in the list */
	size_t end;
	enum error error;
	/* accepted values; NULL: what the page shows was accepted */
	json_t *accepted;
	/* they were read before the fields were adapted to a redesign */
	bool is_earlier;
};

struct record_reader {
	const struct fields_source *source;
	const struct record_request *request;
	struct slice sets;
	uint32_t site;
	struct buffer list; /* the pages of the batch that have no error */
	struct batch_page pages[MAX_BATCH_PAGES];
	uint32_t count;
	uint32_t sent; /* number of records that the sink has got */
	bool is_stopped;
};

/*
 * Read the accepted values of a page if its values wait, if the watcher has not
 * read it yet, or if it read the page before the fields were adapted to a
 * redesign that the page does not have yet.
 */
static void read_accepted(struct txn *txn, const struct record_reader *reader,
			  const struct page_row *row, struct batch_page *page)
{
	uint32_t cluster = reader->source->name.cluster;
	struct field_values_row values;
	struct fields_row fields;
	bool waits;

	if (!field_values_row_get(txn, reader->site, cluster, page->place.key,
				  &values) ||
	    !fields_row_get(txn, reader->site, cluster, &fields) ||
	    values.read_ms <= fields.learned_ms)
		return;
	waits = values.pending_ms != 0 || values.stored_ms != row->stored_ms;
	page->is_earlier = !waits && values.read_ms <= fields.healed_ms;
	if (waits || page->is_earlier)
		page->accepted = json_read(values.record);
}

/* Values that differ from the accepted ones are unsure: mark them. */
static void mark_unsure(json_t *fields, const json_t *accepted)
{
	json_t *unsure = json_incref(json_object_get(fields, "_unsure"));
	const char *name;
	json_t *value;

	if (unsure == NULL)
		unsure = json_array();
	json_object_foreach(fields, name, value)
	{
		const json_t *before = json_object_get(accepted, name);

		if (strcmp(name, "_unsure") != 0 && before != NULL &&
		    !json_equal(before, value) &&
		    !json_member_lists(fields, "_unsure", name))
			json_array_append_new(unsure, json_string(name));
	}
	if (json_array_size(unsure) > 0)
		json_object_set(fields, "_unsure", unsure);
	json_decref(unsure);
}

/* Add the records of a page to its accepted values, which have none. */
static void record_keep_records(json_t *fields, json_t *accepted)
{
	const char *name;
	json_t *value;

	json_object_foreach(fields, name, value)
	{
		if (json_is_object(json_array_get(value, 0)))
			json_object_set(accepted, name, value);
	}
}

/* Return what the record of a page has instead of the values that it shows. */
static json_t *record_accept(const struct batch_page *page, json_t *fields)
{
	if (fields == NULL || !is_record(page->accepted))
		return fields;
	if (page->is_earlier) {
		record_keep_records(fields, page->accepted);
		json_decref(fields);
		return json_incref(page->accepted);
	}
	mark_unsure(fields, page->accepted);
	return fields;
}

/* Add the page at a position, unless it was deleted in between. */
static void batch_add(struct record_reader *reader, struct text_position place)
{
	const struct fields_source *source = reader->source;
	struct batch_page *page = &reader->pages[reader->count];
	struct page_row row;
	struct txn txn;
	const struct stored_pages from = {&txn, reader->site,
					  source->name.cluster, source->limits};

	if (text_position_page(source->store, reader->site, place,
			       &page->page) != ERR_NONE)
		return;
	page->place = place;
	page->accepted = NULL;
	page->is_earlier = false;
	page->begin = reader->list.size;
	txn = txn_begin_read(source->store);
	page->error = page_row_get(&txn, reader->site, place.key, &row)
			      ? fields_page_append(&from, place.key, &row,
						   &reader->list)
			      : ERR_BODY_EXPIRED;
	if (page->error == ERR_NONE)
		read_accepted(&txn, reader, &row, page);
	txn_abort(&txn);
	page->end = reader->list.size;
	reader->count++;
}

/* Apply the fields to the pages from `begin` to before `end`. */
static enum error batch_apply(const struct record_reader *reader,
			      uint32_t begin, uint32_t end,
			      struct fields_reply *reply)
{
	const struct fields_request request = {
		.limits = *reader->source->limits, .action = FIELDS_APPLY};
	size_t from = reader->pages[begin].begin;

	return fields_task_run(
		reader->source->pool, &request,
		&(struct fields_task_body){
			.sets = reader->sets,
			.pages = {reader->list.data + from,
				  reader->pages[end - 1].end - from}},
		reply);
}

/* Pass the records of the pages from `begin` to before `end` to the sink. */
static void batch_send(struct record_reader *reader, uint32_t begin,
		       uint32_t end, const struct fields_reply *reply)
{
	struct slice list = buffer_slice(&reply->body);

	for (uint32_t i = begin; i < end && !reader->is_stopped; i++) {
		struct batch_page *page = &reader->pages[i];
		json_t *fields = NULL;

		if (page->error == ERR_NONE) {
			fields = record_accept(page, record_next(&list));
			if (fields == NULL)
				page->error = ERR_NOT_HTML;
		}
		reader->is_stopped = !reader->request->sink(
			reader->request->context,
			&(struct stored_record){&page->page, page->place,
						page->error, fields});
		reader->sent++;
		json_decref(fields);
	}
}

/* Like batch_finish(), with a task for each page, because one crashes a worker.
 */
static enum error batch_finish_each(struct record_reader *reader)
{
	enum error error = ERR_NONE;

	for (uint32_t i = 0;
	     i < reader->count && error == ERR_NONE && !reader->is_stopped;
	     i++) {
		struct batch_page *page = &reader->pages[i];
		struct fields_reply reply = {0};

		if (page->error == ERR_NONE)
			error = batch_apply(reader, i, i + 1, &reply);
		if (error == ERR_QUARANTINED) {
			page->error = ERR_QUARANTINED;
			error = ERR_NONE;
		}
		if (error == ERR_NONE)
			batch_send(reader, i, i + 1, &reply);
		buffer_free(&reply.body);
	}
	return error;
}

/* Apply the fields to the pages of the batch, and empty it. */
static enum error batch_finish(struct record_reader *reader)
{
	struct fields_reply reply = {0};
	enum error error = ERR_NONE;

	if (reader->list.size > 0)
		error = batch_apply(reader, 0, reader->count, &reply);
	if (error == ERR_NONE)
		batch_send(reader, 0, reader->count, &reply);
	else if (error == ERR_QUARANTINED)
		error = batch_finish_each(reader);
	for (uint32_t i = 0; i < reader->count; i++)
		json_decref(reader->pages[i].accepted);
	buffer_free(&reply.body);
	buffer_clear(&reader->list);
	reader->count = 0;
	return error;
}

static enum error records_walk(struct record_reader *reader,
			       struct text_walk *walk)
{
	uint32_t limit = reader->request->limit;
	bool is_there = true;
	enum error error = ERR_NONE;

	while (error == ERR_NONE && is_there && !reader->is_stopped &&
	       reader->sent < limit) {
		struct text_position place;

		error = text_walk_next(walk, &place, &is_there);
		if (error == ERR_NONE && is_there)
			batch_add(reader, place);
		if (error == ERR_NONE &&
		    (!is_there || reader->count == MAX_BATCH_PAGES ||
		     reader->list.size > MAX_BATCH_BYTES ||
		     reader->sent + reader->count == limit))
			error = batch_finish(reader);
	}
	return error;
}

enum error stored_records_read(const struct fields_source *source,
			       const struct record_request *request)
{
	const struct text_filter pages = {.host = source->name.host,
					  .since = request->since,
					  .before_ms = UINT64_MAX,
					  .cluster = source->name.cluster,
					  .classes = UINT32_MAX};
	struct buffer sets = {0};
	struct text_walk *walk = NULL;
	enum error error = fields_copy_sets(source, &sets);

	if (error == ERR_NONE)
		error = text_walk_begin(&walk, source->store, &pages);
	if (error == ERR_NONE) {
		struct record_reader *reader = mem_alloc(1, sizeof(*reader));

		reader->source = source;
		reader->request = request;
		reader->sets = buffer_slice(&sets);
		reader->site = text_walk_site(walk);
		error = records_walk(reader, walk);
		buffer_free(&reader->list);
		free(reader);
	}
	text_walk_end(walk);
	buffer_free(&sets);
	return error;
}

/* Find a page of the template by its URL. */
static enum fields_fault fields_find_page(const struct fields_source *source,
					  const struct url *url,
					  uint32_t *site_out,
					  struct text_position *place_out)
{
	struct txn txn = txn_begin_read(source->store);
	uint64_t key = page_key_of(slice_of(url->text));
	enum fields_fault fault = FIELDS_NOT_STORED;
	struct site_row site;
	struct page_row row;

	*site_out = 0;
	*place_out = (struct text_position){0};
	if (site_get(&txn, slice_of(source->name.host), &site) &&
	    page_row_get(&txn, site.id, key, &row)) {
		*site_out = site.id;
		*place_out = (struct text_position){row.stored_ms, key};
		fault = row.cluster == source->name.cluster
				? FIELDS_NO_FAULT
				: FIELDS_NOT_TEMPLATE;
	}
	txn_abort(&txn);
	return fault;
}

enum error stored_record_get(const struct fields_source *source,
			     const struct url *url,
			     const struct record_request *request,
			     enum fields_fault *fault_out)
{
	struct record_reader *reader = mem_alloc(1, sizeof(*reader));
	struct buffer sets = {0};
	struct text_position place;
	enum error error = fields_copy_sets(source, &sets);

	*fault_out = FIELDS_NO_FAULT;
	reader->source = source;
	reader->request = request;
	reader->sets = buffer_slice(&sets);
	if (error == ERR_NONE) {
		*fault_out =
			fields_find_page(source, url, &reader->site, &place);
		error = *fault_out == FIELDS_NO_FAULT ? ERR_NONE
						      : ERR_NOT_FOUND;
	}
	if (error == ERR_NONE) {
		batch_add(reader, place);
		error = batch_finish(reader);
	}
	buffer_free(&reader->list);
	buffer_free(&sets);
	free(reader);
	return error;
}

/* Append the page at a position to the list. */
static enum error fields_append_page(const struct fields_source *source,
				     uint32_t site, uint64_t key,
				     struct buffer *list)
{
	struct txn txn = txn_begin_read(source->store);
	const struct stored_pages from = {&txn, site, source->name.cluster,
					  source->limits};
	struct page_row row;
	enum error error = page_row_get(&txn, site, key, &row)
				   ? fields_page_append(&from, key, &row, list)
				   : ERR_BODY_EXPIRED;

	if (error == ERR_NONE)
		error = txn.error;
	txn_abort(&txn);
	return error;
}

/* Let a worker copy the page of the list. */
static enum error fields_copy_page(const struct fields_source *source,
				   const struct fields_task_body *parts,
				   struct buffer *html,
				   enum fields_fault *fault_out)
{
	const struct fields_request request = {.limits = *source->limits,
					       .action = FIELDS_SHOW};
	struct fields_reply reply = {0};
	enum error error =
		fields_task_run(source->pool, &request, parts, &reply);
	struct slice list = buffer_slice(&reply.body);
	struct slice copy;

	if (error == ERR_NOT_FOUND)
		*fault_out = (enum fields_fault)reply.answer.fault;
	if (error == ERR_NONE && !item_next(&list, &copy))
		error = ERR_QUARANTINED;
	if (error == ERR_NONE)
		buffer_append_slice(html, copy);
	buffer_free(&reply.body);
	return error;
}

enum error stored_value_show(const struct fields_source *source,
			     const struct url *url, const char *field,
			     struct buffer *html, enum fields_fault *fault_out)
{
	struct buffer sets = {0};
	struct buffer list = {0};
	json_t *detail = json_pack("{s:s}", "name", field);
	struct text_position place;
	uint32_t site;
	enum error error = fields_copy_sets(source, &sets);

	*fault_out = FIELDS_NO_FAULT;
	if (error == ERR_NONE) {
		*fault_out = fields_find_page(source, url, &site, &place);
		error = *fault_out == FIELDS_NO_FAULT
				? fields_append_page(source, site, place.key,
						     &list)
				: ERR_NOT_FOUND;
	}
	if (error == ERR_NONE)
		error = fields_copy_page(source,
					 &(struct fields_task_body){
						 .sets = buffer_slice(&sets),
						 .detail = detail,
						 .pages = buffer_slice(&list)},
					 html, fault_out);
	json_decref(detail);
	buffer_free(&sets);
	buffer_free(&list);
	return error;
}

enum error submitted_record_get(const struct fields_source *source,
				const struct submitted_page *page,
				json_t **fields_out)
{
	const struct fields_request request = {.limits = *source->limits,
					       .action = FIELDS_APPLY};
	struct fields_reply reply = {0};
	struct buffer pages = {0};
	struct buffer sets = {0};
	struct slice list;
	enum error error = fields_copy_sets(source, &sets);

	*fields_out = NULL;
	item_append(&pages, page->body);
	item_append(&pages, page->charset);
	item_append(&pages, page->url);
	if (error == ERR_NONE)
		error = fields_task_run(source->pool, &request,
					&(struct fields_task_body){
						.sets = buffer_slice(&sets),
						.pages = buffer_slice(&pages)},
					&reply);
	list = buffer_slice(&reply.body);
	if (error == ERR_NONE) {
		*fields_out = record_next(&list);
		error = *fields_out == NULL ? ERR_NOT_HTML : ERR_NONE;
	}
	buffer_free(&reply.body);
	buffer_free(&pages);
	buffer_free(&sets);
	return error;
}
