#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "daemon/privsep/messages.h"
#include "daemon/privsep/worker_process.h"
#include "extract/explain/explain.h"
#include "page/page.h"
#include "page/xpath.h"
#include "template/fields/field_json.h"
#include "template/fields/lesson.h"
#include "template/fields/like.h"
#include "template/template_name.h"

enum {
	FIELD_TASK_MAX_SETS = 64,
	FIELD_TASK_MAX_PAGES = 512,
	FIELD_TASK_MAX_EXAMPLES = 512,
	FIELD_TASK_MAX_FIELDS = MAX_SET_FIELDS, /* of a template */
};

#define DEFAULT_SEPARATOR "; " /* of TRANSFORM_JOIN */

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
	/* the pages that could be parsed [table.page_count] */
	const struct page *learned[FIELD_TASK_MAX_PAGES];
	uint32_t numbers[FIELD_TASK_MAX_PAGES]; /* their indexes in `pages` */
	json_t *report;                         /* the last item */
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

/*
 * Remove a field, of records also their fields, and the set if it becomes
 * empty.
 */
static void remove_field(struct field_work *work, struct field_position at)
{
	struct field_set *set = &work->sets[at.set];

	field_set_remove(set, at.field);
	if (set->count > 0)
		return;
	work->set_count--;
	memmove(set, set + 1, (work->set_count - at.set) * sizeof(*set));
}

/* Remove what was found before; what was taught stays. */
static void remove_found(struct field_work *work)
{
	for (uint32_t s = work->set_count; s-- > 0;) {
		uint32_t f = 0;

		/* a removal may remove other fields, and the set */
		while (s < work->set_count && f < work->sets[s].count)
			if (work->sets[s].fields[f].origin == FIELD_FOUND) {
				remove_field(work,
					     (struct field_position){s, f});
				f = 0;
			} else {
				f++;
			}
	}
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
	uint32_t count = 0;

	for (uint32_t i = 0; i < work->page_count; i++)
		if (work->pages[i] != NULL) {
			work->numbers[count] = i;
			work->learned[count++] = work->pages[i];
		}
	work->tree = place_tree_learn(work->arena, work->learned, count);
	work->table =
		columns_read(work->arena, &work->tree, work->learned, count);
}

/* Find the field that is at the same address. */
static bool find_address(const struct field_work *work,
			 const struct field *field,
			 struct field_position *at_out)
{
	struct buffer address = {0};
	struct buffer other = {0};
	bool is_equal = false;

	source_append_text(&work->tree, &field->rules[0].source, &address);
	for (uint32_t s = 0; s < work->set_count && !is_equal; s++)
		for (uint32_t f = 0; f < work->sets[s].count && !is_equal;
		     f++) {
			const struct field_set *set = &work->sets[s];

			buffer_clear(&other);
			if (set->fields[f].rule_count > 0 &&
			    (set->fields[f].type == TYPE_RECORDS) ==
				    (field->type == TYPE_RECORDS))
				source_append_text(&set->tree,
						   &set->fields[f].rules[0],
						   &other);
			is_equal = slice_equal(buffer_slice(&address),
					       buffer_slice(&other));
			*at_out = (struct field_position){s, f};
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
	       !find_named(work, field->name, &at) &&
	       (field->parent != NO_FIELD || !find_address(work, field, &at));
}

static bool has_name(const struct field *fields, uint32_t count,
		     const char *name)
{
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(fields[i].name, name) == 0)
			return true;
	return false;
}

/* Return whether the records of a field are kept, and its name is in theirs. */
static bool has_parent(const struct field *fields, const struct field *field)
{
	const char *name;

	if (field->parent == NO_FIELD)
		return true;
	name = fields[field->parent].name;
	return strncmp(field->name, name, strlen(name)) == 0 &&
	       field->name[strlen(name)] == '.' &&
	       field->name[strlen(name) + 1] != '\0';
}

/* Keep the fields that are new, at the begin; return their number. */
static uint32_t keep_new(const struct field_work *work, struct field *fields,
			 uint32_t count)
{
	uint32_t *numbers = ARENA_NEW(work->arena, uint32_t, count + 1u);
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct field field = fields[i];
		bool is_orphan = false;

		if (field.parent != NO_FIELD) {
			field.parent = numbers[field.parent];
			is_orphan = field.parent == NO_FIELD;
		}
		numbers[i] = NO_FIELD;
		if (is_orphan || !is_new(work, &field) ||
		    !has_parent(fields, &field) ||
		    has_name(fields, kept, field.name))
			continue;
		numbers[i] = kept;
		fields[kept++] = field;
	}
	return kept;
}

static enum fields_fault find_fields(struct field_work *work)
{
	uint32_t room;
	uint32_t max;
	struct field *fields;
	uint32_t kept;

	learn_columns(work);
	remove_found(work);
	room = free_fields(work);
	max = room;
	if (max == 0)
		return FIELDS_TOO_MANY;
	if (max > work->request.max_fields)
		max = work->request.max_fields;
	fields = ARENA_NEW(work->arena, struct field,
			   (size_t)max + MAX_RECORD_FIELDS);
	kept = keep_new(work, fields,
			fields_discover(&work->table, fields, max));
	if (kept > room)
		kept = room;
	if (kept > 0) {
		struct field_set *set = &work->sets[work->set_count];

		*set = field_set_make(work->arena, &work->table, fields, kept);
		work->set_count += set->count > 0;
	}
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

/* Transforms */

/* Read the transform of a lesson or an edit, if it has one. */
static void read_transform(const json_t *detail, struct transform *transform)
{
	const char *name =
		json_string_value(json_object_get(detail, "transform"));
	const char *separator =
		json_string_value(json_object_get(detail, "separator"));
	const char *items = json_string_value(json_object_get(detail, "items"));
	enum transform_kind kind;

	if (name != NULL && transform_find(name, &kind))
		*transform = (struct transform){.kind = kind,
						.separator = DEFAULT_SEPARATOR};
	if (items != NULL && transform->kind == TRANSFORM_JOIN &&
	    transform_find(items, &kind) && kind != TRANSFORM_JOIN)
		transform->items = kind;
	if (separator != NULL)
		snprintf(transform->separator, sizeof(transform->separator),
			 "%s", separator);
}

/*
 * Let the values on the sample pages show what begins the decimals of the
 * field's numbers.
 */
static void note_decimal(struct field_work *work, struct field_position at)
{
	struct field_spec *spec = field_at(work, at);
	struct transform transform = spec->transform;
	struct arena *arena;
	struct slice *texts;
	uint32_t count = 0;
	char decimal;

	if (transform_item(&transform) != TRANSFORM_NUMBER)
		return;
	arena = arena_create();
	texts = ARENA_NEW(arena, struct slice,
			  (size_t)MAX_PAGE_VALUES * (work->page_count + 1));
	spec->transform = (struct transform){0};
	for (uint32_t i = 0; i < work->page_count; i++) {
		const struct field_result *result;

		if (work->pages[i] == NULL)
			continue;
		result = &field_set_apply(&work->sets[at.set], work->pages[i],
					  arena)[at.field];
		for (uint32_t k = 0; k < result->count && k < MAX_PAGE_VALUES;
		     k++)
			texts[count++] = result->values[k];
	}
	decimal = number_decimal(texts, count);
	arena_destroy(arena);
	if (decimal != 0)
		transform.decimal = decimal;
	spec->transform = transform;
}

/* Lessons */

static void edit_flag(const json_t *detail, const char *member, bool *flag)
{
	const json_t *value = json_object_get(detail, member);

	if (value != NULL)
		*flag = json_is_true(value);
}

/* A lesson, and what was there before. */
struct task_lesson {
	struct field_lesson lesson;
	struct example *examples; /* of the lesson */
	struct field_spec before;
	bool is_selected; /* the examples are those of a selector */
	bool is_healed;
	struct field field;
};

/* Add a field, or replace the one with its name, whose flags stay. */
static enum fields_fault add_taught(struct field_work *work,
				    const struct task_lesson *taught)
{
	struct field_position at;
	struct field_set *set;
	struct field_spec *spec;
	bool is_known = find_named(work, taught->field.name, &at);

	if (!is_known && free_fields(work) == 0)
		return FIELDS_TOO_MANY;
	if (is_known)
		remove_field(work, at);
	if (work->set_count == FIELD_TASK_MAX_SETS)
		return FIELDS_TOO_MANY;
	at = (struct field_position){.set = work->set_count};
	set = &work->sets[work->set_count++];
	*set = field_set_make(work->arena, &work->table, &taught->field, 1);
	spec = field_at(work, at);
	spec->origin = taught->is_healed ? taught->before.origin : FIELD_TAUGHT;
	spec->is_watched = taught->before.is_watched;
	spec->is_required = taught->before.is_required;
	spec->transform = taught->before.transform;
	note_decimal(work, at);
	return FIELDS_NO_FAULT;
}

/* Let a CSS selector or an XPath expression select the examples. */
static enum fields_fault select_examples(struct field_work *work,
					 const char *css, const char *xpath,
					 struct task_lesson *taught)
{
	uint32_t count = work->table.page_count;
	uint32_t filled = 0;
	char error[256];

	taught->is_selected = true;
	taught->lesson.count = count;
	if (css != NULL && field_selector_check(css, error))
		filled = examples_select(css, work->learned, count, work->arena,
					 taught->examples);
	if (css == NULL && xpath_check(xpath, error))
		filled = examples_select_xpath(xpath, work->learned, count,
					       work->arena, taught->examples);
	if (filled == SEVERAL_SELECTED)
		return FIELDS_SEVERAL;
	return filled == 0 ? FIELDS_UNSELECTED : FIELDS_NO_FAULT;
}

/* Read the texts of an array, without blank ones. */
static const struct slice *read_excluded(struct field_work *work,
					 const json_t *lesson,
					 uint32_t *count_out)
{
	const json_t *list = json_object_get(lesson, "not");
	json_t *item = json_pack("{s:O?}", "values", list);
	struct example values = read_example(work, item, 0);

	json_decref(item);
	*count_out = values.count;
	return values.values;
}

static enum fields_fault read_lesson(struct field_work *work,
				     const json_t *detail,
				     struct task_lesson *taught)
{
	const char *css =
		json_string_value(json_object_get(detail, "selector"));
	const char *xpath = json_string_value(json_object_get(detail, "xpath"));
	struct field_lesson *lesson = &taught->lesson;
	struct field_position at;

	lesson->name = json_string_value(json_object_get(detail, "name"));
	if (lesson->name == NULL)
		return FIELDS_NO_VALUE;
	taught->before.origin = FIELD_TAUGHT;
	taught->is_healed = json_is_true(json_object_get(detail, "healed"));
	if (find_named(work, lesson->name, &at))
		taught->before = *field_at(work, at);
	edit_flag(detail, "watched", &taught->before.is_watched);
	edit_flag(detail, "required", &taught->before.is_required);
	read_transform(detail, &taught->before.transform);
	taught->examples =
		ARENA_NEW(work->arena, struct example, FIELD_TASK_MAX_EXAMPLES);
	lesson->examples = taught->examples;
	lesson->excluded = read_excluded(work, detail, &lesson->excluded_count);
	if (css != NULL || xpath != NULL)
		return select_examples(work, css, xpath, taught);
	return read_examples(work, json_object_get(detail, "examples"),
			     taught->examples, &lesson->count);
}

/* Teach by the examples, after the texts of transformed values were found. */
static bool teach_restored(struct field_work *work, struct task_lesson *taught)
{
	const struct learned_pages learned = {&work->table, work->learned};

	return taught->before.transform.kind != TRANSFORM_NONE &&
	       !taught->is_selected &&
	       examples_restore(&learned, &taught->before.transform,
				taught->examples, taught->lesson.count,
				work->arena) &&
	       field_teach_lesson(&work->table, &taught->lesson,
				  &taught->field);
}

/*
 * Teach a field. The values of a field that is healed are transformed, and
 * those that a user copies may be.
 */
static bool teach_field(struct field_work *work, struct task_lesson *taught)
{
	if (taught->is_healed && teach_restored(work, taught))
		return true;
	return field_teach_lesson(&work->table, &taught->lesson,
				  &taught->field) ||
	       (!taught->is_healed && teach_restored(work, taught));
}

/* Return why a lesson teaches nothing. */
static enum fields_fault lesson_fault(struct field_work *work,
				      struct task_lesson *taught)
{
	if (taught->lesson.excluded_count > 0) {
		taught->lesson.excluded_count = 0;
		if (teach_field(work, taught))
			return FIELDS_EXCLUDED;
	}
	return taught->is_selected ? FIELDS_NOT_PLACE : FIELDS_NO_VALUE;
}

static json_t *doubt_json(const struct field_work *work,
			  const struct doubt *doubt)
{
	json_t *values = json_array();

	for (size_t i = 0; i < 2; i++) {
		struct slice text = doubt->values[i];

		json_array_append_new(
			values, text.size == 0 ? json_null()
					       : json_stringn_nocheck(
							 text.data, text.size));
	}
	return json_pack("{s:I, s:o}", "page",
			 (json_int_t)work->numbers[doubt->page], "values",
			 values);
}

static enum fields_fault teach_one(struct field_work *work,
				   const json_t *detail)
{
	struct task_lesson *taught =
		ARENA_NEW(work->arena, struct task_lesson, 1);
	enum fields_fault fault = read_lesson(work, detail, taught);
	json_t *doubts;

	if (fault != FIELDS_NO_FAULT)
		return fault;
	if (!teach_field(work, taught))
		return lesson_fault(work, taught);
	work->answer.confidence = (uint32_t)(taught->field.confidence * 1000);
	doubts = json_array();
	for (uint32_t i = 0; i < taught->field.doubt_count; i++)
		json_array_append_new(
			doubts, doubt_json(work, &taught->field.doubts[i]));
	json_object_set_new(work->report, "doubts", doubts);
	return add_taught(work, taught);
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

/*
 * Rename a field of a set, and the fields of records: "comments.author" becomes
 * "reviews.author". A field of records gets the name of its parent in front.
 * Return false if a name is too long, or another field has it.
 */
static bool rename_field(struct field_work *work, struct field_position at,
			 const char *new_name)
{
	struct field_set *set = &work->sets[at.set];
	struct field_spec *spec = &set->fields[at.field];
	const size_t size = strlen(spec->name);
	char before[MAX_FIELD_NAME + 1];
	char name[2 * MAX_FIELD_NAME + 2];
	struct field_position other;
	const size_t key = (size_t)(field_spec_key(set, at.field) - spec->name);

	if (strncmp(new_name, spec->name, key) == 0)
		new_name += key; /* the parent's name is in front already */
	if (*new_name == '\0')
		return false;
	snprintf(name, sizeof(name), "%.*s%s", (int)key, spec->name, new_name);
	memcpy(before, spec->name, sizeof(before));
	if (strcmp(name, before) == 0)
		return true;
	for (uint32_t f = at.field; f < set->count; f++) {
		struct field_spec *one = &set->fields[f];
		char full[3 * MAX_FIELD_NAME + 3];

		if (f != at.field && (one->parent == NO_FIELD ||
				      strncmp(one->name, before, size) != 0 ||
				      one->name[size] != '.'))
			continue;
		snprintf(full, sizeof(full), "%s%s", name, one->name + size);
		if (strlen(full) > MAX_FIELD_NAME ||
		    find_named(work, full, &other))
			return false;
		memcpy(one->name, full, strlen(full) + 1);
	}
	return true;
}

/* The user wants to keep a field, with all of its records. */
static void keep_field(struct field_set *set, uint32_t field)
{
	uint32_t top = field_set_top(set, field);

	for (uint32_t f = 0; f < set->count; f++)
		if (field_set_top(set, f) == top)
			set->fields[f].origin = FIELD_TAUGHT;
}

static enum fields_fault edit_field(struct field_work *work)
{
	const json_t *detail = work->detail;
	const char *name = json_string_value(json_object_get(detail, "name"));
	const char *new_name =
		json_string_value(json_object_get(detail, "new_name"));
	struct field_position at;
	struct field_spec *spec;

	if (name == NULL || !find_named(work, name, &at))
		return FIELDS_NO_FIELD;
	if (json_is_true(json_object_get(detail, "removed"))) {
		remove_field(work, at);
		return FIELDS_NO_FAULT;
	}
	spec = field_at(work, at);
	if ((spec->parent != NO_FIELD || spec->type == TYPE_RECORDS) &&
	    (json_is_true(json_object_get(detail, "watched")) ||
	     json_is_true(json_object_get(detail, "required")) ||
	     json_object_get(detail, "transform") != NULL))
		return FIELDS_OF_RECORDS;
	if (new_name != NULL && !rename_field(work, at, new_name))
		return FIELDS_NAME_IN_USE;
	edit_flag(detail, "watched", &spec->is_watched);
	edit_flag(detail, "required", &spec->is_required);
	read_transform(detail, &spec->transform);
	note_decimal(work, at);
	keep_field(&work->sets[at.set], at.field);
	return FIELDS_NO_FAULT;
}

/* Fields like those of another template */

enum { MAX_LIKE_FIELDS = 200 /* found fields that are compared */ };

/* Return whether the request names the field, or names none. */
static bool is_requested(const struct field_work *work, const char *name)
{
	const json_t *names = json_object_get(work->detail, "names");
	const json_t *item;
	size_t i;

	json_array_foreach(names, i, item)
	{
		if (json_is_string(item) &&
		    strcmp(json_string_value(item), name) == 0)
			return true;
	}
	return json_array_size(names) == 0;
}

/* Return whether a description is that of records, or of a field of these. */
static bool is_of_records(const json_t *item)
{
	const char *type = json_string_value(json_object_get(item, "type"));

	return json_is_string(json_object_get(item, "parent")) ||
	       (type != NULL && strcmp(type, type_name(TYPE_RECORDS)) == 0);
}

/*
 * Read the requested fields of the other template that this one does not have.
 */
static uint32_t read_patterns(struct field_work *work,
			      struct field_pattern *patterns)
{
	const json_t *item;
	uint32_t count = 0;
	uint32_t kept = 0;
	size_t i;

	json_array_foreach(json_object_get(work->detail, "like"), i, item)
	{
		if (count == MAX_SET_FIELDS || is_of_records(item) ||
		    !field_pattern_read(item, &patterns[count]))
			continue;
		read_transform(item, &patterns[count].transform);
		count++;
	}
	patterns_drop_shared(patterns, count);
	for (uint32_t k = 0; k < count; k++) {
		const char *name = patterns[k].name;
		struct field_position at;

		if (field_name_is_valid(slice_of(name)) &&
		    !find_named(work, name, &at) && is_requested(work, name))
			patterns[kept++] = patterns[k];
	}
	return kept;
}

/* Remove a found field that is at the same address. */
static void remove_same(struct field_work *work, const struct field *field)
{
	struct field_position at;

	if (find_address(work, field, &at) &&
	    field_at(work, at)->origin == FIELD_FOUND)
		remove_field(work, at);
}

/* Return whether the transform can read most values of the field. */
static bool is_readable(const struct field_work *work,
			const struct field *field,
			const struct transform *transform)
{
	const struct column *rule = &field->rules[0];
	struct arena *arena = arena_create();
	uint32_t read = 0;

	for (uint32_t i = 0; i < rule->count; i++) {
		const struct slice *values = &rule->values[i].text;
		uint32_t count = 1;

		read += transform_values(transform,
					 work->learned[rule->values[i].page],
					 arena, &values, &count);
	}
	arena_destroy(arena);
	return read * 2 > rule->count;
}

/* Find fields that are no records; return their number. */
static uint32_t
find_flat(const struct field_work *work,
	  struct field fields[MAX_LIKE_FIELDS + MAX_RECORD_FIELDS])
{
	uint32_t count = fields_discover(&work->table, fields, MAX_LIKE_FIELDS);
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count && kept < MAX_LIKE_FIELDS; i++)
		if (fields[i].type != TYPE_RECORDS &&
		    fields[i].parent == NO_FIELD)
			fields[kept++] = fields[i];
	return kept;
}

static enum fields_fault add_alike(struct field_work *work)
{
	struct field *fields = ARENA_NEW(work->arena, struct field,
					 MAX_LIKE_FIELDS + MAX_RECORD_FIELDS);
	struct field_pattern *patterns =
		ARENA_NEW(work->arena, struct field_pattern,
			  MAX_SET_FIELDS + MAX_LIKE_FIELDS);
	struct field_pattern *own = patterns + MAX_SET_FIELDS;
	struct likeness likeness[MAX_LIKE_FIELDS];
	json_t *report = json_object();
	uint32_t pattern_count = read_patterns(work, patterns);
	enum fields_fault fault = FIELDS_NO_FAULT;
	uint32_t count;

	json_object_set_new(work->report, "likeness", report);
	learn_columns(work);
	count = find_flat(work, fields);
	for (uint32_t i = 0; i < count; i++)
		own[i] = field_pattern_of(&work->tree, &fields[i]);
	patterns_drop_shared(own, count);
	count = fields_match((struct field_patterns){patterns, pattern_count},
			     (struct field_patterns){own, count}, likeness);
	for (uint32_t i = 0; i < count && fault == FIELDS_NO_FAULT; i++) {
		const struct field_pattern *pattern =
			&patterns[likeness[i].pattern];
		struct task_lesson taught = {
			.field = fields[likeness[i].own],
			.before = {.origin = FIELD_TAUGHT,
				   .transform = pattern->transform}};

		if (!is_readable(work, &taught.field, &pattern->transform))
			continue;
		memcpy(taught.field.name, pattern->name,
		       sizeof(taught.field.name));
		remove_same(work, &taught.field);
		fault = add_taught(work, &taught);
		json_object_set_new(report, pattern->name,
				    json_real(likeness[i].ratio));
	}
	return json_object_size(report) == 0 && fault == FIELDS_NO_FAULT
		       ? FIELDS_NONE_ALIKE
		       : fault;
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

enum { MAX_SHOWN_TEXT = 200 /* a longer one is no value to transform */ };

/* Return whether a text of the page is the value after the transform. */
static bool page_shows(const struct page *page,
		       const struct transform *transform, struct slice value)
{
	struct arena *arena = arena_create();
	char copy[MAX_SHOWN_TEXT];
	bool is_shown = false;

	for (uint32_t i = 0; i < page->text_count && !is_shown; i++) {
		struct slice text = page_text(page, i);
		const struct slice *values = &text;
		uint32_t count = 1;

		if (text.size > sizeof(copy))
			continue;
		text = (struct slice){copy, text_collapse(text, copy)};
		is_shown = text.size > 0 &&
			   transform_values(transform, page, arena, &values,
					    &count) &&
			   slice_equal(values[0], value);
	}
	arena_destroy(arena);
	return is_shown;
}

/*
 * Return whether the page shows the known value of a field: the words of the
 * text, or what the field's transform makes of a text.
 */
static bool field_is_shown(struct field_work *work, const struct page *page,
			   struct slice text, const char *name,
			   struct slice value)
{
	struct field_position at;
	struct transform transform;

	if (!find_named(work, name, &at))
		return text_shows(text, value);
	transform = field_at(work, at)->transform;
	if (transform.kind == TRANSFORM_JOIN) {
		size_t size = strlen(transform.separator);
		const char *end = size == 0 ? NULL
					    : memmem(value.data, value.size,
						     transform.separator, size);

		if (end != NULL)
			value.size = (size_t)(end - (const char *)value.data);
		transform.kind = transform.items;
	}
	return text_shows(text, value) ||
	       ((transform.kind == TRANSFORM_NUMBER ||
		 transform.kind == TRANSFORM_DATE) &&
		value.size >= MIN_SHOWN_BYTES &&
		page_shows(page, &transform, value));
}

/*
 * Add the names of the fields whose known value is another one, and is still in
 * the text of the page, to the record.
 */
static void record_add_shown(struct field_work *work, const struct page *page,
			     const json_t *known, json_t *record)
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
		if (field_is_shown(work, page, text, name,
				   (struct slice){json_string_value(first),
						  json_string_length(first)}))
			json_array_append_new(shown, json_string(name));
	}
	if (json_array_size(shown) > 0)
		json_object_set(record, "_shown", shown);
	json_decref(shown);
	free(copy);
}

static void append_records(struct field_work *work, struct buffer *list)
{
	bool has_records = !json_is_true(json_object_get(work->detail, "flat"));

	for (uint32_t i = 0; i < work->page_count; i++) {
		json_t *record;

		if (work->pages[i] == NULL) {
			item_append(list, (struct slice){"", 0});
			continue;
		}
		record = json_object();
		for (uint32_t s = 0; s < work->set_count; s++)
			record_add(&work->sets[s], work->pages[i], has_records,
				   record);
		record_add_shown(
			work, work->pages[i],
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

/* Append the copy of the page that shows the values of a field. */
static enum fields_fault show_value(struct field_work *work,
				    struct buffer *list)
{
	const char *name =
		json_string_value(json_object_get(work->detail, "name"));
	const struct field_result *result;
	struct field_position at;
	struct page_mark *marks;
	struct buffer copy = {0};

	if (name == NULL || !find_named(work, name, &at))
		return FIELDS_NO_FIELD;
	if (work->page_count != 1 || work->pages[0] == NULL)
		return FIELDS_NOT_PARSED;
	/* the values as the page shows them; no set is returned */
	field_at(work, at)->transform = (struct transform){0};
	result = &field_set_apply(&work->sets[at.set], work->pages[0],
				  work->arena)[at.field];
	marks = ARENA_NEW(work->arena, struct page_mark, result->count + 1u);
	for (uint32_t i = 0; i < result->count; i++)
		marks[i] =
			(struct page_mark){result->nodes[i], result->values[i]};
	page_copy_marked(work->pages[0], marks, result->count, &copy);
	item_append(list, buffer_slice(&copy));
	buffer_free(&copy);
	return FIELDS_NO_FAULT;
}

static enum fields_fault run_action(struct field_work *work,
				    struct buffer *list)
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
	case FIELDS_LIKE:
		return add_alike(work);
	case FIELDS_SHOW:
		return show_value(work, list);
	default:
		return FIELDS_NO_FAULT;
	}
}

/* Append the sets, the records, and the report, as the action has them. */
static void append_answer(struct field_work *work, struct buffer *body)
{
	bool is_change = work->request.action != FIELDS_APPLY;

	if (is_change)
		append_sets(work, body);
	append_records(work, body);
	if (is_change)
		append_json(body, json_incref(work->report));
}

enum error fields_task(struct task *task, struct message *answer)
{
	struct field_work *work = mem_alloc(1, sizeof(*work));
	enum error error = ERR_MALFORMED;

	work->arena = arena_create();
	work->report = json_object();
	if (read_task(task, work)) {
		uint32_t action = work->request.action;
		enum fields_fault fault = run_action(work, &answer->body);

		error = ERR_NONE;
		work->answer.fault = fault;
		if (fault == FIELDS_NO_FAULT && action != FIELDS_SHOW)
			append_answer(work, &answer->body);
		answer->head =
			row_codec_encode(&fields_answer_layout, &work->answer);
	}
	for (uint32_t i = 0; i < work->page_count; i++)
		page_destroy(work->pages[i]);
	json_decref(work->detail);
	json_decref(work->report);
	arena_destroy(work->arena);
	free(work);
	return error;
}
