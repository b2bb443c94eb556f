#include "cluster/signature_table.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

void signature_table_begin(struct signature_table *table, uint64_t seed)
{
	*table = (struct signature_table){
		.page_free = NO_TABLE_ROW,
		.set_free = NO_TABLE_ROW,
		.component_free = NO_TABLE_ROW,
	};
	table->set_of_key.seed = seed;
	shingle_dictionary_begin(&table->dictionary, seed);
}

void signature_table_end(struct signature_table *table)
{
	for (uint32_t i = 0; i < table->set_rows; i++)
		free(table->sets[i].block);
	free(table->pages);
	free(table->sets);
	free(table->components);
	int_map_free(&table->page_of_number);
	int_map_free(&table->set_of_key);
	int_map_free(&table->component_of_label);
	shingle_dictionary_end(&table->dictionary);
}

uint32_t signature_table_find_page(const struct signature_table *table,
				   uint64_t page)
{
	return int_map_get(&table->page_of_number, page);
}

uint32_t signature_table_find_component(const struct signature_table *table,
					uint32_t label)
{
	return int_map_get(&table->component_of_label, label);
}

uint32_t signature_table_add_page(struct signature_table *table, uint64_t page)
{
	uint32_t row = table->page_free;

	assert(int_map_get(&table->page_of_number, page) == INT_MAP_NONE);
	if (row == NO_TABLE_ROW) {
		table->pages =
			mem_grow(table->pages, table->page_rows,
				 &table->page_capacity, sizeof(*table->pages));
		row = table->page_rows++;
	} else {
		table->page_free = table->pages[row].next;
	}
	assert(row < table->page_rows);
	table->pages[row] = (struct signature_table_page){
		.page = page,
		.age = table->next_age++,
		.set = NO_TABLE_ROW,
		.next = NO_TABLE_ROW,
		.previous = NO_TABLE_ROW,
	};
	table->page_count++;
	int_map_set(&table->page_of_number, page, row);
	return row;
}

uint32_t signature_table_add_component(struct signature_table *table)
{
	uint32_t row = table->component_free;

	if (row == NO_TABLE_ROW) {
		table->components = mem_grow(
			table->components, table->component_rows,
			&table->component_capacity, sizeof(*table->components));
		row = table->component_rows++;
	} else {
		table->component_free = table->components[row].next;
	}
	assert(row < table->component_rows);
	table->components[row] = (struct signature_table_component){
		.first_set = NO_TABLE_ROW,
		.next = NO_TABLE_ROW,
	};
	table->component_count++;
	return row;
}

void signature_table_drop_page(struct signature_table *table, uint32_t page)
{
	assert(table->pages[page].set == NO_TABLE_ROW);
	assert(page < table->page_rows && table->page_count > 0);
	int_map_remove(&table->page_of_number, table->pages[page].page);
	table->pages[page].next = table->page_free;
	table->page_free = page;
	table->page_count--;
}

void signature_table_drop_component(struct signature_table *table,
				    uint32_t component)
{
	assert(table->components[component].set_count == 0);
	assert(component < table->component_rows);
	assert(table->component_count > 0);
	assert(table->components[component].page_count == 0);
	assert(table->components[component].first_set == NO_TABLE_ROW);
	signature_table_name(table, component, 0);
	table->components[component].next = table->component_free;
	table->component_free = component;
	table->component_count--;
}

void signature_table_scatter(struct signature_table *table)
{
	for (uint32_t i = 0; i < table->set_rows; i++) {
		struct signature_table_set *set = &table->sets[i];

		if (!set->is_used)
			continue;
		set->component = NO_TABLE_ROW;
		set->next = NO_TABLE_ROW;
		set->previous = NO_TABLE_ROW;
	}
	table->component_rows = 0;
	table->component_free = NO_TABLE_ROW;
	table->component_count = 0;
	int_map_free(&table->component_of_label);
}

static void leave_set(struct signature_table *table,
		      struct signature_table_page *page)
{
	struct signature_table_set *set = &table->sets[page->set];

	if (page->previous == NO_TABLE_ROW)
		set->first_page = page->next;
	else
		table->pages[page->previous].next = page->next;
	if (page->next != NO_TABLE_ROW)
		table->pages[page->next].previous = page->previous;
	assert(set->page_count > 0);
	set->page_count--;
	if (set->component != NO_TABLE_ROW)
		table->components[set->component].page_count--;
}

void signature_table_move_page(struct signature_table *table, uint32_t page,
			       uint32_t set)
{
	struct signature_table_page *row = &table->pages[page];
	struct signature_table_set *into;

	assert(page < table->page_rows);
	if (row->set != NO_TABLE_ROW)
		leave_set(table, row);
	row->set = set;
	row->previous = NO_TABLE_ROW;
	row->next = NO_TABLE_ROW;
	if (set == NO_TABLE_ROW)
		return;
	assert(set < table->set_rows && table->sets[set].is_used);
	into = &table->sets[set];
	row->next = into->first_page;
	if (row->next != NO_TABLE_ROW)
		table->pages[row->next].previous = page;
	into->first_page = page;
	into->page_count++;
	if (into->component != NO_TABLE_ROW)
		table->components[into->component].page_count++;
}

static void leave_component(struct signature_table *table,
			    struct signature_table_set *set)
{
	struct signature_table_component *component =
		&table->components[set->component];

	if (set->previous == NO_TABLE_ROW)
		component->first_set = set->next;
	else
		table->sets[set->previous].next = set->next;
	if (set->next != NO_TABLE_ROW)
		table->sets[set->next].previous = set->previous;
	assert(component->set_count > 0);
	assert(component->page_count >= set->page_count);
	component->set_count--;
	component->page_count -= set->page_count;
}

void signature_table_move_set(struct signature_table *table, uint32_t set,
			      uint32_t component)
{
	struct signature_table_set *row = &table->sets[set];
	struct signature_table_component *into;

	assert(set < table->set_rows && row->is_used);
	if (row->component != NO_TABLE_ROW)
		leave_component(table, row);
	row->component = component;
	row->previous = NO_TABLE_ROW;
	row->next = NO_TABLE_ROW;
	if (component == NO_TABLE_ROW)
		return;
	assert(component < table->component_rows);
	into = &table->components[component];
	row->next = into->first_set;
	if (row->next != NO_TABLE_ROW)
		table->sets[row->next].previous = set;
	into->first_set = set;
	into->set_count++;
	into->page_count += row->page_count;
}

void signature_table_name(struct signature_table *table, uint32_t component,
			  uint32_t label)
{
	struct signature_table_component *row = &table->components[component];

	assert(component < table->component_rows);
	if (row->label != 0)
		int_map_remove(&table->component_of_label, row->label);
	row->label = label;
	if (label != 0)
		int_map_set(&table->component_of_label, label, component);
}

uint32_t signature_table_set_label(const struct signature_table *table,
				   uint32_t set)
{
	uint32_t component =
		set == NO_TABLE_ROW ? NO_TABLE_ROW : table->sets[set].component;

	assert(set == NO_TABLE_ROW || set < table->set_rows);
	return component == NO_TABLE_ROW ? 0
					 : table->components[component].label;
}

uint32_t signature_table_label(const struct signature_table *table,
			       uint32_t page)
{
	assert(page < table->page_rows);
	return signature_table_set_label(table, table->pages[page].set);
}

uint64_t signature_table_oldest(const struct signature_table *table,
				uint32_t set)
{
	uint64_t oldest = UINT64_MAX;

	assert(set < table->set_rows);
	assert(table->sets[set].page_count > 0);
	for (uint32_t i = table->sets[set].first_page; i != NO_TABLE_ROW;
	     i = table->pages[i].next) {
		if (table->pages[i].age < oldest)
			oldest = table->pages[i].age;
	}
	return oldest;
}

size_t signature_table_bytes(const struct signature_table *table)
{
	return shingle_dictionary_bytes(&table->dictionary) +
	       table->block_bytes +
	       table->page_capacity * sizeof(*table->pages) +
	       table->set_capacity * sizeof(*table->sets) +
	       table->component_capacity * sizeof(*table->components) +
	       (table->page_of_number.capacity + table->set_of_key.capacity +
		table->component_of_label.capacity) *
		       sizeof(struct int_map_slot);
}
