/*
 * daemon/watch/inspection_plan.h - turn data into a plan. Pure: no store, no
 * clock, no I/O; the same data at the same time give the same plan.
 *
 * A plan has one step per subject, in the order of inspection.c: live templates
 * first, because their pages may be in new clusters. decision_plan() plans a
 * step from the known data of its subject; if it needs more data, it requests
 * them and is called again with them. plan_add_decision() adds the step to the
 * plan, so that later steps see it. plan_site() then plans for the site as a
 * whole.
 */
#ifndef DAEMON_WATCH_INSPECTION_PLAN_H
#define DAEMON_WATCH_INSPECTION_PLAN_H

#include "daemon/watch/inspection_facts.h"
#include "daemon/watch/inspection_state.h"
#include "daemon/watch/inspection_votes.h"
#include "store/rows_event.h"
#include "store/rows_site.h"
#include "store/rows_template.h"

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

/* inspection_signal.c: turn votes into a signal. */
enum watch_signal signal_of_template(const struct watch_plan *plan,
				     const struct template_facts *facts,
				     const struct votes *votes);

/* inspection_cluster.c: a cluster that is not a live template. */
void decision_plan_cluster(const struct watch_plan *plan,
			   const struct template_facts *facts,
			   struct decision *step);

/* inspection_template.c: a live template, with its votes in the step. */
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

#endif
