/*
 * daemon/engine/guard_state.h - decide whether a guard is firing. A single page
 * may just have been edited, so the state changes only when GUARD_AGREEING of
 * the last GUARD_RECENT pages with evidence agree, or all if there are fewer.
 * Pure.
 */
#ifndef DAEMON_ENGINE_GUARD_STATE_H
#define DAEMON_ENGINE_GUARD_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "store/rows_guard.h"

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

#endif
