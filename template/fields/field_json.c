#include "template/fields/field_json.h"

#include "base/arena.h"
#include "page/page.h"
#include "template/fields/like.h"
#include "template/fields/stated.h"

enum { MAX_SHOWN_STEPS = 4 };

/* Return whether a step says more than its tag. */
static bool is_telling(const struct place *place)
{
	return place->label.size > 0 || place->names.size > 0 ||
	       place->positions > 0;
}

static void append_step(const struct place *place, struct buffer *out)
{
	const char *names = place->names.data;
	size_t size = 0;

	if (place->is_run) {
		buffer_append_text(out, "text");
	} else {
		const char *step = place->step.data;

		while (size < place->step.size && step[size] != '.' &&
		       step[size] != '#' && step[size] != '@' &&
		       step[size] != '~')
			size++;
		buffer_append(out, step, size);
		/* the first name is the most telling one */
		for (size = 0; size < place->names.size && names[size] != ' ';)
			size++;
		if (size > 0)
			buffer_append(out, names, size);
	}
	if (place->label.size > 0) {
		buffer_append_text(out, " [");
		buffer_append_slice(out, place->label);
		buffer_append_byte(out, ']');
	}
	if (place->positions > 0)
		buffer_printf(out, " (%u of %u)", place->position + 1,
			      place->positions);
}

static void append_separator(const struct column_source *source,
			     const char *what, uint8_t number,
			     struct buffer *out)
{
	buffer_printf(out, ", %s \"", what);
	buffer_append_slice(out, source->separators[number]);
	buffer_append_byte(out, '"');
}

void source_append_text(const struct place_tree *tree,
			const struct column_source *source, struct buffer *out)
{
	static const char *const picks[PICK_COUNT] = {"", "first", "second",
						      "last"};
	uint32_t path[MAX_SHOWN_STEPS];
	uint32_t count = 0;

	for (uint32_t i = source->place;
	     i != NO_PLACE && count < MAX_SHOWN_STEPS;
	     i = place_at(tree, i)->parent)
		if (i == source->place || is_telling(place_at(tree, i)))
			path[count++] = i;
	if (is_stated(source->attribute)) {
		buffer_append_text(out, source->attribute);
		count = 0;
	}
	while (count-- > 0) {
		append_step(place_at(tree, path[count]), out);
		if (count > 0)
			buffer_append_text(out, " > ");
	}
	if (source->attribute != NULL && !is_stated(source->attribute))
		buffer_printf(out, " @%s", source->attribute);
	if (source->pick != PICK_ALL)
		buffer_printf(out, ", %s", picks[source->pick]);
	if (source->to > 0 && source->from > 0)
		append_separator(source, "after", (uint8_t)(source->from - 1),
				 out);
	if (source->to > 0 && source->to <= source->separator_count)
		append_separator(source, "before", (uint8_t)(source->to - 1),
				 out);
}

/* Return the slice as a JSON string; bytes that are not UTF-8 cannot occur. */
static json_t *text_json(struct slice text)
{
	return json_stringn_nocheck(text.size == 0 ? "" : text.data, text.size);
}

/* Return the label of a field's first address; NULL if it has none. */
static json_t *field_label(const struct field_set *set,
			   const struct field_spec *spec)
{
	struct slice label = {0};

	if (spec->rule_count > 0)
		label = source_label(&set->tree, &spec->rules[0]);
	return label.size == 0 ? NULL : text_json(label);
}

void fields_describe(const struct field_set *set, json_t *list)
{
	struct buffer text = {0};

	for (uint32_t f = 0; f < set->count; f++) {
		const struct field_spec *spec = &set->fields[f];
		json_t *addresses = json_array();

		for (uint32_t r = 0; r < spec->rule_count; r++) {
			buffer_clear(&text);
			source_append_text(&set->tree, &spec->rules[r], &text);
			json_array_append_new(addresses,
					      text_json(buffer_slice(&text)));
		}
		json_array_append_new(
			list,
			json_pack(
				"{s:s, s:s, s:s?, s:s, s:b, s:s, s:s, s:f, "
				"s:b, s:b, s:o, s:o?, s:s}",
				"name", spec->name, "type",
				type_name(transformed_type(spec)), "parent",
				spec->parent == NO_FIELD
					? NULL
					: set->fields[spec->parent].name,
				"shown_type", type_name(spec->type), "list",
				(int)spec->is_list, "transform",
				transform_name(spec->transform.kind), "origin",
				spec->origin == FIELD_TAUGHT ? "taught"
							     : "found",
				"fill", spec->fill, "watched",
				(int)spec->is_watched, "required",
				(int)spec->is_required, "addresses", addresses,
				"label", field_label(set, spec), "items",
				transform_name(spec->transform.items)));
	}
	buffer_free(&text);
}

static json_t *result_json(const struct field_result *result)
{
	json_t *list;

	if (result->count == 1)
		return text_json(result->values[0]);
	list = json_array();
	for (uint32_t i = 0; i < result->count; i++)
		json_array_append_new(list, text_json(result->values[i]));
	return list;
}

/* Add a value to a record; the second one makes a list. */
static void member_add(json_t *record, const char *key, json_t *value)
{
	json_t *before = json_object_get(record, key);

	if (before == NULL)
		json_object_set_new(record, key, value);
	else if (json_is_array(before))
		json_array_append_new(before, value);
	else
		json_object_set_new(record, key,
				    json_pack("[O, o]", before, value));
}

/* Return the array of an object; add it if it is missing. */
static json_t *member_list(json_t *record, const char *key)
{
	if (json_object_get(record, key) == NULL)
		json_object_set_new(record, key, json_array());
	return json_object_get(record, key);
}

/* The records of a field, which are in the record of the page. */
struct record_objects {
	json_t **objects; /* [entry_count] */
};

/*
 * Add the entries of a field: a record to its list, or a value to its record.
 */
static void entries_add(const struct field_set *set, uint32_t field,
			const struct field_result *result, json_t *page_record,
			struct record_objects *all)
{
	const struct field_spec *spec = &set->fields[field];
	const char *key = field_spec_key(set, field);

	for (uint32_t i = 0; i < result->entry_count; i++) {
		const struct record_entry *entry = &result->entries[i];
		json_t *in = spec->parent == NO_FIELD
				     ? page_record
				     : all[spec->parent].objects[entry->record];
		json_t *one;

		if (spec->type != TYPE_RECORDS) {
			member_add(in, key, text_json(entry->text));
			continue;
		}
		one = json_object();
		/* the list is missing if another field has its name */
		all[field].objects[i] =
			json_array_append_new(member_list(in, key), one) == 0
				? one
				: NULL;
	}
}

static struct record_objects *objects_make(const struct field_set *set,
					   const struct field_result *results,
					   struct arena *arena)
{
	struct record_objects *all =
		ARENA_NEW(arena, struct record_objects, set->count + 1u);

	for (uint32_t f = 0; f < set->count; f++)
		all[f].objects =
			ARENA_NEW(arena, json_t *, results[f].entry_count + 1u);
	return all;
}

json_t *field_records_json(const struct field_set *set, uint32_t field,
			   const struct field_result *results)
{
	struct arena *arena = arena_create();
	struct record_objects *all = objects_make(set, results, arena);
	json_t *record = json_object();
	json_t *list;

	for (uint32_t f = field; f < set->count; f++)
		if (field_set_top(set, f) == field)
			entries_add(set, f, &results[f], record, all);
	arena_destroy(arena);
	list = json_incref(json_object_get(record, set->fields[field].name));
	json_decref(record);
	return list;
}

void record_add(const struct field_set *set, const struct page *page,
		bool has_records, json_t *record)
{
	struct arena *arena = arena_create();
	const struct field_result *results = field_set_apply(set, page, arena);
	struct record_objects *all = objects_make(set, results, arena);
	json_t *unsure = json_object_get(record, "_unsure");

	for (uint32_t f = 0; f < set->count; f++) {
		const struct field_spec *spec = &set->fields[f];
		bool is_of_records =
			spec->parent != NO_FIELD || spec->type == TYPE_RECORDS;

		/* of a value that cannot be transformed only the name */
		if (is_of_records && !has_records)
			continue;
		if (is_of_records)
			entries_add(set, f, &results[f], record, all);
		else if (results[f].count > 0)
			json_object_set_new(record, spec->name,
					    result_json(&results[f]));
		if (!results[f].is_unsure)
			continue;
		if (unsure == NULL) {
			unsure = json_array();
			json_object_set_new(record, "_unsure", unsure);
		}
		json_array_append_new(unsure, json_string(spec->name));
	}
	arena_destroy(arena);
}
