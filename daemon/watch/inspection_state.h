/*
 * daemon/watch/inspection_state.h - the watch of one template as a machine: the
 * states that it can be in, the signals that an inspection gets out of the
 * facts, what is done at each, and where that leads. The table is in
 * inspection_state.c; inspection_signal.c finds the signal.
 *
 *            FOUND         DISSENT            PARTED
 *   UNKNOWN ───────▶ CALM ─────────▶ ASKING ─────────▶ DIVIDED
 *                    ▲  ▲               │ │             │  ▲
 *                    │  └─ it goes on ──┘ │     DISSENT │  │ PARTED
 *                    │                    │             ▼  │
 *                    ├── it goes on ──────│──────────── RECHECK
 *           RETURNED │                    │                │
 *                    ├── LEAVING ◀────────┴── it ends ─────┘
 *                    │     ▼ ARRIVED
 *                    └── ENDED ◀── VANISHED
 *
 *   it goes on: SAME, THINNED, DRIFTED, CHANGED, DEPLETED, ABANDONED, and SPLIT
 *   out of RECHECK;
 *   it ends: REPLACED, RENUMBERED, MERGED, LED_AWAY, VANISHED, and RECUT out of
 *   any state.
 *
 * An inquiry has two stages. When the sample says that the template has changed
 * or ended (SUSPECTED), all of its pages are asked, and what has become of it
 * is concluded when the site is at rest: no visit is pending, and its threshold
 * is chosen. So an event depends on what the pages are, and not on the order in
 * which they came. Neither stage waits for ever: pages that do not answer have
 * an hour, and the rest has five minutes from when the sample was asked, or six
 * rounds.
 *
 * Each inquiry ends in an event: an alert, or inquiry.closed, which says that
 * nothing is to be told, and why.
 *
 * A cut may move the pages of a template again after it has ended. For a round
 * (LEAVING) that is corrected whenever the site is at rest: a later event,
 * whose detail names the earlier one that it `corrects`.
 *
 * Where nobody can be asked - a site that is not watched, a sample, an archive
 * - there is no DISSENT: what its stored pages say is concluded at once, in
 * CALM and DIVIDED, too.
 */
#ifndef DAEMON_WATCH_INSPECTION_STATE_H
#define DAEMON_WATCH_INSPECTION_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "store/rows_template.h"

enum watch_state {
	WATCH_NEVER,   /* the signal cannot be got in that state */
	WATCH_UNKNOWN, /* a cluster that was no template yet */
	WATCH_CALM,    /* a few of its sample pages are asked in each round
			*/
	WATCH_ASKING,  /* all of its sample pages are asked, once */
	WATCH_DIVIDED, /* a part of them was elsewhere: it is emitted when that
			  is still so a round later */
	WATCH_RECHECK, /* divided, and all are asked again */
	WATCH_LEAVING, /* replaced or merged: where its pages went is corrected
			  for a round */
	WATCH_ENDED,   /* replaced, merged, or vanished */
	WATCH_STATES
};

/* Who is asked in an inquiry. */
enum watch_stage {
	STAGE_SAMPLE, /* the sample pages */
	STAGE_ALL,    /* all pages of the template */
};

/* What the newest version was made of. */
enum watch_basis {
	BASIS_WHOLE,   /* all pages that it may be made of */
	BASIS_PARTIAL, /* a few, while the others are visited */
};

/* Where the watch of a template stands: as it is stored in template_row. */
struct watch_position {
	enum watch_state state;
	enum watch_stage stage;
	enum watch_basis basis;
};

struct watch_position watch_position_of(const struct template_row *row);

/* The TEMPLATE_IS_* of a live template: the same flags that such a position is
 * read from. */
uint16_t watch_flags_of(const struct watch_position *position);

/* Is an inquiry open: are all sample pages asked? */
bool watch_is_open(enum watch_state state);

enum watch_signal {
	/* a template */
	SIGNAL_QUIET,      /* no more disagree than when all were last asked */
	SIGNAL_OUTDATED,   /* quiet, but its version is of other pages: it has
			      grown, was made of a few, or the cut moved */
	SIGNAL_DISSENT,    /* more disagree */
	SIGNAL_AWAITED,    /* not all who were asked have answered */
	SIGNAL_UNSETTLED,  /* all have, and others of the site come */
	SIGNAL_SUSPECTED,  /* the sample says one of those that are told */
	SIGNAL_UNREADABLE, /* it needs a version, and no page can be read */
	SIGNAL_ABANDONED,  /* the same, and nobody is waited for any more */
	SIGNAL_SAME,       /* all were asked, and it goes on */
	SIGNAL_THINNED,    /* it goes on without some of the sample pages */
	SIGNAL_DRIFTED,    /* half of the pages moved, but not so far that it
			      is told: they are what it is by now */
	SIGNAL_PARTED,     /* a part of it is elsewhere, for the first time */
	SIGNAL_SPLIT,      /* it still is, and both are templates */
	SIGNAL_CHANGED,    /* its pages moved together, and are still its */
	SIGNAL_DEPLETED,   /* most of its pages are gone, and it goes on */
	SIGNAL_REPLACED,   /* they changed, and are another cluster's now */
	SIGNAL_RENUMBERED, /* the linkage calls them so, and they have not
			      changed: it is not told */
	SIGNAL_MERGED,     /* as they were, another template's now */
	SIGNAL_LED_AWAY,   /* its URLs lead to another cluster */
	SIGNAL_VANISHED,   /* its pages are gone */
	SIGNAL_RECUT,      /* the cut moved, and not the pages */
	/* a cluster that is no live template */
	SIGNAL_YOUNG,     /* too small, or it still grows */
	SIGNAL_CONTESTED, /* pages of an open inquiry are in it */
	SIGNAL_PASSING,   /* cut out of others: it must rest for a round */
	SIGNAL_ABSENT,    /* too few pages came since it ended */
	SIGNAL_FOUND,     /* a new template */
	SIGNAL_RETURNED,  /* that had ended, and is there again */
	SIGNAL_SETTLING,  /* it has ended, and its pages may go on */
	SIGNAL_CORRECTED, /* they are elsewhere than was said */
	SIGNAL_ARRIVED,   /* they are where they were said to be */
	WATCH_SIGNALS
};

enum watch_action {
	ACTION_HOLD,    /* nothing, until there is news */
	ACTION_GO_ON,   /* the next round, when its time has come */
	ACTION_ASK,     /* visit all sample pages at the same time */
	ACTION_AWAIT,   /* be patient with them */
	ACTION_CLOSE,   /* the inquiry; remember how many disagreed */
	ACTION_MEND,    /* close; others take the places of pages that are gone
			 */
	ACTION_RENEW,   /* make its version anew, under the same number */
	ACTION_PART,    /* close, and ask again in the next round */
	ACTION_CHANGE,  /* emit it, with the next version */
	ACTION_WIDEN,   /* visit all pages of the cluster */
	ACTION_END,     /* its versions are kept */
	ACTION_BEGIN,   /* a template, with its first or next version */
	ACTION_CORRECT, /* say where its pages are */
	ACTION_LEAVE,   /* its sample is not kept any more */
};

struct watch_transition {
	enum watch_action action;
	enum watch_state next[WATCH_STATES]; /* from each state */
};

/* What follows from the signal. */
const struct watch_transition *watch_transition_of(enum watch_signal signal);

/* The signal that it is when no version can be made; itself: it needs none. */
enum watch_signal watch_without_version(enum watch_signal signal);

#endif
