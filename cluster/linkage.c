#include "cluster/linkage.h"

#include <assert.h>
#include <stdlib.h>

#include "cluster/roster.h"
#include "store/memory.h"

enum {
	DEFAULT_MAX_MEMBERS = 65536,
	DEFAULT_MAX_PAGES = 10 * 1000 * 1000,
};

/* No page is put from here on: the labels above are for removals, which
 * cannot fail. */
static const uint32_t last_label = UINT32_MAX / 2;

/* A page whose label may have changed in this call. */
struct note {
	uint64_t page;
	uint32_t row;
	uint32_t from;
};

/* A component that came to be in this call: named at its end, if it lasts. */
struct fresh {
	uint32_t component;
	uint32_t origin; /* label that it was split from, or 0 */
};

/* Numbers in a growing array. */
struct list {
	uint32_t *items;
	size_t count;
	size_t capacity;
};

struct linkage {
	struct linkage_options options;
	struct roster roster;
	uint64_t call; /* counts the changing calls */
	uint64_t comparisons;

	/* Of the call that runs, empty between two: */
	struct note *notes;
	size_t note_count, note_capacity;
	struct fresh *fresh;
	size_t fresh_count, fresh_capacity;
	struct linkage_event *merges;
	size_t merge_count, merge_capacity;
	uint32_t vacant; /* label of the component that the page left empty */
	struct list linked; /* components that a new set links */
	struct list near;   /* sets beside one that goes, not yet reached */
	struct list far;    /* other sets of its component, not yet reached */
	struct list reached;
	struct list parts; /* ends of the parts in `reached` */

	/* Of the last call, lent to the caller: */
	struct linkage_move *moves;
	size_t move_count, move_capacity;
	struct linkage_event *events;
	size_t event_count, event_capacity;
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
	free(linkage->notes);
	free(linkage->fresh);
	free(linkage->merges);
	free(linkage->linked.items);
	free(linkage->near.items);
	free(linkage->far.items);
	free(linkage->reached.items);
	free(linkage->parts.items);
	free(linkage->moves);
	free(linkage->events);
	free(linkage);
}

static void begin_call(struct linkage *linkage)
{
	linkage->call++;
	linkage->note_count = 0;
	linkage->fresh_count = 0;
	linkage->merge_count = 0;
	linkage->vacant = 0;
	linkage->move_count = 0;
	linkage->event_count = 0;
}

static void add_event(struct linkage *linkage, enum linkage_event_kind kind,
		      uint32_t cluster, uint32_t other)
{
	linkage->events =
		mem_grow(linkage->events, linkage->event_count,
			 &linkage->event_capacity, sizeof(*linkage->events));
	linkage->events[linkage->event_count++] =
		(struct linkage_event){kind, cluster, other};
}

/* Remember the label of a page before it changes for the first time. */
static void note_page(struct linkage *linkage, uint32_t page)
{
	struct roster_page *row = &linkage->roster.pages[page];

	if (row->call == linkage->call)
		return;
	row->call = linkage->call;
	linkage->notes =
		mem_grow(linkage->notes, linkage->note_count,
			 &linkage->note_capacity, sizeof(*linkage->notes));
	linkage->notes[linkage->note_count++] = (struct note){
		row->page, page, roster_label(&linkage->roster, page)};
}

static void move_set(struct linkage *linkage, uint32_t set, uint32_t component)
{
	struct roster *roster = &linkage->roster;

	for (uint32_t i = roster->sets[set].first_page; i != NOBODY;
	     i = roster->pages[i].next)
		note_page(linkage, i);
	roster_move_set(roster, set, component);
}

static uint32_t add_fresh(struct linkage *linkage, uint32_t origin)
{
	uint32_t component = roster_add_component(&linkage->roster);

	linkage->fresh =
		mem_grow(linkage->fresh, linkage->fresh_count,
			 &linkage->fresh_capacity, sizeof(*linkage->fresh));
	linkage->fresh[linkage->fresh_count++] =
		(struct fresh){component, origin};
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

/* Whether `a` keeps its label when it meets `b`: one that is seen outside
 * beats one without a name, then counts the size, then the age. */
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
	if (label == 0)
		return;
	linkage->merges =
		mem_grow(linkage->merges, linkage->merge_count,
			 &linkage->merge_capacity, sizeof(*linkage->merges));
	linkage->merges[linkage->merge_count++] = (struct linkage_event){
		LINKAGE_MERGED, label, roster->components[winner].label};
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
	} else if (linkage->vacant != 0) {
		component = roster_add_component(roster);
		roster_name(roster, component, linkage->vacant);
		linkage->vacant = 0;
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
		linkage->vacant = label;
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

	note_page(linkage, page);
	roster_move_page(roster, page, NOBODY);
	if (roster->sets[set].page_count == 0)
		drop_set(linkage, set);
}

static void name_fresh(struct linkage *linkage, uint32_t *next_label)
{
	struct roster *roster = &linkage->roster;

	for (size_t i = 0; i < linkage->fresh_count; i++) {
		struct fresh fresh = linkage->fresh[i];
		uint32_t label;

		/* Merged again in the same call. */
		if (roster->components[fresh.component].set_count == 0)
			continue;
		if (*next_label == 0)
			*next_label = 1; /* 0 means "not there" */
		label = (*next_label)++;
		roster_name(roster, fresh.component, label);
		add_event(linkage,
			  fresh.origin == 0 ? LINKAGE_NEW : LINKAGE_SPLIT,
			  label, fresh.origin);
	}
}

static void list_moves(struct linkage *linkage)
{
	for (size_t i = 0; i < linkage->note_count; i++) {
		struct note note = linkage->notes[i];
		uint32_t label = roster_label(&linkage->roster, note.row);

		if (label == note.from)
			continue;
		linkage->moves = mem_grow(linkage->moves, linkage->move_count,
					  &linkage->move_capacity,
					  sizeof(*linkage->moves));
		linkage->moves[linkage->move_count++] =
			(struct linkage_move){note.page, note.from, label};
	}
}

static void end_call(struct linkage *linkage, uint32_t *next_label,
		     struct linkage_changes *changes_out)
{
	name_fresh(linkage, next_label);
	for (size_t i = 0; i < linkage->merge_count; i++)
		add_event(linkage, LINKAGE_MERGED, linkage->merges[i].cluster,
			  linkage->merges[i].other);
	if (linkage->vacant != 0)
		add_event(linkage, LINKAGE_GONE, linkage->vacant, 0);
	list_moves(linkage);
	*changes_out =
		(struct linkage_changes){linkage->moves, linkage->move_count,
					 linkage->events, linkage->event_count};
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
	begin_call(linkage);
	if (is_full(linkage, signature, row) || *next_label > last_label)
		return ERR_TOO_LARGE;
	set = roster_find_set(roster, signature);
	if (row == NOBODY) {
		row = roster_add_page(roster, page);
		note_page(linkage, row);
	} else if (roster->pages[row].set == set) {
		return ERR_NONE;
	} else {
		leave(linkage, row);
	}
	if (set == NOBODY)
		set = add_set(linkage, signature);
	roster_move_page(roster, row, set);
	end_call(linkage, next_label, changes_out);
	return ERR_NONE;
}

void linkage_remove(struct linkage *linkage, uint64_t page,
		    uint32_t *next_label, struct linkage_changes *changes_out)
{
	uint32_t row = roster_find_page(&linkage->roster, page);

	*changes_out = (struct linkage_changes){0};
	begin_call(linkage);
	if (row == NOBODY)
		return;
	leave(linkage, row);
	end_call(linkage, next_label, changes_out);
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
			 linkage->note_capacity * sizeof(*linkage->notes) +
			 linkage->move_capacity * sizeof(*linkage->moves),
	};
}

uint64_t linkage_comparisons(const struct linkage *linkage)
{
	return linkage->comparisons;
}
