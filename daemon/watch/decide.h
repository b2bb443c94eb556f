/*
 * daemon/watch/decide.h - the watcher of a template as a state machine
 *
 * A site check derives a signal for each template from its stored data. The
 * signal and the current state determine an action and the next state. The
 * complete table is in decide.c; these are the main transitions:
 *
 *   state           signal      next state
 *   UNKNOWN         FOUND       SAMPLING
 *   SAMPLING        DISSENT     CHECKING
 *   CHECKING        PARTED      SPLIT_PENDING
 *   CHECKING        continues   SAMPLING
 *   SPLIT_PENDING   DISSENT     RECHECKING
 *   RECHECKING      PARTED      SPLIT_PENDING
 *   RECHECKING      continues   SAMPLING
 *   CHECKING        FOLLOWED    CHECKING
 *   any of these    ends        MIGRATING (not from UNKNOWN)
 *   any of these    VANISHED    RETIRED (not from UNKNOWN)
 *   MIGRATING       ARRIVED     RETIRED
 *   MIGRATING       RETURNED    SAMPLING
 *   RETIRED         FOLLOWED    RETIRED
 *   RETIRED         RETURNED    SAMPLING
 *
 *   continues: SAME, THINNED, DRIFTED, CHANGED, DEPLETED, ABANDONED, SPLIT
 *   ends: REPLACED, RENUMBERED, MERGED, LED_AWAY, RECUT
 *
 * An inquiry is open in the states CHECKING and RECHECKING. It has two stages:
 * first all sample pages are fetched. If they show that the template has
 * changed or ended (SUSPECTED), all of its pages are fetched, and the old pages
 * of clusters that began in this round: they may have been split off. The
 * watcher decides when the site is at rest, which means that no visit is
 * pending and its threshold is chosen. So an event depends on the pages and not
 * on the order of their fetches. Both stages are limited: an inquiry waits for
 * missing pages for at most one hour, and for the site to be at rest for at
 * most five minutes or six rounds.
 *
 * Each inquiry ends with an event: an alert, or template.checked, which states
 * why there is nothing to report.
 *
 * If the pages of a template are in a cluster that is no template, the template
 * follows them: the cluster gets its number (FOLLOWED), and the next check
 * decides about it. So a redesign does not change the number of a template. A
 * vanished template follows its pages in the same way when they return.
 *
 * A new threshold may move the pages of an ended template to other clusters
 * once more. Therefore the state MIGRATING lasts one round. In this round,
 * whenever the site is at rest, an event corrects the reported cluster if it is
 * no longer right; the field `corrects` of the event names the earlier event.
 *
 * If the daemon cannot fetch pages of the site (it has no watch interval, or is
 * a sample or an archive), there is no DISSENT. Then the stored pages decide
 * immediately, also in the states SAMPLING and SPLIT_PENDING.
 */
#ifndef DAEMON_WATCH_DECIDE_H
#define DAEMON_WATCH_DECIDE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "daemon/watch/collect.h"
#include "daemon/watch/health.h"
#include "store/rows.h"
#include "template/change_detector.h"

/*
 * Votes: the state of each sample page counts as a vote about its template.
 * Pure functions.
 */

/* What the current state of one sample page shows. */
struct sample_observation {
	enum observation kind;
	/* cluster of the page, or of the target of its redirect; 0 = none */
	uint32_t cluster;
	/* time when the stored page was fetched; 0 = it is not a page */
	uint64_t fetched_ms;
	bool is_fresh; /* its last visit was in the time window */
	/* it is a page whose paths differ from the sampled ones */
	bool has_other_paths;
	/* it redirects to a page of `cluster`, or that page has its content */
	bool is_moved;
};

/*
 * Return the observation for a sample page. `window_ms` is the time when the
 * check began. A page that was not visited since then is OBSERVED_UNSEEN,
 * except if its current paths differ from those in the sample, because such a
 * page is not expected to change back. A redirect also counts as unseen until
 * its target is fetched.
 */
struct sample_observation observe_sample_page(const struct sample_page *page,
					      uint64_t window_ms);

/*
 * A misplaced sample page: it is in another cluster than most pages of its
 * template.
 */
struct misplaced_page {
	uint32_t cluster;
	uint32_t pages; /* number of sample pages in that cluster */
	bool is_seen;   /* the page was fetched and is a page */
};

struct votes {
	/* [pages], one for each sample page */
	struct sample_observation observations[MAX_TEMPLATE_SAMPLE];
	uint32_t pages; /* number of sample pages */
	/* decision from the votes; its slices belong to the arena */
	struct detection detection;
	uint32_t unseen;
	uint32_t moved; /* number of sample pages that have other URLs now */
	uint32_t gone;
	uint32_t blocked;
	uint32_t elsewhere; /* number of misplaced pages, which are in `strays`
			     */
	struct misplaced_page strays[MAX_TEMPLATE_SAMPLE];
	/* number of pages that have changed or moved to another cluster */
	uint32_t disagreed;
	/* cluster that has most of the misplaced pages; 0 = none */
	uint32_t destination;
	/* cluster that half of the sample pages redirect to; 0 = none */
	uint32_t led_to;
	/* cluster of more than half of the pages; 0 = none */
	uint32_t majority;
	/* last time when one of the pages was seen unchanged; 0 = never */
	uint64_t seen_ms;
	bool follows_split; /* pages that follow a reported split are ignored */
	/* the threshold has changed, but the pages have not */
	bool is_recut;
	/*
	 * the pages have changed in the same way and are in another cluster;
	 * two thirds of them are enough for this
	 */
	bool has_left;
	/* the same, but the pages are in the template's cluster */
	bool has_changed;
};

struct vote_rules {
	/* start of the time window; see observe_sample_page() */
	uint64_t window_ms;
	uint16_t threshold; /* current threshold of the site */
	bool is_late;       /* the time to wait for fetches is over */
};

/*
 * Count the votes of the sample pages of a live template. Pages that follow a
 * reported split are ignored until nearly all have moved. Temporary data is in
 * `arena`.
 */
void votes_count(const struct template_facts *facts,
		 const struct vote_rules *rules, struct arena *arena,
		 struct votes *votes_out);

/*
 * The states of a template, the signals and the actions. They are described at
 * the top of this file.
 */

enum watch_state {
	WATCH_NEVER,    /* marks a signal that is impossible in a state */
	WATCH_UNKNOWN,  /* a cluster that is not a template yet */
	WATCH_SAMPLING, /* each round fetches a few sample pages */
	/* all sample pages are being fetched, because some disagree */
	WATCH_CHECKING,
	/*
	 * some sample pages were in another cluster; report a split if they
	 * still are one round later
	 */
	WATCH_SPLIT_PENDING,
	WATCH_RECHECKING, /* as CHECKING, after SPLIT_PENDING */
	/*
	 * it has ended because it was replaced or merged; for one round,
	 * correct the report of where its pages are
	 */
	WATCH_MIGRATING,
	WATCH_RETIRED, /* it has ended */
	WATCH_STATES
};

/* Which pages an inquiry fetches. */
enum watch_stage {
	STAGE_SAMPLE, /* the sample pages */
	STAGE_ALL,    /* all pages of the template */
};

/* Which pages the newest version was built from. */
enum watch_basis {
	BASIS_WHOLE, /* all pages of the template */
	/* only recently fetched pages, while the others are being fetched */
	BASIS_PARTIAL,
};

/* The state of the watcher of a template, as stored in template_row. */
struct watch_position {
	enum watch_state state;
	enum watch_stage stage;
	enum watch_basis basis;
};

struct watch_position watch_position_of(const struct template_row *row);

/*
 * Return the TEMPLATE_IS_* flags that store the position of a live template.
 * watch_position_of() reads them.
 */
uint16_t watch_flags_of(const struct watch_position *position);

/*
 * Return whether an inquiry is open in this state; then all sample pages are
 * being fetched.
 */
bool watch_is_open(enum watch_state state);

enum watch_signal {
	/* Signals about a live template: */
	/* not more pages disagree than at the last complete fetch */
	SIGNAL_QUIET,
	/*
	 * quiet, but its version was built from other pages: the template has
	 * grown, only a few pages were used, or the threshold has changed
	 */
	SIGNAL_OUTDATED,
	/* more pages disagree than at the last complete fetch */
	SIGNAL_DISSENT,
	SIGNAL_AWAITED, /* not all fetches of the inquiry have ended */
	/* all fetches have ended, but the site is not at rest */
	SIGNAL_UNSETTLED,
	/* the sample shows a change that would be reported */
	SIGNAL_SUSPECTED,
	/* the signal needs a version, but no page can be read */
	SIGNAL_UNREADABLE,
	SIGNAL_ABANDONED, /* as UNREADABLE, and the time to wait is over */
	/* all pages were fetched, and the template continues */
	SIGNAL_SAME,
	/* the template continues, but some sample pages were deleted */
	SIGNAL_THINNED,
	/*
	 * half of the pages have changed, but too little for an event: accept
	 * their new state
	 */
	SIGNAL_DRIFTED,
	/* only generated class names have changed: accept the new ones */
	SIGNAL_REBUILT,
	/* some pages are in another cluster, for the first time */
	SIGNAL_PARTED,
	/*
	 * these pages are still in another cluster, and both clusters are
	 * templates
	 */
	SIGNAL_SPLIT,
	/*
	 * the pages have changed together and are still in the template's
	 * cluster
	 */
	SIGNAL_CHANGED,
	/* most pages were deleted, but the template continues */
	SIGNAL_DEPLETED,
	SIGNAL_REPLACED, /* the pages have changed and are in another cluster */
	/*
	 * the linkage gave the template another number, and its pages are
	 * unchanged; this is not reported
	 */
	SIGNAL_RENUMBERED,
	/*
	 * most pages are in a cluster that is no template: this cluster gets
	 * the number of the template
	 */
	SIGNAL_FOLLOWED,
	/* the pages are unchanged and in the cluster of another template */
	SIGNAL_MERGED,
	/* the URLs of the pages redirect to another cluster */
	SIGNAL_LED_AWAY,
	SIGNAL_VANISHED, /* the pages were deleted */
	/* the threshold has changed, but the pages have not */
	SIGNAL_RECUT,
	/* Signals about a cluster that is not a live template: */
	SIGNAL_YOUNG,     /* the cluster is too small, or still growing */
	SIGNAL_CONTESTED, /* pages of an open inquiry are in the cluster */
	/*
	 * the cluster was split off from others: wait one round before it
	 * becomes a template
	 */
	SIGNAL_PASSING,
	SIGNAL_ABSENT,   /* too few pages have come since the template ended */
	SIGNAL_FOUND,    /* the cluster is a new template */
	SIGNAL_RETURNED, /* an ended template exists again */
	/*
	 * the template has ended, and its pages may still move to other
	 * clusters
	 */
	SIGNAL_SETTLING,
	/* the pages are in another cluster than was reported */
	SIGNAL_CORRECTED,
	SIGNAL_ARRIVED, /* the pages are in the cluster that was reported */
	WATCH_SIGNALS
};

enum watch_action {
	ACTION_HOLD,  /* do nothing until something changes */
	ACTION_GO_ON, /* start the next round when it is due */
	ACTION_ASK,   /* fetch all sample pages at the same time */
	ACTION_AWAIT, /* wait until the pages are fetched */
	ACTION_CLOSE, /* close the inquiry; store how many pages disagreed */
	/*
	 * close the inquiry, and replace deleted sample pages by other pages
	 */
	ACTION_MEND,
	ACTION_RENEW, /* build the version again, with the same number */
	/*
	 * close the inquiry, and fetch all sample pages again in the next
	 * round
	 */
	ACTION_PART,
	ACTION_CHANGE, /* emit the event, and store the next version */
	ACTION_WIDEN,  /* extend the inquiry to all pages of the cluster */
	ACTION_END,    /* end the template, but keep its versions */
	/* create a template, or continue an ended one, with a new version */
	ACTION_BEGIN,
	ACTION_CORRECT, /* report the cluster that has the pages now */
	ACTION_LEAVE,   /* delete the sample of an ended template */
	/* give the cluster of the pages the number of the template */
	ACTION_FOLLOW,
};

struct watch_transition {
	enum watch_action action;
	/* next state, indexed by the current state */
	enum watch_state next[WATCH_STATES];
};

/* Return the row of the signal in the table of transitions. */
const struct watch_transition *watch_transition_of(enum watch_signal signal);

/*
 * Return the signal to use instead of `signal` if no version can be built. It
 * is `signal` itself if this signal needs no version.
 */
enum watch_signal watch_without_version(enum watch_signal signal);

/*
 * A plan depends only on its input: no store, no clock, no I/O. The same data
 * at the same time results in the same plan.
 *
 * A plan has one decision for each subject. Live templates come first, because
 * their pages may be in new clusters (the order is in watcher.c).
 * decision_plan() makes the decision from the data of its subject. If it needs
 * more data, it requests this data and is called again with it.
 * plan_add_decision() adds the decision to the plan, so that later decisions
 * take it into account. Then plan_site() decides about the site as a whole.
 */

enum {
	/*
	 * number of sample pages of each template that a round fetches; a round
	 * takes one watch interval of the site
	 */
	ROUND_PAGES = 3,
	/* maximum time that an inquiry waits for its pages to be fetched */
	PATIENCE_MS = 60 * 60 * 1000,
	/*
	 * maximum time that an inquiry waits for the site to be at rest; for
	 * short watch intervals the limit is REST_ROUNDS rounds
	 */
	REST_MS = 5 * 60 * 1000,
	REST_ROUNDS = 6,
	/*
	 * if a template is suspected to have changed, the samples of all others
	 * are fetched, unless the site has more templates than this
	 */
	MAX_ASKED_TEMPLATES = 32,
};

struct plan_options {
	uint32_t min_pages; /* a cluster with fewer pages is not a template */
	uint64_t stale_ms;  /* 0 = never report a site as stale */
	/* how long the pages of a template that has ended are visited */
	uint64_t ended_ms;
};

/* A subject, with the changes of the plan to it until now. */
struct planned_template {
	struct template_view subject;
	/*
	 * this cluster has pages of an open inquiry, so it is unknown whose
	 * cluster it is
	 */
	bool is_contested;
	bool is_planned;
};

/* The plan until now. Initialize with plan_begin(). */
struct watch_plan {
	struct arena *arena; /* owns the plan */
	struct plan_options options;
	uint64_t now_ms;
	const struct site_row *site;
	/* time of the next visit of any page of the site */
	uint64_t due_ms;
	/*
	 * time when the sample of the first suspected template was fetched, all
	 * of whose pages are fetched now; UINT64_MAX = there is no such
	 * template
	 */
	uint64_t suspected_ms;
	/* as in struct site_facts */
	const struct render_view *renders;
	size_t render_count;
	bool is_unasked;     /* a template has had no round since that time */
	uint32_t live_count; /* number of live templates */
	struct planned_template
		*subjects; /* [subject_count], ascending by cluster */
	size_t subject_count;
	uint64_t first_ms; /* when the first template of the site was created;
			      UINT64_MAX = no template */
	/*
	 * an open inquiry has pages that disagree, or visits of a template
	 * wait; these pages may be in any new cluster
	 */
	bool is_inquiring;
	uint32_t found; /* number of template rows that the plan writes */
	/* time of the next check if nothing changes; UINT64_MAX = none */
	uint64_t next_ms;
};

void plan_begin(struct arena *arena, const struct site_facts *site,
		const struct plan_options *options, uint64_t now_ms,
		struct watch_plan *plan_out);

/*
 * Return the planned subject with this cluster number; NULL if it does not
 * exist.
 */
struct planned_template *plan_find(const struct watch_plan *plan,
				   uint32_t cluster);

/*
 * Return whether no page of the site waits for its first visit, and its
 * threshold has been chosen.
 */
bool plan_is_settled(const struct watch_plan *plan);

/*
 * Return whether the site is at rest: plan_is_settled() is true, no visit is
 * due, and all templates have had a round since one was suspected to have
 * changed.
 */
bool plan_is_at_rest(const struct watch_plan *plan);

/* Return the row of the template; NULL if it has none. */
const struct render_row *plan_render_row(const struct watch_plan *plan,
					 uint32_t cluster);

/*
 * Return whether the pages of the template, or of any template if `cluster` is
 * 0, are visited again because the decision to render them has changed. Until
 * then nothing is decided about the template and about new clusters.
 */
bool plan_is_moving(const struct watch_plan *plan, uint32_t cluster);

/* Check the site again when no template is moving any longer. */
void plan_await_moves(struct watch_plan *plan);

/*
 * Return whether a cluster that began at this time may have only pages that
 * were moved because of such a decision.
 */
bool plan_was_moved(const struct watch_plan *plan, uint64_t created_ms);

/* Return whether the cluster has enough pages to be a template. */
bool plan_is_large(const struct watch_plan *plan,
		   const struct template_view *subject);

/*
 * Return a template that moved into the cluster, or that the cluster was split
 * off from; NULL if no template did.
 */
const struct template_view *plan_parent(const struct watch_plan *plan,
					uint32_t cluster);

/* An event to emit. Its evidence is computed from the facts and the votes. */
struct plan_event {
	enum event_kind kind; /* kind of the event; 0 = emit no event */
	/* reason in words, in addition to the numbers; or NULL */
	const char *reason;
	uint32_t agreed; /* number of pages that confirm the event */
	/* number of an earlier event that it corrects; 0 = none */
	uint64_t corrects;
};

/* The decision about one subject. */
struct decision {
	/*
	 * the data that the decision needs; the fields below are set only if
	 * the facts contain this data
	 */
	struct data_request wish;
	enum watch_signal signal;
	enum watch_action action;
	uint32_t cluster;
	struct votes votes;      /* votes of a live template */
	struct template_row row; /* the new row; its lineage is in the arena */
	bool is_written;         /* the new row must be written */
	struct plan_event event;
	uint64_t
		visits[MAX_TEMPLATE_SAMPLE]; /* [visit_count], pages to fetch */
	uint32_t visit_count;
	/*
	 * bit i is set if a response "not modified" is sufficient for visits[i]
	 */
	uint64_t conditional_visits;
	/*
	 * cluster of the live template into which this one was merged and which
	 * gets a new version; 0 = none
	 */
	uint32_t absorbed;
	struct template_row absorbed_row;
	/*
	 * cluster that exchanges its number with `cluster`; 0 = none
	 */
	uint32_t followed;
	/* clusters that have misplaced pages become contested */
	bool contests;
	uint64_t next_ms; /* time of the next check; UINT64_MAX = none */
};

/*
 * Make the decision about one subject. Temporary data of the votes is in
 * `scratch`.
 */
void decision_plan(const struct watch_plan *plan,
		   const struct template_facts *facts, struct arena *scratch,
		   struct decision *step_out);

/* Add a decision to the plan, so that later decisions take it into account. */
void plan_add_decision(struct watch_plan *plan, const struct decision *step);

/* The decision about the site as a whole. */
struct site_decision {
	uint32_t set_flags; /* flags of SITE_FINDINGS to set */
	uint32_t clear_flags;
	bool is_learned; /* the first templates are known: emit an event */
	bool is_stale;   /* the site has just become stale: emit an event */
	/* time since the last page of the site was fetched */
	uint64_t unseen_ms;
	uint64_t next_ms; /* time of the next check; UINT64_MAX = none */
};

void plan_site(const struct watch_plan *plan, struct site_decision *step_out);

/* decide.c: derive the signal from the votes of a live template. */
enum watch_signal signal_of_template(const struct watch_plan *plan,
				     const struct template_facts *facts,
				     const struct votes *votes);

/* decide_template.c: decide about a cluster that is not a live template. */
void decision_plan_cluster(const struct watch_plan *plan,
			   const struct template_facts *facts,
			   struct decision *step);

/*
 * decide_template.c: decide about a live template, whose votes are in `step`.
 */
void decision_plan_template(const struct watch_plan *plan,
			    const struct template_facts *facts,
			    struct decision *step);

/* Return for how long an inquiry waits for the site to be at rest. */
uint64_t plan_rest_ms(const struct watch_plan *plan);

/*
 * Reset the fields of the current inquiry in the row: a new round starts now.
 */
void template_row_settle(const struct watch_plan *plan,
			 struct template_row *row);

/* Make sure that the subject is checked again at this time or earlier. */
void decision_wait_until(struct decision *step, uint64_t time_ms);

/* The evidence of an event, as JSON for users and programs. Pure functions. */

/*
 * Return the clusters that the pages of a template moved to, its versions
 * before and after, and the changes in its pages.
 */
json_t *evidence_of_decision(const struct watch_plan *plan,
			     const struct template_facts *facts,
			     const struct decision *step,
			     struct arena *scratch);

/*
 * Return the clusters that have the pages of an ended template now, and the
 * number of the event that this corrects.
 */
json_t *evidence_of_correction(const struct watch_plan *plan,
			       const struct template_facts *facts,
			       const struct decision *step);

/*
 * Return the number of pages and of stable items of a new template, and its
 * sample pages.
 */
json_t *evidence_of_new(const struct built_version *taken);

/* Return a copy of the value as JSON text in the arena. Release the value. */
struct slice evidence_text(struct arena *arena, json_t *value);

/*
 * The lineage is the stored history of a template: a JSON array, oldest entry
 * first.
 */

/* The clusters that have the sample pages of a template now. */
struct page_moves {
	/* [count], most pages first; cluster 0 has the deleted pages */
	struct destination items[MAX_TEMPLATE_SAMPLE];
	uint32_t count;
};

struct page_moves page_moves_of(const struct template_facts *facts);

/*
 * Return the cluster that has most of the pages, but not `self` and not 0. If
 * several have equally many pages, return `likely` if it is among these,
 * otherwise the smallest number. Return 0 if there is no cluster.
 */
uint32_t page_moves_main(const struct page_moves *flows, uint32_t self,
			 uint32_t likely);

struct lineage_entry {
	const char *kind;
	uint32_t other; /* the other cluster of the change; 0 = none */
	/* where the sample pages have moved, or NULL */
	const struct page_moves *flows;
};

/* Return the lineage with one more entry. It is in the arena of the plan. */
struct slice lineage_add(const struct watch_plan *plan, struct slice lineage,
			 const struct lineage_entry *entry);

/*
 * Functions that turn the decisions of a plan into updates that the engine
 * commits in one transaction. Their whole input is in the facts.
 */

/*
 * A growing list of updates. Initialize with zeros and the arena; finish with
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
	struct requested_page *visits; /* [visit_count] */
	size_t visit_count;
	size_t visit_capacity;
	struct cluster_swap *swaps; /* [swap_count] */
	size_t swap_count;
	size_t swap_capacity;
};

/*
 * Add the updates of a decision to the draft. Temporary data is in `scratch`;
 * results are in the draft's arena.
 */
void decision_apply(const struct watch_plan *plan,
		    const struct template_facts *facts,
		    const struct decision *step, struct arena *scratch,
		    struct event_draft *draft);
void site_decision_apply(const struct watch_plan *plan,
			 const struct site_decision *step,
			 struct event_draft *draft);

/*
 * Add the updates of a decision about the health of the site to the draft and
 * to `findings`.
 */
void health_apply(const struct watch_plan *plan,
		  const struct health_decision *decision,
		  struct event_draft *draft, struct template_updates *findings);

/*
 * Write the updates to *findings_out and copy them to the arena. The draft is
 * empty afterwards.
 */
void event_draft_finish(struct event_draft *draft,
			struct template_updates *findings_out);

#endif
