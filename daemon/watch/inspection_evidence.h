/*
 * daemon/watch/inspection_evidence.h - the evidence of an event, as JSON for
 * users and programs. Pure.
 */
#ifndef DAEMON_WATCH_INSPECTION_EVIDENCE_H
#define DAEMON_WATCH_INSPECTION_EVIDENCE_H

#include <jansson.h>

#include "daemon/watch/inspection_plan.h"

/*
 * Return how the pages of a template moved, with the versions before and after.
 */
json_t *evidence_of_decision(const struct watch_plan *plan,
			     const struct template_facts *facts,
			     const struct decision *step,
			     struct arena *scratch);

/*
 * Return where the pages of an ended template are now, and which event reported
 * another place.
 */
json_t *evidence_of_correction(const struct watch_plan *plan,
			       const struct template_facts *facts,
			       const struct decision *step);

/* Return the description of a new template. */
json_t *evidence_of_new(const struct built_version *taken);

/* Return the text of the value in the arena; release the value. */
struct slice evidence_text(struct arena *arena, json_t *value);

#endif
