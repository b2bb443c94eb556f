#include "template/fields/field_set.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "page/page.h"
#include "template/fields/page_records.h"
#include "template/fields/records.h"
#include "template/fields/rule.h"
#include "template/fields/stated.h"
#include "template/fields/value.h"

enum {
	SET_VERSION = 4,
	NO_ATTRIBUTE = VALUE_ATTRIBUTES,
	STATED_ATTRIBUTE, /* its path follows */
};

/* Making a set */

static void keep_place(const struct place_tree *tree, bool *is_kept,
		       uint32_t index)
{
	for (uint32_t i = index; i != NO_PLACE && !is_kept[i];
	     i = place_at(tree, i)->parent)
		is_kept[i] = true;
}

/* Keep the places of the rules, and of a series all its positions. */
static void keep_rules(const struct place_tree *tree, bool *is_kept,
		       const struct field *fields, uint32_t count)
{
	bool *is_series = mem_alloc(tree->places.count + 1u, sizeof(bool));

	for (uint32_t f = 0; f < count; f++)
		for (uint32_t r = 0; r < fields[f].rule_count; r++) {
			const struct column_source *source =
				&fields[f].rules[r].source;
			const struct place *place =
				place_at(tree, source->place);

			keep_place(tree, is_kept, source->place);
			if (place->positions > 0)
				keep_place(tree, is_kept, place->first);
			is_series[source->place] |= source->is_series;
		}
	for (uint32_t i = 0; i < tree->places.count; i++)
		if (place_at(tree, i)->positions > 0 &&
		    is_series[place_at(tree, i)->first])
			keep_place(tree, is_kept, i);
	free(is_series);
}

static struct column_source copy_source(struct arena *arena,
					const struct column_source *source,
					const uint32_t *numbers)
{
	struct column_source copy = *source;
	struct slice *separators =
		ARENA_NEW(arena, struct slice, MAX_SEPARATORS);

	copy.place = numbers[source->place];
	for (uint8_t i = 0; i < source->separator_count; i++)
		separators[i] = arena_slice(arena, source->separators[i]);
	copy.separators = separators;
	if (is_stated(copy.attribute))
		copy.attribute = arena_copy(arena, copy.attribute,
					    strlen(copy.attribute));
	if (copy.to == 0)
		copy.separator_count = 0;
	return copy;
}

/* Write the stored form of a field whose places have new numbers. */
static void spec_make(struct arena *arena, const struct field *field,
		      const uint32_t *numbers, struct field_spec *spec_out)
{
	memcpy(spec_out->name, field->name, sizeof(spec_out->name));
	spec_out->type = field->type;
	spec_out->is_list = field->is_list;
	spec_out->parent = field->parent;
	spec_out->is_typed = field->is_typed;
	spec_out->max_bytes = field->max_bytes;
	for (uint32_t r = 0; r < field->rule_count; r++) {
		const struct column_source *source = &field->rules[r].source;

		if (numbers[source->place] != NO_PLACE)
			spec_out->rules[spec_out->rule_count++] =
				copy_source(arena, source, numbers);
	}
}

const char *field_spec_key(const struct field_set *set, uint32_t index)
{
	const struct field_spec *spec = &set->fields[index];

	return spec->parent == NO_FIELD
		       ? spec->name
		       : spec->name + strlen(set->fields[spec->parent].name) +
				 1;
}

uint32_t field_set_top(const struct field_set *set, uint32_t index)
{
	while (set->fields[index].parent != NO_FIELD)
		index = set->fields[index].parent;
	return index;
}

/* Return whether records have no fields. */
static bool is_childless(const struct field_set *set, uint32_t index)
{
	for (uint32_t f = index + 1; f < set->count; f++)
		if (set->fields[f].parent == index)
			return false;
	return set->fields[index].type == TYPE_RECORDS;
}

/* NOLINTNEXTLINE(misc-no-recursion): at most MAX_RECORD_DEPTH deep */
void field_set_remove(struct field_set *set, uint32_t index)
{
	uint32_t numbers[MAX_SET_FIELDS]; /* new indices */
	uint32_t count = 0;
	uint32_t parent = set->fields[index].parent;

	for (uint32_t f = 0; f < set->count; f++) {
		struct field_spec spec = set->fields[f];

		numbers[f] = NO_FIELD;
		/* parents are before their fields */
		if (f == index || (spec.parent != NO_FIELD &&
				   numbers[spec.parent] == NO_FIELD))
			continue;
		if (spec.parent != NO_FIELD)
			spec.parent = numbers[spec.parent];
		numbers[f] = count;
		set->fields[count++] = spec;
	}
	set->count = count;
	if (parent != NO_FIELD && is_childless(set, parent))
		field_set_remove(set, parent);
}

struct field_set field_set_make(struct arena *arena,
				const struct column_table *table,
				const struct field *fields, uint32_t count)
{
	const struct place_tree *tree = table->tree;
	struct arena *scratch = arena_create();
	size_t places = tree->places.count;
	bool *is_kept = ARENA_NEW(scratch, bool, places + 1);
	uint32_t *numbers = ARENA_NEW(scratch, uint32_t, places + 1);
	struct field_set set = {
		.count = count < MAX_SET_FIELDS ? count : MAX_SET_FIELDS};

	keep_rules(tree, is_kept, fields, set.count);
	set.tree = place_tree_prune(arena, tree, is_kept, numbers);
	set.fields = ARENA_NEW(arena, struct field_spec, set.count + 1u);
	for (uint32_t f = 0; f < set.count; f++) {
		spec_make(arena, &fields[f], numbers, &set.fields[f]);
		if (table->page_count > 0)
			set.fields[f].fill = (double)fields[f].rules[0].pages /
					     table->page_count;
	}
	for (uint32_t f = set.count; f-- > 0;)
		if (f < set.count && is_childless(&set, f))
			field_set_remove(&set, f);
	arena_destroy(scratch);
	return set;
}

/* Values of a page */

enum field_type transformed_type(const struct field_spec *spec)
{
	switch (spec->transform.kind) {
	case TRANSFORM_NUMBER:
		return TYPE_NUMBER;
	case TRANSFORM_DATE:
		return TYPE_DATE;
	case TRANSFORM_URL:
		return spec->type == TYPE_IMAGE ? TYPE_IMAGE : TYPE_URL;
	default:
		return spec->type;
	}
}

static const struct field_result *rule_result(struct arena *arena,
					      const struct column_source *rule,
					      const struct column *column)
{
	struct field_result *result = ARENA_NEW(arena, struct field_result, 1);
	struct slice *values = ARENA_NEW(arena, struct slice, MAX_PAGE_VALUES);
	uint32_t *nodes = ARENA_NEW(arena, uint32_t, MAX_PAGE_VALUES);
	struct hash_table known = hash_table_make(arena, sizeof(uint64_t));

	result->values = values;
	result->nodes = nodes;
	for (uint32_t i = 0; i < column->count && i < MAX_PAGE_VALUES; i++) {
		struct slice text;
		uint32_t before = known.count;

		if (!is_picked(column, i, rule->pick))
			continue;
		text = source_part(rule, column->values[i].text);
		if (text.size == 0)
			continue;
		hash_table_add(&known, hash64(text.data, text.size, 0));
		if (known.count == before)
			continue;
		nodes[result->count] = column->values[i].node;
		values[result->count++] = text;
	}
	return result;
}

/* Return whether the results have the same values, in any order. */
static bool results_equal(const struct field_result *left,
			  const struct field_result *right)
{
	uint64_t difference = 0;
	bool is_same = left->count == right->count;

	for (uint32_t i = 0; i < left->count && is_same; i++)
		is_same = value_is_same(left->values[i], right->values[i]);
	if (is_same || left->count != right->count)
		return is_same;
	for (uint32_t i = 0; i < left->count; i++)
		difference += value_meaning(left->values[i]) -
			      value_meaning(right->values[i]);
	return difference == 0;
}

static bool is_in_head(const struct place_tree *tree, uint32_t index)
{
	uint32_t i = index;

	while (i != NO_PLACE && !step_is(place_at(tree, i), "head"))
		i = place_at(tree, i)->parent;
	return i != NO_PLACE;
}

/*
 * Return whether a value is unlike those of the sample pages: of another type,
 * or much longer, unless it is one of many.
 */
static bool is_strange(const struct field_spec *spec,
		       const struct field_result *result)
{
	for (uint32_t i = 0; i < result->count; i++) {
		struct slice value = result->values[i];

		/* the sample pages of a bundle have no URL */
		if ((spec->parent == NO_FIELD && spec->type != TYPE_URL &&
		     spec->type != TYPE_IMAGE &&
		     value.size > 2 * (size_t)spec->max_bytes + 40) ||
		    (spec->is_typed && type_of_text(value) != spec->type))
			return true;
	}
	return false;
}

/*
 * Add the values of a further address of the field. One in the head does not
 * answer alone: the site's name in the title changes in a redesign. Neither
 * does the JSON-LD: it may have what the page does not show, in another form.
 */
static void result_add(const struct field_set *set,
		       const struct field_spec *spec, uint32_t rule,
		       const struct field_result *one,
		       struct field_result *result)
{
	if (one->count == 0)
		return;
	if (result->count > 0) {
		result->is_unsure |= !results_equal(result, one);
		return;
	}
	*result = *one;
	result->is_unsure =
		is_strange(spec, one) ||
		(rule > 0 && (is_stated(spec->rules[rule].attribute) ||
			      is_in_head(&set->tree, spec->rules[rule].place)));
}

/* Add the values of the columns, one for each rule. */
static void results_add(const struct field_set *set,
			const struct column *columns,
			struct field_result *results, struct arena *arena)
{
	for (uint32_t f = 0; f < set->count; f++) {
		const struct field_spec *spec = &set->fields[f];

		if (spec->type == TYPE_RECORDS)
			continue;
		for (uint32_t r = 0; r < spec->rule_count; r++)
			result_add(
				set, spec, r,
				rule_result(arena, &spec->rules[r], columns++),
				&results[f]);
	}
}

const struct field_result *field_set_apply(const struct field_set *set,
					   const struct page *page,
					   struct arena *arena)
{
	struct field_result *results =
		ARENA_NEW(arena, struct field_result, set->count + 1u);
	struct column_source *sources = ARENA_NEW(
		arena, struct column_source, set->count * MAX_FIELD_RULES + 1u);
	struct page_columns columns;
	uint32_t count = 0;

	for (uint32_t f = 0; f < set->count; f++) {
		const struct field_spec *spec = &set->fields[f];

		if (spec->type == TYPE_RECORDS)
			continue; /* its fields have the values */
		for (uint32_t r = 0; r < spec->rule_count; r++) {
			sources[count] = spec->rules[r];
			sources[count++].is_member = spec->parent != NO_FIELD;
		}
	}
	columns = columns_read_some(arena, &set->tree, page, sources, count);
	results_add(set, columns.columns, results, arena);
	page_records_read(set, &columns, results, arena);
	for (uint32_t f = 0; f < set->count; f++)
		if (!transform_values(&set->fields[f].transform, page, arena,
				      &results[f].values, &results[f].count))
			results[f].is_unsure = true;
	return results;
}

/* Bytes */

static void put_text(struct buffer *out, struct slice text)
{
	buffer_append_varint(out, text.size);
	buffer_append_slice(out, text);
}

static void put_key(struct buffer *out, uint64_t key)
{
	for (unsigned i = 0; i < 8; i++)
		buffer_append_byte(out, (char)(key >> (8 * i)));
}

static void put_place(struct buffer *out, const struct place *place)
{
	put_key(out, place->key);
	buffer_append_varint(out, place->parent == NO_PLACE
					  ? 0
					  : (uint64_t)place->parent + 1);
	buffer_append_varint(out, (uint64_t)place->is_loose << 2 |
					  (uint64_t)place->is_run << 1 |
					  (uint64_t)place->is_repeated);
	buffer_append_varint(out, (uint64_t)place->is_bare << 3 |
					  place->usual_count);
	for (uint8_t i = 0; i < place->usual_count; i++)
		put_key(out, place->usual[i]);
	buffer_append_varint(out, place->positions);
	buffer_append_varint(out, place->position);
	buffer_append_varint(out, place->first);
	put_text(out, place->step);
	put_text(out, place->names);
	put_text(out, place->label);
}

static void put_child_keys(struct buffer *out, const struct hash_table *table)
{
	buffer_append_varint(out, table->count);
	for (uint32_t i = 0; i < table->count; i++) {
		const struct child_key *entry = hash_table_entry(table, i);

		put_key(out, entry->key);
		buffer_append_varint(out, entry->parent);
	}
}

static void put_tree(struct buffer *out, const struct place_tree *tree)
{
	buffer_append_varint(out, tree->places.count);
	for (uint32_t i = 0; i < tree->places.count; i++)
		put_place(out, place_at(tree, i));
	put_child_keys(out, &tree->tokens);
	put_child_keys(out, &tree->labels);
	put_child_keys(out, &tree->groups);
	for (uint32_t i = 0; i < tree->groups.count; i++) {
		const struct group_entry *group =
			hash_table_entry(&tree->groups, i);

		buffer_append_varint(out, group->mode);
	}
	put_child_keys(out, &tree->series);
	for (uint32_t i = 0; i < tree->series.count; i++) {
		const struct series_entry *series =
			hash_table_entry(&tree->series, i);

		buffer_append_varint(out, series->positions);
		buffer_append_varint(out,
				     series->place == NO_PLACE
					     ? 0
					     : (uint64_t)series->place + 1);
	}
}

static void put_transform(struct buffer *out, const struct transform *transform)
{
	/* a join whose values are transformed has a number of its own */
	buffer_append_varint(out, transform->items == TRANSFORM_NONE
					  ? transform->kind
					  : TRANSFORM_COUNT + transform->items);
	if (transform_item(transform) == TRANSFORM_NUMBER)
		buffer_append_varint(out, (uint64_t)transform->decimal);
	if (transform->kind == TRANSFORM_JOIN)
		put_text(out, slice_of(transform->separator));
}

static uint64_t attribute_number(const char *attribute)
{
	uint64_t number = 0;

	if (is_stated(attribute))
		return STATED_ATTRIBUTE;
	while (attribute != NULL && number < VALUE_ATTRIBUTES &&
	       strcmp(attribute, value_attributes[number]) != 0)
		number++;
	return attribute == NULL ? NO_ATTRIBUTE : number;
}

static void put_source(struct buffer *out, const struct column_source *source)
{
	buffer_append_varint(out, source->place);
	buffer_append_varint(out, attribute_number(source->attribute));
	if (is_stated(source->attribute))
		put_text(out, slice_of(source->attribute));
	buffer_append_varint(out, source->is_series);
	buffer_append_varint(out, source->pick);
	buffer_append_varint(out, source->from);
	buffer_append_varint(out, source->to);
	buffer_append_varint(out, source->separator_count);
	for (uint8_t i = 0; i < source->separator_count; i++)
		put_text(out, source->separators[i]);
}

void field_set_encode(const struct field_set *set, struct buffer *out)
{
	buffer_append_byte(out, SET_VERSION);
	put_tree(out, &set->tree);
	buffer_append_varint(out, set->count);
	for (uint32_t f = 0; f < set->count; f++) {
		const struct field_spec *spec = &set->fields[f];

		put_text(out, slice_of(spec->name));
		buffer_append_varint(out, spec->type);
		buffer_append_varint(out, spec->parent == NO_FIELD
						  ? 0
						  : (uint64_t)spec->parent + 1);
		buffer_append_varint(out, spec->origin);
		buffer_append_varint(out,
				     (uint64_t)spec->is_list << 3 |
					     (uint64_t)spec->is_typed << 2 |
					     (uint64_t)spec->is_watched << 1 |
					     (uint64_t)spec->is_required);
		buffer_append_varint(out, spec->max_bytes);
		buffer_append_varint(out, (uint64_t)(spec->fill * 1000 + .5));
		put_transform(out, &spec->transform);
		buffer_append_varint(out, spec->rule_count);
		for (uint32_t r = 0; r < spec->rule_count; r++)
			put_source(out, &spec->rules[r]);
	}
}

/* Reads an encoded set. After an error all numbers are 0. */
struct take {
	struct slice left;
	struct arena *arena;
	bool is_damaged;
};

/* Return a number below `end`; 0 and is_damaged otherwise. */
static uint32_t take_number(struct take *take, uint64_t end)
{
	uint64_t number = 0;
	unsigned shift = 0;
	unsigned char byte = 0x80;

	while ((byte & 0x80) != 0 && shift < 63) {
		if (!slice_read(&take->left, &byte, 1)) {
			take->is_damaged = true;
			return 0;
		}
		number |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	}
	/* a last byte of 0 is no part of the shortest form */
	if (number >= end || (byte & 0x80) != 0 || (byte == 0 && shift > 7)) {
		take->is_damaged = true;
		return 0;
	}
	return (uint32_t)number;
}

static uint64_t take_key(struct take *take)
{
	unsigned char bytes[8];
	uint64_t key = 0;

	if (!slice_read(&take->left, bytes, sizeof(bytes))) {
		take->is_damaged = true;
		return 0;
	}
	for (unsigned i = 0; i < 8; i++)
		key |= (uint64_t)bytes[i] << (8 * i);
	return key;
}

static struct slice take_text(struct take *take)
{
	uint32_t size = take_number(take, MAX_SET_BYTES);
	struct slice text = {take->left.data, size};

	if (size > take->left.size) {
		take->is_damaged = true;
		return (struct slice){0};
	}
	slice_advance(&take->left, size);
	return arena_slice(take->arena, text);
}

/* Return an index + 1 below or equal to `count`, as an index; 0 is NO_PLACE. */
static uint32_t take_index(struct take *take, uint32_t count)
{
	uint32_t number = take_number(take, (uint64_t)count + 1);

	return number == 0 ? NO_PLACE : number - 1;
}

static void take_place(struct take *take, struct place_tree *tree)
{
	uint32_t index = tree->places.count;
	struct place place = {.key = take_key(take)};
	struct place *added;
	uint32_t flags;

	place.parent = take_index(take, index);
	flags = take_number(take, 8);
	place.is_loose = (flags & 4) != 0;
	tree->loose_count += place.is_loose;
	place.is_run = (flags & 2) != 0;
	place.is_repeated = (flags & 1) != 0;
	flags = take_number(take, 16);
	place.is_bare = (flags & 8) != 0;
	place.usual_count = (uint8_t)(flags & 7);
	if (place.usual_count > MAX_USUAL_NAMES) {
		take->is_damaged = true;
		return;
	}
	for (uint8_t i = 0; i < place.usual_count; i++)
		place.usual[i] = take_key(take);
	place.positions = take_number(take, UINT32_MAX);
	place.position = take_number(take, UINT32_MAX);
	place.first = take_number(take, (uint64_t)index + 1);
	place.step = take_text(take);
	place.names = take_text(take);
	place.label = take_text(take);
	if (take->is_damaged || (place.parent == NO_PLACE) != (index == 0) ||
	    hash_table_find(&tree->places, place.key) != NULL) {
		take->is_damaged = true;
		return;
	}
	added = hash_table_add(&tree->places, place.key);
	if (hash_table_index(&tree->places, added) != index)
		take->is_damaged = true;
	else
		*added = place;
}

static void take_child_keys(struct take *take, struct hash_table *table,
			    uint32_t places)
{
	uint32_t count = take_number(take, MAX_SET_BYTES);

	for (uint32_t i = 0; i < count && !take->is_damaged; i++) {
		uint64_t key = take_key(take);
		struct child_key *entry = hash_table_add(table, key);

		entry->parent = take_number(take, places);
		if (hash_table_index(table, entry) != i)
			take->is_damaged = true;
	}
}

static void take_tree(struct take *take, struct place_tree *tree)
{
	uint32_t count = take_number(take, MAX_PLACES + 1);

	for (uint32_t i = 0; i < count && !take->is_damaged; i++)
		take_place(take, tree);
	take_child_keys(take, &tree->tokens, count);
	take_child_keys(take, &tree->labels, count);
	take_child_keys(take, &tree->groups, count);
	for (uint32_t i = 0; i < tree->groups.count && !take->is_damaged; i++) {
		struct group_entry *group = hash_table_entry(&tree->groups, i);

		group->mode = take_number(take, LABEL_BEFORE + 1);
	}
	take_child_keys(take, &tree->series, count);
	for (uint32_t i = 0; i < tree->series.count && !take->is_damaged; i++) {
		struct series_entry *series =
			hash_table_entry(&tree->series, i);

		series->positions = take_number(take, UINT32_MAX);
		series->place = take_index(take, count);
	}
}

/* Read an attribute, or a path, which only the root has. */
static const char *take_attribute(struct take *take, uint32_t place)
{
	uint32_t number = take_number(take, STATED_ATTRIBUTE + 1);
	struct slice path;

	if (number != STATED_ATTRIBUTE)
		return number == NO_ATTRIBUTE ? NULL : value_attributes[number];
	path = take_text(take);
	if (!take->is_damaged && place == 0 && stated_path_is_valid(path))
		return path.data; /* a NUL follows */
	take->is_damaged = true;
	return NULL;
}

static void take_source(struct take *take, uint32_t places,
			struct column_source *source)
{
	struct slice *separators =
		ARENA_NEW(take->arena, struct slice, MAX_SEPARATORS);

	source->place = take_number(take, places);
	source->attribute = take_attribute(take, source->place);
	source->is_series = take_number(take, 2) == 1;
	source->pick = (enum pick)take_number(take, PICK_COUNT);
	source->from = (uint8_t)take_number(take, MAX_SEPARATORS + 1);
	source->to = (uint8_t)take_number(take, MAX_SEPARATORS + 2);
	source->separator_count =
		(uint8_t)take_number(take, MAX_SEPARATORS + 1);
	if (source->to > 0 ? source->from >= source->to ||
				     source->to > source->separator_count + 1
			   : source->from + source->separator_count > 0)
		take->is_damaged = true;
	for (uint8_t i = 0; i < source->separator_count && !take->is_damaged;
	     i++)
		separators[i] = take_text(take);
	source->separators = separators;
}

static void take_transform(struct take *take, struct transform *transform)
{
	uint64_t number = take_number(take, TRANSFORM_COUNT + TRANSFORM_JOIN);
	struct slice separator = {0};

	if (number == TRANSFORM_COUNT) /* no values are transformed */
		take->is_damaged = true;
	transform->kind = TRANSFORM_JOIN;
	if (number < TRANSFORM_COUNT)
		transform->kind = (enum transform_kind)number;
	else
		transform->items =
			(enum transform_kind)(number - TRANSFORM_COUNT);
	if (transform_item(transform) == TRANSFORM_NUMBER)
		transform->decimal = (char)take_number(take, '.' + 1);
	if (transform->kind == TRANSFORM_JOIN)
		separator = take_text(take);
	if ((transform->decimal != 0 && transform->decimal != '.' &&
	     transform->decimal != ',') ||
	    separator.size > MAX_JOIN_BYTES ||
	    (separator.size > 0 &&
	     memchr(separator.data, '\0', separator.size) != NULL))
		take->is_damaged = true;
	else if (separator.size > 0)
		memcpy(transform->separator, separator.data, separator.size);
}

/*
 * Return whether a field of records may have the parent: it follows it, has the
 * parent's name in front of its own, and is not nested too deep.
 */
static bool is_child(const struct field_set *set, uint32_t index)
{
	const struct field_spec *spec = &set->fields[index];
	const char *name;
	size_t size;
	uint32_t depth = spec->type == TYPE_RECORDS;

	if (spec->parent == NO_FIELD)
		return true;
	name = set->fields[spec->parent].name;
	size = strlen(name);
	for (uint32_t i = spec->parent; i != NO_FIELD;
	     i = set->fields[i].parent)
		depth++;
	return set->fields[spec->parent].type == TYPE_RECORDS &&
	       strncmp(spec->name, name, size) == 0 &&
	       spec->name[size] == '.' && spec->name[size + 1] != '\0' &&
	       depth <= MAX_RECORD_DEPTH;
}

static void take_field(struct take *take, struct field_set *set, uint32_t index)
{
	struct field_spec *spec = &set->fields[index];
	uint32_t places = set->tree.places.count;
	struct slice name = take_text(take);
	uint32_t flags;

	if (name.size == 0 || name.size > MAX_FIELD_NAME ||
	    slice_byte(name, 0) == '_' || utf8_check(name).invalid > 0 ||
	    memchr(name.data, '\0', name.size) != NULL) {
		take->is_damaged = true;
		return;
	}
	memcpy(spec->name, name.data, name.size);
	spec->type = (enum field_type)take_number(take, TYPE_COUNT);
	spec->parent = take_index(take, index); /* NO_PLACE is NO_FIELD */
	spec->origin = (enum field_origin)take_number(take, FIELD_TAUGHT + 1);
	flags = take_number(take, 16);
	spec->is_list = (flags & 8) != 0;
	spec->is_typed = (flags & 4) != 0;
	spec->is_watched = (flags & 2) != 0;
	spec->is_required = (flags & 1) != 0;
	spec->max_bytes = take_number(take, MAX_VALUE_BYTES + 1);
	spec->fill = take_number(take, 1001) / 1000.;
	take_transform(take, &spec->transform);
	spec->rule_count = take_number(take, MAX_FIELD_RULES + 1);
	for (uint32_t r = 0; r < spec->rule_count && !take->is_damaged; r++)
		take_source(take, places, &spec->rules[r]);
	take->is_damaged |= !is_child(set, index);
}

bool field_set_decode(struct arena *arena, struct slice bytes,
		      struct field_set *set_out)
{
	struct take take = {.left = bytes, .arena = arena};
	struct field_set set = {.tree = place_tree_make(arena)};
	char version = 0;

	if (bytes.size > MAX_SET_BYTES ||
	    !slice_read(&take.left, &version, 1) || version != SET_VERSION)
		return false;
	take_tree(&take, &set.tree);
	set.count = take_number(&take, MAX_SET_FIELDS + 1);
	set.fields = ARENA_NEW(arena, struct field_spec, set.count + 1u);
	for (uint32_t f = 0; f < set.count && !take.is_damaged; f++)
		take_field(&take, &set, f);
	if (take.is_damaged || take.left.size > 0)
		return false;
	*set_out = set;
	return true;
}
