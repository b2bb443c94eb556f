/* The task that finds, teaches, changes and applies the fields of a template.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "daemon/privsep/messages.h"
#include "daemon/privsep/worker_process.h"
#include "page/page.h"
#include "template/fields/field_json.h"

enum {
	FIELD_TASK_MAX_SETS = 64,
	FIELD_TASK_MAX_PAGES = 512,
	FIELD_TASK_MAX_EXAMPLES = 512,
};

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
	char reason[256];
};

/* Reading the task */

static bool read_sets(struct field_work *work, struct slice list)
{
	struct slice item;

	while (item_next(&list, &item))
		if (work->set_count == FIELD_TASK_MAX_SETS ||
		    !field_set_decode(work->arena, item,
				      &work->sets[work->set_count++]))
			return false;
	return list.size == 0;
}

static void read_pages(struct field_work *work, struct slice list)
{
	struct slice body;
	struct slice charset;

	while (work->page_count < FIELD_TASK_MAX_PAGES &&
	       item_next(&list, &body) && item_next(&list, &charset)) {
		struct page **page = &work->pages[work->page_count++];

		if (sample_page_parse(body, charset, &work->request.limits,
				      page) != ERR_NONE)
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
	    !item_next(&body, &sets) || !item_next(&body, &detail) ||
	    !read_sets(work, sets))
		return false;
	work->detail = json_loadb(detail.data, detail.size, 0, NULL);
	read_pages(work, body);
	return json_is_object(work->detail);
}

/* Sets */

static void remove_field(struct field_set *set, uint32_t index)
{
	memmove(&set->fields[index], &set->fields[index + 1],
		(set->count - index - 1) * sizeof(*set->fields));
	set->count--;
}

/* Remove the field with this name, and a set that becomes empty. */
static bool remove_named(struct field_work *work, const char *name)
{
	for (uint32_t s = 0; s < work->set_count; s++)
		for (uint32_t f = 0; f < work->sets[s].count; f++) {
			if (strcmp(work->sets[s].fields[f].name, name) != 0)
				continue;
			remove_field(&work->sets[s], f);
			if (work->sets[s].count == 0)
				memmove(&work->sets[s], &work->sets[s + 1],
					(--work->set_count - s) *
						sizeof(*work->sets));
			return true;
		}
	return false;
}

static struct field_spec *find_named(struct field_work *work, const char *name)
{
	for (uint32_t s = 0; s < work->set_count; s++)
		for (uint32_t f = 0; f < work->sets[s].count; f++)
			if (strcmp(work->sets[s].fields[f].name, name) == 0)
				return &work->sets[s].fields[f];
	return NULL;
}

/* Remove what was found before; what was taught stays. */
static void remove_found(struct field_work *work)
{
	for (uint32_t s = work->set_count; s-- > 0;)
		for (uint32_t f = work->sets[s].count; f-- > 0;)
			if (work->sets[s].fields[f].origin == FIELD_FOUND)
				remove_named(work,
					     work->sets[s].fields[f].name);
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

static enum error fail(struct field_work *work, const char *reason)
{
	snprintf(work->reason, sizeof(work->reason), "%s", reason);
	return ERR_NOT_FOUND;
}

static enum error find_fields(struct field_work *work)
{
	uint32_t max = work->request.max_fields < MAX_SET_FIELDS
			       ? work->request.max_fields
			       : MAX_SET_FIELDS;
	struct field *fields = ARENA_NEW(work->arena, struct field, max + 1u);
	uint32_t count;
	uint32_t kept = 0;

	learn_columns(work);
	remove_found(work);
	if (work->set_count == FIELD_TASK_MAX_SETS)
		return fail(work, "the template has too many fields");
	count = fields_discover(&work->table, fields, max);
	for (uint32_t i = 0; i < count; i++)
		if (find_named(work, fields[i].name) == NULL)
			fields[kept++] = fields[i];
	if (kept > 0)
		work->sets[work->set_count++] =
			field_set_make(work->arena, &work->table, fields, kept);
	if (work->set_count == 0)
		return fail(work, "no text varies from page to page");
	return ERR_NONE;
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

static uint32_t read_examples(struct field_work *work, const json_t *list,
			      struct example *examples)
{
	uint32_t count = 0;
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		const json_t *values = json_object_get(item, "values");
		size_t size = json_array_size(values);
		struct slice *texts =
			ARENA_NEW(work->arena, struct slice, size + 1);
		uint32_t page = parsed_index(
			work,
			json_integer_value(json_object_get(item, "page")));

		if (count == FIELD_TASK_MAX_EXAMPLES || page == UINT32_MAX ||
		    size == 0)
			continue;
		for (size_t k = 0; k < size; k++) {
			const char *text =
				json_string_value(json_array_get(values, k));
			struct slice value = slice_of(text == NULL ? "" : text);
			char *copy = arena_room(work->arena, value.size + 1);

			texts[k] = (struct slice){copy,
						  text_collapse(value, copy)};
		}
		examples[count++] =
			(struct example){page, texts, (uint32_t)size};
	}
	return count;
}

static enum error teach_one(struct field_work *work, const json_t *lesson)
{
	const char *name = json_string_value(json_object_get(lesson, "name"));
	struct example *examples =
		ARENA_NEW(work->arena, struct example, FIELD_TASK_MAX_EXAMPLES);
	uint32_t count = read_examples(
		work, json_object_get(lesson, "examples"), examples);
	struct field field;
	struct field_set *set;

	if (name == NULL || *name == '\0' || strlen(name) > MAX_FIELD_NAME)
		return ERR_MALFORMED;
	if (count == 0)
		return fail(work, "the example pages cannot be parsed");
	if (!field_teach(&work->table, name, examples, count, &field))
		return fail(work,
			    "no place of the page has exactly this value; copy "
			    "the value as the page shows it");
	remove_named(work, name);
	if (work->set_count == FIELD_TASK_MAX_SETS)
		return fail(work, "the template has too many fields");
	set = &work->sets[work->set_count++];
	*set = field_set_make(work->arena, &work->table, &field, 1);
	set->fields[0].origin = FIELD_TAUGHT;
	work->answer.confidence = (uint32_t)(field.confidence * 1000);
	return ERR_NONE;
}

static enum error teach_fields(struct field_work *work)
{
	const json_t *lesson;
	size_t i;

	learn_columns(work);
	json_array_foreach(json_object_get(work->detail, "lessons"), i, lesson)
	{
		enum error error = teach_one(work, lesson);

		if (error != ERR_NONE)
			return error;
	}
	return ERR_NONE;
}

static void edit_flag(const json_t *detail, const char *member, bool *flag)
{
	const json_t *value = json_object_get(detail, member);

	if (value != NULL)
		*flag = json_is_true(value);
}

static enum error edit_field(struct field_work *work)
{
	const json_t *detail = work->detail;
	const char *name = json_string_value(json_object_get(detail, "name"));
	const char *new_name =
		json_string_value(json_object_get(detail, "new_name"));
	struct field_spec *spec;

	if (name == NULL ||
	    (new_name != NULL &&
	     (*new_name == '\0' || strlen(new_name) > MAX_FIELD_NAME)))
		return ERR_MALFORMED;
	spec = find_named(work, name);
	if (spec == NULL)
		return fail(work, "the template has no such field");
	if (json_is_true(json_object_get(detail, "removed"))) {
		remove_named(work, name);
		return ERR_NONE;
	}
	edit_flag(detail, "watched", &spec->is_watched);
	edit_flag(detail, "required", &spec->is_required);
	spec->origin = FIELD_TAUGHT; /* the user wants to keep it */
	if (new_name == NULL || strcmp(name, new_name) == 0)
		return ERR_NONE;
	if (find_named(work, new_name) != NULL)
		return fail(work, "another field has this name");
	snprintf(spec->name, sizeof(spec->name), "%s", new_name);
	return ERR_NONE;
}

/* The response */

static void append_json(struct buffer *list, json_t *value)
{
	char *text = json_dumps(value, JSON_COMPACT);

	item_append(list, slice_of(text == NULL ? "" : text));
	free(text);
	json_decref(value);
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

static enum error run_action(struct field_work *work)
{
	switch (work->request.action) {
	case FIELDS_FIND:
		return find_fields(work);
	case FIELDS_TEACH:
		return teach_fields(work);
	case FIELDS_EDIT:
		return edit_field(work);
	default:
		return ERR_NONE;
	}
}

enum error fields_task(struct task *task, struct message *answer)
{
	struct field_work *work = mem_alloc(1, sizeof(*work));
	enum error error = ERR_MALFORMED;

	work->arena = arena_create();
	if (read_task(task, work))
		error = run_action(work);
	work->answer.error = error;
	work->answer.reason = slice_of(work->reason);
	if (error == ERR_NONE && work->request.action != FIELDS_APPLY)
		append_sets(work, &answer->body);
	if (error == ERR_NONE)
		append_records(work, &answer->body);
	if (error != ERR_MALFORMED)
		answer->head =
			row_codec_encode(&fields_answer_layout, &work->answer);
	for (uint32_t i = 0; i < work->page_count; i++)
		page_destroy(work->pages[i]);
	json_decref(work->detail);
	arena_destroy(work->arena);
	free(work);
	return error == ERR_MALFORMED ? error : ERR_NONE;
}
