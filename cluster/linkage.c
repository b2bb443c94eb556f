#include "cluster/linkage.h"

#include <stdlib.h>

#include "cluster/linkage_body.h"
#include "cluster/split.h"
#include "store/memory.h"

enum {
	DEFAULT_MAX_SHINGLES = 65536,
	DEFAULT_MAX_SETS = 2 * 1000 * 1000,
	DEFAULT_MAX_PAGES = 10 * 1000 * 1000,
	MOST_ROWS = 1 << 30, /* so that all numbers fit, also those of edges */
};

/* No page is put from here on: the labels above are for calls that cannot
 * fail. */
static const uint32_t last_label = UINT32_MAX / 2;

static const struct linkage_changes no_changes = {
	.dropped_set = LINKAGE_NONE,
	.added_set = LINKAGE_NONE,
};

static void limit(size_t *option, size_t preset)
{
	if (*option == 0)
		*option = preset;
	if (*option > MOST_ROWS)
		*option = MOST_ROWS;
}

struct linkage *linkage_create(const struct linkage_options *options)
{
	struct linkage *linkage = mem_alloc(1, sizeof(*linkage));

	linkage->options = *options;
	limit(&linkage->options.max_shingles, DEFAULT_MAX_SHINGLES);
	limit(&linkage->options.max_sets, DEFAULT_MAX_SETS);
	limit(&linkage->options.max_pages, DEFAULT_MAX_PAGES);
	/* Whoever writes the pages cannot know where we are. */
	graph_begin(&linkage->graph, options->threshold,
		    (uint64_t)(uintptr_t)linkage);
	return linkage;
}

void linkage_destroy(struct linkage *linkage)
{
	if (linkage == NULL)
		return;
	graph_end(&linkage->graph);
	journal_free(&linkage->journal);
	free(linkage);
}

static void begin(struct linkage *linkage)
{
	dictionary_forget(&linkage->graph.roster.dictionary);
	journal_begin(&linkage->journal);
}

/* Whether `a` keeps its label when it meets `b`: a label that is known outside
 * beats none, then counts the size, then the smaller number. */
static bool is_stronger(const struct roster_component *a,
			const struct roster_component *b)
{
	if ((a->label == 0) != (b->label == 0))
		return b->label == 0;
	if (a->page_count != b->page_count)
		return a->page_count > b->page_count;
	return a->label < b->label;
}

static void merge(struct linkage *linkage, uint32_t loser, uint32_t winner)
{
	struct roster *roster = &linkage->graph.roster;
	uint32_t label = roster->components[loser].label;

	while (roster->components[loser].first_set != NOBODY)
		journal_move_set(&linkage->journal, roster,
				 roster->components[loser].first_set, winner);
	roster_drop_component(roster, loser);
	journal_add_merge(&linkage->journal, label, winner);
}

/* Make one component of those of the linked sets, of which there is one. */
static uint32_t merge_linked(struct linkage *linkage, const struct list *links)
{
	const struct roster *roster = &linkage->graph.roster;
	uint32_t winner = roster->sets[links->items[0]].component;

	for (uint32_t i = 1; i < links->count; i++) {
		uint32_t other = roster->sets[links->items[i]].component;

		if (is_stronger(&roster->components[other],
				&roster->components[winner]))
			winner = other;
	}
	for (uint32_t i = 0; i < links->count; i++) {
		uint32_t other = roster->sets[links->items[i]].component;

		if (other != winner)
			merge(linkage, other, winner);
	}
	return winner;
}

/* Add a set that is not there yet, in the component where it belongs. */
static uint32_t add_set(struct linkage *linkage, struct signature signature)
{
	struct roster *roster = &linkage->graph.roster;
	uint32_t set = roster_add_set(roster, signature);
	const struct list *links = graph_add(&linkage->graph, set);
	uint32_t component;

	if (links->count > 0) {
		component = merge_linked(linkage, links);
	} else if (linkage->journal.vacant != 0) {
		component = roster_add_component(roster);
		roster_name(roster, component, linkage->journal.vacant);
		linkage->journal.vacant = 0;
	} else {
		component = roster_add_component(roster);
		journal_add_fresh(&linkage->journal, component, 0);
	}
	roster_move_set(roster, set, component);
	linkage->journal.added_set = set;
	return set;
}

/* Take a set without pages out, and its component apart if it has to be. */
static void drop_set(struct linkage *linkage, uint32_t set)
{
	struct graph *graph = &linkage->graph;
	uint32_t component = graph->roster.sets[set].component;
	uint32_t label = graph->roster.components[component].label;

	linkage->journal.dropped_set = set;
	graph_drop(graph, set);
	if (graph->roster.components[component].set_count == 0) {
		roster_drop_component(&graph->roster, component);
		linkage->journal.vacant = label;
	} else if (graph->parts.left > 1) {
		split_component(graph, &linkage->journal, component);
	}
	parts_forget(graph);
}

static void leave(struct linkage *linkage, uint32_t page)
{
	struct roster *roster = &linkage->graph.roster;
	uint32_t set = roster->pages[page].set;

	journal_note_page(&linkage->journal, roster, page);
	roster_move_page(roster, page, NOBODY);
	if (roster->sets[set].page_count == 0)
		drop_set(linkage, set);
}

/* Whether there is no room for `page` (a row, or NOBODY) with `signature`, of
 * which the set is `set` or not there. */
static bool is_full(const struct linkage *linkage, struct signature signature,
		    uint32_t page, uint32_t set)
{
	const struct roster *roster = &linkage->graph.roster;
	size_t sets = roster->set_count;

	if (page == NOBODY && roster->page_count >= linkage->options.max_pages)
		return true;
	if (set != NOBODY)
		return false;
	if (page != NOBODY &&
	    roster->sets[roster->pages[page].set].page_count == 1)
		sets--;
	return sets >= linkage->options.max_sets ||
	       !dictionary_has_room(&roster->dictionary, signature.count);
}

enum error linkage_put(struct linkage *linkage, uint64_t page,
		       struct signature signature, uint32_t *next_label,
		       struct linkage_changes *changes_out)
{
	struct roster *roster = &linkage->graph.roster;
	uint32_t row = roster_find_page(roster, page);
	uint32_t set;

	*changes_out = no_changes;
	begin(linkage);
	if (signature.count > linkage->options.max_shingles ||
	    *next_label > last_label)
		return ERR_TOO_LARGE;
	set = roster_find_set(roster, signature);
	if (is_full(linkage, signature, row, set))
		return ERR_TOO_LARGE;
	if (row == NOBODY) {
		row = roster_add_page(roster, page);
		journal_note_page(&linkage->journal, roster, row);
	} else if (roster->pages[row].set == set) {
		return ERR_NONE;
	} else {
		leave(linkage, row);
	}
	if (set == NOBODY)
		set = add_set(linkage, signature);
	roster_move_page(roster, row, set);
	*changes_out = journal_end(&linkage->journal, roster, next_label);
	return ERR_NONE;
}

void linkage_remove(struct linkage *linkage, uint64_t page,
		    uint32_t *next_label, struct linkage_changes *changes_out)
{
	struct roster *roster = &linkage->graph.roster;
	uint32_t row = roster_find_page(roster, page);

	*changes_out = no_changes;
	begin(linkage);
	if (row == NOBODY)
		return;
	leave(linkage, row);
	*changes_out = journal_end(&linkage->journal, roster, next_label);
	roster_drop_page(roster, row);
}

uint32_t linkage_label(const struct linkage *linkage, uint64_t page)
{
	return roster_set_label(&linkage->graph.roster,
				linkage_set(linkage, page));
}

uint32_t linkage_set(const struct linkage *linkage, uint64_t page)
{
	const struct roster *roster = &linkage->graph.roster;
	uint32_t row = roster_find_page(roster, page);

	return row == NOBODY ? LINKAGE_NONE : roster->pages[row].set;
}

uint64_t linkage_shingle(const struct linkage *linkage, uint32_t shingle_id)
{
	return linkage->graph.roster.dictionary.rows[shingle_id].shingle;
}

struct linkage_set_view linkage_set_at(const struct linkage *linkage,
				       uint32_t set)
{
	const struct roster *roster = &linkage->graph.roster;
	struct shingle_set shingle_ids;

	if (set >= roster->set_rows || !roster->sets[set].is_used)
		return (struct linkage_set_view){0};
	shingle_ids = roster_shingles(roster, set);
	return (struct linkage_set_view){
		.shingle_ids = shingle_ids.shingle_ids,
		.count = shingle_ids.count,
		.page_count = roster->sets[set].page_count,
		.label = roster_set_label(roster, set),
	};
}

struct linkage_size linkage_size(const struct linkage *linkage)
{
	const struct roster *roster = &linkage->graph.roster;

	return (struct linkage_size){
		.pages = roster->page_count,
		.sets = roster->set_count,
		.set_rows = roster->set_rows,
		.shingle_ids = roster->dictionary.id_of_shingle.count,
		.groups = linkage->graph.index.count,
		.clusters = roster->component_count,
		.bytes = sizeof(*linkage) + graph_bytes(&linkage->graph) +
			 journal_bytes(&linkage->journal),
	};
}

uint64_t linkage_comparisons(const struct linkage *linkage)
{
	return linkage->graph.comparisons;
}
