#include "cluster/parts.h"

#include <stdlib.h>

#include "cluster/graph.h"
#include "store/memory.h"

void parts_free(struct parts *parts)
{
	free(parts->items);
	list_free(&parts->active);
}

uint32_t parts_root(const struct parts *parts, uint32_t part)
{
	struct part *items = parts->items;

	while (items[part].parent != part) {
		items[part].parent = items[items[part].parent].parent;
		part = items[part].parent;
	}
	return part;
}

uint32_t parts_root_of(const struct graph *graph, uint32_t set)
{
	uint32_t part = graph->roster.sets[set].part;

	return parts_root(&graph->parts,
			  part == NOBODY ? graph->parts.rest : part);
}

static void begin(struct graph *graph, const struct list *neighbours)
{
	struct parts *parts = &graph->parts;

	parts->count = 0;
	parts->active.count = 0;
	for (uint32_t i = 0; i < neighbours->count; i++) {
		uint32_t set = neighbours->items[i];
		struct roster_set *row = &graph->roster.sets[set];

		row->part = i;
		row->part_next = NOBODY;
		parts->items =
			mem_grow(parts->items, parts->count, &parts->capacity,
				 sizeof(*parts->items));
		parts->items[parts->count++] = (struct part){
			.first = set,
			.last = set,
			.cursor = set,
			.half = row->first_edge,
			.parent = i,
		};
		list_push(&parts->active, i);
	}
	parts->left = parts->count;
}

/* Walk one edge further; false at the end of the part. */
static bool step(struct graph *graph, uint32_t index)
{
	struct part *part = &graph->parts.items[index];
	struct roster_set *sets = graph->roster.sets;
	struct forest_half half;

	if (part->half == NOBODY) {
		part->cursor = sets[part->cursor].part_next;
		if (part->cursor == NOBODY)
			return false;
		part->half = sets[part->cursor].first_edge;
		return true;
	}
	half = graph->forest.halves[part->half];
	part->half = half.next;
	if (sets[half.to].part != NOBODY)
		return true; /* where it came from */
	sets[half.to].part = index;
	sets[half.to].part_next = NOBODY;
	sets[part->last].part_next = half.to;
	part->last = half.to;
	return true;
}

/* All parts in turn, so that the effort is that for the smaller ones. */
static void walk(struct graph *graph)
{
	struct list *active = &graph->parts.active;
	uint32_t i = 0;

	while (active->count > 1) {
		if (i >= active->count)
			i = 0;
		if (step(graph, active->items[i]))
			i++;
		else
			active->items[i] = active->items[--active->count];
	}
	graph->parts.rest = active->items[0];
}

/* Two sets are linked: mend the forest if they are in two parts. */
static void unite(struct graph *graph, uint32_t a, uint32_t b)
{
	struct parts *parts = &graph->parts;
	uint32_t root = parts_root_of(graph, a);
	uint32_t other = parts_root_of(graph, b);

	if (root == other)
		return;
	forest_link(&graph->forest, &graph->roster, a, b);
	parts->items[root].parent = other;
	parts->left--;
}

/* Every set is linked with the centre of its group. */
static void unite_group(struct graph *graph, uint32_t set)
{
	const struct group *group =
		&graph->index.groups[graph->roster.sets[set].group];

	if (group->centre != set)
		unite(graph, set, group->centre);
	else
		for (uint32_t i = 1;
		     i < group->member_count && graph->parts.left > 1; i++)
			unite(graph, set, group->members[i].set);
}

static void unite_groups(struct graph *graph)
{
	const struct parts *parts = &graph->parts;

	for (uint32_t i = 0; i < parts->count; i++) {
		uint32_t set = parts->items[i].first;

		if (i == parts->rest)
			continue;
		for (; set != NOBODY && parts->left > 1;
		     set = graph->roster.sets[set].part_next)
			unite_group(graph, set);
	}
}

struct seeker {
	struct graph *graph;
	uint32_t set;
	uint32_t component;
};

static bool is_other_part(void *context, uint32_t centre)
{
	const struct seeker *seeker = context;
	const struct graph *graph = seeker->graph;

	return graph->roster.sets[centre].component == seeker->component &&
	       parts_root_of(graph, centre) !=
		       parts_root_of(graph, seeker->set);
}

static void found_link(void *context, uint32_t set)
{
	const struct seeker *seeker = context;

	unite(seeker->graph, seeker->set, set);
}

/* What is not united with the rest is searched whole, so that no link of it can
 * be missed; the rest is not. */
static void unite_by_search(struct graph *graph)
{
	const struct parts *parts = &graph->parts;
	struct seeker seeker = {.graph = graph};
	struct join_want want = {is_other_part, found_link, &seeker};

	for (uint32_t i = 0; i < parts->count && parts->left > 1; i++) {
		seeker.set = parts->items[i].first;
		while (parts->left > 1 && seeker.set != NOBODY &&
		       parts_root(parts, i) != parts_root(parts, parts->rest)) {
			seeker.component =
				graph->roster.sets[seeker.set].component;
			join_search(graph, seeker.set, &want, NULL);
			seeker.set = graph->roster.sets[seeker.set].part_next;
		}
	}
}

void parts_find(struct graph *graph, const struct list *neighbours)
{
	begin(graph, neighbours);
	if (neighbours->count <= 1)
		return;
	walk(graph);
	unite_groups(graph);
	unite_by_search(graph);
}

void parts_forget(struct graph *graph)
{
	struct parts *parts = &graph->parts;

	for (uint32_t i = 0; i < parts->count; i++) {
		uint32_t set = parts->items[i].first;

		while (set != NOBODY) {
			struct roster_set *row = &graph->roster.sets[set];

			row->part = NOBODY;
			set = row->part_next;
		}
	}
	parts->count = 0;
}
