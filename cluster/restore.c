/* Opens a stored linkage: see linkage_restore_*() in cluster/linkage.h. */
#include <stdlib.h>

#include "base/memory.h"
#include "cluster/linkage.h"
#include "cluster/linkage_body.h"

/*
 * Limit of set numbers, so that a damaged number does not allocate much memory.
 */
enum { MAX_SET = 1 << 26 };

enum error linkage_restore_shingle(struct linkage *linkage, uint32_t shingle_id,
				   uint64_t shingle)
{
	return shingle_dictionary_restore(&linkage->graph.table.dictionary,
					  shingle_id, shingle);
}

enum error linkage_restore_set(struct linkage *linkage, uint32_t set,
			       const uint32_t *shingle_ids, size_t count)
{
	if (set >= MAX_SET || count > UINT32_MAX)
		return ERR_CORRUPT;
	return signature_table_restore_set(&linkage->graph.table, set,
					   shingle_ids, (uint32_t)count);
}

/* Use the first label of a set; different ones are an error at the end. */
static void label_set(struct linkage *linkage, uint32_t set, uint32_t label)
{
	struct signature_table *table = &linkage->graph.table;
	uint32_t component = signature_table_find_component(table, label);

	if (table->sets[set].component != NO_TABLE_ROW) {
		if (signature_table_set_label(table, set) != label)
			linkage->has_odd_label = true;
		return;
	}
	if (component == NO_TABLE_ROW) {
		component = signature_table_add_component(table);
		signature_table_name(table, component, label);
	}
	signature_table_move_set(table, set, component);
}

enum error linkage_restore_page(struct linkage *linkage, uint64_t page,
				uint32_t set, uint32_t label)
{
	struct signature_table *table = &linkage->graph.table;

	if (label == 0 || set >= table->set_rows || !table->sets[set].is_used ||
	    signature_table_find_page(table, page) != NO_TABLE_ROW)
		return ERR_CORRUPT;
	label_set(linkage, set, label);
	signature_table_move_page(table, signature_table_add_page(table, page),
				  set);
	return ERR_NONE;
}

/*
 * Assign the label of the set to the component of `set`. Return false if the
 * component has another label, or another component has the label.
 */
static bool name_component(struct signature_table *table, uint32_t set,
			   uint32_t label)
{
	uint32_t component = table->sets[set].component;

	if (table->components[component].label == label)
		return true;
	if (table->components[component].label != 0 ||
	    signature_table_find_component(table, label) != NO_TABLE_ROW)
		return false;
	signature_table_name(table, component, label);
	return true;
}

enum error linkage_restore_end(struct linkage *linkage)
{
	struct threshold_graph *graph = &linkage->graph;
	struct signature_table *table = &graph->table;
	enum error error = signature_table_check(table);
	uint32_t *labels;

	if (error != ERR_NONE || linkage->has_odd_label)
		return ERR_CORRUPT;
	labels = mem_alloc(table->set_rows, sizeof(*labels));
	for (uint32_t i = 0; i < table->set_rows; i++) {
		if (table->sets[i].is_used)
			labels[i] = signature_table_set_label(table, i);
	}
	threshold_graph_rebuild(graph, graph->threshold);
	for (uint32_t i = 0; i < table->set_rows; i++) {
		if (table->sets[i].is_used &&
		    !name_component(table, i, labels[i]))
			error = ERR_CORRUPT;
	}
	free(labels);
	return error;
}
