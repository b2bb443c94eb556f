#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "daemon/privsep/messages.h"
#include "daemon/privsep/worker_process.h"
#include "page/page.h"
#include "template/fields/field_json.h"
#include "template/template_name.h"

enum {
	FIELD_TASK_MAX_SETS = 64,
	FIELD_TASK_MAX_PAGES = 512,
	FIELD_TASK_MAX_EXAMPLES = 512,
	FIELD_TASK_MAX_FIELDS = MAX_SET_FIELDS, /* of a template */
};

bool field_name_is_valid(struct slice name)
{
	struct arena *arena;
	bool is_valid;

	if (name.size == 0 || name.size > MAX_FIELD_NAME ||
	    slice_byte(name, 0) == '_' || utf8_check(name).invalid > 0)
		return false;
	arena = arena_create();
	is_valid = slice_equal(template_name_clean(arena, name), name);
	arena_destroy(arena);
	return is_valid;
}

/*
 * The task that finds, teaches, changes and applies the fields of a template.
 */
struct field_work {
	struct arena *arena;
	struct fields_request request;
	struct field_set sets[FIELD_TASK_MAX_SETS + 1];
	uint32_t set_count;
	json_t *detail;
	struct page *pages[FIELD_TASK_MAX_PAGES]; /* NULL: not parsed */
	uint32_t page_count;
	struct place_tree tree;
	struct column_table table;
	struct fields_answer answer;
};

/* Reading the task */

static enum fields_fault task_read_sets(struct field_work *work,
					struct slice list)
{
	struct slice item;

	while (item_next(&list, &item)) {
		if (work->set_count == FIELD_TASK_MAX_SETS ||
		    !field_set_decode(work->arena, item,
				      &work->sets[work->set_count])) {
			work->set_count = 0;
			return FIELDS_DAMAGED;
		}
		work->set_count++;
	}
	return list.size == 0 ? FIELDS_NO_FAULT : FIELDS_DAMAGED;
}

static void task_read_pages(struct field_work *work, struct slice list)
{
	struct slice body;
	struct slice charset;
	struct slice url;

	while (work->page_count < FIELD_TASK_MAX_PAGES &&
	       item_next(&list, &body) && item_next(&list, &charset) &&
	       item_next(&list, &url)) {
		struct page **page = &work->pages[work->page_count++];

		if (sample_page_parse(body, charset, &work->request.limits,
				      page) == ERR_NONE)
			page_set_url(*page, url);
		else
			*page = NULL;
	}
}

static bool read_task(const struct task *task, struct field_work *work)
{
	struct slice body = task->body;
	struct slice sets;
	struct slice detail;

	if (!row_codec_decode(&fields_request_layout, task->head,
			      &work->request) ||
	    work->request.action >= FIELDS_ACTIONS ||
	    !item_next(&body, &sets) || !item_next(&body, &detail))
		return false;
	work->answer.fault = task_read_sets(work, sets);
	work->detail = json_loadb(detail.data, detail.size, 0, NULL);
	task_read_pages(work, body);
	return json_is_object(work->detail);
}

/* Sets */

/* The position of a field: sets[set].fields[field]. */
struct field_position {
	uint32_t set;
	uint32_t field;
};

static bool find_named(const struct field_work *work, const char *name,
		       struct field_position *at_out)
{
	for (uint32_t s = 0; s < work->set_count; s++)
		for (uint32_t f = 0; f < work->sets[s].count; f++)
			if (strcmp(work->sets[s].fields[f].name, name) == 0) {
				*at_out = (struct field_position){s, f};
				return true;
			}
	return false;
}

static struct field_spec *field_at(struct field_work *work,
				   struct field_position at)
{
	return &work->sets[at.set].fields[at.field];
}

/* Remove a field, and the set if it becomes empty. */
static void remove_field(struct field_work *work, struct field_position at)
{
	struct field_set *set = &work->sets[at.set];

	set->count--;
	memmove(&set->fields[at.field], &set->fields[at.field + 1],
		(set->count - at.field) * sizeof(*set->fields));
	if (set->count > 0)
		return;
	work->set_count--;
	memmove(set, set + 1, (work->set_count - at.set) * sizeof(*set));
}

/* Remove what was found before; what was taught stays. */
static void remove_found(struct field_work *work)
{
	for (uint32_t s = work->set_count; s-- > 0;)
		for (uint32_t f = work->sets[s].count; f-- > 0;)
			if (work->sets[s].fields[f].origin == FIELD_FOUND)
				remove_field(work,
					     (struct field_position){s, f});
}

/* Return how many fields the template may have in addition. */
static uint32_t free_fields(const struct field_work *work)
{
	uint32_t count = 0;

	if (work->set_count == FIELD_TASK_MAX_SETS)
		return 0;
	for (uint32_t s = 0; s < work->set_count; s++)
		count += work->sets[s].count;
	return count < FIELD_TASK_MAX_FIELDS ? FIELD_TASK_MAX_FIELDS - count
					     : 0;
}

/* Actions */

static void learn_columns(struct field_work *work)
{
	const struct page *pages[FIELD_TASK_MAX_PAGES];
	uint32_t count = 0;

	for (uint32_t i = 0; i < work->page_count; i++)
		if (work->pages[i] != NULL)
			pages[count++] = work->pages[i];
	work->tree = place_tree_learn(work->arena, pages, count);
	work->table = columns_read(work->arena, &work->tree, pages, count);
}

/* Return whether a field that was taught or renamed is at the same address. */
static bool is_taught(const struct field_work *work, const struct field *field)
{
	struct buffer address = {0};
	struct buffer other = {0};
	bool is_equal = false;

	source_append_text(&work->tree, &field->rules[0].source, &address);
	for (uint32_t s = 0; s < work->set_count; s++)
		for (uint32_t f = 0; f < work->sets[s].count && !is_equal;
		     f++) {
			const struct field_set *set = &work->sets[s];

			buffer_clear(&other);
			if (set->fields[f].rule_count > 0)
				source_append_text(&set->tree,
						   &set->fields[f].rules[0],
						   &other);
			is_equal = slice_equal(buffer_slice(&address),
					       buffer_slice(&other));
		}
	buffer_free(&address);
	buffer_free(&other);
	return is_equal;
}

/*
 * Clean the name of a field, which comes from the page. Return whether the
 * field is new.
 */
static bool is_new(const struct field_work *work, struct field *field)
{
	struct slice name = utf8_truncate(
		template_name_clean(work->arena, slice_of(field->name)),
		MAX_FIELD_NAME);
	struct field_position at;

	memcpy(field->name, name.data, name.size);
	field->name[name.size] = '\0';
	return field_name_is_valid(slice_of(field->name)) &&
	       !find_named(work, field->name, &at) && !is_taught(work, field);
}

static bool has_name(const struct field *fields, uint32_t count,
		     const char *name)
{
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(fields[i].name, name) == 0)
			return true;
	return false;
}

static enum fields_fault find_fields(struct field_work *work)
{
	uint32_t max;
	struct field *fields;
	uint32_t count;
	uint32_t kept = 0;

	learn_columns(work);
	remove_found(work);
	max = free_fields(work);
	if (max == 0)
		return FIELDS_TOO_MANY;
	if (max > work->request.max_fields)
		max = work->request.max_fields;
	fields = ARENA_NEW(work->arena, struct field, max + 1u);
	count = fields_discover(&work->table, fields, max);
	for (uint32_t i = 0; i < count; i++) {
		struct field field = fields[i];

		if (is_new(work, &field) && !has_name(fields, kept, field.name))
			fields[kept++] = field;
	}
	if (kept > 0)
		work->sets[work->set_count++] =
			field_set_make(work->arena, &work->table, fields, kept);
	return work->set_count == 0 ? FIELDS_NONE_VARIES : FIELDS_NO_FAULT;
}

/* Return the index of a page among those that could be parsed. */
static uint32_t parsed_index(const struct field_work *work, json_int_t page)
{
	uint32_t index = 0;

	if (page < 0 || page >= work->page_count || work->pages[page] == NULL)
		return UINT32_MAX;
	for (json_int_t i = 0; i < page; i++)
		index += work->pages[i] != NULL;
	return index;
}

/* Read the values of an example, without those that are blank. */
static struct example read_example(struct field_work *work, const json_t *item,
				   uint32_t page)
{
	const json_t *values = json_object_get(item, "values");
	struct slice *texts = ARENA_NEW(work->arena, struct slice,
					json_array_size(values) + 1);
	uint32_t count = 0;
	const json_t *value;
	size_t i;

	json_array_foreach(values, i, value)
	{
		struct slice text = slice_of(json_string_value(value));
		char *copy = arena_room(work->arena, text.size + 1);

		texts[count].data = copy;
		texts[count].size = text_collapse(text, copy);
		count += texts[count].size > 0;
	}
	return (struct example){page, texts, count};
}

/* Write the examples of a lesson; return FIELDS_NOT_PARSED if one has no page.
 */
static enum fields_fault read_examples(struct field_work *work,
				       const json_t *list,
				       struct example *examples,
				       uint32_t *count_out)
{
	uint32_t count = 0;
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		uint32_t page = parsed_index(
			work,
			json_integer_value(json_object_get(item, "page")));

		if (page == UINT32_MAX)
			return FIELDS_NOT_PARSED;
		if (count == FIELD_TASK_MAX_EXAMPLES)
			break;
		examples[count++] = read_example(work, item, page);
	}
	*count_out = count;
	return FIELDS_NO_FAULT;
}

/* Add a field, or replace the one with its name, whose flags stay. */
static enum fields_fault add_taught(struct field_work *work,
				    const struct field *field, bool is_healed)
{
	struct field_spec before = {.origin = FIELD_TAUGHT};
	struct field_position at;
	struct field_set *set;

	if (find_named(work, field->name, &at)) {
		before = *field_at(work, at);
		remove_field(work, at);
	}
	if (free_fields(work) == 0)
		return FIELDS_TOO_MANY;
	set = &work->sets[work->set_count++];
	*set = field_set_make(work->arena, &work->table, field, 1);
	set->fields[0].origin = is_healed ? before.origin : FIELD_TAUGHT;
	set->fields[0].is_watched = before.is_watched;
	set->fields[0].is_required = before.is_required;
	return FIELDS_NO_FAULT;
}

static enum fields_fault teach_one(struct field_work *work,
				   const json_t *lesson)
{
	const char *name = json_string_value(json_object_get(lesson, "name"));
	struct example *examples =
		ARENA_NEW(work->arena, struct example, FIELD_TASK_MAX_EXAMPLES);
	uint32_t count = 0;
	struct field field;
	enum fields_fault fault = read_examples(
		work, json_object_get(lesson, "examples"), examples, &count);

	if (fault != FIELDS_NO_FAULT)
		return fault;
	if (name == NULL ||
	    !field_teach(&work->table, name, examples, count, &field))
		return FIELDS_NO_VALUE;
	work->answer.confidence = (uint32_t)(field.confidence * 1000);
	return add_taught(work, &field,
			  json_is_true(json_object_get(lesson, "healed")));
}

/* Teach the fields that can be found. It is a fault if none can. */
static enum fields_fault teach_fields(struct field_work *work)
{
	enum fields_fault failure = FIELDS_NO_VALUE;
	uint32_t learned = 0;
	const json_t *lesson;
	size_t i;

	learn_columns(work);
	json_array_foreach(json_object_get(work->detail, "lessons"), i, lesson)
	{
		enum fields_fault fault = teach_one(work, lesson);

		if (fault == FIELDS_NO_FAULT)
			learned++;
		else
			failure = fault;
	}
	return learned > 0 ? FIELDS_NO_FAULT : failure;
}

static void edit_flag(const json_t *detail, const char *member, bool *flag)
{
	const json_t *value = json_object_get(detail, member);

	if (value != NULL)
		*flag = json_is_true(value);
}

static enum fields_fault edit_field(struct field_work *work)
{
	const json_t *detail = work->detail;
	const char *name = json_string_value(json_object_get(detail, "name"));
	const char *new_name =
		json_string_value(json_object_get(detail, "new_name"));
	struct field_position at;
	struct field_position other;
	struct field_spec *spec;

	if (name == NULL || !find_named(work, name, &at))
		return FIELDS_NO_FIELD;
	if (json_is_true(json_object_get(detail, "removed"))) {
		remove_field(work, at);
		return FIELDS_NO_FAULT;
	}
	if (new_name != NULL && strcmp(name, new_name) != 0 &&
	    find_named(work, new_name, &other))
		return FIELDS_NAME_IN_USE;
	spec = field_at(work, at);
	edit_flag(detail, "watched", &spec->is_watched);
	edit_flag(detail, "required", &spec->is_required);
	spec->origin = FIELD_TAUGHT; /* the user wants to keep it */
	if (new_name != NULL)
		snprintf(spec->name, sizeof(spec->name), "%s", new_name);
	return FIELDS_NO_FAULT;
}

/* The response */

static void append_json(struct buffer *list, json_t *value)
{
	char *text = json_dumps(value, JSON_COMPACT);

	item_append(list, slice_of(text == NULL ? "" : text));
	free(text);
	json_decref(value);
}

enum { MIN_SHOWN_BYTES = 4 /* a shorter value may be anywhere */ };

static bool is_word_byte(unsigned char byte)
{
	return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
	       (byte >= 'a' && byte <= 'z');
}

/* Return whether the text contains the words of the value. */
static bool text_shows(struct slice text, struct slice value)
{
	const unsigned char *at = text.data;
	const unsigned char *end = at + text.size;
	const unsigned char *found;

	while (value.size >= MIN_SHOWN_BYTES &&
	       (found = memmem(at, (size_t)(end - at), value.data,
			       value.size)) != NULL) {
		const unsigned char *next = found + value.size;

		if ((found == text.data || !is_word_byte(found[-1]) ||
		     !is_word_byte(found[0])) &&
		    (next == end || !is_word_byte(*next)))
			return true;
		at = next;
	}
	return false;
}

/*
 * Add the names of the fields whose known value is another one, and is still in
 * the text of the page, to the record.
 */
static void record_add_shown(const struct page *page, const json_t *known,
			     json_t *record)
{
	char *copy = NULL;
	struct slice text = {0};
	json_t *shown = json_array();
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)known, name, value)
	{
		const json_t *first =
			json_is_array(value) ? json_array_get(value, 0) : value;

		if (!json_is_string(first) ||
		    json_equal(json_object_get(record, name), value))
			continue;
		if (copy == NULL) {
			copy = mem_alloc(1, page->text_bytes + 1);
			text = (struct slice){
				copy,
				text_collapse((struct slice){page->text,
							     page->text_bytes},
					      copy)};
		}
		if (text_shows(text, (struct slice){json_string_value(first),
						    json_string_length(first)}))
			json_array_append_new(shown, json_string(name));
	}
	if (json_array_size(shown) > 0)
		json_object_set(record, "_shown", shown);
	json_decref(shown);
	free(copy);
}

static void append_records(const struct field_work *work, struct buffer *list)
{
	for (uint32_t i = 0; i < work->page_count; i++) {
		json_t *record;

		if (work->pages[i] == NULL) {
			item_append(list, (struct slice){"", 0});
			continue;
		}
		record = json_object();
		for (uint32_t s = 0; s < work->set_count; s++)
			record_add(&work->sets[s], work->pages[i], record);
		record_add_shown(
			work->pages[i],
			json_array_get(json_object_get(work->detail, "known"),
				       i),
			record);
		append_json(list, record);
	}
}

static void append_sets(const struct field_work *work, struct buffer *list)
{
	struct buffer sets = {0};
	json_t *description = json_array();

	for (uint32_t s = 0; s < work->set_count; s++) {
		struct buffer bytes = {0};

		field_set_encode(&work->sets[s], &bytes);
		item_append(&sets, buffer_slice(&bytes));
		buffer_free(&bytes);
		fields_describe(&work->sets[s], description);
	}
	item_append(list, buffer_slice(&sets));
	append_json(list, description);
	buffer_free(&sets);
}

static enum fields_fault run_action(struct field_work *work)
{
	if (work->answer.fault != FIELDS_NO_FAULT &&
	    work->request.action != FIELDS_FIND)
		return work->answer.fault;
	switch (work->request.action) {
	case FIELDS_FIND:
		return find_fields(work);
	case FIELDS_TEACH:
		return teach_fields(work);
	case FIELDS_EDIT:
		return edit_field(work);
	default:
		return FIELDS_NO_FAULT;
	}
}

enum error fields_task(struct task *task, struct message *answer)
{
	struct field_work *work = mem_alloc(1, sizeof(*work));
	enum error error = ERR_MALFORMED;

	work->arena = arena_create();
	if (read_task(task, work)) {
		enum fields_fault fault = run_action(work);

		error = ERR_NONE;
		work->answer.fault = fault;
		if (fault == FIELDS_NO_FAULT &&
		    work->request.action != FIELDS_APPLY)
			append_sets(work, &answer->body);
		if (fault == FIELDS_NO_FAULT)
			append_records(work, &answer->body);
		answer->head =
			row_codec_encode(&fields_answer_layout, &work->answer);
	}
	for (uint32_t i = 0; i < work->page_count; i++)
		page_destroy(work->pages[i]);
	json_decref(work->detail);
	arena_destroy(work->arena);
	free(work);
	return error;
}
