/*
 * daemon/engine/guard_state.h - is a guard broken? One page is edited, others
 * are not: so it is broken, or holds again, when GUARD_AGREEING of the last
 * GUARD_RECENT pages that told something say so, or all pages when it has
 * fewer. Pure.
 */
#ifndef DAEMON_ENGINE_GUARD_STATE_H
#define DAEMON_ENGINE_GUARD_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "store/rows_guard.h"

enum { GUARD_AGREEING = 2 };

/*
 * Does it hold with so many matches? What could not be evaluated, UINT32_MAX,
 * does not hold, and does not fail, either.
 */
bool guard_holds(const struct guard_row *guard, uint32_t matches);
bool guard_fails(const struct guard_row *guard, uint32_t matches);

/* A page, before and now. */
struct guard_visit {
	uint64_t page;
	bool is_known; /* it was checked before */
	bool did_fail; /* then */
	bool fails;
};

/*
 * Does it tell something? That a guard holds, or begins to fail; of a broken
 * one, that it fails, or begins to hold. What failed all along is an edit that
 * is known, and says nothing again and again.
 */
bool guard_visit_is_news(const struct guard_row *guard,
			 const struct guard_visit *visit);

/* The page is the last one that told something. */
void guard_remember(struct guard_row *guard, const struct guard_visit *visit);

/* The page is none any more. */
void guard_forget(struct guard_row *guard, uint64_t page);

/* How many of the recent pages fail. */
uint32_t guard_recent_bad(const struct guard_row *guard);

/* enum guard_state, by its recent pages. */
uint16_t guard_state_of(const struct guard_row *guard);

/* It has come to its state: what was against it is of the time before. */
void guard_begin_state(struct guard_row *guard);

#endif
