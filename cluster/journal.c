#include "cluster/journal.h"

#include <stdlib.h>

#include "store/memory.h"

enum { KEPT_CAPACITY = 1 << 16 };

struct journal_note {
	uint64_t page;
	uint32_t row;
	uint32_t from;
};

struct journal_fresh {
	uint32_t component;
	uint32_t origin;
};

struct journal_merge {
	uint32_t label;
	uint32_t component;
};

void journal_free(struct journal *journal)
{
	free(journal->notes);
	free(journal->fresh);
	free(journal->merges);
	free(journal->moves);
	free(journal->events);
	*journal = (struct journal){0};
}

/* The room that a call took that changed very many pages. */
static void give_back(struct journal *journal)
{
	if (journal->note_capacity <= KEPT_CAPACITY)
		return;
	free(journal->notes);
	free(journal->moves);
	journal->notes = NULL;
	journal->moves = NULL;
	journal->note_capacity = 0;
	journal->move_capacity = 0;
}

void journal_begin(struct journal *journal)
{
	give_back(journal);
	journal->call++;
	journal->note_count = 0;
	journal->fresh_count = 0;
	journal->merge_count = 0;
	journal->vacant = 0;
	journal->dropped_set = LINKAGE_NONE;
	journal->added_set = LINKAGE_NONE;
	journal->move_count = 0;
	journal->event_count = 0;
}

void journal_note_page(struct journal *journal, const struct roster *roster,
		       uint32_t page)
{
	journal->notes =
		mem_grow(journal->notes, journal->note_count,
			 &journal->note_capacity, sizeof(*journal->notes));
	journal->notes[journal->note_count++] = (struct journal_note){
		roster->pages[page].page, page, roster_label(roster, page)};
}

void journal_note_set(struct journal *journal, struct roster *roster,
		      uint32_t set)
{
	if (roster->sets[set].call == journal->call)
		return;
	roster->sets[set].call = journal->call;
	for (uint32_t i = roster->sets[set].first_page; i != NOBODY;
	     i = roster->pages[i].next)
		journal_note_page(journal, roster, i);
}

void journal_move_set(struct journal *journal, struct roster *roster,
		      uint32_t set, uint32_t component)
{
	journal_note_set(journal, roster, set);
	roster_move_set(roster, set, component);
}

void journal_add_fresh(struct journal *journal, uint32_t component,
		       uint32_t origin)
{
	journal->fresh =
		mem_grow(journal->fresh, journal->fresh_count,
			 &journal->fresh_capacity, sizeof(*journal->fresh));
	journal->fresh[journal->fresh_count++] =
		(struct journal_fresh){component, origin};
}

void journal_add_merge(struct journal *journal, uint32_t from, uint32_t into)
{
	if (from == 0)
		return;
	journal->merges =
		mem_grow(journal->merges, journal->merge_count,
			 &journal->merge_capacity, sizeof(*journal->merges));
	journal->merges[journal->merge_count++] =
		(struct journal_merge){from, into};
}

static void add_event(struct journal *journal, struct linkage_event event)
{
	journal->events =
		mem_grow(journal->events, journal->event_count,
			 &journal->event_capacity, sizeof(*journal->events));
	journal->events[journal->event_count++] = event;
}

static void name_fresh(struct journal *journal, struct roster *roster,
		       uint32_t *next_label)
{
	for (size_t i = 0; i < journal->fresh_count; i++) {
		struct journal_fresh fresh = journal->fresh[i];
		struct linkage_event event = {LINKAGE_NEW, 0, fresh.origin};

		/* Merged again in the same call. */
		if (roster->components[fresh.component].set_count == 0)
			continue;
		if (*next_label == 0)
			*next_label = 1; /* 0 means "not there" */
		event.cluster = (*next_label)++;
		if (fresh.origin != 0)
			event.kind = LINKAGE_SPLIT;
		roster_name(roster, fresh.component, event.cluster);
		add_event(journal, event);
	}
}

static void list_moves(struct journal *journal, const struct roster *roster)
{
	for (size_t i = 0; i < journal->note_count; i++) {
		struct journal_note note = journal->notes[i];
		uint32_t label = roster_label(roster, note.row);

		if (label == note.from)
			continue;
		journal->moves = mem_grow(journal->moves, journal->move_count,
					  &journal->move_capacity,
					  sizeof(*journal->moves));
		journal->moves[journal->move_count++] =
			(struct linkage_move){note.page, note.from, label,
					      roster->pages[note.row].set};
	}
}

static void tell_merges(struct journal *journal, const struct roster *roster)
{
	for (size_t i = 0; i < journal->merge_count; i++) {
		struct journal_merge merge = journal->merges[i];

		add_event(journal,
			  (struct linkage_event){
				  LINKAGE_MERGED, merge.label,
				  roster->components[merge.component].label});
	}
}

struct linkage_changes journal_end(struct journal *journal,
				   struct roster *roster, uint32_t *next_label)
{
	const struct dictionary *dictionary = &roster->dictionary;

	name_fresh(journal, roster, next_label);
	tell_merges(journal, roster);
	if (journal->vacant != 0)
		add_event(journal, (struct linkage_event){LINKAGE_GONE,
							  journal->vacant, 0});
	list_moves(journal, roster);
	return (struct linkage_changes){
		.moves = journal->moves,
		.move_count = journal->move_count,
		.events = journal->events,
		.event_count = journal->event_count,
		.dropped_shingles = dictionary->dropped.items,
		.dropped_shingle_count = dictionary->dropped.count,
		.added_shingles = dictionary->added.items,
		.added_shingle_count = dictionary->added.count,
		.dropped_set = journal->dropped_set,
		.added_set = journal->added_set,
	};
}

size_t journal_bytes(const struct journal *journal)
{
	return journal->note_capacity * sizeof(*journal->notes) +
	       journal->fresh_capacity * sizeof(*journal->fresh) +
	       journal->move_capacity * sizeof(*journal->moves) +
	       journal->merge_capacity * sizeof(*journal->merges) +
	       journal->event_capacity * sizeof(*journal->events);
}
