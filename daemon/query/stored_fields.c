#include "daemon/query/stored_fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "daemon/privsep/worker_pool.h"
#include "daemon/query/stored_site.h"
#include "store/key.h"
#include "store/rows.h"

enum {
	MAX_FIELD_PAGE_BYTES = 24 << 20, /* of all sample pages */
	MAX_BATCH_PAGES = 64,            /* of one task for records */
	MAX_BATCH_BYTES = 16 << 20,
};

/* The pages that a task reads. */
struct field_pages {
	struct buffer list;
	uint64_t keys[MAX_FIELD_PAGES + MAX_FIELD_EXAMPLES];
	uint32_t count;
};

void fields_outcome_free(struct fields_outcome *outcome)
{
	buffer_free(&outcome->sets);
	buffer_free(&outcome->known);
	json_decref(outcome->description);
	json_decref(outcome->sample);
}

/* Append a page; return false if it is not stored. */
static bool add_page(const struct stored_pages *from, uint64_t key,
		     struct field_pages *pages)
{
	struct page_row row;

	if (!page_row_get(from->txn, from->site, key, &row) ||
	    stored_page_append(from, key, &row, &pages->list) != ERR_NONE)
		return false;
	pages->keys[pages->count++] = key;
	return true;
}

static bool has_page(const struct field_pages *pages, uint64_t key)
{
	for (uint32_t i = 0; i < pages->count; i++)
		if (pages->keys[i] == key)
			return true;
	return false;
}

/* Read the pages of the examples, then the sample of the template. */
static enum error read_pages(const struct stored_pages *from,
			     const struct fields_wish *wish,
			     struct field_pages *pages, char *reason)
{
	uint64_t keys[MAX_FIELD_PAGES];
	uint32_t count;

	for (uint32_t i = 0; i < wish->example_count; i++) {
		uint64_t key = page_key_of(slice_of(wish->examples[i].text));

		if (add_page(from, key, pages))
			continue;
		snprintf(reason, FIELD_REASON_BYTES,
			 "%.200s: the page is not stored",
			 wish->examples[i].text);
		return ERR_NOT_FOUND;
	}
	count = stored_pages_find(from, MAX_FIELD_PAGES, MAX_FIELD_PAGE_BYTES,
				  keys);
	for (uint32_t i = 0; i < count; i++)
		if (!has_page(pages, keys[i]))
			add_page(from, keys[i], pages);
	if (pages->count == 0)
		return from->txn->error != ERR_NONE ? from->txn->error
						    : ERR_BODY_EXPIRED;
	return ERR_NONE;
}

/* The response of a worker. */
struct fields_reply {
	struct fields_answer answer;
	char reason[FIELD_REASON_BYTES];
	struct buffer body;
};

static bool take_reply(void *context, struct slice head, struct slice body)
{
	struct fields_reply *reply = context;

	if (!row_codec_decode(&fields_answer_layout, head, &reply->answer) ||
	    !message_is_error(reply->answer.error) ||
	    !message_copy_text(reply->answer.reason, reply->reason,
			       sizeof(reply->reason)))
		return false;
	buffer_append_slice(&reply->body, body);
	return true;
}

/* Run a task with the sets and pages. The caller frees reply->body. */
static enum error run_task(struct worker_pool *pool,
			   const struct fields_request *request,
			   struct slice sets, const json_t *detail,
			   struct slice pages, struct fields_reply *reply)
{
	struct buffer head = row_codec_encode(&fields_request_layout, request);
	struct buffer body = {0};
	char *text = detail == NULL ? NULL : json_dumps(detail, JSON_COMPACT);
	struct pool_task task = {.kind = TASK_FIELDS,
				 .head = buffer_slice(&head),
				 .take = take_reply,
				 .take_context = reply};
	enum error error;

	item_append(&body, sets);
	item_append(&body, slice_of(text == NULL ? "{}" : text));
	buffer_append_slice(&body, pages);
	task.body = buffer_slice(&body);
	error = worker_pool_run(pool, &task);
	if (error == ERR_NONE)
		error = (enum error)reply->answer.error;
	else
		snprintf(reply->reason, sizeof(reply->reason), "%s",
			 task.reason);
	free(text);
	buffer_free(&head);
	buffer_free(&body);
	return error;
}

/* Parse an item as a JSON object or array; NULL if it is none. */
static json_t *take_json(struct slice *list)
{
	struct slice item;

	if (!item_next(list, &item))
		return NULL;
	return json_loadb(item.data, item.size, 0, NULL);
}

/* Read the records of the sample pages. */
static void take_sample(struct txn *txn, uint32_t site, struct slice list,
			const struct field_pages *pages,
			struct fields_outcome *outcome)
{
	outcome->sample = json_array();
	for (uint32_t i = 0; i < pages->count; i++) {
		struct slice item;
		struct page_row row;
		json_t *fields;

		if (!item_next(&list, &item))
			return;
		item_append(&outcome->known,
			    (struct slice){&pages->keys[i],
					   sizeof(pages->keys[i])});
		item_append(&outcome->known, item);
		fields = json_loadb(item.data, item.size, 0, NULL);
		if (json_is_object(fields) &&
		    page_row_get(txn, site, pages->keys[i], &row))
			json_array_append_new(
				outcome->sample,
				json_pack("{s:s%, s:O}", "url", row.url.data,
					  row.url.size, "fields", fields));
		json_decref(fields);
	}
}

/* Read the response to an action other than FIELDS_APPLY. */
static enum error take_outcome(struct slice body,
			       struct fields_outcome *outcome,
			       struct slice *records_out)
{
	struct slice sets;

	if (!item_next(&body, &sets))
		return ERR_QUARANTINED;
	buffer_append_slice(&outcome->sets, sets);
	outcome->description = take_json(&body);
	*records_out = body;
	return json_is_array(outcome->description) ? ERR_NONE : ERR_QUARANTINED;
}

enum error stored_fields_change(struct worker_pool *pool, struct store *store,
				const struct page_limits *limits,
				const struct template_name *name,
				const struct fields_wish *wish,
				struct fields_outcome *outcome_out)
{
	struct fields_request request = {.limits = *limits,
					 .action = wish->action,
					 .max_fields = wish->max_fields};
	struct field_pages *pages = mem_alloc(1, sizeof(*pages));
	struct txn txn = txn_begin_read(store);
	struct fields_reply reply = {0};
	struct buffer sets = {0};
	struct cluster_row cluster;
	struct fields_row row;
	struct site_row site;
	struct slice records = {0};
	enum error error = ERR_NOT_FOUND;

	*outcome_out = (struct fields_outcome){0};
	if (site_get(&txn, slice_of(name->host), &site) &&
	    cluster_row_get(&txn, site.id, name->cluster, &cluster)) {
		if (fields_row_get(&txn, site.id, name->cluster, &row))
			buffer_append_slice(&sets, row.sets);
		error = read_pages(&(struct stored_pages){&txn, site.id,
							  name->cluster,
							  limits},
				   wish, pages, outcome_out->reason);
	}
	if (txn.error != ERR_NONE)
		error = txn.error;
	txn_abort(&txn);
	if (error == ERR_NONE)
		error = run_task(pool, &request, buffer_slice(&sets),
				 wish->detail, buffer_slice(&pages->list),
				 &reply);
	if (error == ERR_NONE)
		error = take_outcome(buffer_slice(&reply.body), outcome_out,
				     &records);
	if (*reply.reason != '\0')
		memcpy(outcome_out->reason, reply.reason, sizeof(reply.reason));
	if (error == ERR_NONE) {
		txn = txn_begin_read(store);
		take_sample(&txn, site.id, records, pages, outcome_out);
		txn_abort(&txn);
		outcome_out->pages = pages->count;
		outcome_out->confidence = reply.answer.confidence;
	}
	buffer_free(&reply.body);
	buffer_free(&sets);
	buffer_free(&pages->list);
	free(pages);
	return error;
}

/* Copy the sets of a template. ERR_NOT_FOUND: it has none. */
static enum error read_sets(struct store *store,
			    const struct template_name *name,
			    struct buffer *sets)
{
	struct txn txn = txn_begin_read(store);
	struct fields_row row;
	struct site_row site;
	enum error error = ERR_NOT_FOUND;

	if (site_get(&txn, slice_of(name->host), &site) &&
	    fields_row_get(&txn, site.id, name->cluster, &row)) {
		buffer_append_slice(sets, row.sets);
		error = ERR_NONE;
	}
	if (txn.error != ERR_NONE)
		error = txn.error;
	txn_abort(&txn);
	return error;
}

json_t *stored_fields_describe(struct store *store,
			       const struct template_name *name,
			       uint64_t *learned_ms_out)
{
	struct txn txn = txn_begin_read(store);
	struct fields_row row;
	struct site_row site;
	json_t *list = NULL;

	if (site_get(&txn, slice_of(name->host), &site) &&
	    fields_row_get(&txn, site.id, name->cluster, &row)) {
		list = json_loadb(row.description.data, row.description.size, 0,
				  NULL);
		*learned_ms_out = row.learned_ms;
	}
	txn_abort(&txn);
	return list;
}

/* Records */

struct record_batch {
	struct buffer list; /* pages */
	struct positioned_page pages[MAX_BATCH_PAGES];
	struct text_position places[MAX_BATCH_PAGES];
	uint32_t count;
};

struct record_reader {
	struct worker_pool *pool;
	struct store *store;
	const struct page_limits *limits;
	struct slice sets;
	uint32_t site;
	uint32_t cluster;
	record_sink *sink;
	void *context;
};

static void add_to_batch(const struct record_reader *reader,
			 struct text_position place, struct record_batch *batch)
{
	struct txn txn;
	struct page_row row;
	const struct stored_pages from = {&txn, reader->site, reader->cluster,
					  reader->limits};

	if (text_position_page(reader->store, reader->site, place,
			       &batch->pages[batch->count]) != ERR_NONE)
		return;
	txn = txn_begin_read(reader->store);
	if (page_row_get(&txn, reader->site, place.key, &row) &&
	    stored_page_append(&from, place.key, &row, &batch->list) ==
		    ERR_NONE)
		batch->places[batch->count++] = place;
	txn_abort(&txn);
}

/* Apply the fields to the pages of the batch, and empty it. */
static enum error finish_batch(const struct record_reader *reader,
			       struct record_batch *batch)
{
	const struct fields_request request = {.limits = *reader->limits,
					       .action = FIELDS_APPLY};
	struct fields_reply reply = {0};
	struct slice list;
	enum error error;

	if (batch->count == 0)
		return ERR_NONE;
	error = run_task(reader->pool, &request, reader->sets, NULL,
			 buffer_slice(&batch->list), &reply);
	list = buffer_slice(&reply.body);
	for (uint32_t i = 0; i < batch->count && error == ERR_NONE; i++) {
		json_t *fields = take_json(&list);

		if (json_is_object(fields))
			reader->sink(reader->context, &batch->pages[i],
				     batch->places[i], fields);
		json_decref(fields);
	}
	buffer_free(&reply.body);
	buffer_clear(&batch->list);
	batch->count = 0;
	return error;
}

static enum error read_records(const struct record_reader *reader,
			       struct text_walk *walk, uint32_t limit)
{
	struct record_batch *batch = mem_alloc(1, sizeof(*batch));
	enum error error = ERR_NONE;

	for (uint32_t i = 0; i < limit && error == ERR_NONE; i++) {
		struct text_position place;
		bool is_there;

		error = text_walk_next(walk, &place, &is_there);
		if (error != ERR_NONE || !is_there)
			break;
		add_to_batch(reader, place, batch);
		if (batch->count == MAX_BATCH_PAGES ||
		    batch->list.size > MAX_BATCH_BYTES)
			error = finish_batch(reader, batch);
	}
	if (error == ERR_NONE)
		error = finish_batch(reader, batch);
	buffer_free(&batch->list);
	free(batch);
	return error;
}

enum error stored_records_read(struct worker_pool *pool, struct store *store,
			       const struct page_limits *limits,
			       const struct template_name *name,
			       const struct record_filter *filter,
			       record_sink *sink, void *context)
{
	const struct text_filter pages = {.host = name->host,
					  .since = filter->since,
					  .before_ms = UINT64_MAX,
					  .cluster = name->cluster,
					  .classes = UINT32_MAX};
	struct buffer sets = {0};
	struct text_walk *walk;
	enum error error = read_sets(store, name, &sets);

	if (error == ERR_NONE)
		error = text_walk_begin(&walk, store, &pages);
	if (error == ERR_NONE) {
		const struct record_reader reader = {pool,
						     store,
						     limits,
						     buffer_slice(&sets),
						     text_walk_site(walk),
						     name->cluster,
						     sink,
						     context};

		error = read_records(&reader, walk, filter->limit);
		text_walk_end(walk);
	}
	buffer_free(&sets);
	return error;
}

json_t *submitted_record_get(struct worker_pool *pool, struct store *store,
			     const struct page_limits *limits,
			     const struct template_name *name,
			     struct slice body, struct slice charset,
			     enum error *error_out)
{
	const struct fields_request request = {.limits = *limits,
					       .action = FIELDS_APPLY};
	struct fields_reply reply = {0};
	struct buffer pages = {0};
	struct buffer sets = {0};
	struct slice list;
	json_t *fields = NULL;

	item_append(&pages, body);
	item_append(&pages, charset);
	*error_out = read_sets(store, name, &sets);
	if (*error_out == ERR_NONE)
		*error_out = run_task(pool, &request, buffer_slice(&sets), NULL,
				      buffer_slice(&pages), &reply);
	list = buffer_slice(&reply.body);
	if (*error_out == ERR_NONE)
		fields = take_json(&list);
	if (*error_out == ERR_NONE && fields == NULL)
		*error_out = ERR_NOT_HTML;
	buffer_free(&reply.body);
	buffer_free(&pages);
	buffer_free(&sets);
	return fields;
}
