#include "cluster/graph.h"

#include "cluster/signature.h"

enum { WIDEST_RADIUS = 200, LOOSE_THRESHOLD = 750 };

/*
 * A smaller radius makes more groups, whose bounds are tighter; it decides
 * about speed alone. Where components grow large and nearly touch, wide groups
 * let too many of their members through: with one site's pages repeated to
 * 100,000 the cut 700 of cp is ten times faster at 200 than at 560. At the
 * loose cut of ctss the bounds exclude little at any radius, and fewer groups
 * are less work.
 */
static unsigned radius_of(unsigned threshold)
{
	unsigned radius = threshold / 5 * 4;

	if (threshold > LOOSE_THRESHOLD || radius < WIDEST_RADIUS)
		return radius;
	return WIDEST_RADIUS;
}

void graph_begin(struct graph *graph, unsigned threshold, uint64_t seed)
{
	*graph = (struct graph){
		.threshold = threshold,
		.radius = radius_of(threshold),
	};
	roster_begin(&graph->roster, seed);
	group_begin(&graph->index);
	forest_begin(&graph->forest);
}

void graph_end(struct graph *graph)
{
	roster_end(&graph->roster);
	group_end(&graph->index);
	forest_end(&graph->forest);
	probe_free(&graph->probe);
	join_free(&graph->join);
	parts_free(&graph->parts);
	list_free(&graph->links);
}

uint32_t graph_common(struct graph *graph, uint32_t set)
{
	graph->comparisons++;
	return probe_common(&graph->probe,
			    roster_shingles(&graph->roster, set));
}

struct newcomer {
	struct graph *graph;
	uint32_t set;
};

static struct roster_component *component_of(struct graph *graph, uint32_t set)
{
	return &graph->roster.components[graph->roster.sets[set].component];
}

static bool is_not_reached(void *context, uint32_t centre)
{
	const struct newcomer *newcomer = context;

	return !component_of(newcomer->graph, centre)->is_reached;
}

static void reach(void *context, uint32_t set)
{
	const struct newcomer *newcomer = context;
	struct graph *graph = newcomer->graph;

	component_of(graph, set)->is_reached = true;
	list_push(&graph->links, set);
	forest_link(&graph->forest, &graph->roster, newcomer->set, set);
}

static void settle(struct graph *graph, uint32_t set, struct join_home home)
{
	if (home.group == NOBODY)
		group_found(&graph->index, &graph->roster, set);
	else
		group_join(&graph->index, &graph->roster, home.group, set,
			   home.common);
}

/* From threshold 1000 on all sets are linked. */
static void link_with_all(struct graph *graph)
{
	const struct roster *roster = &graph->roster;

	for (uint32_t i = 0; i < roster->component_rows; i++) {
		if (roster->components[i].set_count > 0)
			list_push(&graph->links,
				  roster->components[i].first_set);
	}
}

const struct list *graph_add(struct graph *graph, uint32_t set)
{
	struct newcomer newcomer = {graph, set};
	struct join_want want = {is_not_reached, reach, &newcomer};
	struct join_home home;

	graph->links.count = 0;
	if (graph->threshold >= 1000) {
		link_with_all(graph);
		return &graph->links;
	}
	/* Neither links with another set: an empty one, and any at 0. */
	if (graph->roster.sets[set].count == 0 || graph->threshold == 0)
		return &graph->links;
	join_search(graph, set, &want, &home);
	settle(graph, set, home);
	for (uint32_t i = 0; i < graph->links.count; i++)
		component_of(graph, graph->links.items[i])->is_reached = false;
	return &graph->links;
}

/* The member that has most in common with the centre shall follow it. */
static uint32_t find_heir(const struct group *group)
{
	uint32_t heir = 1;

	for (uint32_t i = 2; i < group->member_count; i++) {
		if (group->members[i].common > group->members[heir].common)
			heir = i;
	}
	return heir;
}

/* After a change of the centre: who is within the radius of the new one stays,
 * the others leave for `leavers`. */
static void measure_again(struct graph *graph, uint32_t row,
			  struct list *leavers)
{
	struct group *group = &graph->index.groups[row];
	uint32_t size = graph->roster.sets[group->centre].count;

	probe_aim(&graph->probe,
		  roster_shingles(&graph->roster, group->centre));
	group->members[0].common = size;
	for (uint32_t i = 1; i < group->member_count; i++) {
		struct group_member *member = &group->members[i];
		uint32_t larger = member->count > size ? member->count : size;

		member->common = graph_common(graph, member->set);
		if (member->common < signature_need(larger, graph->radius))
			list_push(leavers, member->set);
	}
	for (uint32_t i = 0; i < leavers->count; i++)
		group_leave(&graph->index, &graph->roster, leavers->items[i]);
	group_tighten(&graph->index, row);
}

static void leave_group(struct graph *graph, uint32_t set)
{
	struct roster_set *row = &graph->roster.sets[set];
	struct list *leavers = &graph->links;
	uint32_t group = row->group;
	struct join_home home;

	if (group == NOBODY)
		return;
	if (row->slot > 0 || graph->index.groups[group].member_count == 1) {
		group_leave(&graph->index, &graph->roster, set);
		return;
	}
	leavers->count = 0;
	group_recentre(&graph->index, &graph->roster, group,
		       find_heir(&graph->index.groups[group]));
	group_leave(&graph->index, &graph->roster, set);
	measure_again(graph, group, leavers);
	for (uint32_t i = 0; i < leavers->count; i++) {
		join_search(graph, leavers->items[i], NULL, &home);
		settle(graph, leavers->items[i], home);
	}
}

void graph_drop(struct graph *graph, uint32_t set)
{
	leave_group(graph, set);
	forest_isolate(&graph->forest, &graph->roster, set, &graph->links);
	probe_aim(&graph->probe, (struct shingle_set){0});
	roster_drop_set(&graph->roster, set);
	parts_find(graph, &graph->links);
}

static uint32_t merge_links(struct graph *graph)
{
	struct roster *roster = &graph->roster;
	uint32_t winner = roster->sets[graph->links.items[0]].component;

	for (uint32_t i = 1; i < graph->links.count; i++) {
		uint32_t component =
			roster->sets[graph->links.items[i]].component;
		uint32_t loser = component;

		if (roster->components[component].set_count >
		    roster->components[winner].set_count) {
			loser = winner;
			winner = component;
		}
		while (roster->components[loser].first_set != NOBODY)
			roster_move_set(roster,
					roster->components[loser].first_set,
					winner);
		roster_drop_component(roster, loser);
	}
	return winner;
}

void graph_rebuild(struct graph *graph, unsigned threshold)
{
	struct roster *roster = &graph->roster;

	graph->threshold = threshold;
	graph->radius = radius_of(threshold);
	forest_clear(&graph->forest, roster);
	group_clear(&graph->index, roster);
	roster_scatter(roster);
	for (uint32_t i = 0; i < roster->set_rows; i++) {
		if (!roster->sets[i].is_used)
			continue;
		roster_move_set(roster, i,
				graph_add(graph, i)->count == 0
					? roster_add_component(roster)
					: merge_links(graph));
	}
}

size_t graph_bytes(const struct graph *graph)
{
	const struct join_scratch *join = &graph->join;
	size_t numbers = (size_t)join->hits.capacity + join->touched.capacity +
			 join->ordered.capacity + join->starts.capacity +
			 join->skipped.capacity + graph->links.capacity +
			 graph->parts.active.capacity;

	return sizeof(*graph) + roster_bytes(&graph->roster) +
	       group_bytes(&graph->index) +
	       graph->forest.capacity * sizeof(*graph->forest.halves) +
	       graph->probe.words * sizeof(*graph->probe.bits) +
	       graph->parts.capacity * sizeof(*graph->parts.items) +
	       numbers * sizeof(uint32_t);
}
