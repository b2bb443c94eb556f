/*
 * daemon/watch/inspection_state.h - the watcher of one template as a state
 * machine: its states, the signals that a site check derives from the data, the
 * action of each signal and the next state. The table is in inspection_state.c;
 * inspection_signal.c finds the signal.
 *
 *            FOUND         DISSENT            PARTED
 *   UNKNOWN ───────▶ CALM ─────────▶ ASKING ─────────▶ DIVIDED
 *                    ▲  ▲               │ │             │  ▲
 *                    │  └─ continues ───┘ │     DISSENT │  │ PARTED
 *                    │                    │             ▼  │
 *                    ├── continues ───────│──────────── RECHECK
 *           RETURNED │                    │                │
 *                    ├── LEAVING ◀────────┴── ends ────────┘
 *                    │     ▼ ARRIVED
 *                    └── ENDED ◀── VANISHED
 *
 *   continues: SAME, THINNED, DRIFTED, CHANGED, DEPLETED, ABANDONED, and SPLIT
 *   out of RECHECK;
 *   ends: REPLACED, RENUMBERED, MERGED, LED_AWAY, VANISHED, and RECUT out of
 *   any state.
 *
 * An incident has two stages. When the sample shows that the template has
 * changed or ended (SUSPECTED), all of its pages are fetched. The result is
 * decided when the site is at rest: no visit is pending, and its threshold is
 * chosen. So an event depends on the pages and not on the order in which they
 * were fetched. Both stages are limited: missing pages get one hour, and the
 * site must be at rest five minutes or six rounds after the sample was fetched.
 *
 * Each incident ends in an event: an alert, or incident.closed, which states
 * why there is nothing to report.
 *
 * A new threshold may move the pages of an ended template again. For one round
 * (LEAVING) a later event corrects the reported place whenever the site is at
 * rest; its detail names the earlier event in `corrects`.
 *
 * If no pages can be fetched - a site without a watch interval, a sample, an
 * archive - there is no DISSENT: the stored pages decide immediately, also in
 * CALM and DIVIDED.
 */
#ifndef DAEMON_WATCH_INSPECTION_STATE_H
#define DAEMON_WATCH_INSPECTION_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "store/rows_template.h"

enum watch_state {
	WATCH_NEVER,         /* the signal is impossible in that state */
	WATCH_UNKNOWN,       /* a cluster that is not a template yet */
	WATCH_SAMPLING,      /* each round fetches a few of its sample pages */
	WATCH_CHECKING,      /* all of its sample pages are fetched once */
	WATCH_SPLIT_PENDING, /* a part of them was elsewhere: report it if that
			  is still so one round later */
	WATCH_RECHECKING,    /* divided, and all are fetched again */
	WATCH_MIGRATING, /* replaced or merged: for one round, correct where its
			  pages went */
	WATCH_RETIRED,   /* replaced, merged, or vanished */
	WATCH_STATES
};

/* The pages that an incident fetches. */
enum watch_stage {
	STAGE_SAMPLE, /* the sample pages */
	STAGE_ALL,    /* all pages of the template */
};

/* The pages that the newest version was built from. */
enum watch_basis {
	BASIS_WHOLE,   /* all available pages */
	BASIS_PARTIAL, /* a few, while the others are fetched */
};

/* The watcher's position for a template, as stored in template_row. */
struct watch_position {
	enum watch_state state;
	enum watch_stage stage;
	enum watch_basis basis;
};

struct watch_position watch_position_of(const struct template_row *row);

/*
 * Return the TEMPLATE_IS_* flags of a live template, which watch_position_of()
 * reads.
 */
uint16_t watch_flags_of(const struct watch_position *position);

/* Return whether an incident is open: all sample pages are fetched. */
bool watch_is_open(enum watch_state state);

enum watch_signal {
	/* a template */
	SIGNAL_QUIET, /* no more pages disagree than at the last complete fetch
		       */
	SIGNAL_OUTDATED,   /* quiet, but its version is of other pages: the
			      template has grown, the version was built from a few
			      pages, or the threshold changed */
	SIGNAL_DISSENT,    /* more pages disagree */
	SIGNAL_AWAITED,    /* not all fetches have ended */
	SIGNAL_UNSETTLED,  /* all have ended, but other pages of the site are
			      pending */
	SIGNAL_SUSPECTED,  /* the sample shows a change that must be reported */
	SIGNAL_UNREADABLE, /* it needs a version, and no page can be read */
	SIGNAL_ABANDONED,  /* the same, and the wait is over */
	SIGNAL_SAME,       /* all pages were fetched, and it continues */
	SIGNAL_THINNED,    /* it continues without some of the sample pages */
	SIGNAL_DRIFTED, /* half of the pages moved, but too little for an event:
			   accept their new state */
	SIGNAL_PARTED,  /* a part of it is elsewhere, for the first time */
	SIGNAL_SPLIT, /* the part still is elsewhere, and both are templates */
	SIGNAL_CHANGED, /* its pages moved together and are still in its cluster
			 */
	SIGNAL_DEPLETED, /* most of its pages are deleted, and it continues */
	SIGNAL_REPLACED, /* its pages changed and are in another cluster now */
	SIGNAL_RENUMBERED, /* the linkage gave it another number; its pages are
			      unchanged: not reported */
	SIGNAL_MERGED,     /* its unchanged pages are in another template now */
	SIGNAL_LED_AWAY,   /* its URLs redirect to another cluster */
	SIGNAL_VANISHED,   /* its pages are deleted */
	SIGNAL_RECUT,      /* the threshold changed, and the pages did not */
	/* a cluster that is not a live template */
	SIGNAL_YOUNG,     /* too small, or still growing */
	SIGNAL_CONTESTED, /* pages of an open inquiry are in it */
	SIGNAL_PASSING,   /* split off from others: it must rest for a round */
	SIGNAL_ABSENT,    /* too few pages have come since it ended */
	SIGNAL_FOUND,     /* a new template */
	SIGNAL_RETURNED,  /* an ended template that exists again */
	SIGNAL_SETTLING,  /* it has ended, and its pages may move again */
	SIGNAL_CORRECTED, /* its pages are elsewhere than reported */
	SIGNAL_ARRIVED,   /* its pages are where they were reported to be */
	WATCH_SIGNALS
};

enum watch_action {
	ACTION_HOLD,    /* nothing, until something changes */
	ACTION_GO_ON,   /* start the next round when it is due */
	ACTION_ASK,     /* fetch all sample pages at the same time */
	ACTION_AWAIT,   /* wait for them */
	ACTION_CLOSE,   /* close the incident; store how many pages disagreed */
	ACTION_MEND,    /* close; replace deleted sample pages by others */
	ACTION_RENEW,   /* build its version again, under the same number */
	ACTION_PART,    /* close, and fetch all again in the next round */
	ACTION_CHANGE,  /* emit the event, with the next version */
	ACTION_WIDEN,   /* fetch all pages of the cluster */
	ACTION_END,     /* end the template; keep its versions */
	ACTION_BEGIN,   /* create a template with its first or next version */
	ACTION_CORRECT, /* report where its pages are */
	ACTION_LEAVE,   /* delete its sample */
};

struct watch_transition {
	enum watch_action action;
	enum watch_state next[WATCH_STATES]; /* by current state */
};

/* Return the action and the next states of a signal. */
const struct watch_transition *watch_transition_of(enum watch_signal signal);

/*
 * Return the signal to use if no version can be built; `signal` itself if it
 * needs none.
 */
enum watch_signal watch_without_version(enum watch_signal signal);

#endif
