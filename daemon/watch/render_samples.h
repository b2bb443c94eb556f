/*
 * daemon/watch/render_samples.h - request pages to find out whether the pages
 * of their templates must be rendered (daemon/engine/render_decision.h). A
 * template has one sample for each of its versions; another one if the first
 * could not be rendered, if a page looks as if the decision were outdated, and
 * if it is old.
 */
#ifndef DAEMON_WATCH_RENDER_SAMPLES_H
#define DAEMON_WATCH_RENDER_SAMPLES_H

#include "base/error.h"
#include "daemon/engine/commit_event.h"
#include "daemon/watch/collect.h"
#include "daemon/watch/decide.h"

enum {
	MAX_RENDER_ATTEMPTS = 3, /* samples of a version */
	MAX_AWAITED_SAMPLES = 2, /* of a site, at the same time */
	/* after this time a decision is checked by another sample */
	RENDER_DAYS = 30,
	/* if a sample has no result until then, it is requested again */
	RENDER_SAMPLE_MS = 60 * 60 * 1000,
};

/*
 * Return whether a sample of the live template must be requested. `row` may be
 * NULL: the template has none.
 */
bool render_sample_is_due(const struct site_row *site,
			  const struct template_row *template,
			  const struct render_row *row, uint64_t now_ms);

/*
 * Set findings->renders, in `arena`. Lower *next_ms to the time when an awaited
 * sample is cancelled. Errors of the transaction.
 */
enum error render_samples_make(struct store *store,
			       const struct watch_plan *plan,
			       struct arena *arena,
			       struct template_updates *findings,
			       uint64_t *next_ms);

#endif
