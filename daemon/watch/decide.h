/*
 * daemon/watch/decide.h - the watcher of one template as a state
 * machine: its states, the signals that a site check derives from the data, the
 * action of each signal and the next state. The table is in decide.c;
 * decide.c finds the signal.
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
#ifndef DAEMON_WATCH_DECIDE_H
#define DAEMON_WATCH_DECIDE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "daemon/watch/collect.h"
#include "store/rows.h"
#include "template/change_detector.h"

/* What the sample pages of a template show together. Pure. */

/* The observation of one sample page. */
struct sample_observation {
	enum observation kind;
	uint32_t cluster; /* its cluster, or the one that it redirects to; 0 =
			     none */
	uint64_t fetched_ms;  /* of the stored page; 0 = not a page */
	bool is_fresh;        /* its last visit was in the window */
	bool has_other_paths; /* a page that differs from before */
	bool is_moved; /* deleted, and redirects to a page of `cluster` */
};

/*
 * Observe a page. A page that was not visited since `window_ms` counts as
 * OBSERVED_UNSEEN, unless its paths differ: a page does not change back on its
 * own. A redirect also counts as unseen until its target is fetched.
 */
struct sample_observation observe_sample_page(const struct sample_page *page,
					      uint64_t window_ms);

/* A cluster that misplaced sample pages are in. */
struct misplaced_page {
	uint32_t cluster;
	uint32_t pages; /* number of sample pages in it */
	bool is_seen;   /* the page was fetched and is a page */
};

struct votes {
	struct sample_observation
		observations[MAX_TEMPLATE_SAMPLE]; /* [pages] */
	uint32_t pages;                            /* sample pages */
	struct detection detection; /* its slices belong to the arena */
	uint32_t unseen;
	uint32_t gone;
	uint32_t blocked;
	uint32_t fresh;     /* fetched in the window, or deleted */
	uint32_t elsewhere; /* number of pages in other clusters: each has its
			       stray */
	struct misplaced_page strays[MAX_TEMPLATE_SAMPLE];
	uint32_t disagreed;   /* pages that have changed or moved */
	uint32_t destination; /* where most misplaced pages are; 0 = nowhere */
	uint32_t led_to; /* the cluster that half of the sample redirects to; 0
			    = none */
	uint32_t majority; /* the cluster of more than half of the pages, if any
			    */
	uint64_t seen_ms;  /* when one of them was last seen unchanged */
	bool follows_split; /* ignore pages that follow a reported split */
	bool is_recut;      /* the threshold changed, and the pages did not */
	bool has_left; /* at a lower majority: they have changed in the same way
			  and are elsewhere */
};

struct vote_rules {
	uint64_t window_ms; /* see observe_sample_page() */
	uint16_t threshold; /* threshold of the site */
	bool is_late;       /* the wait is over */
};

/*
 * Count the votes of the sample of a live template. Pages that follow a
 * reported split are ignored until nearly all have moved. Temporary data is in
 * `arena`.
 */
void votes_count(const struct template_facts *facts,
		 const struct vote_rules *rules, struct arena *arena,
		 struct votes *votes_out);

/* The states of a template, the signals and the actions. */

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

/*
 * Turn data into a plan. Pure: no store, no clock, no I/O; the same data at
 * the same time give the same plan.
 *
 * A plan has one step per subject, in the order of watcher.c: live
 * templates first, because their pages may be in new clusters. decision_plan()
 * plans a step from the known data of its subject; if it needs more data, it
 * requests them and is called again with them. plan_add_decision() adds the
 * step to the plan, so that later steps see it. plan_site() then plans for the
 * site as a whole.
 */

enum {
	ROUND_PAGES = 3, /* pages of each template to fetch per round */
	PATIENCE_MS =
		60 * 60 * 1000,  /* maximum time to wait for fetched pages */
	REST_MS = 5 * 60 * 1000, /* maximum time to wait for the site to be at
				    rest, or this many rounds: */
	REST_ROUNDS = 6,
};

struct plan_options {
	uint32_t min_pages; /* a smaller cluster is not a template */
	uint64_t stale_ms;  /* 0 = never report a site as stale */
};

/* A subject in its planned state. */
struct planned_template {
	struct template_view subject;
	bool is_contested; /* pages of an open incident are in it: it is unknown
			      which template it belongs to */
	bool is_planned;
};

/* The plan until now. Initialize with plan_begin(). */
struct watch_plan {
	struct arena *arena; /* owns the plan */
	struct plan_options options;
	uint64_t now_ms;
	const struct site_row *site;
	uint64_t due_ms;       /* the next visit of the site */
	uint64_t suspected_ms; /* when the sample of the first template was
				  fetched whose pages are all fetched now;
				  UINT64_MAX = no such template */
	bool is_unasked;       /* a template has had no round since then */
	struct planned_template
		*subjects; /* [subject_count], ascending by cluster */
	size_t subject_count;
	uint64_t first_ms; /* when the first template of the site was created;
			      UINT64_MAX = no template */
	bool is_inquiring; /* an incident is open, and pages disagree: they may
			      be in any new cluster */
	uint32_t found;    /* number of template rows to write */
	uint32_t asked;    /* sample pages fetched in the current rounds */
	uint32_t blocked;  /* of these, pages that could not be fetched */
	uint32_t fresh;   /* of these, pages that were fetched or are deleted */
	uint64_t next_ms; /* next check without changes; UINT64_MAX = none */
};

void plan_begin(struct arena *arena, const struct site_facts *site,
		const struct plan_options *options, uint64_t now_ms,
		struct watch_plan *plan_out);

/* Return NULL if the cluster is unknown. */
struct planned_template *plan_find(const struct watch_plan *plan,
				   uint32_t cluster);

/* Return whether no page of the site is pending and its threshold is chosen. */
bool plan_is_settled(const struct watch_plan *plan);

/*
 * Return whether the plan is settled, no visit of any page is due, and all
 * templates have had a round since one was suspected to have changed.
 */
bool plan_is_at_rest(const struct watch_plan *plan);

/* Return whether the cluster has enough pages to be a template. */
bool plan_is_large(const struct watch_plan *plan,
		   const struct template_view *subject);

/*
 * Return a template that moved into the cluster or that it was split from; or
 * NULL.
 */
const struct template_view *plan_parent(const struct watch_plan *plan,
					uint32_t cluster);

/* An event; its evidence comes from the facts and votes. */
struct plan_event {
	enum event_kind kind; /* 0 = none */
	const char *reason;   /* in addition to the numbers; or NULL */
	uint32_t agreed;      /* number of pages that agree */
	uint64_t corrects;    /* number of an earlier event; 0 = none */
};

/* The decision about one subject. */
struct decision {
	struct data_request
		wish; /* if the facts do not have it, nothing else is set */
	enum watch_signal signal;
	enum watch_action action;
	uint32_t cluster;
	struct votes votes;      /* of a live template */
	struct template_row row; /* the new row; its lineage is in the arena */
	bool is_written;         /* write the row */
	struct plan_event event;
	uint64_t
		visits[MAX_TEMPLATE_SAMPLE]; /* [visit_count], pages to fetch */
	uint32_t visit_count;
	uint32_t absorbed; /* the live template that it merged into, which gets
			      a new version; 0 = none */
	struct template_row absorbed_row;
	bool contests;    /* misplaced pages make their clusters contested */
	uint64_t next_ms; /* UINT64_MAX = none */
};

/* Plan a step. Temporary data of the votes is in `scratch`. */
void decision_plan(const struct watch_plan *plan,
		   const struct template_facts *facts, struct arena *scratch,
		   struct decision *step_out);

/* Add a step to the plan; later steps see its result. */
void plan_add_decision(struct watch_plan *plan, const struct decision *step);

/* The decision about the site as a whole. */
struct site_decision {
	uint32_t set_flags; /* of SITE_FINDINGS */
	uint32_t clear_flags;
	bool is_blocked;    /* has just become so: emit an event */
	bool is_stale;      /* has just become so: emit an event */
	uint64_t unseen_ms; /* time without a page */
	uint64_t next_ms;   /* UINT64_MAX = none */
};

void plan_site(const struct watch_plan *plan, struct site_decision *step_out);

/* decide.c: turn votes into a signal. */
enum watch_signal signal_of_template(const struct watch_plan *plan,
				     const struct template_facts *facts,
				     const struct votes *votes);

/* decide_template.c: a cluster that is not a live template. */
void decision_plan_cluster(const struct watch_plan *plan,
			   const struct template_facts *facts,
			   struct decision *step);

/* decide_template.c: a live template, with its votes in the step. */
void decision_plan_template(const struct watch_plan *plan,
			    const struct template_facts *facts,
			    struct decision *step);

/* Return how long an incident waits for the site to be at rest. */
uint64_t plan_rest_ms(const struct watch_plan *plan);

/* Start new rounds of the row's sample from now on. */
void template_row_settle(const struct watch_plan *plan,
			 struct template_row *row);

/* Check again at this time at the latest. */
void decision_wait_until(struct decision *step, uint64_t time_ms);

/* The evidence of an event, as JSON for users and programs. Pure. */

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

/* The stored history of a template: a JSON array, oldest entry first. */

/* The clusters that have the sample pages of a template now. */
struct page_moves {
	struct destination
		items[MAX_TEMPLATE_SAMPLE]; /* [count], most pages first;
					       cluster 0 = deleted pages */
	uint32_t count;
};

struct page_moves page_moves_of(const struct template_facts *facts);

/*
 * Return the cluster with most of the pages, except `self` and 0; for equal
 * numbers `likely`, otherwise the smallest number. 0 = no cluster.
 */
uint32_t page_moves_main(const struct page_moves *flows, uint32_t self,
			 uint32_t likely);

struct lineage_entry {
	const char *kind;
	uint32_t other; /* the other cluster of the change; 0 = none */
	const struct page_moves *flows; /* or NULL */
};

/* Return the lineage with one more entry, in the arena of the plan. */
struct slice lineage_add(const struct watch_plan *plan, struct slice lineage,
			 const struct lineage_entry *entry);

/*
 * Turn the decisions of a plan into updates that the engine commits in one
 * transaction. All input is in the facts.
 */

/*
 * Growing list of updates. Initialize with zeros and the arena; finish with
 * event_draft_finish().
 */
struct event_draft {
	struct arena *arena;
	struct template_update *templates; /* [template_count] */
	size_t template_count;
	size_t template_capacity;
	struct event_row *events; /* [event_count] */
	size_t event_count;
	size_t event_capacity;
	uint64_t *visits; /* [visit_count] */
	size_t visit_count;
	size_t visit_capacity;
};

/*
 * Apply a step. Temporary data is in `scratch`, results are in the draft's
 * arena.
 */
void decision_apply(const struct watch_plan *plan,
		    const struct template_facts *facts,
		    const struct decision *step, struct arena *scratch,
		    struct event_draft *draft);
void site_decision_apply(const struct watch_plan *plan,
			 const struct site_decision *step,
			 struct event_draft *draft);

/* Move the results into the arena; the draft is empty afterwards. */
void event_draft_finish(struct event_draft *draft,
			struct template_updates *findings_out);

#endif
