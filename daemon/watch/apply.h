/*
 * daemon/watch/apply.h - turn the steps of a plan into updates that
 * the engine commits in one transaction. Reads nothing: all input is in the
 * facts.
 */
#ifndef DAEMON_WATCH_APPLY_H
#define DAEMON_WATCH_APPLY_H

#include "daemon/watch/decide.h"
#include "store/rows.h"

/*
 * Growing list of updates. Initialize with zeros and the arena; finish with
 * event_draft_finish().
 */
struct event_draft {
	struct arena *arena;
	struct template_update *templates; /* [template_count] */
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
void decision_apply(const struct watch_plan *plan,
		    const struct template_facts *facts,
		    const struct decision *step, struct arena *scratch,
		    struct event_draft *draft);
void site_decision_apply(const struct watch_plan *plan,
			 const struct site_decision *step,
			 struct event_draft *draft);

/* Move the results into the arena; the draft is empty afterwards. */
void event_draft_finish(struct event_draft *draft,
			struct template_updates *findings_out);

#endif
