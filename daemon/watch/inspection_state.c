#include "daemon/watch/inspection_state.h"

#include <assert.h>

#include "store/rows_template.h"

/* clang-format off */

/* x = never; the columns are the states before, UNKNOWN to ENDED. */
#define WATCH_x WATCH_NEVER
#define ROW(signal, action, u, c, a, d, r, l, e)                          \
	[SIGNAL_##signal] = {ACTION_##action,                          \
			     {WATCH_x, WATCH_##u, WATCH_##c, WATCH_##a, \
			      WATCH_##d, WATCH_##r, WATCH_##l, WATCH_##e}}

/*
 * signal     action  UNKNOWN  CALM     ASKING   DIVIDED  RECHECK  LEAVING  ENDED
 */
static const struct watch_transition transitions[WATCH_SIGNALS] = {
ROW(QUIET,      GO_ON,  x,       SAMPLING,    x,       SPLIT_PENDING, x,       x,       x),
ROW(OUTDATED,   RENEW,  x,       SAMPLING,    x,       SAMPLING,    x,       x,       x),
ROW(DISSENT,    ASK,    x,       CHECKING,  x,       RECHECKING, x,       x,       x),
ROW(AWAITED,    AWAIT,  x,       x,       CHECKING,  x,       RECHECKING, x,       x),
ROW(UNSETTLED,  AWAIT,  x,       SAMPLING,    CHECKING,  SPLIT_PENDING, RECHECKING, x,       x),
ROW(SUSPECTED,  WIDEN,  x,       x,       CHECKING,  x,       RECHECKING, x,       x),
ROW(UNREADABLE, AWAIT,  UNKNOWN, SAMPLING,    CHECKING,  SPLIT_PENDING, RECHECKING, MIGRATING, RETIRED),
ROW(ABANDONED,  CLOSE,  x,       x,       SAMPLING,    x,       SAMPLING,    x,       x),
ROW(SAME,       CLOSE,  x,       x,       SAMPLING,    x,       SAMPLING,    x,       x),
ROW(THINNED,    MEND,   x,       x,       SAMPLING,    x,       SAMPLING,    x,       x),
ROW(DRIFTED,    RENEW,  x,       x,       SAMPLING,    x,       SAMPLING,    x,       x),
ROW(PARTED,     PART,   x,       SPLIT_PENDING, SPLIT_PENDING, SPLIT_PENDING, SPLIT_PENDING, x,       x),
ROW(SPLIT,      CHANGE, x,       SAMPLING,    SAMPLING,    SAMPLING,    SAMPLING,    x,       x),
ROW(CHANGED,    CHANGE, x,       SAMPLING,    SAMPLING,    SAMPLING,    SAMPLING,    x,       x),
ROW(DEPLETED,   CHANGE, x,       SAMPLING,    SAMPLING,    SAMPLING,    SAMPLING,    x,       x),
ROW(REPLACED,   END,    x,       MIGRATING, MIGRATING, MIGRATING, MIGRATING, x,       x),
ROW(RENUMBERED, END,    x,       MIGRATING, MIGRATING, MIGRATING, MIGRATING, x,       x),
ROW(MERGED,     END,    x,       MIGRATING, MIGRATING, MIGRATING, MIGRATING, x,       x),
ROW(LED_AWAY,   END,    x,       MIGRATING, MIGRATING, MIGRATING, MIGRATING, x,       x),
ROW(VANISHED,   END,    x,       RETIRED,   RETIRED,   RETIRED,   RETIRED,   x,       x),
ROW(RECUT,      END,    x,       MIGRATING, MIGRATING, MIGRATING, MIGRATING, x,       x),
ROW(YOUNG,      HOLD,   UNKNOWN, x,       x,       x,       x,       x,       RETIRED),
ROW(CONTESTED,  HOLD,   UNKNOWN, x,       x,       x,       x,       x,       RETIRED),
ROW(PASSING,    HOLD,   UNKNOWN, x,       x,       x,       x,       x,       RETIRED),
ROW(ABSENT,     HOLD,   x,       x,       x,       x,       x,       x,       RETIRED),
ROW(FOUND,      BEGIN,  SAMPLING,    x,       x,       x,       x,       x,       x),
ROW(RETURNED,   BEGIN,  x,       x,       x,       x,       x,       SAMPLING,    SAMPLING),
ROW(SETTLING,   HOLD,   x,       x,       x,       x,       x,       MIGRATING, x),
ROW(CORRECTED,  CORRECT, x,      x,       x,       x,       x,       MIGRATING, x),
ROW(ARRIVED,    LEAVE,  x,       x,       x,       x,       x,       RETIRED,   x),
};

#undef ROW
#undef WATCH_x
/* clang-format on */

/* The signals that are missing here need no version. */
static const enum watch_signal without_version[WATCH_SIGNALS] = {
	[SIGNAL_OUTDATED] = SIGNAL_QUIET,
	[SIGNAL_THINNED] = SIGNAL_SAME,
	[SIGNAL_DRIFTED] = SIGNAL_SAME,
	[SIGNAL_SPLIT] = SIGNAL_UNREADABLE,
	[SIGNAL_CHANGED] = SIGNAL_UNREADABLE,
	[SIGNAL_DEPLETED] = SIGNAL_UNREADABLE,
	[SIGNAL_FOUND] = SIGNAL_UNREADABLE,
	[SIGNAL_RETURNED] = SIGNAL_UNREADABLE,
};

struct watch_position watch_position_of(const struct template_row *row)
{
	bool is_divided = (row->flags & TEMPLATE_IS_DIVIDED) != 0;
	struct watch_position position = {
		.state = is_divided ? WATCH_SPLIT_PENDING : WATCH_SAMPLING,
		.stage = (row->flags & TEMPLATE_IS_SUSPECT) != 0 ? STAGE_ALL
								 : STAGE_SAMPLE,
		.basis = (row->flags & TEMPLATE_IS_PARTIAL) != 0 ? BASIS_PARTIAL
								 : BASIS_WHOLE,
	};

	if ((row->flags & TEMPLATE_IS_ASKING) != 0)
		position.state = is_divided ? WATCH_RECHECKING : WATCH_CHECKING;
	if (row->state != TEMPLATE_LIVE)
		position.state = (row->flags & TEMPLATE_IS_LEAVING) != 0
					 ? WATCH_MIGRATING
					 : WATCH_RETIRED;
	return position;
}

uint16_t watch_flags_of(const struct watch_position *position)
{
	enum watch_state state = position->state;
	unsigned flags = 0;

	assert(state >= WATCH_SAMPLING && state <= WATCH_RECHECKING);
	if (watch_is_open(state))
		flags |= TEMPLATE_IS_ASKING;
	if (state == WATCH_SPLIT_PENDING || state == WATCH_RECHECKING)
		flags |= TEMPLATE_IS_DIVIDED;
	if (position->stage == STAGE_ALL)
		flags |= TEMPLATE_IS_SUSPECT;
	if (position->basis == BASIS_PARTIAL)
		flags |= TEMPLATE_IS_PARTIAL;
	return (uint16_t)flags;
}

bool watch_is_open(enum watch_state state)
{
	return state == WATCH_CHECKING || state == WATCH_RECHECKING;
}

const struct watch_transition *watch_transition_of(enum watch_signal signal)
{
	return &transitions[signal];
}

enum watch_signal watch_without_version(enum watch_signal signal)
{
	enum watch_action action = transitions[signal].action;
	bool needs_version = action == ACTION_RENEW || action == ACTION_MEND ||
			     action == ACTION_CHANGE || action == ACTION_BEGIN;

	return needs_version ? without_version[signal] : signal;
}
