#include "cluster/threshold_graph.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cluster/signature.h"

enum { WIDEST_RADIUS = 200, LOOSE_THRESHOLD = 750 };

/*
 * Return the radius of the groups. It affects only the speed. A smaller radius
 * results in more groups with tighter bounds. If large components nearly touch,
 * the bounds of groups with a large radius exclude too few members: for cp at
 * threshold 700, radius 200 is ten times faster than 560. For ctss, whose
 * threshold is high, the bounds exclude few members at any radius, so fewer
 * groups are faster.
 */
static unsigned radius_of(unsigned threshold)
{
	unsigned radius = threshold / 5 * 4;

	if (threshold > LOOSE_THRESHOLD || radius < WIDEST_RADIUS)
		return radius;
	return WIDEST_RADIUS;
}

void threshold_graph_begin(struct threshold_graph *graph, unsigned threshold,
			   uint64_t seed)
{
	assert(threshold <= 1000);
	*graph = (struct threshold_graph){
		.threshold = threshold,
		.radius = radius_of(threshold),
	};
	signature_table_begin(&graph->table, seed);
	set_group_begin(&graph->index);
	spanning_forest_begin(&graph->forest);
}

void threshold_graph_end(struct threshold_graph *graph)
{
	signature_table_end(&graph->table);
	set_group_end(&graph->index);
	spanning_forest_end(&graph->forest);
	probe_free(&graph->probe);
	similarity_join_free(&graph->join);
	subcomponents_free(&graph->subcomponents);
	int_list_free(&graph->links);
}

uint32_t threshold_graph_common(struct threshold_graph *graph, uint32_t set)
{
	graph->comparisons++;
	return probe_common(&graph->probe,
			    signature_table_units(&graph->table, set));
}

struct newcomer {
	struct threshold_graph *graph;
	uint32_t set;
};

static struct signature_table_component *
component_of(struct threshold_graph *graph, uint32_t set)
{
	assert(graph->table.sets[set].component != NO_TABLE_ROW);
	return &graph->table.components[graph->table.sets[set].component];
}

static bool is_not_reached(void *context, uint32_t pivot)
{
	const struct newcomer *newcomer = context;

	return !component_of(newcomer->graph, pivot)->is_reached;
}

static void graph_mark_reached(void *context, uint32_t set)
{
	const struct newcomer *newcomer = context;
	struct threshold_graph *graph = newcomer->graph;

	assert(!component_of(graph, set)->is_reached);
	assert(set != newcomer->set);
	component_of(graph, set)->is_reached = true;
	int_list_push(&graph->links, set);
	spanning_forest_link(&graph->forest, &graph->table, newcomer->set, set);
}

static void graph_assign_group(struct threshold_graph *graph, uint32_t set,
			       struct join_home home)
{
	assert(home.group == NO_TABLE_ROW || home.group < graph->index.rows);
	if (home.group == NO_TABLE_ROW)
		set_group_create(&graph->index, &graph->table, set);
	else
		set_group_add(&graph->index, &graph->table, home.group, set,
			      home.common);
}

/*
 * Add one set of each component to the links: from threshold 1000 on all sets
 * are linked.
 */
static void link_with_all(struct threshold_graph *graph)
{
	const struct signature_table *table = &graph->table;

	for (uint32_t i = 0; i < table->component_rows; i++) {
		if (table->components[i].set_count > 0)
			int_list_push(&graph->links,
				      table->components[i].first_set);
	}
}

const struct int_list *threshold_graph_add(struct threshold_graph *graph,
					   uint32_t set)
{
	struct newcomer newcomer = {graph, set};
	struct join_request want = {is_not_reached, graph_mark_reached,
				    &newcomer};
	struct join_home home;

	assert(set < graph->table.set_rows);
	assert(graph->table.sets[set].component == NO_TABLE_ROW);
	graph->links.count = 0;
	if (graph->threshold >= 1000) {
		link_with_all(graph);
		return &graph->links;
	}
	/* an empty set is linked to no other set, because it is the only one */
	if (graph->table.sets[set].count == 0)
		return &graph->links;
	similarity_join_search(graph, set, &want, &home);
	graph_assign_group(graph, set, home);
	for (uint32_t i = 0; i < graph->links.count; i++)
		component_of(graph, graph->links.items[i])->is_reached = false;
	return &graph->links;
}

/*
 * Return the index of the next pivot: the member that has most shingles in
 * common with the current pivot.
 */
static uint32_t find_heir(const struct set_group *group)
{
	uint32_t heir = 1;

	assert(group->member_count > 1);
	for (uint32_t i = 2; i < group->member_count; i++) {
		if (group->members[i].common > group->members[heir].common)
			heir = i;
	}
	return heir;
}

/*
 * After a change of the pivot, compute the common shingles of all members.
 * Remove the members outside the radius of the new pivot from the group, and
 * add them to `leavers`.
 */
static void measure_again(struct threshold_graph *graph, uint32_t row,
			  struct int_list *leavers)
{
	struct set_group *group = &graph->index.groups[row];
	uint32_t size = graph->table.sets[group->pivot].count;

	assert(group->members[0].set == group->pivot);
	probe_set(&graph->probe,
		  signature_table_units(&graph->table, group->pivot));
	group->members[0].common = size;
	for (uint32_t i = 1; i < group->member_count; i++) {
		struct set_group_member *member = &group->members[i];
		uint32_t larger = member->count > size ? member->count : size;

		member->common = threshold_graph_common(graph, member->set);
		if (member->common < signature_need(larger, graph->radius))
			int_list_push(leavers, member->set);
	}
	for (uint32_t i = 0; i < leavers->count; i++)
		set_group_remove(&graph->index, &graph->table,
				 leavers->items[i]);
	set_group_tighten(&graph->index, row);
}

static void leave_group(struct threshold_graph *graph, uint32_t set)
{
	struct signature_table_set *row = &graph->table.sets[set];
	struct int_list *leavers = &graph->links;
	uint32_t group = row->group;
	struct join_home home;

	if (group == NO_TABLE_ROW)
		return;
	if (row->slot > 0 || graph->index.groups[group].member_count == 1) {
		set_group_remove(&graph->index, &graph->table, set);
		return;
	}
	assert(row->slot == 0 && graph->index.groups[group].pivot == set);
	leavers->count = 0;
	set_group_change_pivot(&graph->index, &graph->table, group,
			       find_heir(&graph->index.groups[group]));
	set_group_remove(&graph->index, &graph->table, set);
	measure_again(graph, group, leavers);
	for (uint32_t i = 0; i < leavers->count; i++) {
		similarity_join_search(graph, leavers->items[i], NULL, &home);
		graph_assign_group(graph, leavers->items[i], home);
	}
}

void threshold_graph_drop(struct threshold_graph *graph, uint32_t set)
{
	assert(graph->table.sets[set].page_count == 0);
	leave_group(graph, set);
	spanning_forest_isolate(&graph->forest, &graph->table, set,
				&graph->links);
	probe_set(&graph->probe, (struct shingle_id_set){0});
	signature_table_drop_set(&graph->table, set);
	subcomponents_find(graph, &graph->links);
}

static uint32_t merge_links(struct threshold_graph *graph)
{
	struct signature_table *table = &graph->table;
	uint32_t winner = table->sets[graph->links.items[0]].component;

	assert(graph->links.count > 0);
	for (uint32_t i = 1; i < graph->links.count; i++) {
		uint32_t component =
			table->sets[graph->links.items[i]].component;
		uint32_t loser = component;

		if (table->components[component].set_count >
		    table->components[winner].set_count) {
			loser = winner;
			winner = component;
		}
		assert(loser != winner);
		while (table->components[loser].first_set != NO_TABLE_ROW)
			signature_table_move_set(
				table, table->components[loser].first_set,
				winner);
		signature_table_drop_component(table, loser);
	}
	return winner;
}

void threshold_graph_rebuild(struct threshold_graph *graph, unsigned threshold,
			     const struct shingle_weights *weights)
{
	struct signature_table *table = &graph->table;

	assert(threshold <= 1000);
	graph->threshold = threshold;
	graph->radius = radius_of(threshold);
	spanning_forest_clear(&graph->forest, table);
	set_group_clear(&graph->index, table);
	signature_table_scatter(table);
	if (weights != NULL) {
		/* the probe refers to the units of a set */
		probe_set(&graph->probe, (struct shingle_id_set){0});
		signature_table_weigh(table, weights);
	}
	for (uint32_t i = 0; i < table->set_rows; i++) {
		if (!table->sets[i].is_used)
			continue;
		signature_table_move_set(
			table, i,
			threshold_graph_add(graph, i)->count == 0
				? signature_table_add_component(table)
				: merge_links(graph));
	}
}

size_t threshold_graph_bytes(const struct threshold_graph *graph)
{
	const struct join_scratch *join = &graph->join;
	size_t numbers = (size_t)join->hits.capacity + join->touched.capacity +
			 join->ordered.capacity + join->starts.capacity +
			 join->skipped.capacity + graph->links.capacity +
			 graph->subcomponents.active.capacity;

	return sizeof(*graph) + signature_table_bytes(&graph->table) +
	       set_group_bytes(&graph->index) +
	       graph->forest.capacity * sizeof(*graph->forest.halves) +
	       graph->probe.words * sizeof(*graph->probe.bits) +
	       graph->subcomponents.capacity *
		       sizeof(*graph->subcomponents.items) +
	       numbers * sizeof(uint32_t);
}

void spanning_forest_begin(struct spanning_forest *forest)
{
	*forest = (struct spanning_forest){.free = NO_TABLE_ROW};
}

void spanning_forest_end(struct spanning_forest *forest)
{
	free(forest->halves);
	spanning_forest_begin(forest);
}

/*
 * Return two free neighbouring rows for an edge: the result and the row after
 * it.
 */
static uint32_t add_edge(struct spanning_forest *forest)
{
	uint32_t row = forest->free;

	if (row != NO_TABLE_ROW) {
		forest->free = forest->halves[row].next;
		assert(row % 2 == 0 && row + 1 < forest->rows);
		return row;
	}
	/* The capacity is even, so there is room for both rows. */
	forest->halves = mem_grow(forest->halves, forest->rows,
				  &forest->capacity, sizeof(*forest->halves));
	row = forest->rows;
	assert(forest->rows % 2 == 0 && forest->rows + 1 < forest->capacity);
	forest->rows += 2;
	return row;
}

static void spanning_forest_attach_half(struct spanning_forest *forest,
					struct signature_table *table,
					uint32_t half, uint32_t set)
{
	uint32_t next = table->sets[set].first_edge;

	assert(half < forest->rows);
	assert(set < table->set_rows && table->sets[set].is_used);
	forest->halves[half].next = next;
	forest->halves[half].previous = NO_TABLE_ROW;
	if (next != NO_TABLE_ROW)
		forest->halves[next].previous = half;
	table->sets[set].first_edge = half;
}

static void spanning_forest_detach_half(struct spanning_forest *forest,
					struct signature_table *table,
					uint32_t half, uint32_t set)
{
	struct spanning_forest_half row = forest->halves[half];

	assert(half < forest->rows);
	assert(row.previous != NO_TABLE_ROW ||
	       table->sets[set].first_edge == half);
	if (row.previous == NO_TABLE_ROW)
		table->sets[set].first_edge = row.next;
	else
		forest->halves[row.previous].next = row.next;
	if (row.next != NO_TABLE_ROW)
		forest->halves[row.next].previous = row.previous;
}

void spanning_forest_link(struct spanning_forest *forest,
			  struct signature_table *table, uint32_t a, uint32_t b)
{
	uint32_t edge = add_edge(forest);

	assert(a != b);
	forest->halves[edge].to = b;
	forest->halves[edge + 1].to = a;
	spanning_forest_attach_half(forest, table, edge, a);
	spanning_forest_attach_half(forest, table, edge + 1, b);
}

void spanning_forest_isolate(struct spanning_forest *forest,
			     struct signature_table *table, uint32_t set,
			     struct int_list *neighbours)
{
	uint32_t half = table->sets[set].first_edge;

	assert(set < table->set_rows);
	neighbours->count = 0;
	while (half != NO_TABLE_ROW) {
		uint32_t next = forest->halves[half].next;
		uint32_t edge = half & ~1U;

		assert(forest->halves[half ^ 1].to == set);
		assert(forest->halves[half].to != set);
		int_list_push(neighbours, forest->halves[half].to);
		spanning_forest_detach_half(forest, table, half ^ 1,
					    forest->halves[half].to);
		forest->halves[edge].next = forest->free;
		forest->free = edge;
		half = next;
	}
	table->sets[set].first_edge = NO_TABLE_ROW;
}

void spanning_forest_clear(struct spanning_forest *forest,
			   struct signature_table *table)
{
	for (uint32_t i = 0; i < table->set_rows; i++)
		table->sets[i].first_edge = NO_TABLE_ROW;
	forest->rows = 0;
	forest->free = NO_TABLE_ROW;
}

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

/* Return the representative of the subcomponent of `set`. */
static uint32_t subcomponents_root_of(const struct threshold_graph *graph,
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

/*
 * Follow one more edge of a subcomponent. Return false if it has no more edges.
 */
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
		return true; /* the edge leads back to a set that was visited */
	sets[half.to].subcomponent = index;
	sets[half.to].subcomponent_next = NO_TABLE_ROW;
	sets[subcomponent->last].subcomponent_next = half.to;
	subcomponent->last = half.to;
	return true;
}

/*
 * Walk all subcomponents alternately, one step each, until only one of them is
 * not complete. So the time depends on the smaller subcomponents. The last one
 * is the rest.
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
 * Join the trees of two linked sets by an edge if the sets are in different
 * subcomponents.
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

/*
 * Unite the set with the subcomponents of its group: every member is linked to
 * the pivot.
 */
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
 * Search for links from each set outside the rest (see struct subcomponents).
 * Links from the sets of the rest are found from their other end.
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
