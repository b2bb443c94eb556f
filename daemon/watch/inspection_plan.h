/*
 * daemon/watch/inspection_plan.h - facts become a plan. Pure: no store, no
 * clock, no I/O; the same facts at the same time give the same plan.
 *
 * A plan is made in steps, one of each subject, in the order of
 * inspection.c: the live templates first, because their pages may be in new
 * clusters by now. A step is planned (step_plan) out of what is known of its
 * subject; when it must know more it says what it wishes for, and is planned
 * again from the facts with that. Then it is taken into the plan (plan_take),
 * which is what later steps see. At the end the site itself (plan_site).
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
	ROUND_PAGES = 3,              /* are asked of each template */
	PATIENCE_MS = 60 * 60 * 1000, /* with pages that were asked */
	REST_MS = 5 * 60 * 1000, /* the site has to come to rest from then on,
				    or so many rounds: */
	REST_ROUNDS = 6,
};

struct plan_options {
	uint32_t min_pages; /* a smaller cluster is no template */
	uint64_t stale_ms;  /* 0: no site is stale */
};

/* A subject, as it will be. */
struct planned {
	struct subject subject;
	bool is_contested; /* pages of an open inquiry are in it: nobody knows
			      whose it is */
	bool is_planned;
};

/* What was planned so far. Begin with plan_begin(). */
struct plan {
	struct arena *arena; /* owns it */
	struct plan_options options;
	uint64_t now_ms;
	const struct site_row *site;
	uint64_t due_ms;          /* the next visit of the site */
	uint64_t suspected_ms;    /* the first template of which all pages are
				     asked had its sample asked; UINT64_MAX:
				     there is none */
	bool is_unasked;          /* a template has had no round since then */
	struct planned *subjects; /* [subject_count], ascending by cluster */
	size_t subject_count;
	uint64_t first_ms; /* the first template of the site was taken;
			      UINT64_MAX: none was */
	bool is_inquiring; /* an inquiry is open, and pages disagree: they may
			      be in any new cluster */
	uint32_t found;    /* rows of templates that are written */
	uint32_t asked;    /* sample pages, in the rounds under way */
	uint32_t blocked;  /* of these: they do not come any more */
	uint32_t fresh;    /* of these: they came, or are gone */
	uint64_t next_ms;  /* the next inspection without news; UINT64_MAX */
};

void plan_begin(struct arena *arena, const struct site_facts *site,
		const struct plan_options *options, uint64_t now_ms,
		struct plan *plan_out);

/* NULL when there is none. */
struct planned *plan_find(const struct plan *plan, uint32_t cluster);

/* No page of the site is awaited, and no threshold chosen. */
bool plan_is_settled(const struct plan *plan);

/* Nor is a visit due, of whatever page; and when a template is suspected to
 * have changed, all others have had a round since. */
bool plan_is_at_rest(const struct plan *plan);

/* A cluster with pages enough to be a template. */
bool plan_is_large(const struct plan *plan, const struct subject *subject);

/* A template that went into the cluster, or that it came out of; or NULL. */
const struct subject *plan_parent(const struct plan *plan, uint32_t cluster);

/* An event; its evidence is made of the facts and votes. */
struct plan_event {
	enum event_kind kind; /* 0: none */
	const char *reason;   /* beyond the numbers; or NULL */
	uint32_t agreed;      /* pages that say so */
	uint64_t corrects;    /* number of an earlier event; 0: none */
};

/* One subject. */
struct step {
	struct wish wish; /* not met by the facts: nothing else is known */
	enum watch_signal signal;
	enum watch_action action;
	uint32_t cluster;
	struct votes votes;      /* of a template that lived */
	struct template_row row; /* as it will be; its lineage in the arena */
	bool is_written;         /* the row is */
	struct plan_event event;
	uint64_t visits[MAX_TEMPLATE_SAMPLE]; /* [visit_count], pages to be
						 asked */
	uint32_t visit_count;
	uint32_t absorbed; /* the live template that it merged into, whose
			      version is taken anew; 0: none */
	struct template_row absorbed_row;
	bool contests;    /* pages that are elsewhere contest their clusters */
	uint64_t next_ms; /* UINT64_MAX: none */
};

/* Scratch of the votes is of `scratch`. */
void step_plan(const struct plan *plan, const struct subject_facts *facts,
	       struct arena *scratch, struct step *step_out);

/* Later steps see what it did. */
void plan_take(struct plan *plan, const struct step *step);

/* Of the site as a whole. */
struct site_step {
	uint32_t set_flags; /* of SITE_FINDINGS */
	uint32_t clear_flags;
	bool is_blocked;    /* that is news, to be emitted */
	bool is_stale;      /* the same */
	uint64_t unseen_ms; /* for so long no page has come */
	uint64_t next_ms;   /* UINT64_MAX: none */
};

void plan_site(const struct plan *plan, struct site_step *step_out);

/* inspection_signal.c: votes become a signal. */
enum watch_signal signal_of_template(const struct plan *plan,
				     const struct subject_facts *facts,
				     const struct votes *votes);

/* inspection_cluster.c: a cluster that is no live template. */
void step_plan_cluster(const struct plan *plan,
		       const struct subject_facts *facts, struct step *step);

/* inspection_template.c: a live template, with its votes in the step. */
void step_plan_template(const struct plan *plan,
			const struct subject_facts *facts, struct step *step);

/* So long does an inquiry wait for the site to be at rest. */
uint64_t plan_rest_ms(const struct plan *plan);

/* The sample of the row is asked anew from now on. */
void row_settle(const struct plan *plan, struct template_row *row);

/* It waits until then at most. */
void step_wait(struct step *step, uint64_t time_ms);

#endif
