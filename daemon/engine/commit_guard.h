/*
 * daemon/engine/commit_guard.h - add or delete a guard. Plain data; the caller
 * owns the slices.
 */
#ifndef DAEMON_ENGINE_COMMIT_GUARD_H
#define DAEMON_ENGINE_COMMIT_GUARD_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "store/rows.h"
#include "store/txn.h"
#include "store/verify.h"

enum { MAX_SITE_GUARDS = 100 };

struct guard_change {
	bool is_delete;
	uint32_t site;   /* number of the site that it was tested on; 0 = any */
	uint32_t number; /* guard to delete; or out: the new guard */
	struct guard_row guard; /* cluster, limits, language, texts */
	/*
	 * its results on stored pages: as in daemon/privsep/analyse_task.h,
	 * with "url" instead of "guard", and the "hash" of their content
	 */
	struct slice found;
};

/* The evidence about a guard from its pages. */

/*
 * Return {"guard", "name", "selector", "language", "xpath", "expect", "seen",
 * "agreed", "failed", "checked", "pages": [{"url", "matches", "value", "path",
 * "good"}, ...], "candidates": [{"selector", "xpath", "score", "pages",
 * "example"}, ...]}: `agreed` of `seen` recent pages agree with its state;
 * `failed` of `checked` pages fail. `pages` are up to 10 that fail, or on which
 * it holds if none fails. Candidates exist only if some fail.
 */
json_t *guard_evidence(struct txn *txn, uint32_t site, uint32_t number,
		       const struct guard_row *guard);

/* "1", "1..", "2..5". */
void guard_expect(const struct guard_row *guard, char out[32]);

/*
 * Decide whether a guard is firing. A single page may just have been edited,
 * so the state changes only when GUARD_AGREEING of the last GUARD_RECENT pages
 * with evidence agree, or all if there are fewer. Pure.
 */

enum { GUARD_AGREEING = 2 };

/*
 * Return whether the guard holds with this number of matches. UINT32_MAX means
 * not evaluated: the guard neither holds nor fails.
 */
bool guard_holds(const struct guard_row *guard, uint32_t matches);
bool guard_fails(const struct guard_row *guard, uint32_t matches);

/* A page, before and now. */
struct guard_visit {
	uint64_t page;
	bool is_known; /* it was checked before */
	bool did_fail; /* result of that check */
	bool fails;
};

/*
 * Return whether the visit is evidence: for a guard that holds, that it holds
 * or begins to fail; for a firing one, that it fails or begins to hold. A page
 * that failed all along was edited and is no further evidence.
 */
bool guard_visit_is_news(const struct guard_row *guard,
			 const struct guard_visit *visit);

/* Add the page as the latest one with evidence. */
void guard_add_visit(struct guard_row *guard, const struct guard_visit *visit);

/* Remove a page that is no longer a page. */
void guard_remove_visit(struct guard_row *guard, uint64_t page);

/* Return how many of the recent pages fail. */
uint32_t guard_recent_bad(const struct guard_row *guard);

/* Return the enum guard_state that follows from its recent pages. */
uint16_t guard_state_of(const struct guard_row *guard);

/* Start a new state: drop the older evidence against it. */
void guard_begin_state(struct guard_row *guard);

/* Verify the guards of a site. */

/*
 * Check that each guard counts exactly the pages on which it fails
 * (guard_fails()). store_verify() reports damaged rows.
 */
void invariants_verify_guards(struct txn *txn, const struct site_row *site,
			      struct verify_report *report);

/*
 * Append the guards of the site `host` that are not suspended, each with its
 * last good result on the page of `url`: a list of struct wanted_guard
 * (daemon/privsep/messages.h).
 */
void guard_check_read(struct store *store, const char *host, struct slice url,
		      struct buffer *list);

#endif
