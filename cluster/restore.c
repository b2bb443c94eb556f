/* The opening of a stored linkage, as cluster/linkage.h says. */
#include <stdlib.h>

#include "cluster/linkage.h"
#include "cluster/linkage_body.h"
#include "store/memory.h"

/* No more rows are made for a damaged number. */
enum { MAX_SET = 1 << 26 };

enum error linkage_restore_shingle(struct linkage *linkage, uint32_t shingle_id,
				   uint64_t shingle)
{
	return dictionary_restore(&linkage->graph.roster.dictionary, shingle_id,
				  shingle);
}

enum error linkage_restore_set(struct linkage *linkage, uint32_t set,
			       const uint32_t *shingle_ids, size_t count)
{
	if (set >= MAX_SET || count > UINT32_MAX)
		return ERR_CORRUPT;
	return roster_restore_set(&linkage->graph.roster, set, shingle_ids,
				  (uint32_t)count);
}

/* The first label of a set counts; other ones are found wrong at the end. */
static void label_set(struct linkage *linkage, uint32_t set, uint32_t label)
{
	struct roster *roster = &linkage->graph.roster;
	uint32_t component = roster_find_component(roster, label);

	if (roster->sets[set].component != NOBODY) {
		if (roster_set_label(roster, set) != label)
			linkage->has_odd_label = true;
		return;
	}
	if (component == NOBODY) {
		component = roster_add_component(roster);
		roster_name(roster, component, label);
	}
	roster_move_set(roster, set, component);
}

enum error linkage_restore_page(struct linkage *linkage, uint64_t page,
				uint32_t set, uint32_t label)
{
	struct roster *roster = &linkage->graph.roster;

	if (label == 0 || set >= roster->set_rows ||
	    !roster->sets[set].is_used ||
	    roster_find_page(roster, page) != NOBODY)
		return ERR_CORRUPT;
	label_set(linkage, set, label);
	roster_move_page(roster, roster_add_page(roster, page), set);
	return ERR_NONE;
}

/* Give the component of `set` the label that the set had; false when one of
 * them has another already. */
static bool name_component(struct roster *roster, uint32_t set, uint32_t label)
{
	uint32_t component = roster->sets[set].component;

	if (roster->components[component].label == label)
		return true;
	if (roster->components[component].label != 0 ||
	    roster_find_component(roster, label) != NOBODY)
		return false;
	roster_name(roster, component, label);
	return true;
}

enum error linkage_restore_end(struct linkage *linkage)
{
	struct graph *graph = &linkage->graph;
	struct roster *roster = &graph->roster;
	enum error error = roster_check(roster);
	uint32_t *labels;

	if (error != ERR_NONE || linkage->has_odd_label)
		return ERR_CORRUPT;
	labels = mem_alloc(roster->set_rows, sizeof(*labels));
	for (uint32_t i = 0; i < roster->set_rows; i++) {
		if (roster->sets[i].is_used)
			labels[i] = roster_set_label(roster, i);
	}
	graph_rebuild(graph, graph->threshold);
	for (uint32_t i = 0; i < roster->set_rows; i++) {
		if (roster->sets[i].is_used &&
		    !name_component(roster, i, labels[i]))
			error = ERR_CORRUPT;
	}
	free(labels);
	return error;
}
