#include "cluster/change_set.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

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

void change_set_free(struct change_set *change_set)
{
	free(change_set->notes);
	free(change_set->fresh);
	free(change_set->merges);
	free(change_set->moves);
	free(change_set->events);
	*change_set = (struct change_set){0};
}

/* Free the memory of a call that has changed very many pages. */
static void change_set_free_excess(struct change_set *change_set)
{
	if (change_set->note_capacity <= KEPT_CAPACITY)
		return;
	free(change_set->notes);
	free(change_set->moves);
	change_set->notes = NULL;
	change_set->moves = NULL;
	change_set->note_capacity = 0;
	change_set->move_capacity = 0;
}

void change_set_begin(struct change_set *change_set)
{
	change_set_free_excess(change_set);
	change_set->call++;
	change_set->note_count = 0;
	change_set->fresh_count = 0;
	change_set->merge_count = 0;
	change_set->vacant = 0;
	change_set->dropped_set = LINKAGE_NONE;
	change_set->added_set = LINKAGE_NONE;
	change_set->move_count = 0;
	change_set->event_count = 0;
}

void change_set_note_page(struct change_set *change_set,
			  const struct signature_table *table, uint32_t page)
{
	assert(page < table->page_rows);
	change_set->notes = mem_grow(change_set->notes, change_set->note_count,
				     &change_set->note_capacity,
				     sizeof(*change_set->notes));
	change_set->notes[change_set->note_count++] =
		(struct change_set_note){table->pages[page].page, page,
					 signature_table_label(table, page)};
}

void change_set_note_set(struct change_set *change_set,
			 struct signature_table *table, uint32_t set)
{
	assert(set < table->set_rows);
	if (table->sets[set].call == change_set->call)
		return;
	table->sets[set].call = change_set->call;
	for (uint32_t i = table->sets[set].first_page; i != NO_TABLE_ROW;
	     i = table->pages[i].next)
		change_set_note_page(change_set, table, i);
}

void change_set_move_set(struct change_set *change_set,
			 struct signature_table *table, uint32_t set,
			 uint32_t component)
{
	change_set_note_set(change_set, table, set);
	signature_table_move_set(table, set, component);
}

void change_set_add_fresh(struct change_set *change_set, uint32_t component,
			  uint32_t origin)
{
	change_set->fresh = mem_grow(change_set->fresh, change_set->fresh_count,
				     &change_set->fresh_capacity,
				     sizeof(*change_set->fresh));
	change_set->fresh[change_set->fresh_count++] =
		(struct change_set_fresh){component, origin};
}

void change_set_add_merge(struct change_set *change_set, uint32_t from,
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

		/* merged into another component in the same call */
		if (table->components[fresh.component].set_count == 0)
			continue;
		if (*next_label == 0)
			*next_label = 1; /* 0 means "absent" */
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

static void change_set_report_merges(struct change_set *change_set,
				     const struct signature_table *table)
{
	for (size_t i = 0; i < change_set->merge_count; i++) {
		struct change_set_merge merge = change_set->merges[i];

		change_set_add_event(
			change_set,
			(struct linkage_event){
				LINKAGE_MERGED, merge.label,
				table->components[merge.component].label});
	}
}

struct linkage_changes change_set_end(struct change_set *change_set,
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

size_t change_set_bytes(const struct change_set *change_set)
{
	return change_set->note_capacity * sizeof(*change_set->notes) +
	       change_set->fresh_capacity * sizeof(*change_set->fresh) +
	       change_set->move_capacity * sizeof(*change_set->moves) +
	       change_set->merge_capacity * sizeof(*change_set->merges) +
	       change_set->event_capacity * sizeof(*change_set->events);
}
