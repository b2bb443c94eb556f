/*
 * daemon/watch/inspection_evidence.h - the evidence of an event, as JSON for
 * people and programs. Pure.
 */
#ifndef DAEMON_WATCH_INSPECTION_EVIDENCE_H
#define DAEMON_WATCH_INSPECTION_EVIDENCE_H

#include <jansson.h>

#include "daemon/watch/inspection_plan.h"

/* How the pages of a template moved, from which version to which. */
json_t *evidence_of_step(const struct plan *plan,
			 const struct subject_facts *facts,
			 const struct step *step, struct arena *scratch);

/* Where the pages of a template that has ended are now, and which event said
 * something else. */
json_t *evidence_of_correction(const struct plan *plan,
			       const struct subject_facts *facts,
			       const struct step *step);

/* What a new template is like. */
json_t *evidence_of_new(const struct taken_version *taken);

/* The text of the value, in the arena; the value is ended. */
struct slice evidence_text(struct arena *arena, json_t *value);

#endif
