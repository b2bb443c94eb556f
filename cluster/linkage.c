#include "cluster/linkage.h"

#include <assert.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"
#include "cluster/signature_table.h"
#include "cluster/threshold_graph.h"

/*
 * Collects the net changes of one call of the linkage. It omits components that
 * appear and disappear within the call, and pages that return to the label that
 * they had before.
 */

struct change_set {
	linkage_prefers *prefers; /* see linkage_prefer_labels() */
	void *context;
	uint64_t call;                 /* number of the current call */
	uint32_t own;                  /* page (a row) that the call changes;
					  NO_TABLE_ROW = none */
	struct change_set_note *notes; /* pages whose label may have changed */
	size_t note_count;
	size_t note_capacity;
	struct change_set_fresh *fresh; /* new components */
	size_t fresh_count;
	size_t fresh_capacity;
	struct change_set_merge *merges;
	size_t merge_count;
	size_t merge_capacity;
	uint32_t dropped_set; /* see struct linkage_changes */
	uint32_t added_set;   /* see struct linkage_changes */
	uint32_t vacant; /* label of the component that was removed when `page`
			    left it, until another component uses the label
			    again; 0 = none */
	struct linkage_move *moves;
	size_t move_count;
	size_t move_capacity;
	struct linkage_event *events;
	size_t event_count;
	size_t event_capacity;
};

enum { KEPT_CAPACITY = 1 << 16 };

struct change_set_note {
	uint64_t page;
	uint32_t row;
	uint32_t from;
};

struct change_set_fresh {
	uint32_t component;
	uint32_t origin;
};

struct change_set_merge {
	uint32_t label;
	uint32_t component;
};

/* Begin a call: clear the changes of the previous one. */
static void change_set_begin(struct change_set *change_set)
{
	/* free the memory if the previous call changed very many pages */
	if (change_set->note_capacity > KEPT_CAPACITY) {
		free(change_set->notes);
		free(change_set->moves);
		change_set->notes = NULL;
		change_set->moves = NULL;
		change_set->note_capacity = 0;
		change_set->move_capacity = 0;
	}
	change_set->call++;
	change_set->own = NO_TABLE_ROW;
	change_set->note_count = 0;
	change_set->fresh_count = 0;
	change_set->merge_count = 0;
	change_set->vacant = 0;
	change_set->dropped_set = LINKAGE_NONE;
	change_set->added_set = LINKAGE_NONE;
	change_set->move_count = 0;
	change_set->event_count = 0;
}

/* Store the label of `page` (a row) before it may change. */
static void change_set_note_page(struct change_set *change_set,
				 const struct signature_table *table,
				 uint32_t page)
{
	assert(page < table->page_rows);
	change_set->notes = mem_grow(change_set->notes, change_set->note_count,
				     &change_set->note_capacity,
				     sizeof(*change_set->notes));
	change_set->notes[change_set->note_count++] =
		(struct change_set_note){table->pages[page].page, page,
					 signature_table_label(table, page)};
}

/*
 * Store the label of the page (a row) that the call changes. It must be in no
 * set that was stored before.
 */
static void change_set_note_own(struct change_set *change_set,
				const struct signature_table *table,
				uint32_t page)
{
	change_set_note_page(change_set, table, page);
	change_set->own = page;
}

/*
 * Store the labels of all pages of `set` before they may change. Only the first
 * call for a set has an effect.
 */
static void change_set_note_set(struct change_set *change_set,
				struct signature_table *table, uint32_t set)
{
	assert(set < table->set_rows);
	if (table->sets[set].call == change_set->call)
		return;
	table->sets[set].call = change_set->call;
	for (uint32_t i = table->sets[set].first_page; i != NO_TABLE_ROW;
	     i = table->pages[i].next)
		if (i != change_set->own)
			change_set_note_page(change_set, table, i);
}

/* Move `set` to `component`, after storing the labels of its pages. */
static void change_set_move_set(struct change_set *change_set,
				struct signature_table *table, uint32_t set,
				uint32_t component)
{
	change_set_note_set(change_set, table, set);
	signature_table_move_set(table, set, component);
}

/*
 * Store that `component`, which has no label yet, is new. It was split from the
 * component with the label `origin`; 0 = not split. The component may disappear
 * within the call, but its row must not be reused for another component in this
 * call. Labels are assigned in the order of these calls.
 */
static void change_set_add_fresh(struct change_set *change_set,
				 uint32_t component, uint32_t origin)
{
	change_set->fresh = mem_grow(change_set->fresh, change_set->fresh_count,
				     &change_set->fresh_capacity,
				     sizeof(*change_set->fresh));
	change_set->fresh[change_set->fresh_count++] =
		(struct change_set_fresh){component, origin};
}

/*
 * Store that the component with the label `from` was merged into the one with
 * the label `into`. Do nothing if `from` is 0.
 */
static void change_set_add_merge(struct change_set *change_set, uint32_t from,
				 uint32_t into)
{
	if (from == 0)
		return;
	change_set->merges = mem_grow(
		change_set->merges, change_set->merge_count,
		&change_set->merge_capacity, sizeof(*change_set->merges));
	change_set->merges[change_set->merge_count++] =
		(struct change_set_merge){from, into};
}

static void change_set_add_event(struct change_set *change_set,
				 struct linkage_event event)
{
	change_set->events = mem_grow(
		change_set->events, change_set->event_count,
		&change_set->event_capacity, sizeof(*change_set->events));
	change_set->events[change_set->event_count++] = event;
}

static void name_fresh(struct change_set *change_set,
		       struct signature_table *table, uint32_t *next_label)
{
	for (size_t i = 0; i < change_set->fresh_count; i++) {
		struct change_set_fresh fresh = change_set->fresh[i];
		struct linkage_event event = {LINKAGE_ADDED, 0, fresh.origin};

		/* the component was merged into another one in the same call */
		if (table->components[fresh.component].set_count == 0)
			continue;
		if (*next_label == 0)
			*next_label = 1; /* skip 0, which means "absent" */
		assert(*next_label > 0);
		event.cluster = (*next_label)++;
		if (fresh.origin != 0)
			event.kind = LINKAGE_SPLIT;
		signature_table_name(table, fresh.component, event.cluster);
		change_set_add_event(change_set, event);
	}
}

static void list_moves(struct change_set *change_set,
		       const struct signature_table *table)
{
	for (size_t i = 0; i < change_set->note_count; i++) {
		struct change_set_note note = change_set->notes[i];
		uint32_t label = signature_table_label(table, note.row);

		if (label == note.from)
			continue;
		change_set->moves = mem_grow(
			change_set->moves, change_set->move_count,
			&change_set->move_capacity, sizeof(*change_set->moves));
		change_set->moves[change_set->move_count++] =
			(struct linkage_move){note.page, note.from, label,
					      table->pages[note.row].set};
	}
}

/* Store the labels of all pages of the component. */
static void change_set_note_component(struct change_set *change_set,
				      struct signature_table *table,
				      uint32_t component)
{
	if (component == NO_TABLE_ROW)
		return;
	for (uint32_t i = table->components[component].first_set;
	     i != NO_TABLE_ROW; i = table->sets[i].next)
		change_set_note_set(change_set, table, i);
}

/*
 * Return whether the component into which `merge` was made must get the label
 * of the other one.
 */
static bool change_set_prefers(const struct change_set *change_set,
			       const struct signature_table *table,
			       const struct change_set_merge *merge)
{
	uint32_t label = table->components[merge->component].label;

	return change_set->prefers != NULL && label != 0 &&
	       int_map_get(&table->component_of_label, merge->label) ==
		       NO_TABLE_ROW &&
	       change_set->prefers(change_set->context, merge->label) &&
	       !change_set->prefers(change_set->context, label);
}

static void change_set_report_merges(struct change_set *change_set,
				     struct signature_table *table)
{
	for (size_t i = 0; i < change_set->merge_count; i++) {
		struct change_set_merge merge = change_set->merges[i];
		uint32_t label = table->components[merge.component].label;
		struct linkage_event event = {LINKAGE_MERGED, merge.label,
					      label};

		if (change_set_prefers(change_set, table, &merge)) {
			change_set_note_component(change_set, table,
						  merge.component);
			signature_table_name(table, merge.component,
					     merge.label);
			event.cluster = label;
			event.other = merge.label;
		}
		change_set_add_event(change_set, event);
	}
}

/*
 * Assign labels to the new components that still exist, and return the changes.
 */
static struct linkage_changes change_set_end(struct change_set *change_set,
					     struct signature_table *table,
					     uint32_t *next_label)
{
	const struct shingle_dictionary *dictionary = &table->dictionary;

	name_fresh(change_set, table, next_label);
	change_set_report_merges(change_set, table);
	if (change_set->vacant != 0)
		change_set_add_event(change_set,
				     (struct linkage_event){LINKAGE_REMOVED,
							    change_set->vacant,
							    0});
	list_moves(change_set, table);
	return (struct linkage_changes){
		.moves = change_set->moves,
		.move_count = change_set->move_count,
		.events = change_set->events,
		.event_count = change_set->event_count,
		.dropped_shingles = dictionary->dropped.items,
		.dropped_shingle_count = dictionary->dropped.count,
		.added_shingles = dictionary->added.items,
		.added_shingle_count = dictionary->added.count,
		.dropped_set = change_set->dropped_set,
		.added_set = change_set->added_set,
	};
}

/* Return the approximate memory in bytes. */
static size_t change_set_bytes(const struct change_set *change_set)
{
	return change_set->note_capacity * sizeof(*change_set->notes) +
	       change_set->fresh_capacity * sizeof(*change_set->fresh) +
	       change_set->move_capacity * sizeof(*change_set->moves) +
	       change_set->merge_capacity * sizeof(*change_set->merges) +
	       change_set->event_capacity * sizeof(*change_set->events);
}

struct linkage {
	struct linkage_options options;
	struct threshold_graph graph;
	struct change_set change_set;
	bool has_odd_label; /* restored pages of one set had different labels */
};

static void note_age(struct subcomponent *subcomponent, uint64_t age)
{
	if (age < subcomponent->oldest)
		subcomponent->oldest = age;
}

/*
 * Count the pages of each subcomponent and find its oldest page. The pages of
 * the rest are the remaining pages of the component; age_rest() finds its
 * oldest page only if necessary.
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
 * Return the first set of the component, from `set` on, that belongs to the
 * rest (see struct subcomponents).
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

/*
 * Return the subcomponent that keeps the label: the one with most pages, then
 * the one with the oldest page.
 */
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

/*
 * Add a component for each subcomponent except `keeper`, which keeps the row
 * and the label.
 */
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
	qsort(claims, count, sizeof(*claims),
	      order_u64); /* the one with the oldest page first */
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

/*
 * Split `component`, which has several subcomponents in graph->subcomponents.
 * The one that keeps the label remains `component`. Each of the others becomes
 * a new component, in the order of their oldest pages.
 */
static void split_component(struct threshold_graph *graph,
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

enum {
	DEFAULT_MAX_SHINGLES = 65536,
	DEFAULT_MAX_SETS = 2 * 1000 * 1000,
	DEFAULT_MAX_PAGES = 10 * 1000 * 1000,
	MOST_ROWS = 1 << 30, /* an edge has two rows, whose numbers must not
				overflow */
};

/*
 * linkage_put() fails when the next label is above this one. The higher labels
 * are reserved for the functions that cannot fail.
 */
static const uint32_t last_label = UINT32_MAX / 2;

static const struct linkage_changes no_changes = {
	.dropped_set = LINKAGE_NONE,
	.added_set = LINKAGE_NONE,
};

struct linkage *linkage_create(const struct linkage_options *options)
{
	struct linkage *linkage = mem_alloc(1, sizeof(*linkage));
	const struct {
		size_t *option;
		size_t default_value;
	} limits[] = {
		{&linkage->options.max_shingles, DEFAULT_MAX_SHINGLES},
		{&linkage->options.max_sets, DEFAULT_MAX_SETS},
		{&linkage->options.max_pages, DEFAULT_MAX_PAGES},
	};

	assert(options->threshold <= 1000);
	linkage->options = *options;
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		if (*limits[i].option == 0)
			*limits[i].option = limits[i].default_value;
		if (*limits[i].option > MOST_ROWS)
			*limits[i].option = MOST_ROWS;
	}
	/*
	 * The seed is an address, which is random, so that the authors of pages
	 * cannot cause hash collisions.
	 */
	threshold_graph_begin(&linkage->graph, options->threshold,
			      (uint64_t)(uintptr_t)linkage);
	if (options->weights != NULL)
		signature_table_weigh(&linkage->graph.table, options->weights);
	linkage->options.weights = NULL;
	return linkage;
}

void linkage_destroy(struct linkage *linkage)
{
	if (linkage == NULL)
		return;
	threshold_graph_end(&linkage->graph);
	free(linkage->change_set.notes);
	free(linkage->change_set.fresh);
	free(linkage->change_set.merges);
	free(linkage->change_set.moves);
	free(linkage->change_set.events);
	free(linkage);
}

/*
 * Return whether `a` keeps its label when `a` and `b` are merged: a component
 * that has a label wins; then the one with more pages, then the one with the
 * smaller label.
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

/*
 * Merge the components of the sets in `links` (at least one) and return the
 * resulting component.
 */
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

/*
 * Add a new set with `signature` and return it. Merge the components that it is
 * linked to, or create a component if none exist.
 */
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

/*
 * Remove a set that has no pages any longer; split its component if necessary.
 */
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
	change_set_note_own(&linkage->change_set, table, page);
	signature_table_move_page(table, page, NO_TABLE_ROW);
	if (table->sets[set].page_count == 0)
		linkage_drop_set(linkage, set);
}

/*
 * Return whether a limit forbids adding `page` (its row, or NO_TABLE_ROW for a
 * new page) with `signature`. `set` is the set with this signature, or
 * NO_TABLE_ROW if it is new.
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
	       !shingle_dictionary_has_room(&table->dictionary, signature);
}

enum error linkage_put(struct linkage *linkage, uint64_t page,
		       struct signature signature, uint32_t *next_label,
		       struct linkage_changes *changes_out)
{
	struct signature_table *table = &linkage->graph.table;
	uint32_t row = int_map_get(&table->page_of_number, page);
	uint32_t set;

	*changes_out = no_changes;
	shingle_dictionary_clear_log(&table->dictionary);
	change_set_begin(&linkage->change_set);
	if (signature.count > linkage->options.max_shingles ||
	    *next_label > last_label)
		return ERR_TOO_LARGE;
	assert(u64_ascend(signature.shingles, signature.count));
	set = signature_table_find_set(table, signature);
	if (linkage_is_full(linkage, signature, row, set))
		return ERR_TOO_LARGE;
	if (row == NO_TABLE_ROW) {
		row = signature_table_add_page(table, page);
		change_set_note_own(&linkage->change_set, table, row);
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
	uint32_t row = int_map_get(&table->page_of_number, page);

	*changes_out = no_changes;
	shingle_dictionary_clear_log(&table->dictionary);
	change_set_begin(&linkage->change_set);
	if (row == NO_TABLE_ROW)
		return;
	linkage_remove_from_set(linkage, row);
	*changes_out = change_set_end(&linkage->change_set, table, next_label);
	signature_table_drop_page(table, row);
}

void linkage_prefer_labels(struct linkage *linkage, linkage_prefers *prefers,
			   void *context)
{
	linkage->change_set.prefers = prefers;
	linkage->change_set.context = context;
}

void linkage_swap_labels(struct linkage *linkage, uint32_t a, uint32_t b,
			 struct linkage_changes *changes_out)
{
	struct signature_table *table = &linkage->graph.table;
	uint32_t first = int_map_get(&table->component_of_label, a);
	uint32_t second = int_map_get(&table->component_of_label, b);
	uint32_t next_label = 0;

	assert(a != 0 && b != 0);
	shingle_dictionary_clear_log(&table->dictionary);
	change_set_begin(&linkage->change_set);
	if (a != b) {
		change_set_note_component(&linkage->change_set, table, first);
		change_set_note_component(&linkage->change_set, table, second);
		if (first != NO_TABLE_ROW)
			signature_table_name(table, first, 0);
		if (second != NO_TABLE_ROW)
			signature_table_name(table, second, a);
		if (first != NO_TABLE_ROW)
			signature_table_name(table, first, b);
	}
	*changes_out = change_set_end(&linkage->change_set, table, &next_label);
}

uint32_t linkage_label(const struct linkage *linkage, uint64_t page)
{
	return signature_table_set_label(&linkage->graph.table,
					 linkage_set(linkage, page));
}

uint32_t linkage_set(const struct linkage *linkage, uint64_t page)
{
	const struct signature_table *table = &linkage->graph.table;
	uint32_t row = int_map_get(&table->page_of_number, page);

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

	if (set >= table->set_rows || !table->sets[set].is_used)
		return (struct linkage_set_view){0};
	return (struct linkage_set_view){
		.shingle_ids = signature_table_shingles(table, set),
		.count = table->sets[set].shingle_count,
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

/*
 * The pages that had `label` before the change of the threshold and are in
 * `component` after it.
 */
struct match {
	uint32_t label;
	uint32_t component;
	uint64_t page_count;
	uint64_t oldest; /* age of the oldest page of the component */
};

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int match_compare_label(const void *left, const void *right)
{
	const struct match *a = left;
	const struct match *b = right;
	int order = compare_numbers(a->label, b->label);

	return order != 0 ? order : compare_numbers(a->component, b->component);
}

/*
 * Compare matches by their order in the assignment of labels: by descending
 * number of pages, then by label, then by age.
 */
static int compare_claims(const void *left, const void *right)
{
	const struct match *a = left;
	const struct match *b = right;
	int order = compare_numbers(b->page_count, a->page_count);

	if (order == 0)
		order = compare_numbers(a->label, b->label);
	return order != 0 ? order : compare_numbers(a->oldest, b->oldest);
}

static int match_compare_ages(const void *left, const void *right)
{
	const struct match *a = left;
	const struct match *b = right;

	return compare_numbers(a->oldest, b->oldest);
}

/*
 * Remove the labels of all components. Return the old label of each set; 0 if a
 * set has none. The caller frees the array.
 */
static uint32_t *linkage_clear_labels(struct linkage *linkage)
{
	struct signature_table *table = &linkage->graph.table;
	uint32_t *labels = mem_alloc(table->set_rows, sizeof(*labels));

	for (uint32_t i = 0; i < table->set_rows; i++) {
		if (!table->sets[i].is_used)
			continue;
		labels[i] = signature_table_set_label(table, i);
		change_set_note_set(&linkage->change_set, table, i);
	}
	return labels;
}

/*
 * Return the age of the oldest page of each component; the caller frees the
 * array.
 */
static uint64_t *find_ages(const struct signature_table *table)
{
	uint64_t *ages = mem_alloc(table->component_rows, sizeof(*ages));

	for (uint32_t i = 0; i < table->component_rows; i++)
		ages[i] = UINT64_MAX;
	for (uint32_t i = 0; i < table->set_rows; i++) {
		const struct signature_table_set *set = &table->sets[i];
		uint64_t age;

		if (!set->is_used)
			continue;
		age = signature_table_oldest(table, i);
		if (age < ages[set->component])
			ages[set->component] = age;
	}
	return ages;
}

/*
 * Add up the matches with equal label and component; return the number of
 * matches that remain.
 */
static size_t sum_matches(struct match *matches, size_t count)
{
	size_t sums = 0;

	qsort(matches, count, sizeof(*matches), match_compare_label);
	for (size_t i = 0; i < count; i++) {
		if (sums > 0 &&
		    match_compare_label(&matches[sums - 1], &matches[i]) == 0)
			matches[sums - 1].page_count += matches[i].page_count;
		else
			matches[sums++] = matches[i];
	}
	return sums;
}

/*
 * Return all matches, in their order for the assignment of labels. The caller
 * frees them.
 */
static struct match *find_matches(const struct signature_table *table,
				  const uint32_t *labels, size_t *count_out)
{
	struct match *matches = mem_alloc(table->set_count, sizeof(*matches));
	uint64_t *ages = find_ages(table);
	size_t count = 0;

	for (uint32_t i = 0; i < table->set_rows; i++) {
		const struct signature_table_set *set = &table->sets[i];

		if (set->is_used)
			matches[count++] = (struct match){
				labels[i], set->component, set->page_count,
				ages[set->component]};
	}
	count = sum_matches(matches, count);
	qsort(matches, count, sizeof(*matches), compare_claims);
	free(ages);
	*count_out = count;
	return matches;
}

/*
 * Assign labels: go through the matches, and assign the label to the component
 * if neither was used by an earlier match.
 */
static void linkage_assign_labels(struct signature_table *table,
				  const struct match *matches, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct match match = matches[i];

		if (table->components[match.component].label == 0 &&
		    int_map_get(&table->component_of_label, match.label) ==
			    NO_TABLE_ROW)
			signature_table_name(table, match.component,
					     match.label);
	}
}

/*
 * Report each old label that no component received: its cluster was merged into
 * the component of its first match.
 */
static void linkage_report_merges(struct linkage *linkage,
				  const struct match *matches, size_t count)
{
	const struct signature_table *table = &linkage->graph.table;
	struct int_map told = {0};

	for (size_t i = 0; i < count; i++) {
		struct match match = matches[i];

		if (int_map_get(&table->component_of_label, match.label) !=
			    NO_TABLE_ROW ||
		    int_map_get(&told, match.label) != INT_MAP_NONE)
			continue;
		int_map_set(&told, match.label, 1);
		change_set_add_merge(&linkage->change_set, match.label,
				     match.component);
	}
	int_map_free(&told);
}

/*
 * Report each component that received no old label: it was split from the label
 * of its first match. Begin with the component that has the oldest page. The
 * function changes the order of `matches`.
 */
static void linkage_report_fresh(struct linkage *linkage, struct match *matches,
				 size_t count)
{
	struct signature_table *table = &linkage->graph.table;
	size_t fresh = 0;

	for (size_t i = 0; i < count; i++) {
		struct signature_table_component *component =
			&table->components[matches[i].component];

		if (component->label != 0 || component->is_reached)
			continue;
		component->is_reached = true;
		matches[fresh++] = matches[i];
	}
	qsort(matches, fresh, sizeof(*matches), match_compare_ages);
	for (size_t i = 0; i < fresh; i++) {
		table->components[matches[i].component].is_reached = false;
		change_set_add_fresh(&linkage->change_set, matches[i].component,
				     matches[i].label);
	}
}

void linkage_set_threshold(struct linkage *linkage, unsigned threshold,
			   const struct shingle_weights *weights,
			   uint32_t *next_label,
			   struct linkage_changes *changes_out)
{
	struct threshold_graph *graph = &linkage->graph;
	struct match *matches;
	uint32_t *labels;
	size_t count;

	shingle_dictionary_clear_log(&graph->table.dictionary);
	change_set_begin(&linkage->change_set);
	linkage->options.threshold = threshold;
	labels = linkage_clear_labels(linkage);
	threshold_graph_rebuild(graph, threshold, weights);
	matches = find_matches(&graph->table, labels, &count);
	linkage_assign_labels(&graph->table, matches, count);
	linkage_report_merges(linkage, matches, count);
	linkage_report_fresh(linkage, matches, count);
	*changes_out =
		change_set_end(&linkage->change_set, &graph->table, next_label);
	free(matches);
	free(labels);
}

/*
 * Limit for the numbers of sets. Without it a damaged number could allocate
 * much memory.
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

/*
 * Put `set` into the component with `label` when the first of its pages is
 * restored. If a later page has a different label, store this;
 * linkage_restore_end() reports it.
 */
static void label_set(struct linkage *linkage, uint32_t set, uint32_t label)
{
	struct signature_table *table = &linkage->graph.table;
	uint32_t component = int_map_get(&table->component_of_label, label);

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
	    int_map_get(&table->page_of_number, page) != NO_TABLE_ROW)
		return ERR_CORRUPT;
	label_set(linkage, set, label);
	signature_table_move_page(table, signature_table_add_page(table, page),
				  set);
	return ERR_NONE;
}

/*
 * Give the component of `set` the label `label`. Return false if the component
 * already has another label, or another component has this label.
 */
static bool name_component(struct signature_table *table, uint32_t set,
			   uint32_t label)
{
	uint32_t component = table->sets[set].component;

	if (table->components[component].label == label)
		return true;
	if (table->components[component].label != 0 ||
	    int_map_get(&table->component_of_label, label) != NO_TABLE_ROW)
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
	threshold_graph_rebuild(graph, graph->threshold, NULL);
	for (uint32_t i = 0; i < table->set_rows; i++) {
		if (table->sets[i].is_used &&
		    !name_component(table, i, labels[i]))
			error = ERR_CORRUPT;
	}
	free(labels);
	return error;
}
