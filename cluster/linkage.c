#include "cluster/linkage.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "cluster/linkage_body.h"
#include "cluster/split.h"

enum {
	DEFAULT_MAX_SHINGLES = 65536,
	DEFAULT_MAX_SETS = 2 * 1000 * 1000,
	DEFAULT_MAX_PAGES = 10 * 1000 * 1000,
	MOST_ROWS = 1 << 30, /* leaves room for the numbers of edges */
};

/*
 * linkage_put() fails from this label on: higher labels are for calls that
 * cannot fail.
 */
static const uint32_t last_label = UINT32_MAX / 2;

static const struct linkage_changes no_changes = {
	.dropped_set = LINKAGE_NONE,
	.added_set = LINKAGE_NONE,
};

static void linkage_set_default(size_t *option, size_t default_value)
{
	if (*option == 0)
		*option = default_value;
	if (*option > MOST_ROWS)
		*option = MOST_ROWS;
}

struct linkage *linkage_create(const struct linkage_options *options)
{
	struct linkage *linkage = mem_alloc(1, sizeof(*linkage));

	assert(options->threshold <= 1000);
	linkage->options = *options;
	linkage_set_default(&linkage->options.max_shingles,
			    DEFAULT_MAX_SHINGLES);
	linkage_set_default(&linkage->options.max_sets, DEFAULT_MAX_SETS);
	linkage_set_default(&linkage->options.max_pages, DEFAULT_MAX_PAGES);
	/* a random seed: the authors of pages cannot cause hash collisions */
	threshold_graph_begin(&linkage->graph, options->threshold,
			      (uint64_t)(uintptr_t)linkage);
	return linkage;
}

void linkage_destroy(struct linkage *linkage)
{
	if (linkage == NULL)
		return;
	threshold_graph_end(&linkage->graph);
	change_set_free(&linkage->change_set);
	free(linkage);
}

static void linkage_begin_call(struct linkage *linkage)
{
	shingle_dictionary_clear_log(&linkage->graph.table.dictionary);
	change_set_begin(&linkage->change_set);
}

/*
 * Return whether `a` keeps its label when both merge: prefer a label from
 * before the call, then more pages, then the smaller label.
 */
static bool is_stronger(const struct signature_table_component *a,
			const struct signature_table_component *b)
{
	if ((a->label == 0) != (b->label == 0))
		return b->label == 0;
	if (a->page_count != b->page_count)
		return a->page_count > b->page_count;
	return a->label < b->label;
}

static void linkage_merge_components(struct linkage *linkage, uint32_t loser,
				     uint32_t winner)
{
	struct signature_table *table = &linkage->graph.table;
	uint32_t label = table->components[loser].label;

	assert(loser != winner);
	while (table->components[loser].first_set != NO_TABLE_ROW)
		change_set_move_set(&linkage->change_set, table,
				    table->components[loser].first_set, winner);
	assert(table->components[loser].set_count == 0);
	signature_table_drop_component(table, loser);
	change_set_add_merge(&linkage->change_set, label, winner);
}

/* Merge the components of the linked sets (at least one). */
static uint32_t merge_linked(struct linkage *linkage,
			     const struct int_list *links)
{
	const struct signature_table *table = &linkage->graph.table;
	uint32_t winner = table->sets[links->items[0]].component;

	assert(links->count > 0);
	for (uint32_t i = 1; i < links->count; i++) {
		uint32_t other = table->sets[links->items[i]].component;

		if (is_stronger(&table->components[other],
				&table->components[winner]))
			winner = other;
	}
	for (uint32_t i = 0; i < links->count; i++) {
		uint32_t other = table->sets[links->items[i]].component;

		if (other != winner)
			linkage_merge_components(linkage, other, winner);
	}
	return winner;
}

/* Add a new set to its component. */
static uint32_t linkage_add_set(struct linkage *linkage,
				struct signature signature)
{
	struct signature_table *table = &linkage->graph.table;
	uint32_t set = signature_table_add_set(table, signature);
	const struct int_list *links =
		threshold_graph_add(&linkage->graph, set);
	uint32_t component;

	if (links->count > 0) {
		component = merge_linked(linkage, links);
	} else if (linkage->change_set.vacant != 0) {
		component = signature_table_add_component(table);
		signature_table_name(table, component,
				     linkage->change_set.vacant);
		linkage->change_set.vacant = 0;
	} else {
		component = signature_table_add_component(table);
		change_set_add_fresh(&linkage->change_set, component, 0);
	}
	signature_table_move_set(table, set, component);
	linkage->change_set.added_set = set;
	return set;
}

/* Remove a set without pages, and split its component if necessary. */
static void linkage_drop_set(struct linkage *linkage, uint32_t set)
{
	struct threshold_graph *graph = &linkage->graph;
	uint32_t component = graph->table.sets[set].component;
	uint32_t label = graph->table.components[component].label;

	assert(graph->table.sets[set].page_count == 0);
	assert(component != NO_TABLE_ROW);
	linkage->change_set.dropped_set = set;
	threshold_graph_drop(graph, set);
	if (graph->table.components[component].set_count == 0) {
		signature_table_drop_component(&graph->table, component);
		linkage->change_set.vacant = label;
	} else if (graph->subcomponents.left > 1) {
		split_component(graph, &linkage->change_set, component);
	}
	subcomponents_forget(graph);
}

static void linkage_remove_from_set(struct linkage *linkage, uint32_t page)
{
	struct signature_table *table = &linkage->graph.table;
	uint32_t set = table->pages[page].set;

	assert(set != NO_TABLE_ROW);
	change_set_note_page(&linkage->change_set, table, page);
	signature_table_move_page(table, page, NO_TABLE_ROW);
	if (table->sets[set].page_count == 0)
		linkage_drop_set(linkage, set);
}

/*
 * Return whether a limit forbids putting `page` (a row, or NOBODY) with
 * `signature`, whose set is `set` or NOBODY.
 */
static bool linkage_is_full(const struct linkage *linkage,
			    struct signature signature, uint32_t page,
			    uint32_t set)
{
	const struct signature_table *table = &linkage->graph.table;
	size_t sets = table->set_count;

	if (page == NO_TABLE_ROW &&
	    table->page_count >= linkage->options.max_pages)
		return true;
	if (set != NO_TABLE_ROW)
		return false;
	if (page != NO_TABLE_ROW &&
	    table->sets[table->pages[page].set].page_count == 1)
		sets--;
	return sets >= linkage->options.max_sets ||
	       !shingle_dictionary_has_room(&table->dictionary,
					    signature.count);
}

enum error linkage_put(struct linkage *linkage, uint64_t page,
		       struct signature signature, uint32_t *next_label,
		       struct linkage_changes *changes_out)
{
	struct signature_table *table = &linkage->graph.table;
	uint32_t row = signature_table_find_page(table, page);
	uint32_t set;

	*changes_out = no_changes;
	linkage_begin_call(linkage);
	if (signature.count > linkage->options.max_shingles ||
	    *next_label > last_label)
		return ERR_TOO_LARGE;
	assert(u64_ascend(signature.shingles, signature.count));
	set = signature_table_find_set(table, signature);
	if (linkage_is_full(linkage, signature, row, set))
		return ERR_TOO_LARGE;
	if (row == NO_TABLE_ROW) {
		row = signature_table_add_page(table, page);
		change_set_note_page(&linkage->change_set, table, row);
	} else if (table->pages[row].set == set) {
		return ERR_NONE;
	} else {
		linkage_remove_from_set(linkage, row);
	}
	if (set == NO_TABLE_ROW)
		set = linkage_add_set(linkage, signature);
	signature_table_move_page(table, row, set);
	assert(table->sets[set].page_count > 0);
	*changes_out = change_set_end(&linkage->change_set, table, next_label);
	return ERR_NONE;
}

void linkage_remove(struct linkage *linkage, uint64_t page,
		    uint32_t *next_label, struct linkage_changes *changes_out)
{
	struct signature_table *table = &linkage->graph.table;
	uint32_t row = signature_table_find_page(table, page);

	*changes_out = no_changes;
	linkage_begin_call(linkage);
	if (row == NO_TABLE_ROW)
		return;
	linkage_remove_from_set(linkage, row);
	*changes_out = change_set_end(&linkage->change_set, table, next_label);
	signature_table_drop_page(table, row);
}

uint32_t linkage_label(const struct linkage *linkage, uint64_t page)
{
	return signature_table_set_label(&linkage->graph.table,
					 linkage_set(linkage, page));
}

uint32_t linkage_set(const struct linkage *linkage, uint64_t page)
{
	const struct signature_table *table = &linkage->graph.table;
	uint32_t row = signature_table_find_page(table, page);

	return row == NO_TABLE_ROW ? LINKAGE_NONE : table->pages[row].set;
}

uint64_t linkage_shingle(const struct linkage *linkage, uint32_t shingle_id)
{
	assert(shingle_id < linkage->graph.table.dictionary.row_count);
	return linkage->graph.table.dictionary.rows[shingle_id].shingle;
}

struct linkage_set_view linkage_set_at(const struct linkage *linkage,
				       uint32_t set)
{
	const struct signature_table *table = &linkage->graph.table;
	struct shingle_id_set shingle_ids;

	if (set >= table->set_rows || !table->sets[set].is_used)
		return (struct linkage_set_view){0};
	shingle_ids = signature_table_shingles(table, set);
	return (struct linkage_set_view){
		.shingle_ids = shingle_ids.shingle_ids,
		.count = shingle_ids.count,
		.page_count = table->sets[set].page_count,
		.label = signature_table_set_label(table, set),
	};
}

struct linkage_size linkage_size(const struct linkage *linkage)
{
	const struct signature_table *table = &linkage->graph.table;

	return (struct linkage_size){
		.pages = table->page_count,
		.sets = table->set_count,
		.set_rows = table->set_rows,
		.shingle_ids = table->dictionary.id_of_shingle.count,
		.groups = linkage->graph.index.count,
		.clusters = table->component_count,
		.bytes = sizeof(*linkage) +
			 threshold_graph_bytes(&linkage->graph) +
			 change_set_bytes(&linkage->change_set),
	};
}

uint64_t linkage_comparisons(const struct linkage *linkage)
{
	return linkage->graph.comparisons;
}
