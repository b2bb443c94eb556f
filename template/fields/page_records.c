#include "template/fields/page_records.h"

#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "page/page.h"
#include "template/fields/records.h"

/* What an object of JSON has in addition to the bytes of a value. */
enum { VALUE_BYTES = 8 };

struct record_page {
	const struct field_set *set;
	const struct page_columns *columns;
	struct arena *scratch;
	const struct column **members; /* [set->count]: of fields of records */
	uint32_t *fields;  /* [places]: index of the records; NO_FIELD: none */
	uint32_t *starts;  /* [nodes]: the last record before it among its
			      siblings; NO_NODE: none */
	uint32_t *tops;    /* [nodes]: outermost record of a record, + 1 */
	uint32_t *bytes;   /* [nodes]: of the values of an outermost record */
	uint32_t *numbers; /* [nodes]: index of a record, + 1 */
	uint32_t cut_node; /* records from here on are left out */
};

/* Return whether the columns are needed, and which field has which. */
static bool find_members(struct record_page *records)
{
	const struct field_set *set = records->set;
	const struct column *column = records->columns->columns;
	bool has_members = false;

	for (uint32_t f = 0; f < set->count; f++) {
		const struct field_spec *spec = &set->fields[f];

		if (spec->type == TYPE_RECORDS) {
			if (spec->rule_count > 0)
				records->fields[spec->rules[0].place] = f;
			continue;
		}
		if (spec->parent != NO_FIELD && spec->rule_count > 0) {
			records->members[f] = column;
			has_members = true;
		}
		column += spec->rule_count;
	}
	return has_members;
}

/* Find the last record before each element, among its siblings. */
static void find_starts(struct record_page *records)
{
	const struct placement *placement = &records->columns->placement;
	const struct page *page = placement->page;
	uint32_t *last = ARENA_ROOM(records->scratch, uint32_t,
				    (size_t)page->node_count + 1);

	for (uint32_t i = 0; i < page->node_count; i++) {
		uint32_t parent = page->nodes[i].parent;
		uint32_t place = placement->of_node[i];

		last[i] = NO_NODE;
		records->starts[i] = NO_NODE;
		if (place == NO_PLACE || parent == NO_NODE)
			continue;
		if (records->fields[place] != NO_FIELD)
			last[parent] = i;
		records->starts[i] = last[parent];
	}
}

/*
 * Return the record of the field that `node` is in, or after among its
 * siblings; NO_NODE if there is none.
 */
static uint32_t record_of(const struct record_page *records, uint32_t node,
			  uint32_t field)
{
	const struct placement *placement = &records->columns->placement;
	const struct field_spec *spec = &records->set->fields[field];
	uint32_t place = spec->rule_count > 0 ? spec->rules[0].place : NO_PLACE;

	for (uint32_t i = node; i != NO_NODE && place != NO_PLACE;
	     i = placement->page->nodes[i].parent) {
		uint32_t start = records->starts[i];

		if (start != NO_NODE && placement->of_node[start] == place &&
		    records->fields[place] == field)
			return start;
	}
	return NO_NODE;
}

/* Return the text of a value that its field has, or {NULL, 0}. */
static struct slice member_text(const struct record_page *records,
				uint32_t field, uint32_t index)
{
	const struct column *column = records->members[field];
	const struct column_source *rule =
		&records->set->fields[field].rules[0];

	if (!is_picked(column, index, rule->pick))
		return (struct slice){0};
	return source_part(rule, column->values[index].text);
}

/* Note the records that a value is in. */
static void mark_records(struct record_page *records, uint32_t field,
			 uint32_t index)
{
	const struct page *page = records->columns->placement.page;
	uint32_t path[MAX_RECORD_DEPTH];
	uint32_t depth = 0;
	uint32_t node = records->members[field]->values[index].node;
	size_t size = member_text(records, field, index).size;

	for (uint32_t parent = records->set->fields[field].parent;
	     parent != NO_FIELD; parent = records->set->fields[parent].parent) {
		uint32_t record = node == NO_NODE
					  ? NO_NODE
					  : record_of(records, node, parent);

		if (record == NO_NODE || size == 0)
			return; /* it is in no record */
		path[depth++] = record;
		node = page->nodes[record].parent;
	}
	for (uint32_t i = 0; i < depth; i++)
		records->tops[path[i]] = path[depth - 1] + 1;
	records->bytes[path[depth - 1]] +=
		(uint32_t)(size + VALUE_BYTES +
			   strlen(field_spec_key(records->set, field)));
}

/* Leave out the outermost record that a record is in, and those after it. */
static void cut_at(struct record_page *records, uint32_t record)
{
	if (records->tops[record] != 0 &&
	    records->tops[record] <= records->cut_node)
		records->cut_node = records->tops[record] - 1;
}

/*
 * Find the first outermost record that is left out, because there are too many
 * records, bytes or values.
 */
static void find_cut(struct record_page *records, struct field_result *results)
{
	const struct placement *placement = &records->columns->placement;
	const uint32_t count = placement->page->node_count;
	uint32_t *counts = ARENA_NEW(records->scratch, uint32_t,
				     (size_t)records->set->count + 1);
	size_t bytes = 0;

	records->cut_node = records->columns->cut_node;
	for (uint32_t f = 0;
	     f < records->set->count && records->cut_node < count; f++) {
		uint32_t record =
			record_of(records, records->columns->cut_node, f);

		if (record != NO_NODE)
			cut_at(records, record);
	}
	for (uint32_t i = 0; i < count && i < records->cut_node; i++) {
		if (records->tops[i] == 0)
			continue;
		bytes += records->bytes[i];
		if (++counts[records->fields[placement->of_node[i]]] >
			    MAX_PAGE_RECORDS ||
		    bytes > MAX_RECORD_BYTES)
			cut_at(records, i);
	}
	for (uint32_t i = 0; i < count; i++)
		if (records->tops[i] > records->cut_node)
			results[records->fields[placement->of_node[i]]]
				.is_unsure = true;
}

/* Return the record around a record; NO_NODE if there is none. */
static uint32_t record_around(const struct record_page *records, uint32_t node,
			      uint32_t field)
{
	const struct page *page = records->columns->placement.page;
	uint32_t parent = records->set->fields[field].parent;

	return parent == NO_FIELD
		       ? NO_NODE
		       : record_of(records, page->nodes[node].parent, parent);
}

/* Number the records that are not left out; set the entries of their fields. */
static void number_records(struct record_page *records,
			   struct field_result *results, struct arena *arena)
{
	const struct field_set *set = records->set;
	const struct placement *placement = &records->columns->placement;
	struct record_entry **entries =
		ARENA_NEW(records->scratch, struct record_entry *,
			  (size_t)set->count + 1);

	for (uint32_t i = 0; i < placement->page->node_count; i++) {
		uint32_t around;
		uint32_t field;
		uint32_t number;

		if (records->tops[i] == 0 ||
		    records->tops[i] > records->cut_node)
			continue;
		field = records->fields[placement->of_node[i]];
		number = results[field].entry_count;
		around = record_around(records, i, field);
		/* a damaged set may have records in each other */
		if (number == MAX_PAGE_RECORDS ||
		    (around != NO_NODE && records->numbers[around] == 0))
			continue;
		if (number == 0)
			entries[field] = ARENA_NEW(arena, struct record_entry,
						   MAX_PAGE_RECORDS);
		results[field].entries = entries[field];
		entries[field][number].record =
			around == NO_NODE ? 0 : records->numbers[around] - 1;
		records->numbers[i] = ++results[field].entry_count;
	}
}

/* Set the entries of a field of records: its values. */
static void read_member(const struct record_page *records, uint32_t field,
			struct field_result *result, struct arena *arena)
{
	const struct column *column = records->members[field];
	struct record_entry *entries =
		ARENA_NEW(arena, struct record_entry, column->count + 1u);
	struct hash_table known =
		hash_table_make(records->scratch, sizeof(uint64_t));

	result->entries = entries;
	for (uint32_t i = 0; i < column->count; i++) {
		struct slice text = member_text(records, field, i);
		uint32_t record = record_of(records, column->values[i].node,
					    records->set->fields[field].parent);
		uint32_t before = known.count;

		if (text.size == 0 || record == NO_NODE ||
		    records->numbers[record] == 0)
			continue;
		hash_table_add(&known,
			       hash64(text.data, text.size, record + 1u));
		if (known.count > before)
			entries[result->entry_count++] = (struct record_entry){
				records->numbers[record] - 1, text};
	}
}

void page_records_read(const struct field_set *set,
		       const struct page_columns *columns,
		       struct field_result *results, struct arena *arena)
{
	struct arena *scratch = arena_create();
	size_t places = (size_t)set->tree.places.count + 1;
	size_t nodes = (size_t)columns->placement.page->node_count + 1;
	struct record_page records = {
		.set = set,
		.columns = columns,
		.scratch = scratch,
		.members = ARENA_NEW(scratch, const struct column *,
				     (size_t)set->count + 1),
		.fields = ARENA_ROOM(scratch, uint32_t, places),
	};

	for (size_t i = 0; i < places; i++)
		records.fields[i] = NO_FIELD;
	if (find_members(&records)) {
		records.starts = ARENA_ROOM(scratch, uint32_t, nodes);
		records.tops = ARENA_NEW(scratch, uint32_t, nodes);
		records.bytes = ARENA_NEW(scratch, uint32_t, nodes);
		records.numbers = ARENA_NEW(scratch, uint32_t, nodes);
		find_starts(&records);
		for (uint32_t f = 0; f < set->count; f++)
			for (uint32_t i = 0; records.members[f] != NULL &&
					     i < records.members[f]->count;
			     i++)
				mark_records(&records, f, i);
		find_cut(&records, results);
		number_records(&records, results, arena);
		for (uint32_t f = 0; f < set->count; f++)
			if (records.members[f] != NULL)
				read_member(&records, f, &results[f], arena);
	}
	arena_destroy(scratch);
}
