/*
 * cluster/change_set.h - what one call changes in the linkage, and of that what
 * is left at its end: components that came to be and went again, and pages
 * that came back to their label, are not told. Internal to cluster/.
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

/* Begin with {0}; end with change_set_free(). */
struct change_set {
	uint64_t call;                 /* counts the calls */
	struct change_set_note *notes; /* pages whose label may have changed */
	size_t note_count;
	size_t note_capacity;
	struct change_set_fresh *fresh; /* components that came to be */
	size_t fresh_count;
	size_t fresh_capacity;
	struct change_set_merge *merges;
	size_t merge_count;
	size_t merge_capacity;
	uint32_t dropped_set; /* as in struct linkage_changes */
	uint32_t added_set;   /* the same */
	uint32_t vacant; /* label of the component that the page left empty;
			    0: none, or it was given to another one */
	struct linkage_move *moves;
	size_t move_count;
	size_t move_capacity;
	struct linkage_event *events;
	size_t event_count;
	size_t event_capacity;
};

void change_set_free(struct change_set *change_set);

/* Forget the last call. */
void change_set_begin(struct change_set *change_set);

/* Before the label of `page` (a row) may change: once in a call, and as long as
 * the page is in no set, or in one that is not noted. */
void change_set_note_page(struct change_set *change_set,
			  const struct signature_table *table, uint32_t page);

/* The same for all pages of `set`; again is a no-op. */
void change_set_note_set(struct change_set *change_set,
			 struct signature_table *table, uint32_t set);

/* Move `set` to `component`, noting its pages. */
void change_set_move_set(struct change_set *change_set,
			 struct signature_table *table, uint32_t set,
			 uint32_t component);

/* The component, which has no name, came to be; out of that of the label
 * `origin`, or 0. It may go again, but its row is not used for another in this
 * call. Names are given in the order of these calls. */
void change_set_add_fresh(struct change_set *change_set, uint32_t component,
			  uint32_t origin);

/* The label `from` went into that of the component `into`, which stays; no
 * change when `from` is 0. */
void change_set_add_merge(struct change_set *change_set, uint32_t from,
			  uint32_t into);

/* Name the fresh components that are left, and tell what changed. */
struct linkage_changes change_set_end(struct change_set *change_set,
				      struct signature_table *table,
				      uint32_t *next_label);

/* Memory, about. */
size_t change_set_bytes(const struct change_set *change_set);

#endif
