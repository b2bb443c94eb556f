/*
 * daemon/watch/inspection_apply.h - steps of a plan become the findings that
 * the engine commits in one piece. Reads nothing: what it writes down is in the
 * facts.
 */
#ifndef DAEMON_WATCH_INSPECTION_APPLY_H
#define DAEMON_WATCH_INSPECTION_APPLY_H

#include "daemon/watch/inspection_plan.h"
#include "store/rows_event.h"

/* Findings while they grow. Begin with zero and the arena; end with
 * draft_end(). */
struct draft {
	struct arena *arena;
	struct template_finding *templates; /* [template_count] */
	size_t template_count;
	size_t template_capacity;
	struct event_row *events; /* [event_count] */
	size_t event_count;
	size_t event_capacity;
	uint64_t *visits; /* [visit_count] */
	size_t visit_count;
	size_t visit_capacity;
};

/* Scratch is of `scratch`, what is found of the draft's arena. */
void step_apply(const struct plan *plan, const struct subject_facts *facts,
		const struct step *step, struct arena *scratch,
		struct draft *draft);
void site_step_apply(const struct plan *plan, const struct site_step *step,
		     struct draft *draft);

/* The findings move into the arena, and the draft is empty. */
void draft_end(struct draft *draft, struct findings *findings_out);

#endif
