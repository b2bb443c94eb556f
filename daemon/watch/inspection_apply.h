/*
 * daemon/watch/inspection_apply.h - turn the steps of a plan into updates that
 * the engine commits in one transaction. Reads nothing: all input is in the
 * facts.
 */
#ifndef DAEMON_WATCH_INSPECTION_APPLY_H
#define DAEMON_WATCH_INSPECTION_APPLY_H

#include "daemon/watch/inspection_plan.h"
#include "store/rows_event.h"

/*
 * Growing list of updates. Initialize with zeros and the arena; finish with
 * draft_end().
 */
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

/*
 * Apply a step. Temporary data is in `scratch`, results are in the draft's
 * arena.
 */
void step_apply(const struct plan *plan, const struct subject_facts *facts,
		const struct step *step, struct arena *scratch,
		struct draft *draft);
void site_step_apply(const struct plan *plan, const struct site_step *step,
		     struct draft *draft);

/* Move the results into the arena; the draft is empty afterwards. */
void draft_end(struct draft *draft, struct findings *findings_out);

#endif
