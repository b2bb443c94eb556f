#include "cluster/linkage.h"

#include <stdlib.h>

#include "cluster/journal.h"
#include "cluster/roster.h"
#include "store/memory.h"

enum {
	DEFAULT_MAX_MEMBERS = 65536,
	DEFAULT_MAX_PAGES = 10 * 1000 * 1000,
};

/* No page is put from here on: the labels above are for removals, which
 * cannot fail. */
static const uint32_t last_label = UINT32_MAX / 2;

/* Numbers in a growing array. */
struct list {
	uint32_t *items;
	size_t count;
	size_t capacity;
};

struct linkage {
	struct linkage_options options;
	struct roster roster;
	struct journal journal;
	uint64_t comparisons;

	/* Of the call that runs: */
	struct list linked; /* components that a new set links */
	struct list near;   /* sets beside one that goes, not yet reached */
	struct list far;    /* other sets of its component, not yet reached */
	struct list reached;
	struct list parts; /* ends of the parts in `reached` */
};

static void list_push(struct list *list, uint32_t item)
{
	list->items = mem_grow(list->items, list->count, &list->capacity,
			       sizeof(*list->items));
	list->items[list->count++] = item;
}

struct linkage *linkage_create(const struct linkage_options *options)
{
	struct linkage *linkage = mem_alloc(1, sizeof(*linkage));

	linkage->options = *options;
	if (linkage->options.max_members == 0)
		linkage->options.max_members = DEFAULT_MAX_MEMBERS;
	if (linkage->options.max_pages == 0)
		linkage->options.max_pages = DEFAULT_MAX_PAGES;
	if (linkage->options.max_pages >= NOBODY)
		linkage->options.max_pages = NOBODY - 1;
	roster_begin(&linkage->roster);
	return linkage;
}

void linkage_destroy(struct linkage *linkage)
{
	if (linkage == NULL)
		return;
	roster_end(&linkage->roster);
	journal_free(&linkage->journal);
	free(linkage->linked.items);
	free(linkage->near.items);
	free(linkage->far.items);
	free(linkage->reached.items);
	free(linkage->parts.items);
	free(linkage);
}

static void move_set(struct linkage *linkage, uint32_t set, uint32_t component)
{
	journal_note_set(&linkage->journal, &linkage->roster, set);
	roster_move_set(&linkage->roster, set, component);
}

static uint32_t add_fresh(struct linkage *linkage, uint32_t origin)
{
	uint32_t component = roster_add_component(&linkage->roster);

	journal_add_fresh(&linkage->journal, component, origin);
	return component;
}

static bool is_linked(struct linkage *linkage, uint32_t a, uint32_t b)
{
	const struct roster_set *sets = linkage->roster.sets;

	linkage->comparisons++;
	return signature_linked(sets[a].signature, sets[b].signature,
				linkage->options.threshold);
}

/* A set of `component` that is linked with `set`, or NOBODY. */
static uint32_t find_linked(struct linkage *linkage, uint32_t component,
			    uint32_t set)
{
	const struct roster *roster = &linkage->roster;
	uint32_t other = roster->components[component].first_set;

	while (other != NOBODY && !is_linked(linkage, set, other))
		other = roster->sets[other].next;
	return other;
}

static void find_components(struct linkage *linkage, uint32_t set)
{
	struct roster *roster = &linkage->roster;

	linkage->linked.count = 0;
	for (uint32_t i = 0; i < roster->component_rows; i++) {
		uint32_t other = find_linked(linkage, i, set);

		if (other == NOBODY)
			continue;
		list_push(&linkage->linked, i);
		/* To the front: what comes next may well be like this one. */
		roster_move_set(roster, other, i);
	}
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
	struct roster *roster = &linkage->roster;
	uint32_t label = roster->components[loser].label;

	while (roster->components[loser].first_set != NOBODY)
		move_set(linkage, roster->components[loser].first_set, winner);
	roster_drop_component(roster, loser);
	journal_add_merge(&linkage->journal, label,
			  roster->components[winner].label);
}

/* Make one component of those in `linked`, of which there is one. */
static uint32_t merge_linked(struct linkage *linkage)
{
	const struct list *linked = &linkage->linked;
	const struct roster_component *components = linkage->roster.components;
	uint32_t winner = linked->items[0];

	for (size_t i = 1; i < linked->count; i++) {
		if (is_stronger(&components[linked->items[i]],
				&components[winner]))
			winner = linked->items[i];
	}
	for (size_t i = 0; i < linked->count; i++) {
		if (linked->items[i] != winner)
			merge(linkage, linked->items[i], winner);
	}
	return winner;
}

/* Add a set that is not there yet, in the component where it belongs. */
static uint32_t add_set(struct linkage *linkage, struct signature signature)
{
	struct roster *roster = &linkage->roster;
	uint32_t set = roster_add_set(roster, signature);
	uint32_t component;

	find_components(linkage, set);
	if (linkage->linked.count > 0) {
		component = merge_linked(linkage);
	} else if (linkage->journal.vacant != 0) {
		component = roster_add_component(roster);
		roster_name(roster, component, linkage->journal.vacant);
		linkage->journal.vacant = 0;
	} else {
		component = add_fresh(linkage, 0);
	}
	roster_move_set(roster, set, component);
	return set;
}

/* Move the sets of `from` that are linked with `set` to `reached`. */
static void reach(struct linkage *linkage, uint32_t set, struct list *from)
{
	size_t i = 0;

	while (i < from->count) {
		if (is_linked(linkage, set, from->items[i])) {
			list_push(&linkage->reached, from->items[i]);
			from->items[i] = from->items[--from->count];
		} else {
			i++;
		}
	}
}

static void list_neighbours(struct linkage *linkage, uint32_t set)
{
	const struct roster *roster = &linkage->roster;
	uint32_t component = roster->sets[set].component;

	linkage->near.count = 0;
	linkage->far.count = 0;
	for (uint32_t i = roster->components[component].first_set; i != NOBODY;
	     i = roster->sets[i].next) {
		if (i == set)
			continue;
		list_push(is_linked(linkage, set, i) ? &linkage->near
						     : &linkage->far,
			  i);
	}
}

/*
 * Fill `reached` part by part with what hangs together without the set whose
 * neighbours are listed. Every part has a neighbour; so when none is left to
 * reach, all that is left belongs to the part at hand. That mostly happens
 * soon, because neighbours are near to each other: they are tried first.
 */
static void find_parts(struct linkage *linkage)
{
	struct list *reached = &linkage->reached;
	struct list *near = &linkage->near;
	struct list *far = &linkage->far;
	size_t near_done = 0;
	size_t far_done = 0;

	reached->count = 0;
	linkage->parts.count = 0;
	while (near->count > 0) {
		list_push(reached, near->items[--near->count]);
		while (near->count > 0 && far_done < reached->count) {
			if (near_done < reached->count)
				reach(linkage, reached->items[near_done++],
				      near);
			else
				reach(linkage, reached->items[far_done++], far);
		}
		if (near->count == 0) {
			while (far->count > 0)
				list_push(reached, far->items[--far->count]);
		}
		list_push(&linkage->parts, (uint32_t)reached->count);
	}
}

struct part {
	size_t begin; /* in `reached` */
	size_t end;
	size_t pages;
};

static struct part part_at(const struct linkage *linkage, size_t index)
{
	const uint32_t *ends = linkage->parts.items;
	struct part part = {index == 0 ? 0 : ends[index - 1], ends[index], 0};

	for (size_t i = part.begin; i < part.end; i++)
		part.pages += linkage->roster.sets[linkage->reached.items[i]]
				      .page_count;
	return part;
}

static uint64_t part_oldest(const struct linkage *linkage, struct part part)
{
	uint64_t oldest = UINT64_MAX;

	for (size_t i = part.begin; i < part.end; i++) {
		uint64_t age = roster_oldest(&linkage->roster,
					     linkage->reached.items[i]);

		if (age < oldest)
			oldest = age;
	}
	return oldest;
}

/* The part that keeps the label. */
static size_t strongest_part(const struct linkage *linkage)
{
	struct part best = part_at(linkage, 0);
	size_t index = 0;

	for (size_t i = 1; i < linkage->parts.count; i++) {
		struct part part = part_at(linkage, i);

		if (part.pages > best.pages ||
		    (part.pages == best.pages &&
		     part_oldest(linkage, part) < part_oldest(linkage, best))) {
			best = part;
			index = i;
		}
	}
	return index;
}

static void split(struct linkage *linkage, uint32_t label)
{
	size_t keeper = strongest_part(linkage);

	for (size_t i = 0; i < linkage->parts.count; i++) {
		struct part part = part_at(linkage, i);
		uint32_t component;

		if (i == keeper)
			continue;
		component = add_fresh(linkage, label);
		for (size_t j = part.begin; j < part.end; j++)
			move_set(linkage, linkage->reached.items[j], component);
	}
}

/* Take a set without pages out, and its component apart if it has to be. */
static void drop_set(struct linkage *linkage, uint32_t set)
{
	struct roster *roster = &linkage->roster;
	uint32_t component = roster->sets[set].component;
	uint32_t label = roster->components[component].label;

	if (roster->components[component].set_count == 1) {
		roster_drop_set(roster, set);
		roster_drop_component(roster, component);
		linkage->journal.vacant = label;
		return;
	}
	list_neighbours(linkage, set);
	roster_drop_set(roster, set);
	if (linkage->near.count <= 1)
		return;
	find_parts(linkage);
	if (linkage->parts.count > 1)
		split(linkage, label);
}

static void leave(struct linkage *linkage, uint32_t page)
{
	struct roster *roster = &linkage->roster;
	uint32_t set = roster->pages[page].set;

	journal_note_page(&linkage->journal, roster, page);
	roster_move_page(roster, page, NOBODY);
	if (roster->sets[set].page_count == 0)
		drop_set(linkage, set);
}

static bool is_full(const struct linkage *linkage, struct signature signature,
		    uint32_t page)
{
	return signature.count > linkage->options.max_members ||
	       (page == NOBODY &&
		linkage->roster.page_count >= linkage->options.max_pages);
}

enum error linkage_put(struct linkage *linkage, uint64_t page,
		       struct signature signature, uint32_t *next_label,
		       struct linkage_changes *changes_out)
{
	struct roster *roster = &linkage->roster;
	uint32_t row = roster_find_page(roster, page);
	uint32_t set;

	*changes_out = (struct linkage_changes){0};
	journal_begin(&linkage->journal);
	if (is_full(linkage, signature, row) || *next_label > last_label)
		return ERR_TOO_LARGE;
	set = roster_find_set(roster, signature);
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
	*changes_out =
		journal_end(&linkage->journal, &linkage->roster, next_label);
	return ERR_NONE;
}

void linkage_remove(struct linkage *linkage, uint64_t page,
		    uint32_t *next_label, struct linkage_changes *changes_out)
{
	uint32_t row = roster_find_page(&linkage->roster, page);

	*changes_out = (struct linkage_changes){0};
	journal_begin(&linkage->journal);
	if (row == NOBODY)
		return;
	leave(linkage, row);
	*changes_out =
		journal_end(&linkage->journal, &linkage->roster, next_label);
	roster_drop_page(&linkage->roster, row);
}

enum error linkage_restore(struct linkage *linkage, uint64_t page,
			   struct signature signature, uint32_t label)
{
	struct roster *roster = &linkage->roster;
	uint32_t set = roster_find_set(roster, signature);
	uint32_t component = roster_find_component(roster, label);

	if (is_full(linkage, signature, NOBODY))
		return ERR_TOO_LARGE;
	if (label == 0 || roster_find_page(roster, page) != NOBODY ||
	    (set != NOBODY && roster->sets[set].component != component))
		return ERR_CORRUPT;
	if (set == NOBODY) {
		set = roster_add_set(roster, signature);
		if (component == NOBODY) {
			component = roster_add_component(roster);
			roster_name(roster, component, label);
		}
		roster_move_set(roster, set, component);
	}
	roster_move_page(roster, roster_add_page(roster, page), set);
	return ERR_NONE;
}

uint32_t linkage_label(const struct linkage *linkage, uint64_t page)
{
	uint32_t row = roster_find_page(&linkage->roster, page);

	return row == NOBODY ? 0 : roster_label(&linkage->roster, row);
}

struct linkage_size linkage_size(const struct linkage *linkage)
{
	const struct roster *roster = &linkage->roster;

	return (struct linkage_size){
		.pages = roster->page_count,
		.signatures = roster->set_count,
		.clusters = roster->component_count,
		.bytes = sizeof(*linkage) + roster_bytes(roster) +
			 journal_bytes(&linkage->journal),
	};
}

uint64_t linkage_comparisons(const struct linkage *linkage)
{
	return linkage->comparisons;
}
