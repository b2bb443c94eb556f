#include "cluster/split.h"

#include <stdbool.h>
#include <stdlib.h>

#include "store/memory.h"

static void note_age(struct part *part, uint64_t age)
{
	if (age < part->oldest)
		part->oldest = age;
}

/* Pages and ages of all parts, but not the ages of the rest. */
static void count_pages(struct graph *graph, uint32_t component)
{
	struct parts *parts = &graph->parts;
	struct roster *roster = &graph->roster;
	uint64_t left = roster->components[component].page_count;

	for (uint32_t i = 0; i < parts->count; i++)
		parts->items[i].oldest = UINT64_MAX;
	for (uint32_t i = 0; i < parts->count; i++) {
		struct part *root = &parts->items[parts_root(parts, i)];
		uint32_t set = parts->items[i].first;

		if (i == parts->rest)
			continue;
		for (; set != NOBODY; set = roster->sets[set].part_next) {
			root->page_count += roster->sets[set].page_count;
			left -= roster->sets[set].page_count;
			note_age(root, roster_oldest(roster, set));
		}
	}
	parts->items[parts_root(parts, parts->rest)].page_count += left;
}

/* The next set of the component from `set` on that belongs to the rest. */
static uint32_t find_rest(const struct graph *graph, uint32_t set)
{
	const struct roster_set *sets = graph->roster.sets;

	while (set != NOBODY && sets[set].part != NOBODY &&
	       sets[set].part != graph->parts.rest)
		set = sets[set].next;
	return set;
}

static void age_rest(struct graph *graph, uint32_t component)
{
	const struct roster *roster = &graph->roster;
	struct parts *parts = &graph->parts;
	struct part *root = &parts->items[parts_root(parts, parts->rest)];
	uint32_t set =
		find_rest(graph, roster->components[component].first_set);

	while (set != NOBODY) {
		note_age(root, roster_oldest(roster, set));
		set = find_rest(graph, roster->sets[set].next);
	}
}

/* The part that keeps the label. */
static uint32_t find_keeper(struct graph *graph, uint32_t component)
{
	const struct parts *parts = &graph->parts;
	uint32_t rest = parts_root(parts, parts->rest);
	uint32_t keeper = rest;
	bool is_sure = true;

	for (uint32_t i = 0; i < parts->count; i++) {
		if (i != rest && parts_root(parts, i) == i &&
		    parts->items[i].page_count >= parts->items[rest].page_count)
			is_sure = false;
	}
	if (is_sure)
		return rest;
	age_rest(graph, component);
	for (uint32_t i = 0; i < parts->count; i++) {
		const struct part *part = &parts->items[i];
		const struct part *best = &parts->items[keeper];

		if (parts_root(parts, i) == i &&
		    (part->page_count > best->page_count ||
		     (part->page_count == best->page_count &&
		      part->oldest < best->oldest)))
			keeper = i;
	}
	return keeper;
}

struct claim {
	uint64_t oldest; /* age of the oldest page of the part */
	uint32_t part;
};

static int compare_ages(const void *left, const void *right)
{
	const struct claim *a = left;
	const struct claim *b = right;

	return (a->oldest > b->oldest) - (a->oldest < b->oldest);
}

/* A component for each part but the keeper. */
static void add_components(struct graph *graph, struct journal *journal,
			   uint32_t keeper, uint32_t component)
{
	struct parts *parts = &graph->parts;
	struct claim *claims = mem_alloc(parts->left, sizeof(*claims));
	uint32_t label = graph->roster.components[component].label;
	size_t count = 0;

	parts->items[keeper].component = component;
	for (uint32_t i = 0; i < parts->count; i++) {
		if (i != keeper && parts_root(parts, i) == i)
			claims[count++] =
				(struct claim){parts->items[i].oldest, i};
	}
	qsort(claims, count, sizeof(*claims), compare_ages);
	for (size_t i = 0; i < count; i++) {
		uint32_t fresh = roster_add_component(&graph->roster);

		parts->items[claims[i].part].component = fresh;
		journal_add_fresh(journal, fresh, label);
	}
	free(claims);
}

static void move_part(struct graph *graph, struct journal *journal,
		      uint32_t index, uint32_t component)
{
	const struct parts *parts = &graph->parts;
	uint32_t set = parts->items[index].first;

	for (; set != NOBODY; set = graph->roster.sets[set].part_next)
		journal_move_set(journal, &graph->roster, set, component);
}

static void move_rest(struct graph *graph, struct journal *journal,
		      uint32_t from, uint32_t to)
{
	struct roster *roster = &graph->roster;
	uint32_t set = find_rest(graph, roster->components[from].first_set);

	while (set != NOBODY) {
		uint32_t next = find_rest(graph, roster->sets[set].next);

		journal_move_set(journal, roster, set, to);
		set = next;
	}
}

void split_component(struct graph *graph, struct journal *journal,
		     uint32_t component)
{
	const struct parts *parts = &graph->parts;
	uint32_t keeper;

	count_pages(graph, component);
	keeper = find_keeper(graph, component);
	add_components(graph, journal, keeper, component);
	for (uint32_t i = 0; i < parts->count; i++) {
		uint32_t root = parts_root(parts, i);
		uint32_t into = parts->items[root].component;

		if (root == keeper)
			continue;
		if (i == parts->rest)
			move_rest(graph, journal, component, into);
		else
			move_part(graph, journal, i, into);
	}
}
