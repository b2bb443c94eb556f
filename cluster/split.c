#include "cluster/split.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"

static void note_age(struct subcomponent *subcomponent, uint64_t age)
{
	if (age < subcomponent->oldest)
		subcomponent->oldest = age;
}

/*
 * Count the pages and find the oldest page of each subcomponent; find the age
 * of the rest only if necessary.
 */
static void subcomponent_count_pages(struct threshold_graph *graph,
				     uint32_t component)
{
	struct subcomponents *subcomponents = &graph->subcomponents;
	struct signature_table *table = &graph->table;
	uint64_t left = table->components[component].page_count;

	for (uint32_t i = 0; i < subcomponents->count; i++)
		subcomponents->items[i].oldest = UINT64_MAX;
	for (uint32_t i = 0; i < subcomponents->count; i++) {
		struct subcomponent *root =
			&subcomponents
				 ->items[subcomponents_root(subcomponents, i)];
		uint32_t set = subcomponents->items[i].first;

		if (i == subcomponents->rest)
			continue;
		for (; set != NO_TABLE_ROW;
		     set = table->sets[set].subcomponent_next) {
			root->page_count += table->sets[set].page_count;
			left -= table->sets[set].page_count;
			note_age(root, signature_table_oldest(table, set));
		}
	}
	subcomponents
		->items[subcomponents_root(subcomponents, subcomponents->rest)]
		.page_count += left;
}

/*
 * Return the next set of the component, from `set` on, that belongs to the
 * rest.
 */
static uint32_t split_find_rest(const struct threshold_graph *graph,
				uint32_t set)
{
	const struct signature_table_set *sets = graph->table.sets;

	while (set != NO_TABLE_ROW && sets[set].subcomponent != NO_TABLE_ROW &&
	       sets[set].subcomponent != graph->subcomponents.rest)
		set = sets[set].next;
	return set;
}

static void age_rest(struct threshold_graph *graph, uint32_t component)
{
	const struct signature_table *table = &graph->table;
	struct subcomponents *subcomponents = &graph->subcomponents;
	struct subcomponent *root = &subcomponents->items[subcomponents_root(
		subcomponents, subcomponents->rest)];
	uint32_t set =
		split_find_rest(graph, table->components[component].first_set);

	while (set != NO_TABLE_ROW) {
		note_age(root, signature_table_oldest(table, set));
		set = split_find_rest(graph, table->sets[set].next);
	}
}

/* Return the subcomponent that keeps the label. */
static uint32_t split_find_label_owner(struct threshold_graph *graph,
				       uint32_t component)
{
	const struct subcomponents *subcomponents = &graph->subcomponents;
	uint32_t rest = subcomponents_root(subcomponents, subcomponents->rest);
	uint32_t keeper = rest;
	bool is_sure = true;

	for (uint32_t i = 0; i < subcomponents->count; i++) {
		if (i != rest && subcomponents_root(subcomponents, i) == i &&
		    subcomponents->items[i].page_count >=
			    subcomponents->items[rest].page_count)
			is_sure = false;
	}
	if (is_sure)
		return rest;
	age_rest(graph, component);
	for (uint32_t i = 0; i < subcomponents->count; i++) {
		const struct subcomponent *subcomponent =
			&subcomponents->items[i];
		const struct subcomponent *best = &subcomponents->items[keeper];

		if (subcomponents_root(subcomponents, i) == i &&
		    (subcomponent->page_count > best->page_count ||
		     (subcomponent->page_count == best->page_count &&
		      subcomponent->oldest < best->oldest)))
			keeper = i;
	}
	return keeper;
}

struct split_claim {
	uint64_t oldest; /* age of the oldest page of the subcomponent */
	uint32_t subcomponent;
};

static int split_compare_ages(const void *left, const void *right)
{
	const struct split_claim *a = left;
	const struct split_claim *b = right;

	return (a->oldest > b->oldest) - (a->oldest < b->oldest);
}

/* Add a component for each subcomponent except the keeper. */
static void add_components(struct threshold_graph *graph,
			   struct change_set *change_set, uint32_t keeper,
			   uint32_t component)
{
	struct subcomponents *subcomponents = &graph->subcomponents;
	struct split_claim *claims =
		mem_alloc(subcomponents->left, sizeof(*claims));
	uint32_t label = graph->table.components[component].label;
	size_t count = 0;

	subcomponents->items[keeper].component = component;
	for (uint32_t i = 0; i < subcomponents->count; i++) {
		if (i != keeper && subcomponents_root(subcomponents, i) == i)
			claims[count++] = (struct split_claim){
				subcomponents->items[i].oldest, i};
	}
	assert(count + 1 == subcomponents->left);
	qsort(claims, count, sizeof(*claims), split_compare_ages);
	for (size_t i = 0; i < count; i++) {
		uint32_t fresh = signature_table_add_component(&graph->table);

		subcomponents->items[claims[i].subcomponent].component = fresh;
		change_set_add_fresh(change_set, fresh, label);
	}
	free(claims);
}

static void move_subcomponent(struct threshold_graph *graph,
			      struct change_set *change_set, uint32_t index,
			      uint32_t component)
{
	const struct subcomponents *subcomponents = &graph->subcomponents;
	uint32_t set = subcomponents->items[index].first;

	assert(index < subcomponents->count && index != subcomponents->rest);
	for (; set != NO_TABLE_ROW;
	     set = graph->table.sets[set].subcomponent_next)
		change_set_move_set(change_set, &graph->table, set, component);
}

static void move_rest(struct threshold_graph *graph,
		      struct change_set *change_set, uint32_t from, uint32_t to)
{
	struct signature_table *table = &graph->table;
	uint32_t set =
		split_find_rest(graph, table->components[from].first_set);

	assert(from != to);
	while (set != NO_TABLE_ROW) {
		uint32_t next = split_find_rest(graph, table->sets[set].next);

		change_set_move_set(change_set, table, set, to);
		set = next;
	}
}

void split_component(struct threshold_graph *graph,
		     struct change_set *change_set, uint32_t component)
{
	const struct subcomponents *subcomponents = &graph->subcomponents;
	uint32_t keeper;

	assert(subcomponents->left > 1 &&
	       subcomponents->rest < subcomponents->count);
	subcomponent_count_pages(graph, component);
	keeper = split_find_label_owner(graph, component);
	add_components(graph, change_set, keeper, component);
	for (uint32_t i = 0; i < subcomponents->count; i++) {
		uint32_t root = subcomponents_root(subcomponents, i);
		uint32_t into = subcomponents->items[root].component;

		assert(root < subcomponents->count);
		if (root == keeper)
			continue;
		if (i == subcomponents->rest)
			move_rest(graph, change_set, component, into);
		else
			move_subcomponent(graph, change_set, i, into);
	}
}
