#include "daemon/watch/field_check.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/log.h"
#include "base/memory.h"
#include "daemon/query/stored_fields.h"
#include "daemon/query/stored_site.h"
#include "daemon/watch/decide.h"
#include "daemon/watch/decide_fields.h"
#include "daemon/watch/field_heal.h"
#include "daemon/watch/field_history.h"
#include "store/key.h"
#include "template/fields/field.h"
#include "template/version_json.h"

enum {
	BATCH_PAGES = 64, /* that one task of a worker reads */
	BATCH_BYTES = 16 << 20,
	SHOWN_CHANGES = 20, /* pages that an event lists */
	SHOWN_LOST = 10,
	/* pages after which a field that was not found again is reported */
	FIRING_PAGES = 12,
	MAX_VALUES_BYTES = 64 * 1024, /* a longer record is not compared */
	USUAL_PAGES = 256, /* whose values are the usual ones of a field */
};

/* A page that is news, or whose values wait. */
struct checked_page {
	uint64_t key;
	uint64_t stored_ms;
	uint64_t read_ms;
	uint64_t pending_ms;
	struct slice url;
	json_t *known; /* NULL: the page is new */
	json_t *latest;
	bool is_news; /* it must be read */
	bool is_read; /* a worker has read it */
	/* as in struct field_values_row, when it was read before */
	struct slice marks;
};

struct field_check {
	const struct facts_source *source;
	const struct field_check_rules *rules;
	struct arena *scratch;
	uint32_t site;
	uint32_t cluster;
	uint32_t cluster_pages; /* pages of the cluster */
	struct fields_row row;  /* its slices are in the arena of the result */
	json_t *description;
	json_t *broken;
	struct watched_field *fields; /* [field_count] */
	size_t field_count;
	struct checked_page *pages; /* [page_count] */
	size_t page_count;
	size_t news_count;
	bool is_partial; /* there are more pages to read */
	json_t *history;
	struct field_round *rounds; /* [field_count] what the pages show now */
	struct value_range *ranges; /* [field_count] */
	unsigned char *marks;       /* [field_count] of one page */
	uint32_t *others;           /* as in struct field_facts */
	json_t *usual[USUAL_PAGES]; /* [usual_count] accepted records */
	size_t usual_count;
	uint32_t read_count;                /* pages that were read */
	struct field_values_entry *entries; /* [entry_count] */
	size_t entry_count;
	size_t entry_capacity;
	struct event_row *events; /* [event_count] */
	size_t event_count;
	size_t event_capacity;
};

/* Reading the store */

static json_t *value_or_null(json_t *value)
{
	return value == NULL ? json_null() : json_incref(value);
}

static json_t *read_object(struct slice text)
{
	json_t *value = text.size == 0
				? NULL
				: json_loadb(text.data, text.size, 0, NULL);

	if (json_is_object(value))
		return value;
	json_decref(value);
	return json_object();
}

/* Return whether the field was broken; a fill rate may have only dropped. */
static bool field_is_broken(const json_t *broken, const char *name)
{
	const json_t *state = json_object_get(broken, name);

	return state != NULL && json_object_get(state, "lost") == NULL;
}

static void read_fields(struct field_check *check)
{
	const struct slice text = check->row.description;
	const json_t *item;
	size_t i;

	check->broken = read_object(check->row.broken);
	check->history = read_object(check->row.history);
	check->description = json_loadb(text.data, text.size, 0, NULL);
	check->fields = ARENA_NEW(check->scratch, struct watched_field,
				  json_array_size(check->description) + 1);
	json_array_foreach(check->description, i, item)
	{
		const char *name = json_member_text(item, "name");
		const char *type = json_member_text(item, "type");

		/* records are not compared */
		if (name == NULL || type == NULL ||
		    strcmp(type, type_name(TYPE_RECORDS)) == 0 ||
		    json_is_string(json_object_get(item, "parent")))
			continue;
		check->fields[check->field_count++] = (struct watched_field){
			.name = name,
			.type = type,
			.is_watched =
				json_is_true(json_object_get(item, "watched")),
			.is_required =
				json_is_true(json_object_get(item, "required")),
			.fill = json_number_value(
				json_object_get(item, "fill")),
			.was_broken = field_is_broken(check->broken, name),
		};
	}
	check->rounds = ARENA_NEW(check->scratch, struct field_round,
				  check->field_count + 1);
	check->ranges = ARENA_NEW(check->scratch, struct value_range,
				  check->field_count + 1);
	check->marks = ARENA_NEW(check->scratch, unsigned char,
				 check->field_count + 1);
	check->others =
		ARENA_NEW(check->scratch, uint32_t, check->field_count + 1);
	for (size_t f = 0; f < check->field_count; f++)
		check->rounds[f].time_ms = check->source->now_ms;
}

/* Copy the row of the fields to the arena of the result. */
static bool read_row(struct field_check *check, struct txn *txn)
{
	struct arena *arena = check->source->arena;
	struct fields_row *row = &check->row;

	if (!fields_row_get(txn, check->site, check->cluster, row))
		return false;
	row->sets = arena_slice(arena, row->sets);
	row->description = arena_slice(arena, row->description);
	row->broken = arena_slice(arena, row->broken);
	row->history = arena_slice(arena, row->history);
	return true;
}

/*
 * Return whether the page must be read: it was stored again, the fields are
 * others now, or its values wait and a field was adapted since.
 */
static bool is_news(const struct fields_row *fields,
		    const struct field_values_row *values, uint64_t stored_ms)
{
	return values->stored_ms != stored_ms ||
	       values->read_ms <= fields->learned_ms ||
	       (values->pending_ms != 0 &&
		values->read_ms <= fields->healed_ms);
}

static struct field_values_entry *add_entry(struct field_check *check,
					    uint64_t page)
{
	check->entries =
		mem_grow(check->entries, check->entry_count,
			 &check->entry_capacity, sizeof(*check->entries));
	check->entries[check->entry_count] =
		(struct field_values_entry){.page = page};
	return &check->entries[check->entry_count++];
}

/* Add the page if it must be read, or if its values wait. */
static void add_page(struct field_check *check, uint64_t key,
		     const struct page_row *page,
		     const struct field_values_row *values)
{
	const struct fields_row *fields = &check->row;
	struct checked_page *added = &check->pages[check->page_count];
	bool news = values == NULL || is_news(fields, values, page->stored_ms);

	if (!news && values->pending_ms == 0)
		return;
	if (news ? check->news_count == FIELD_CHECK_PAGES
		 : check->page_count - check->news_count ==
			    FIELD_CHECK_PENDING) {
		check->is_partial |= news;
		return;
	}
	*added = (struct checked_page){
		.key = key,
		.stored_ms = page->stored_ms,
		.url = arena_slice(check->source->arena, page->url),
		.is_news = news,
	};
	if (values != NULL && values->read_ms > fields->learned_ms) {
		added->known = read_object(values->record);
		added->marks = arena_slice(check->source->arena, values->marks);
		added->read_ms = values->read_ms;
		/* after a search the wait begins again */
		if (values->read_ms > fields->healed_ms)
			added->pending_ms = values->pending_ms;
		if (!news)
			added->latest = read_object(values->latest);
	}
	check->page_count++;
	check->news_count += news;
}

/* Return since when the field is broken. */
static uint64_t field_since(const struct field_check *check, size_t field)
{
	const json_t *state =
		json_object_get(check->broken, check->fields[field].name);

	return state == NULL ? check->source->now_ms
			     : (uint64_t)json_member_whole(state, "since");
}

/* Count the marks of a page, or leave them out again. */
static void count_marks(struct field_check *check, struct slice bytes,
			void (*count)(struct field_round *round,
				      unsigned marks))
{
	if (!marks_read(check->fields, check->field_count, bytes, check->marks))
		return;
	for (size_t f = 0; f < check->field_count; f++)
		count(&check->rounds[f], check->marks[f]);
}

/* Count the values of a page that was read since others wait. */
static void count_others(struct field_check *check,
			 const struct field_values_row *values)
{
	for (size_t f = 0; f < check->field_count; f++) {
		uint64_t since_ms = check->fields[f].was_broken
					    ? field_since(check, f)
					    : check->row.pending_ms;

		check->others[f] +=
			since_ms != 0 && values->read_ms >= since_ms &&
			(check->marks[f] & ~(unsigned)MARK_OUTLIER) ==
				MARK_FILLED;
	}
}

/* Use the accepted values of a page to find the usual ones, and its marks. */
static void note_values(struct field_check *check, const struct page_row *page,
			const struct field_values_row *values)
{
	if (values->read_ms <= check->row.learned_ms)
		return;
	count_marks(check, values->marks, field_round_add);
	if (values->pending_ms == 0 &&
	    !is_news(&check->row, values, page->stored_ms))
		count_others(check, values);
	if (check->usual_count < USUAL_PAGES)
		check->usual[check->usual_count++] =
			read_object(values->record);
}

/* Find the pages, and delete the values of pages that no longer exist. */
static void find_pages(struct field_check *check, struct txn *txn)
{
	struct scan scan = scan_cluster(txn, TABLE_FIELD_VALUES, check->site,
					check->cluster);
	struct field_values_row values;
	struct page_row page;

	check->pages = ARENA_NEW(check->scratch, struct checked_page,
				 FIELD_CHECK_PAGES + FIELD_CHECK_PENDING);
	while (scan_next(&scan)) {
		uint64_t key = key_u64(scan.key, 2 * sizeof(uint32_t));

		if (!page_row_get(txn, check->site, key, &page))
			add_entry(check, key)->is_deleted = true;
		else if (page.cluster == check->cluster &&
			 field_values_row_decode(scan.value, &values)) {
			note_values(check, &page, &values);
			add_page(check, key, &page, &values);
		}
	}
	scan_end(&scan);
	scan = scan_cluster(txn, TABLE_MEMBERS, check->site, check->cluster);
	while (!check->is_partial && scan_next(&scan)) {
		uint64_t key = key_u64(scan.key, 2 * sizeof(uint32_t));

		if (!field_values_row_get(txn, check->site, check->cluster, key,
					  &values) &&
		    page_row_get(txn, check->site, key, &page))
			add_page(check, key, &page, NULL);
	}
	scan_end(&scan);
}

/* Reading the pages */

struct check_batch_pages {
	struct buffer list;
	struct checked_page *pages[BATCH_PAGES];
	size_t ends[BATCH_PAGES]; /* of the pages in the list */
	size_t count;
};

/* Let a worker read the pages from `begin` to `end` of the batch. */
static enum error read_some(struct field_check *check,
			    const struct check_batch_pages *batch, size_t begin,
			    size_t end)
{
	const struct fields_request request = {.limits = *check->source->limits,
					       .action = FIELDS_APPLY};
	size_t first = begin == 0 ? 0 : batch->ends[begin - 1];
	json_t *known = json_array();
	json_t *detail = json_pack("{s:o, s:b}", "known", known, "flat", 1);
	struct fields_reply reply = {0};
	enum error error;
	struct slice list;
	struct slice item;

	for (size_t i = begin; i < end; i++)
		json_array_append_new(known,
				      value_or_null(batch->pages[i]->known));
	error = fields_task_run(
		check->source->pool, &request,
		&(struct fields_task_body){
			check->row.sets, detail,
			(struct slice){batch->list.data + first,
				       batch->ends[end - 1] - first}},
		&reply);
	list = buffer_slice(&reply.body);
	for (size_t i = begin;
	     i < end && error == ERR_NONE && item_next(&list, &item); i++)
		if (item.size > 0 && item.size <= MAX_VALUES_BYTES) {
			batch->pages[i]->latest = read_object(item);
			batch->pages[i]->is_read = true;
		}
	buffer_free(&reply.body);
	json_decref(detail);
	return error;
}

/*
 * Let a worker read the pages of the batch, and empty it. If one of them ends
 * the worker, read each alone, so that only this page is not read.
 */
static enum error read_batch(struct field_check *check,
			     struct check_batch_pages *batch)
{
	enum error error = batch->count == 0
				   ? ERR_NONE
				   : read_some(check, batch, 0, batch->count);
	bool is_alone = error == ERR_QUARANTINED && batch->count > 1;

	for (size_t i = 0; is_alone && i < batch->count; i++) {
		enum error one = read_some(check, batch, i, i + 1);

		is_alone = one != ERR_STOPPED && one != ERR_BUSY;
		if (!is_alone)
			error = one;
	}
	if (error != ERR_NONE && error != ERR_STOPPED && error != ERR_BUSY) {
		log_warn_limited_about(
			(struct log_subject){
				.site = check->source->site->row.host},
			"cannot read the fields of pages: %s; their values "
			"stay",
			error_text(error));
		error = ERR_NONE;
	}
	buffer_clear(&batch->list);
	batch->count = 0;
	return error;
}

static enum error read_pages(struct field_check *check)
{
	struct check_batch_pages *batch =
		ARENA_NEW(check->scratch, struct check_batch_pages, 1);
	enum error error = ERR_NONE;

	for (size_t i = 0; i < check->page_count && error == ERR_NONE; i++) {
		struct checked_page *page = &check->pages[i];
		struct txn txn;
		const struct stored_pages from = {&txn, check->site,
						  check->cluster,
						  check->source->limits};
		struct page_row row;

		if (!page->is_news)
			continue;
		txn = txn_begin_read(check->source->store);
		if (page_row_get(&txn, check->site, page->key, &row) &&
		    fields_page_append(&from, page->key, &row, &batch->list) ==
			    ERR_NONE) {
			page->stored_ms = row.stored_ms;
			batch->ends[batch->count] = batch->list.size;
			batch->pages[batch->count++] = page;
		}
		error = txn_end(&txn);
		if (error == ERR_NONE && (batch->count == BATCH_PAGES ||
					  batch->list.size > BATCH_BYTES))
			error = read_batch(check, batch);
	}
	if (error == ERR_NONE)
		error = read_batch(check, batch);
	buffer_free(&batch->list);
	return error;
}

/* The result */

static void add_event(struct field_check *check, enum event_kind kind,
		      struct slice url, uint32_t pages, json_t *detail)
{
	check->events =
		mem_grow(check->events, check->event_count,
			 &check->event_capacity, sizeof(*check->events));
	check->events[check->event_count++] = (struct event_row){
		.kind = (uint16_t)kind,
		.cluster = check->cluster,
		.pages = pages,
		.url = url,
		.detail = evidence_text(check->source->arena, detail),
	};
}

/* The accepted changes of a field. */
struct field_changes {
	json_t *list; /* NULL: there are none */
	struct slice url;
	uint32_t pages;
};

/* Return the values of a field on a page: those before, and the latest. */
static json_t *two_values(const struct checked_page *page, const char *name)
{
	return json_pack("{s:o, s:o, s:o}", "url", json_text(page->url), "old",
			 value_or_null(json_object_get(page->known, name)),
			 "new",
			 value_or_null(json_object_get(page->latest, name)));
}

/* Add an accepted change of a watched field. */
static void add_change(const struct checked_page *page, const char *name,
		       struct field_changes *changes)
{
	if (changes->list == NULL) {
		changes->list = json_array();
		changes->url = page->url;
	}
	changes->pages++;
	if (json_array_size(changes->list) < SHOWN_CHANGES)
		json_array_append_new(changes->list, two_values(page, name));
}

/* A judgement about all values. */
struct judgement {
	struct field_facts facts;
	const enum value_state *states;
	struct field_count *counts;    /* [field_count] */
	bool *is_held;                 /* [field_count] */
	struct field_changes *changes; /* [field_count] */
};

static struct slice dump_json(struct arena *arena, const json_t *value)
{
	char *text = json_dumps(value, JSON_COMPACT);
	struct slice copy =
		arena_slice(arena, slice_of(text == NULL ? "{}" : text));

	free(text);
	return copy;
}

/* Whether values of a page wait. */
struct page_wait {
	bool is_held;  /* for a broken field */
	bool is_timed; /* until a time */
	bool begins;   /* from now on: the field was broken until now */
};

/* Return what happens to a value, and set for what it waits. */
static enum value_step decide_value(const struct field_check *check,
				    const struct judgement *judgement,
				    size_t index, size_t field,
				    struct page_wait *wait)
{
	struct field_page page = judgement->facts.pages[index];
	bool is_held = judgement->is_held[field];
	bool was_broken = check->fields[field].was_broken;
	enum value_step step;

	if (was_broken)
		page.pending_ms = 0; /* it waited for the field, not for long */
	step = value_decide(
		&judgement->facts, &page,
		judgement->states[index * check->field_count + field], is_held,
		&judgement->counts[field]);
	wait->is_held |= step == VALUE_WAIT && is_held;
	wait->is_timed |= step == VALUE_WAIT && !is_held;
	wait->begins |= step == VALUE_WAIT && !is_held && was_broken;
	return step;
}

/*
 * Set the values of the page that are accepted in `known`. Return whether
 * others wait.
 */
static struct page_wait accept_values(struct field_check *check,
				      const struct judgement *judgement,
				      size_t index, json_t *known)
{
	const struct field_page *page = &judgement->facts.pages[index];
	struct page_wait wait = {0};

	for (size_t f = 0; f < check->field_count; f++) {
		const struct watched_field *field = &check->fields[f];
		json_t *before = json_object_get(page->known, field->name);
		json_t *latest = json_object_get(page->latest, field->name);
		enum value_step step =
			decide_value(check, judgement, index, f, &wait);
		json_t *value = step == VALUE_ACCEPT ? latest : before;

		if (value != NULL)
			json_object_set(known, field->name, value);
		if (step == VALUE_ACCEPT && page->known != NULL &&
		    field->is_watched)
			add_change(&check->pages[index], field->name,
				   &judgement->changes[f]);
	}
	return wait;
}

/* Have what waits since this time judged when the hold is over. */
static void check_again(struct field_check *check, uint64_t since_ms)
{
	if (check->row.pending_ms == 0 || check->row.pending_ms > since_ms)
		check->row.pending_ms = since_ms;
}

static void write_page(struct field_check *check,
		       const struct judgement *judgement, size_t index)
{
	struct arena *arena = check->source->arena;
	const struct checked_page *page = &check->pages[index];
	json_t *known = json_object();
	struct page_wait wait = accept_values(check, judgement, index, known);
	bool waits = wait.is_held || wait.is_timed;
	uint64_t since_ms = page->pending_ms != 0 && !wait.begins
				    ? page->pending_ms
				    : check->source->now_ms;

	if (page->is_news || !waits || wait.begins ||
	    !json_equal(known, page->known))
		add_entry(check, page->key)->row = (struct field_values_row){
			.stored_ms = page->stored_ms,
			.read_ms = page->is_news ? check->source->now_ms
						 : page->read_ms,
			.pending_ms = waits ? since_ms : 0,
			.record = dump_json(arena, known),
			.latest = waits ? dump_json(arena, page->latest)
					: slice_of(""),
			.marks = page->marks,
		};
	if (wait.is_timed)
		check_again(check, since_ms);
	json_decref(known);
}

static void emit_changes(struct field_check *check,
			 const struct judgement *judgement)
{
	for (size_t f = 0; f < check->field_count; f++) {
		struct field_changes *changes = &judgement->changes[f];

		if (changes->list != NULL)
			add_event(check, EVENT_FIELD_CHANGED, changes->url,
				  changes->pages,
				  json_pack("{s:s, s:s, s:o}", "field",
					    check->fields[f].name, "type",
					    check->fields[f].type, "changes",
					    changes->list));
	}
}

static void begin_judgement(struct field_check *check,
			    struct judgement *judgement)
{
	struct field_page *pages = ARENA_NEW(check->scratch, struct field_page,
					     check->page_count + 1);

	for (size_t i = 0; i < check->page_count; i++) {
		struct checked_page *page = &check->pages[i];

		/* a page without a body, or that is no page, keeps its values
		 */
		if (page->latest == NULL && page->known != NULL)
			page->latest = json_incref(page->known);
		pages[i] = (struct field_page){page->known, page->latest,
					       page->pending_ms};
	}
	judgement->facts = (struct field_facts){
		.fields = check->fields,
		.field_count = check->field_count,
		.pages = pages,
		.page_count = check->page_count,
		.others = check->others,
		.now_ms = check->source->now_ms,
		.hold_ms = check->rules->hold_ms,
	};
	judgement->states = fields_compare(&judgement->facts, check->scratch);
	judgement->counts = ARENA_NEW(check->scratch, struct field_count,
				      check->field_count + 1);
	judgement->is_held =
		ARENA_NEW(check->scratch, bool, check->field_count + 1);
	judgement->changes = ARENA_NEW(check->scratch, struct field_changes,
				       check->field_count + 1);
	for (size_t f = 0; f < check->field_count; f++)
		judgement->counts[f] =
			field_judge(&judgement->facts, judgement->states, f);
}

/* The fill rates */

/* Set the marks of a page that was read, and count them. */
static void mark_page(struct field_check *check, struct checked_page *page)
{
	struct arena *arena = check->source->arena;
	unsigned char *marks = check->marks;
	struct buffer bytes = {0};

	count_marks(check, page->marks, field_round_remove);
	(void)marks_read(check->fields, check->field_count, page->marks, marks);
	for (size_t f = 0; f < check->field_count; f++)
		marks[f] = (unsigned char)value_marks(&check->fields[f],
						      check->ranges[f],
						      page->latest, marks[f]);
	marks_write(check->fields, check->field_count, marks, &bytes);
	page->marks = arena_slice(arena, buffer_slice(&bytes));
	buffer_free(&bytes);
	count_marks(check, page->marks, field_round_add);
	check->read_count++;
}

/* Mark the pages that were read, and add what all pages show to the history. */
static void mark_pages(struct field_check *check)
{
	const json_t **usual = ARENA_NEW(check->scratch, const json_t *,
					 USUAL_PAGES + check->page_count);
	size_t count = 0;

	for (size_t i = 0; i < check->usual_count; i++)
		usual[count++] = check->usual[i];
	/* the first values are compared with each other */
	for (size_t i = 0; i < check->page_count && count < USUAL_PAGES; i++)
		if (check->pages[i].known == NULL && check->pages[i].is_read)
			usual[count++] = check->pages[i].latest;
	for (size_t f = 0; f < check->field_count; f++)
		check->ranges[f] = value_range_of(&check->fields[f], usual,
						  count, check->scratch);
	for (size_t i = 0; i < check->page_count; i++)
		if (check->pages[i].is_read)
			mark_page(check, &check->pages[i]);
	if (check->read_count > 0)
		history_add(check->history, check->fields, check->rounds,
			    check->field_count, check->read_count);
}

/* Broken fields */

/* The addresses of a field, for people. */
static json_t *shown_addresses(const struct field_check *check,
			       const char *name)
{
	json_t *addresses = field_addresses(check->description, name);

	return addresses == NULL ? json_null() : addresses;
}

static bool is_as_before(enum value_state state)
{
	return state == VALUE_SAME || state == VALUE_ADDED;
}

/* Return some pages whose value of the field is not as before. */
static json_t *lost_pages(const struct field_check *check,
			  const struct judgement *judgement, size_t field,
			  struct slice *url_out)
{
	const char *name = check->fields[field].name;
	json_t *list = json_array();

	for (size_t i = 0;
	     i < check->page_count && json_array_size(list) < SHOWN_LOST; i++) {
		const struct checked_page *page = &check->pages[i];

		if (is_as_before(
			    judgement->states[i * check->field_count + field]))
			continue;
		*url_out = page->url;
		json_array_append_new(list, two_values(page, name));
	}
	return list;
}

static json_t *evidence_of_heal(const struct heal_field *found)
{
	return json_pack("{s:O?, s:I, s:I, s:I, s:f}", "addresses",
			 found->addresses, "examples",
			 (json_int_t)found->examples, "tested",
			 (json_int_t)found->tested, "agreed",
			 (json_int_t)found->agreed, "ratio", found->ratio);
}

/* What happened to the values of a field, which was found again or was not. */
static json_t *field_reason(const struct field_count *count, bool is_healed)
{
	bool is_lost = count->lost >= count->changed;
	uint32_t pages = is_lost ? count->lost : count->changed;

	if (is_healed)
		return json_sprintf("its old address found %s on %u of %u "
				    "pages",
				    is_lost ? "no value" : "other values",
				    pages, count->pages);
	return json_sprintf("%u of %u pages %s", pages, count->pages,
			    is_lost ? "have lost the value"
				    : "have other values");
}

static bool field_has_fired(const struct field_check *check, size_t field)
{
	return json_is_true(json_object_get(
		json_object_get(check->broken, check->fields[field].name),
		"fired"));
}

/*
 * Return whether the field has been broken for so long that it is reported,
 * even if few pages were read since.
 */
static bool field_is_late(const struct field_check *check, size_t field)
{
	return field_since(check, field) + check->rules->hold_ms <=
	       check->source->now_ms;
}

/*
 * Store that the field is broken. Emit the event, once, if something was found,
 * or enough pages were read.
 */
static void fire_field(struct field_check *check,
		       const struct judgement *judgement, size_t field,
		       const struct heal_field *found)
{
	const struct watched_field *rules = &check->fields[field];
	const struct field_count *count = &judgement->counts[field];
	bool has_fired = field_has_fired(check, field);
	bool fires = has_fired || found->is_found || rules->is_required ||
		     count->pages >= FIRING_PAGES ||
		     count->pages >= check->cluster_pages ||
		     field_is_late(check, field);
	struct slice url = slice_of("");
	json_t *pages;

	json_object_set_new(check->broken, rules->name,
			    json_pack("{s:I, s:b}", "since",
				      (json_int_t)field_since(check, field),
				      "fired", (int)fires));
	if (has_fired || !fires)
		return;
	pages = lost_pages(check, judgement, field, &url);
	add_event(check, EVENT_FIELD_FIRING, url,
		  count->lost > count->changed ? count->lost : count->changed,
		  json_pack("{s:s, s:s, s:b, s:o, s:o, s:o, s:o}", "field",
			    rules->name, "type", rules->type, "required",
			    (int)rules->is_required, "reason",
			    field_reason(count, false), "addresses",
			    shown_addresses(check, rules->name), "proposal",
			    found->is_found ? evidence_of_heal(found)
					    : json_null(),
			    "pages", pages));
}

/* If the field was broken, it is no longer; emit the event if it was reported.
 */
static void resolve_field(struct field_check *check,
			  const struct judgement *judgement, size_t field,
			  json_t *reason)
{
	const struct watched_field *rules = &check->fields[field];
	const struct field_count *count = &judgement->counts[field];

	if (field_has_fired(check, field))
		add_event(check, EVENT_FIELD_RESOLVED,
			  check->page_count > 0 ? check->pages[0].url
						: slice_of(""),
			  count->pages,
			  json_pack("{s:s, s:s, s:O}", "field", rules->name,
				    "type", rules->type, "reason", reason));
	json_object_del(check->broken, rules->name);
	json_decref(reason);
}

/* Emit the event that the field was found again. */
static void report_heal(struct field_check *check,
			const struct judgement *judgement, size_t field,
			const struct heal_field *found)
{
	const struct watched_field *rules = &check->fields[field];
	struct slice url = slice_of("");
	json_t *pages = lost_pages(check, judgement, field, &url);
	json_t *detail = json_pack(
		"{s:s, s:s, s:o, s:o, s:o}", "field", rules->name, "type",
		rules->type, "reason",
		field_reason(&judgement->counts[field], true), "before",
		shown_addresses(check, rules->name), "pages", pages);

	json_object_update_new(detail, evidence_of_heal(found));
	add_event(check, EVENT_FIELD_HEALED, url,
		  judgement->counts[field].pages, detail);
	resolve_field(check, judgement, field,
		      json_string("it was adapted to the new design"));
}

/*
 * Report a field that is not broken if its fill rate has dropped, until it is
 * back. While the site is being changed nothing begins.
 */
static void settle_fill(struct field_check *check, struct judgement *judgement,
			size_t field, const struct heal_field *found)
{
	const char *name = check->fields[field].name;
	const struct field_round *now = &check->rounds[field];
	struct field_count *count = &judgement->counts[field];
	struct field_round rounds[FIELD_ROUNDS];
	size_t rounds_count = history_rounds(check->history, name, rounds);
	const json_t *state = json_object_get(check->broken, name);
	json_int_t lost = json_member_whole(state, "lost");
	bool is_open = lost > 0
			       ? !fill_is_back(now, (uint32_t)lost)
			       : rounds_count > 0 &&
					 fill_has_dropped(rounds, rounds_count);

	if (!is_open) {
		resolve_field(check, judgement, field,
			      json_string("most pages have values"));
	} else if (state == NULL && (check->source->site->row.options.flags &
				     SITE_IS_CHANGING) != 0) {
		check_again(check, check->source->now_ms);
	} else {
		count->pages = now->filled + now->lost;
		count->lost = now->lost;
		count->changed = 0;
		fire_field(check, judgement, field, found);
		if (lost < (json_int_t)now->lost)
			lost = (json_int_t)now->lost;
		json_object_set_new(json_object_get(check->broken, name),
				    "lost", json_integer(lost));
	}
}

/* Return the pages on which values of wanted fields are not as before. */
static size_t choose_heal_pages(const struct field_check *check,
				const struct judgement *judgement,
				const struct heal *heal,
				struct heal_page *pages)
{
	size_t count = 0;

	for (size_t i = 0; i < check->page_count && count < HEAL_PAGES; i++) {
		bool is_wanted = false;

		for (size_t f = 0; f < check->field_count; f++)
			is_wanted |=
				heal->fields[f].is_wanted &&
				!is_as_before(
					judgement->states
						[i * check->field_count + f]);
		if (is_wanted && check->pages[i].known != NULL)
			pages[count++] = (struct heal_page){
				check->pages[i].key, check->pages[i].url,
				check->pages[i].known};
	}
	return count;
}

/* Return whether a new address of the field is only proposed. */
static bool is_proposal(const struct field_check *check,
			const struct judgement *judgement, size_t field)
{
	return check->rules->heal != HEAL_AUTO ||
	       (judgement->counts[field].verdict == FIELD_SUSPECT &&
		field_is_volatile(&check->fields[field]));
}

/*
 * Search the fields that are broken or suspect. If only some of them can be
 * adopted, do it again without the others, so that the sets have only new
 * addresses that were tested and are not mere proposals.
 */
static enum error search_fields(struct field_check *check,
				const struct judgement *judgement,
				struct heal *heal)
{
	struct heal_page *pages =
		ARENA_NEW(check->scratch, struct heal_page, HEAL_PAGES);
	enum error error;
	size_t missing = 0;
	size_t found = 0;

	heal->pages = pages;
	heal->page_count = choose_heal_pages(check, judgement, heal, pages);
	if (heal->page_count == 0)
		return ERR_NONE;
	error = fields_heal(heal);
	for (size_t f = 0; f < heal->field_count; f++) {
		bool is_kept = heal->fields[f].is_found &&
			       !is_proposal(check, judgement, f);

		missing += heal->fields[f].is_wanted && !is_kept;
		found += is_kept;
		heal->fields[f].is_wanted &= is_kept;
	}
	if (error == ERR_NONE && found > 0 && missing > 0)
		error = fields_heal(heal);
	return error;
}

/* Set the fields to those with the addresses that were found. */
static void adopt_fields(struct field_check *check, const struct heal *heal)
{
	struct arena *arena = check->source->arena;
	struct fields_row *row = &check->row;

	row->sets = arena_slice(arena, buffer_slice(&heal->new_sets));
	row->description = dump_json(arena, heal->description);
	row->healed_ms = check->source->now_ms;
	row->changes = 0; /* read the waiting pages again */
}

/*
 * Decide what happens to the fields that are broken or suspect, after the
 * search: which are held, and what is reported.
 */
static void settle_fields(struct field_check *check,
			  struct judgement *judgement, const struct heal *heal)
{
	bool is_adopted = false;

	for (size_t f = 0; f < check->field_count; f++) {
		const struct watched_field *rules = &check->fields[f];
		const struct heal_field *found = &heal->fields[f];
		enum field_verdict verdict = judgement->counts[f].verdict;
		bool is_held = verdict == FIELD_BROKEN || found->is_found ||
			       (verdict == FIELD_SUSPECT && rules->was_broken);

		judgement->is_held[f] = is_held;
		if (!is_held) {
			settle_fill(check, judgement, f, found);
		} else if (found->is_found &&
			   !is_proposal(check, judgement, f)) {
			report_heal(check, judgement, f, found);
			is_adopted = true;
		} else {
			fire_field(check, judgement, f, found);
		}
	}
	if (is_adopted)
		adopt_fields(check, heal);
}

static enum error heal_fields(struct field_check *check,
			      struct judgement *judgement)
{
	struct heal heal = {
		.source = check->source,
		.cluster = check->cluster,
		.sets = check->row.sets,
		.fields = ARENA_NEW(check->scratch, struct heal_field,
				    check->field_count + 1),
		.field_count = check->field_count,
	};
	bool is_off = check->rules->heal == HEAL_OFF;
	enum error error = ERR_NONE;
	size_t wanted = 0;

	for (size_t f = 0; f < check->field_count; f++) {
		heal.fields[f].name = check->fields[f].name;
		heal.fields[f].is_volatile =
			field_is_volatile(&check->fields[f]);
		heal.fields[f].is_wanted =
			!is_off && judgement->counts[f].verdict != FIELD_OK &&
			(check->news_count > 0 || !field_has_fired(check, f));
		wanted += heal.fields[f].is_wanted;
	}
	if (wanted > 0)
		error = search_fields(check, judgement, &heal);
	if (error == ERR_NONE)
		settle_fields(check, judgement, &heal);
	fields_heal_free(&heal);
	return error;
}

static enum error judge_pages(struct field_check *check)
{
	struct judgement judgement;
	enum error error;

	check->row.pending_ms = 0;
	mark_pages(check);
	begin_judgement(check, &judgement);
	error = heal_fields(check, &judgement);
	if (error != ERR_NONE)
		return error;
	for (size_t i = 0; i < check->page_count; i++)
		write_page(check, &judgement, i);
	emit_changes(check, &judgement);
	for (size_t f = 0; f < check->field_count; f++)
		if (!field_has_fired(check, f) &&
		    json_object_get(check->broken, check->fields[f].name) !=
			    NULL)
			check_again(check, field_since(check, f));
	check->row.broken =
		json_object_size(check->broken) == 0
			? slice_of("")
			: dump_json(check->source->arena, check->broken);
	if (check->read_count > 0)
		check->row.history =
			dump_json(check->source->arena, check->history);
	return ERR_NONE;
}

static void finish_update(struct field_check *check, struct slice sets,
			  struct fields_update *update)
{
	struct arena *arena = check->source->arena;

	*update = (struct fields_update){
		.cluster = check->cluster,
		.sets = sets,
		.row = check->row,
		.values = (const void *)arena_copy(
			arena, check->entries,
			check->entry_count * sizeof(*check->entries)),
		.value_count = check->entry_count,
		.events = (const void *)arena_copy(
			arena, check->events,
			check->event_count * sizeof(*check->events)),
		.event_count = check->event_count,
	};
}

static void check_free(struct field_check *check)
{
	for (size_t i = 0; i < check->page_count; i++) {
		json_decref(check->pages[i].known);
		json_decref(check->pages[i].latest);
	}
	for (size_t i = 0; i < check->usual_count; i++)
		json_decref(check->usual[i]);
	json_decref(check->description);
	json_decref(check->broken);
	json_decref(check->history);
	free(check->entries);
	free(check->events);
	arena_destroy(check->scratch);
}

/* Return when waiting values are judged next, if no page changes. */
static uint64_t pending_end(const struct field_check *check)
{
	return check->row.pending_ms == 0
		       ? UINT64_MAX
		       : check->row.pending_ms + check->rules->hold_ms;
}

/* Read what must be checked. Return false if nothing has changed. */
static bool check_begin(struct field_check *check, enum error *error)
{
	struct txn txn = txn_begin_read(check->source->store);
	struct cluster_row cluster;
	bool is_due =
		cluster_row_get(&txn, check->site, check->cluster, &cluster) &&
		read_row(check, &txn) &&
		(check->row.changes != cluster.changes ||
		 pending_end(check) <= check->source->now_ms);

	if (is_due) {
		read_fields(check);
		find_pages(check, &txn);
		check->row.changes = check->is_partial ? 0 : cluster.changes;
		check->cluster_pages = cluster.page_count;
	}
	*error = txn_end(&txn);
	return is_due && *error == ERR_NONE;
}

enum error fields_check(const struct facts_source *source,
			const struct field_check_rules *rules,
			struct fields_update *update, bool *has_update_out,
			uint64_t *next_ms)
{
	struct field_check check = {
		.source = source,
		.rules = rules,
		.scratch = arena_create(),
		.site = source->site->row.id,
		.cluster = update->cluster,
	};
	struct slice sets;
	enum error error;

	*has_update_out = check_begin(&check, &error);
	sets = check.row.sets;
	if (*has_update_out)
		error = read_pages(&check);
	if (*has_update_out && error == ERR_NONE) {
		error = judge_pages(&check);
		if (error == ERR_NONE)
			finish_update(&check, sets, update);
	}
	if (error == ERR_NONE && pending_end(&check) < *next_ms)
		*next_ms = pending_end(&check);
	*has_update_out &= error == ERR_NONE;
	check_free(&check);
	return error;
}
