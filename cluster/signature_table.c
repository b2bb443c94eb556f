#include "cluster/signature_table.h"

#include <assert.h>
#include <stdlib.h>

#include "store/memory.h"

void signature_table_begin(struct signature_table *signature_table,
			   uint64_t seed)
{
	*signature_table = (struct signature_table){
		.page_free = NOBODY,
		.set_free = NOBODY,
		.component_free = NOBODY,
	};
	signature_table->set_of_key.seed = seed;
	dictionary_begin(&signature_table->dictionary, seed);
}

void signature_table_end(struct signature_table *signature_table)
{
	for (uint32_t i = 0; i < signature_table->set_rows; i++)
		free(signature_table->sets[i].block);
	free(signature_table->pages);
	free(signature_table->sets);
	free(signature_table->components);
	map_free(&signature_table->page_of_number);
	map_free(&signature_table->set_of_key);
	map_free(&signature_table->component_of_label);
	dictionary_end(&signature_table->dictionary);
}

uint32_t
signature_table_find_page(const struct signature_table *signature_table,
			  uint64_t page)
{
	return map_get(&signature_table->page_of_number, page);
}

uint32_t
signature_table_find_component(const struct signature_table *signature_table,
			       uint32_t label)
{
	return map_get(&signature_table->component_of_label, label);
}

uint32_t signature_table_add_page(struct signature_table *signature_table,
				  uint64_t page)
{
	uint32_t row = signature_table->page_free;

	if (row == NOBODY) {
		signature_table->pages = mem_grow(
			signature_table->pages, signature_table->page_rows,
			&signature_table->page_capacity,
			sizeof(*signature_table->pages));
		row = signature_table->page_rows++;
	} else {
		signature_table->page_free = signature_table->pages[row].next;
	}
	signature_table->pages[row] = (struct signature_table_page){
		.page = page,
		.age = signature_table->next_age++,
		.set = NOBODY,
		.next = NOBODY,
		.previous = NOBODY,
	};
	signature_table->page_count++;
	map_set(&signature_table->page_of_number, page, row);
	return row;
}

uint32_t signature_table_add_component(struct signature_table *signature_table)
{
	uint32_t row = signature_table->component_free;

	if (row == NOBODY) {
		signature_table->components =
			mem_grow(signature_table->components,
				 signature_table->component_rows,
				 &signature_table->component_capacity,
				 sizeof(*signature_table->components));
		row = signature_table->component_rows++;
	} else {
		signature_table->component_free =
			signature_table->components[row].next;
	}
	signature_table->components[row] = (struct signature_table_component){
		.first_set = NOBODY,
		.next = NOBODY,
	};
	signature_table->component_count++;
	return row;
}

void signature_table_drop_page(struct signature_table *signature_table,
			       uint32_t page)
{
	assert(signature_table->pages[page].set == NOBODY);
	map_remove(&signature_table->page_of_number,
		   signature_table->pages[page].page);
	signature_table->pages[page].next = signature_table->page_free;
	signature_table->page_free = page;
	signature_table->page_count--;
}

void signature_table_drop_component(struct signature_table *signature_table,
				    uint32_t component)
{
	assert(signature_table->components[component].set_count == 0);
	signature_table_name(signature_table, component, 0);
	signature_table->components[component].next =
		signature_table->component_free;
	signature_table->component_free = component;
	signature_table->component_count--;
}

void signature_table_scatter(struct signature_table *signature_table)
{
	for (uint32_t i = 0; i < signature_table->set_rows; i++) {
		struct signature_table_set *set = &signature_table->sets[i];

		if (!set->is_used)
			continue;
		set->component = NOBODY;
		set->next = NOBODY;
		set->previous = NOBODY;
	}
	signature_table->component_rows = 0;
	signature_table->component_free = NOBODY;
	signature_table->component_count = 0;
	map_free(&signature_table->component_of_label);
}

static void leave_set(struct signature_table *signature_table,
		      struct signature_table_page *page)
{
	struct signature_table_set *set = &signature_table->sets[page->set];

	if (page->previous == NOBODY)
		set->first_page = page->next;
	else
		signature_table->pages[page->previous].next = page->next;
	if (page->next != NOBODY)
		signature_table->pages[page->next].previous = page->previous;
	set->page_count--;
	if (set->component != NOBODY)
		signature_table->components[set->component].page_count--;
}

void signature_table_move_page(struct signature_table *signature_table,
			       uint32_t page, uint32_t set)
{
	struct signature_table_page *row = &signature_table->pages[page];
	struct signature_table_set *into;

	if (row->set != NOBODY)
		leave_set(signature_table, row);
	row->set = set;
	row->previous = NOBODY;
	row->next = NOBODY;
	if (set == NOBODY)
		return;
	into = &signature_table->sets[set];
	row->next = into->first_page;
	if (row->next != NOBODY)
		signature_table->pages[row->next].previous = page;
	into->first_page = page;
	into->page_count++;
	if (into->component != NOBODY)
		signature_table->components[into->component].page_count++;
}

static void leave_component(struct signature_table *signature_table,
			    struct signature_table_set *set)
{
	struct signature_table_component *component =
		&signature_table->components[set->component];

	if (set->previous == NOBODY)
		component->first_set = set->next;
	else
		signature_table->sets[set->previous].next = set->next;
	if (set->next != NOBODY)
		signature_table->sets[set->next].previous = set->previous;
	component->set_count--;
	component->page_count -= set->page_count;
}

void signature_table_move_set(struct signature_table *signature_table,
			      uint32_t set, uint32_t component)
{
	struct signature_table_set *row = &signature_table->sets[set];
	struct signature_table_component *into;

	if (row->component != NOBODY)
		leave_component(signature_table, row);
	row->component = component;
	row->previous = NOBODY;
	row->next = NOBODY;
	if (component == NOBODY)
		return;
	into = &signature_table->components[component];
	row->next = into->first_set;
	if (row->next != NOBODY)
		signature_table->sets[row->next].previous = set;
	into->first_set = set;
	into->set_count++;
	into->page_count += row->page_count;
}

void signature_table_name(struct signature_table *signature_table,
			  uint32_t component, uint32_t label)
{
	struct signature_table_component *row =
		&signature_table->components[component];

	if (row->label != 0)
		map_remove(&signature_table->component_of_label, row->label);
	row->label = label;
	if (label != 0)
		map_set(&signature_table->component_of_label, label, component);
}

uint32_t
signature_table_set_label(const struct signature_table *signature_table,
			  uint32_t set)
{
	uint32_t component =
		set == NOBODY ? NOBODY : signature_table->sets[set].component;

	return component == NOBODY
		       ? 0
		       : signature_table->components[component].label;
}

uint32_t signature_table_label(const struct signature_table *signature_table,
			       uint32_t page)
{
	return signature_table_set_label(signature_table,
					 signature_table->pages[page].set);
}

uint64_t signature_table_oldest(const struct signature_table *signature_table,
				uint32_t set)
{
	uint64_t oldest = UINT64_MAX;

	for (uint32_t i = signature_table->sets[set].first_page; i != NOBODY;
	     i = signature_table->pages[i].next) {
		if (signature_table->pages[i].age < oldest)
			oldest = signature_table->pages[i].age;
	}
	return oldest;
}

size_t signature_table_bytes(const struct signature_table *signature_table)
{
	return dictionary_bytes(&signature_table->dictionary) +
	       signature_table->block_bytes +
	       signature_table->page_capacity *
		       sizeof(*signature_table->pages) +
	       signature_table->set_capacity * sizeof(*signature_table->sets) +
	       signature_table->component_capacity *
		       sizeof(*signature_table->components) +
	       (signature_table->page_of_number.capacity +
		signature_table->set_of_key.capacity +
		signature_table->component_of_label.capacity) *
		       sizeof(struct map_slot);
}
