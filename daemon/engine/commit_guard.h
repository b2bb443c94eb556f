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
	/* number of the site on which the guard was tested; 0 = any */
	uint32_t site;
	/* number of the guard to delete; or out: number of the new guard */
	uint32_t number;
	/* of the new guard: cluster, limits, language and texts */
	struct guard_row guard;
	/*
	 * results of the new guard on stored pages: the format is described in
	 * daemon/privsep/analyse_task.h, but with "url" instead of "guard", and
	 * with the "hash" of the page's content
	 */
	struct slice found;
};

/* The name of the selector of a guard that watches the pages of a template. */
#define GUARD_ALL_TEXTS "all"

/* Return "css", "xpath" or "text". */
const char *guard_language_name(const struct guard_row *guard);
json_t *guard_selector_json(const struct guard_row *guard);

/* The pages of a guard as evidence for its state. */

/*
 * Return {"guard", "name", "selector", "language", "xpath", "expect", "seen",
 * "agreed", "failed", "checked", "pages": [{"url", "matches", "value", "path",
 * "good"}, ...], "candidates": [{"selector", "xpath", "score", "pages",
 * "example"}, ...]}. Of the `seen` recent pages, `agreed` confirm the state of
 * the guard. Of the `checked` pages, the guard fails on `failed`. `pages` has
 * up to 10 pages on which the guard fails, or, if it fails on none, on which it
 * holds. `candidates` are selectors that could replace the guard's selector;
 * the list is empty if the guard fails on no page.
 */
json_t *guard_evidence(struct txn *txn, uint32_t site, uint32_t number,
		       const struct guard_row *guard);

/* Write the expected number of matches as text: "1", "1..", "2..5". */
void guard_expect(const struct guard_row *guard, char out[32]);

/*
 * The decision whether a guard is firing. One failing page is not enough,
 * because its author may just have edited it. If GUARD_AGREEING of the last
 * GUARD_RECENT pages with evidence fail, or all of them if there are fewer
 * pages, the guard is suspected: GUARD_SAMPLE pages are fetched. It is firing
 * if all of them fail. If only most of them fail, the failing pages are fetched
 * again, because a site may also alternate. If fewer pages fail, their content
 * is the cause. A firing guard is resolved when GUARD_AGREEING pages hold.
 * These functions are pure.
 */

enum {
	GUARD_AGREEING = 2,
	/* maximum number of pages that are fetched for a suspected guard */
	GUARD_SAMPLE = 16,
	/* number of pages that suffice if the guard fails on all or few */
	GUARD_CLEAR = 8,
};

/*
 * guard_holds() returns whether the guard is satisfied by this number of
 * matches; guard_fails() whether it is violated. UINT32_MAX means that the
 * guard was not evaluated: then both return false.
 */
bool guard_holds(const struct guard_row *guard, uint32_t matches);
bool guard_fails(const struct guard_row *guard, uint32_t matches);

/* A visit of a page, with the results of the guard before and now. */
struct guard_visit {
	uint64_t page;
	bool is_known; /* the guard had checked the page before */
	bool did_fail; /* the guard failed on the page at that check */
	bool fails;
};

/*
 * Return whether the visit is evidence about the state of the guard. For a
 * guard that holds, it is evidence unless the guard failed on the page before
 * and still fails: that page was only edited. For a firing guard, it is
 * evidence unless the guard held on the page before and still holds.
 */
bool guard_visit_is_news(const struct guard_row *guard,
			 const struct guard_visit *visit);

/* Add the page to the recent pages with evidence, as the latest one. */
void guard_add_visit(struct guard_row *guard, const struct guard_visit *visit);

/*
 * Remove the page from the recent pages, because it was deleted or is now a
 * redirect.
 */
void guard_remove_visit(struct guard_row *guard, uint64_t page);

/* Return on how many of the recent pages the guard fails. */
uint32_t guard_recent_bad(const struct guard_row *guard);

/*
 * Return the state (enum guard_state) that follows from the guard's recent
 * pages.
 */
uint16_t guard_state_of(const struct guard_row *guard);

/* The results of a suspected guard since its state has changed. */
struct guard_sample {
	uint32_t checked; /* number of pages that the guard checks */
	uint32_t seen;    /* number of these that were fetched since then */
	uint32_t failing; /* number of fetched pages on which it fails */
	/* number of failing pages that were not fetched again yet */
	uint32_t pending;
	bool is_late; /* the time to wait for fetches is over */
};

/* Return the state that follows from the sample of a guard in this state. */
uint16_t guard_state_of_sample(uint16_t state,
			       const struct guard_sample *sample);

/*
 * Return whether pages are being fetched to find out the state of the guard, or
 * of any guard of the site.
 */
bool guard_is_being_checked(const struct guard_row *guard);
bool guards_are_being_checked(struct txn *txn, uint32_t site);

/* Remove the recent pages that contradict the new state of the guard. */
void guard_begin_state(struct guard_row *guard);

/* A check of the guards of a site, for `templatectl verify`. */

/*
 * Check for each guard of the site that its count of failing pages equals the
 * number of its page rows for which guard_fails() is true. Damaged rows are
 * ignored; store_verify() reports them.
 */
void invariants_verify_guards(struct txn *txn, const struct site_row *site,
			      struct verify_report *report);

/*
 * Append to `list` the guards of the site `host` that are not suspended, each
 * with its last good result on the page of `url`. An item is a struct
 * wanted_guard (daemon/privsep/messages.h).
 */
void guard_check_read(struct store *store, const char *host, struct slice url,
		      struct buffer *list);

#endif
