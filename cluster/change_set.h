/*
 * cluster/change_set.h - the net changes of one call of the linkage, without
 * components that appear and disappear within the call, and pages that return
 * to their label. Internal to cluster/.
 */
#ifndef CLUSTER_CHANGE_SET_H
#define CLUSTER_CHANGE_SET_H

#include <stddef.h>
#include <stdint.h>

#include "cluster/linkage.h"
#include "cluster/signature_table.h"

struct change_set_note;
struct change_set_fresh;
struct change_set_merge;

/* Initialise with {0}; free with change_set_free(). */
struct change_set {
	uint64_t call;                 /* number of the current call */
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
	uint32_t
		vacant; /* label of a component that became empty when the page
			   left it, while no other component has it; 0 = none */
	struct linkage_move *moves;
	size_t move_count;
	size_t move_capacity;
	struct linkage_event *events;
	size_t event_count;
	size_t event_capacity;
};

void change_set_free(struct change_set *change_set);

/* Clear the changes of the last call. */
void change_set_begin(struct change_set *change_set);

/*
 * Store the label of `page` (a row) before it may change: once per call, while
 * the page is in no set, or in a set that is not stored.
 */
void change_set_note_page(struct change_set *change_set,
			  const struct signature_table *table, uint32_t page);

/* Do the same for all pages of `set`; a second call does nothing. */
void change_set_note_set(struct change_set *change_set,
			 struct signature_table *table, uint32_t set);

/* Move `set` to `component` and store its pages. */
void change_set_move_set(struct change_set *change_set,
			 struct signature_table *table, uint32_t set,
			 uint32_t component);

/*
 * Store a new component without a label, split from the component with the
 * label `origin`, or 0. It may disappear within the call, but its row must not
 * be reused for another component in this call. Labels are assigned in the
 * order of these calls.
 */
void change_set_add_fresh(struct change_set *change_set, uint32_t component,
			  uint32_t origin);

/*
 * Store that the component with the label `from` was merged into `into`. Do
 * nothing if `from` is 0.
 */
void change_set_add_merge(struct change_set *change_set, uint32_t from,
			  uint32_t into);

/* Assign labels to the remaining new components, and return the changes. */
struct linkage_changes change_set_end(struct change_set *change_set,
				      struct signature_table *table,
				      uint32_t *next_label);

/* Return the approximate memory in bytes. */
size_t change_set_bytes(const struct change_set *change_set);

#endif
