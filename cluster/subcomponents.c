#include "cluster/subcomponents.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cluster/graph.h"

void subcomponents_free(struct subcomponents *subcomponents)
{
	free(subcomponents->items);
	int_list_free(&subcomponents->active);
}

uint32_t subcomponents_root(const struct subcomponents *subcomponents,
			    uint32_t subcomponent)
{
	struct subcomponent *items = subcomponents->items;

	assert(subcomponent < subcomponents->count);
	while (items[subcomponent].parent != subcomponent) {
		items[subcomponent].parent =
			items[items[subcomponent].parent].parent;
		subcomponent = items[subcomponent].parent;
	}
	return subcomponent;
}

uint32_t subcomponents_root_of(const struct threshold_graph *graph,
			       uint32_t set)
{
	uint32_t subcomponent = graph->table.sets[set].subcomponent;

	assert(set < graph->table.set_rows);
	return subcomponents_root(&graph->subcomponents,
				  subcomponent == NO_TABLE_ROW
					  ? graph->subcomponents.rest
					  : subcomponent);
}

static void subcomponents_begin(struct threshold_graph *graph,
				const struct int_list *neighbours)
{
	struct subcomponents *subcomponents = &graph->subcomponents;

	subcomponents->count = 0;
	subcomponents->active.count = 0;
	for (uint32_t i = 0; i < neighbours->count; i++) {
		uint32_t set = neighbours->items[i];
		struct signature_table_set *row = &graph->table.sets[set];

		assert(row->subcomponent == NO_TABLE_ROW);
		row->subcomponent = i;
		row->subcomponent_next = NO_TABLE_ROW;
		subcomponents->items =
			mem_grow(subcomponents->items, subcomponents->count,
				 &subcomponents->capacity,
				 sizeof(*subcomponents->items));
		subcomponents->items[subcomponents->count++] =
			(struct subcomponent){
				.first = set,
				.last = set,
				.cursor = set,
				.half = row->first_edge,
				.parent = i,
			};
		int_list_push(&subcomponents->active, i);
	}
	subcomponents->left = subcomponents->count;
}

/* Follow one more edge; return false at the end of the subcomponent. */
static bool subcomponent_step(struct threshold_graph *graph, uint32_t index)
{
	struct subcomponent *subcomponent = &graph->subcomponents.items[index];
	struct signature_table_set *sets = graph->table.sets;
	struct spanning_forest_half half;

	assert(index < graph->subcomponents.count);
	if (subcomponent->half == NO_TABLE_ROW) {
		subcomponent->cursor =
			sets[subcomponent->cursor].subcomponent_next;
		if (subcomponent->cursor == NO_TABLE_ROW)
			return false;
		subcomponent->half = sets[subcomponent->cursor].first_edge;
		return true;
	}
	half = graph->forest.halves[subcomponent->half];
	subcomponent->half = half.next;
	if (sets[half.to].subcomponent != NO_TABLE_ROW)
		return true; /* the edge that led to this set */
	sets[half.to].subcomponent = index;
	sets[half.to].subcomponent_next = NO_TABLE_ROW;
	sets[subcomponent->last].subcomponent_next = half.to;
	subcomponent->last = half.to;
	return true;
}

/*
 * Walk all subcomponents alternately, one step each, so that the time depends
 * on the smaller subcomponents.
 */
static void subcomponents_walk(struct threshold_graph *graph)
{
	struct int_list *active = &graph->subcomponents.active;
	uint32_t i = 0;

	while (active->count > 1) {
		if (i >= active->count)
			i = 0;
		if (subcomponent_step(graph, active->items[i]))
			i++;
		else
			active->items[i] = active->items[--active->count];
	}
	assert(active->count == 1);
	graph->subcomponents.rest = active->items[0];
}

/*
 * Connect the trees of two linked sets if they are in different subcomponents.
 */
static void subcomponents_unite(struct threshold_graph *graph, uint32_t a,
				uint32_t b)
{
	struct subcomponents *subcomponents = &graph->subcomponents;
	uint32_t root = subcomponents_root_of(graph, a);
	uint32_t other = subcomponents_root_of(graph, b);

	if (root == other)
		return;
	assert(subcomponents->left > 1);
	spanning_forest_link(&graph->forest, &graph->table, a, b);
	subcomponents->items[root].parent = other;
	subcomponents->left--;
}

/* Unite the set with its group: every set is linked with the pivot. */
static void unite_group(struct threshold_graph *graph, uint32_t set)
{
	const struct set_group *group =
		&graph->index.groups[graph->table.sets[set].group];

	assert(graph->table.sets[set].group != NO_TABLE_ROW);
	assert(group->member_count > 0);
	if (group->pivot != set)
		subcomponents_unite(graph, set, group->pivot);
	else
		for (uint32_t i = 1;
		     i < group->member_count && graph->subcomponents.left > 1;
		     i++)
			subcomponents_unite(graph, set, group->members[i].set);
}

static void unite_groups(struct threshold_graph *graph)
{
	const struct subcomponents *subcomponents = &graph->subcomponents;

	for (uint32_t i = 0; i < subcomponents->count; i++) {
		uint32_t set = subcomponents->items[i].first;

		if (i == subcomponents->rest)
			continue;
		for (; set != NO_TABLE_ROW && subcomponents->left > 1;
		     set = graph->table.sets[set].subcomponent_next)
			unite_group(graph, set);
	}
}

struct seeker {
	struct threshold_graph *graph;
	uint32_t set;
	uint32_t component;
};

static bool is_other_subcomponent(void *context, uint32_t pivot)
{
	const struct seeker *seeker = context;
	const struct threshold_graph *graph = seeker->graph;

	return graph->table.sets[pivot].component == seeker->component &&
	       subcomponents_root_of(graph, pivot) !=
		       subcomponents_root_of(graph, seeker->set);
}

static void subcomponents_add_link(void *context, uint32_t set)
{
	const struct seeker *seeker = context;

	subcomponents_unite(seeker->graph, seeker->set, set);
}

/*
 * Search links of every set outside the rest. The rest need not be searched: a
 * link to it is found from the other side.
 */
static void unite_by_search(struct threshold_graph *graph)
{
	const struct subcomponents *subcomponents = &graph->subcomponents;
	struct seeker seeker = {.graph = graph};
	struct join_request want = {is_other_subcomponent,
				    subcomponents_add_link, &seeker};

	for (uint32_t i = 0;
	     i < subcomponents->count && subcomponents->left > 1; i++) {
		seeker.set = subcomponents->items[i].first;
		while (subcomponents->left > 1 && seeker.set != NO_TABLE_ROW &&
		       subcomponents_root(subcomponents, i) !=
			       subcomponents_root(subcomponents,
						  subcomponents->rest)) {
			seeker.component =
				graph->table.sets[seeker.set].component;
			similarity_join_search(graph, seeker.set, &want, NULL);
			seeker.set =
				graph->table.sets[seeker.set].subcomponent_next;
		}
	}
}

void subcomponents_find(struct threshold_graph *graph,
			const struct int_list *neighbours)
{
	assert(graph->subcomponents.count == 0);
	subcomponents_begin(graph, neighbours);
	if (neighbours->count <= 1)
		return;
	subcomponents_walk(graph);
	unite_groups(graph);
	unite_by_search(graph);
}

void subcomponents_forget(struct threshold_graph *graph)
{
	struct subcomponents *subcomponents = &graph->subcomponents;

	for (uint32_t i = 0; i < subcomponents->count; i++) {
		uint32_t set = subcomponents->items[i].first;

		while (set != NO_TABLE_ROW) {
			struct signature_table_set *row =
				&graph->table.sets[set];

			row->subcomponent = NO_TABLE_ROW;
			set = row->subcomponent_next;
		}
	}
	subcomponents->count = 0;
}
