#include "cluster/roster.h"

#include <assert.h>
#include <stdlib.h>

#include "store/memory.h"

void roster_begin(struct roster *roster, uint64_t seed)
{
	*roster = (struct roster){
		.page_free = NOBODY,
		.set_free = NOBODY,
		.component_free = NOBODY,
	};
	roster->set_of_key.seed = seed;
	dictionary_begin(&roster->dictionary, seed);
}

void roster_end(struct roster *roster)
{
	for (uint32_t i = 0; i < roster->set_rows; i++)
		free(roster->sets[i].block);
	free(roster->pages);
	free(roster->sets);
	free(roster->components);
	map_free(&roster->page_of_number);
	map_free(&roster->set_of_key);
	map_free(&roster->component_of_label);
	dictionary_end(&roster->dictionary);
}

uint32_t roster_find_page(const struct roster *roster, uint64_t page)
{
	return map_get(&roster->page_of_number, page);
}

uint32_t roster_find_component(const struct roster *roster, uint32_t label)
{
	return map_get(&roster->component_of_label, label);
}

uint32_t roster_add_page(struct roster *roster, uint64_t page)
{
	uint32_t row = roster->page_free;

	if (row == NOBODY) {
		roster->pages = mem_grow(roster->pages, roster->page_rows,
					 &roster->page_capacity,
					 sizeof(*roster->pages));
		row = roster->page_rows++;
	} else {
		roster->page_free = roster->pages[row].next;
	}
	roster->pages[row] = (struct roster_page){
		.page = page,
		.age = roster->next_age++,
		.set = NOBODY,
		.next = NOBODY,
		.previous = NOBODY,
	};
	roster->page_count++;
	map_set(&roster->page_of_number, page, row);
	return row;
}

uint32_t roster_add_component(struct roster *roster)
{
	uint32_t row = roster->component_free;

	if (row == NOBODY) {
		roster->components =
			mem_grow(roster->components, roster->component_rows,
				 &roster->component_capacity,
				 sizeof(*roster->components));
		row = roster->component_rows++;
	} else {
		roster->component_free = roster->components[row].next;
	}
	roster->components[row] = (struct roster_component){
		.first_set = NOBODY,
		.next = NOBODY,
	};
	roster->component_count++;
	return row;
}

void roster_drop_page(struct roster *roster, uint32_t page)
{
	assert(roster->pages[page].set == NOBODY);
	map_remove(&roster->page_of_number, roster->pages[page].page);
	roster->pages[page].next = roster->page_free;
	roster->page_free = page;
	roster->page_count--;
}

void roster_drop_component(struct roster *roster, uint32_t component)
{
	assert(roster->components[component].set_count == 0);
	roster_name(roster, component, 0);
	roster->components[component].next = roster->component_free;
	roster->component_free = component;
	roster->component_count--;
}

void roster_scatter(struct roster *roster)
{
	for (uint32_t i = 0; i < roster->set_rows; i++) {
		struct roster_set *set = &roster->sets[i];

		if (!set->is_used)
			continue;
		set->component = NOBODY;
		set->next = NOBODY;
		set->previous = NOBODY;
	}
	roster->component_rows = 0;
	roster->component_free = NOBODY;
	roster->component_count = 0;
	map_free(&roster->component_of_label);
}

static void leave_set(struct roster *roster, struct roster_page *page)
{
	struct roster_set *set = &roster->sets[page->set];

	if (page->previous == NOBODY)
		set->first_page = page->next;
	else
		roster->pages[page->previous].next = page->next;
	if (page->next != NOBODY)
		roster->pages[page->next].previous = page->previous;
	set->page_count--;
	if (set->component != NOBODY)
		roster->components[set->component].page_count--;
}

void roster_move_page(struct roster *roster, uint32_t page, uint32_t set)
{
	struct roster_page *row = &roster->pages[page];
	struct roster_set *into;

	if (row->set != NOBODY)
		leave_set(roster, row);
	row->set = set;
	row->previous = NOBODY;
	row->next = NOBODY;
	if (set == NOBODY)
		return;
	into = &roster->sets[set];
	row->next = into->first_page;
	if (row->next != NOBODY)
		roster->pages[row->next].previous = page;
	into->first_page = page;
	into->page_count++;
	if (into->component != NOBODY)
		roster->components[into->component].page_count++;
}

static void leave_component(struct roster *roster, struct roster_set *set)
{
	struct roster_component *component =
		&roster->components[set->component];

	if (set->previous == NOBODY)
		component->first_set = set->next;
	else
		roster->sets[set->previous].next = set->next;
	if (set->next != NOBODY)
		roster->sets[set->next].previous = set->previous;
	component->set_count--;
	component->page_count -= set->page_count;
}

void roster_move_set(struct roster *roster, uint32_t set, uint32_t component)
{
	struct roster_set *row = &roster->sets[set];
	struct roster_component *into;

	if (row->component != NOBODY)
		leave_component(roster, row);
	row->component = component;
	row->previous = NOBODY;
	row->next = NOBODY;
	if (component == NOBODY)
		return;
	into = &roster->components[component];
	row->next = into->first_set;
	if (row->next != NOBODY)
		roster->sets[row->next].previous = set;
	into->first_set = set;
	into->set_count++;
	into->page_count += row->page_count;
}

void roster_name(struct roster *roster, uint32_t component, uint32_t label)
{
	struct roster_component *row = &roster->components[component];

	if (row->label != 0)
		map_remove(&roster->component_of_label, row->label);
	row->label = label;
	if (label != 0)
		map_set(&roster->component_of_label, label, component);
}

uint32_t roster_set_label(const struct roster *roster, uint32_t set)
{
	uint32_t component =
		set == NOBODY ? NOBODY : roster->sets[set].component;

	return component == NOBODY ? 0 : roster->components[component].label;
}

uint32_t roster_label(const struct roster *roster, uint32_t page)
{
	return roster_set_label(roster, roster->pages[page].set);
}

uint64_t roster_oldest(const struct roster *roster, uint32_t set)
{
	uint64_t oldest = UINT64_MAX;

	for (uint32_t i = roster->sets[set].first_page; i != NOBODY;
	     i = roster->pages[i].next) {
		if (roster->pages[i].age < oldest)
			oldest = roster->pages[i].age;
	}
	return oldest;
}

size_t roster_bytes(const struct roster *roster)
{
	return dictionary_bytes(&roster->dictionary) + roster->block_bytes +
	       roster->page_capacity * sizeof(*roster->pages) +
	       roster->set_capacity * sizeof(*roster->sets) +
	       roster->component_capacity * sizeof(*roster->components) +
	       (roster->page_of_number.capacity + roster->set_of_key.capacity +
		roster->component_of_label.capacity) *
		       sizeof(struct map_slot);
}
