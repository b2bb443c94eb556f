#include "template/page_fields.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "page/page.h"
#include "template/fields/field_json.h"

struct field_set fields_find(struct arena *arena,
			     const struct page *const *pages, uint32_t count)
{
	struct arena *scratch = arena_create();
	struct field *fields = ARENA_NEW(scratch, struct field,
					 MAX_FOUND_FIELDS + MAX_RECORD_FIELDS);
	struct place_tree tree;
	struct column_table table;
	struct field_set set;
	uint32_t found;

	tree = place_tree_learn(scratch, pages, count);
	table = columns_read(scratch, &tree, pages, count);
	found = fields_discover(&table, fields, MAX_FOUND_FIELDS);
	set = field_set_make(arena, &table, fields, found);
	arena_destroy(scratch);
	return set;
}

/* Set the values of a field to its records, each as JSON. */
static void page_field_set_records(struct arena *arena, const json_t *list,
				   struct page_field *field)
{
	size_t count = json_array_size(list);
	const char **values = ARENA_NEW(arena, const char *, count);

	for (size_t i = 0; i < count; i++) {
		char *text = json_dumps(json_array_get(list, i), JSON_COMPACT);

		values[i] = arena_copy(arena, text, strlen(text));
		free(text);
	}
	field->values = values;
	field->count = count;
}

static struct page_field page_field_make(struct arena *arena,
					 const struct field_set *set,
					 uint32_t index,
					 const struct field_result *results)
{
	const struct field_spec *spec = &set->fields[index];
	const struct field_result *result = &results[index];
	const char **values = ARENA_NEW(arena, const char *, result->count);
	struct page_field field = {
		.name = arena_copy(arena, spec->name, strlen(spec->name)),
		.type = transformed_type(spec),
		.transform = spec->transform.kind,
		.values = values,
		.count = result->count,
		.is_unsure = result->is_unsure,
	};

	for (uint32_t i = 0; i < result->count; i++)
		values[i] = arena_copy(arena, result->values[i].data,
				       result->values[i].size);
	if (spec->parent != NO_FIELD) {
		const char *parent = set->fields[spec->parent].name;

		field.parent = arena_copy(arena, parent, strlen(parent));
	} else if (spec->type == TYPE_RECORDS) {
		json_t *list = field_records_json(set, index, results);

		page_field_set_records(arena, list, &field);
		json_decref(list);
	}
	return field;
}

void page_fields_read(const struct page *page, const struct field_set *sets,
		      uint32_t count, struct page_fields *fields)
{
	struct arena *arena = fields->arena;
	struct page_field *rows;
	size_t total = 0;

	for (uint32_t s = 0; s < count; s++)
		total += sets[s].count;
	rows = ARENA_NEW(arena, struct page_field, total);
	fields->fields = rows;
	fields->count = total;
	for (uint32_t s = 0; s < count; s++) {
		struct arena *scratch = arena_create();
		const struct field_result *results =
			field_set_apply(&sets[s], page, scratch);

		for (uint32_t f = 0; f < sets[s].count; f++)
			*rows++ = page_field_make(arena, &sets[s], f, results);
		arena_destroy(scratch);
	}
}

void page_fields_free(struct page_fields *fields)
{
	arena_destroy(fields->arena);
	*fields = (struct page_fields){0};
}
