/*
 * daemon/watch/health.h - the health of a site: decides whether visits that
 * contradict the store show a change of pages or a site that cannot be read
 *
 * The engine does not store a visit that returns something else than the known
 * page. Such a visit waits (store/rows.h, waiting_row). Then the watcher opens
 * a check: it requests a few sample pages of each template, and when they have
 * arrived, it decides about the site and about each waiting visit. Meanwhile it
 * concludes nothing about templates. If a page was visited, and then the server
 * refuses it in the same check, what the visit returned counts.
 *
 *   the visits show                          state of the site
 *   no response, 429, 5xx, 401 or 403        UNREACHABLE
 *   challenges, consent forms, error pages   BLOCKED
 *   one document at different URLs           BLOCKED
 *   redirects to one URL of the site         BLOCKED
 *   redirects to other hosts                 MOVED
 *   404 or 410 everywhere, also at the seed  MISSING
 *   pages return the old and the new design
 *   by turns                                 ALTERNATING
 *   anything else                            OK
 *
 *   OK, ALTERNATING -> UNREACHABLE, BLOCKED, MISSING, MOVED: a check finds no
 *     page that is as it was, and four fifths of the visits agree.
 *   UNREACHABLE, BLOCKED, MISSING, MOVED -> OK: half of the visits, or three,
 *     have returned pages, as they were or redesigned.
 *   MISSING, MOVED -> OK: no known page could be visited, and another page was
 *     returned.
 *   OK -> ALTERNATING: two pages have returned the stored page after something
 *     else, and the others disagree.
 *   ALTERNATING -> OK: no page has flipped for FLIP_ROUNDS rounds.
 *
 * A state is reported once, when a second check confirms it, and so is its end.
 * If the server asks for a pause (Retry-After) that is longer than the time
 * until this check, the site is UNREACHABLE whatever the visits show, and the
 * pause confirms it.
 * A site that alternates since it was added is not reported.
 * In a state other than OK and ALTERNATING, nothing is stored, except new pages
 * of a site that is MISSING or MOVED, the templates
 * are not checked, and a few pages are requested at a falling rate. If a page
 * was removed or moved for one day, this is stored, but the state lasts.
 */
#ifndef DAEMON_WATCH_HEALTH_H
#define DAEMON_WATCH_HEALTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "daemon/engine/commit_event.h"
#include "store/record.h"
#include "store/rows.h"
#include "store/store.h"

struct arena;
struct site_facts;

enum {
	HEALTH_MAX_PAGES = 4096, /* sample pages and waiting pages */
	/* waiting pages whose records are compared */
	HEALTH_MAX_RECORDS = 64,
};

/* A sample page, or a page with a waiting visit. */
struct health_page {
	uint64_t page;
	uint64_t answered_ms; /* time of the last visit; 0 = never */
	uint64_t stored_ms;   /* waiting.time_ms as it is stored */
	uint32_t cluster;     /* its template; 0 = none */
	bool is_sample;       /* it is in the sample of a live template */
	bool is_seed;         /* it is the seed of the site */
	bool is_visited;      /* it can be visited again */
	/*
	 * it was visited since the check began or, if none is open, since the
	 * last one
	 */
	bool is_answered;
	bool is_due;     /* its visit is due or running */
	bool has_failed; /* its last visit returned no page */
	bool has_waiting;
	bool has_records;
	struct waiting_row waiting; /* its slices belong to the arena */
	struct record before;       /* the stored page, if has_records */
	struct record after;        /* what waits, if has_records */
};

struct health_facts {
	struct health_row row;
	bool has_pages; /* the site has a page */
	/*
	 * why the seed of a site without pages cannot be fetched; empty = it
	 * can
	 */
	struct slice seed_reason;
	bool has_samples;          /* a live template has sample pages */
	struct health_page *pages; /* [count], by cluster */
	size_t count;
};

/*
 * Read the health of a site and its waiting pages. `count` is 0 if the site is
 * OK and no visit waits. Errors of the transaction; ERR_CORRUPT.
 */
enum error health_facts_read(struct store *store, const struct site_facts *site,
			     uint64_t now_ms, struct arena *arena,
			     struct health_facts *facts_out);

/* The decision of a check; its arrays belong to the arena. */
struct health_decision {
	struct health_row row;
	bool is_written;  /* `row` has changed */
	bool is_deciding; /* templates must wait for this decision */
	/*
	 * most sample pages of a template wait: other pages may replace them,
	 * so no template is new
	 */
	bool is_doubtful;
	bool begins; /* report the state of `row` */
	bool ends;   /* report that the state `ended` is over */
	enum site_state ended;
	uint64_t ended_since_ms;
	struct judged_visit *accepted; /* [accepted_count], to be stored */
	size_t accepted_count;
	struct judged_visit *dropped; /* [dropped_count], to be deleted */
	size_t dropped_count;
	uint64_t *visits; /* [visit_count], pages to request now */
	size_t visit_count;
	uint32_t *templates; /* [template_count], templates that alternate */
	size_t template_count;
	uint64_t next_ms; /* time of the next decision; UINT64_MAX = none */
};

/* What a decision depends on, besides the facts. */
struct health_rules {
	uint64_t now_ms;
	uint64_t round_ms; /* check interval of the site */
	/* time when the first template was found; UINT64_MAX = there is none */
	uint64_t learned_ms;
	/* time of the last visit that returned a page of the site */
	uint64_t seen_ms;
	struct slice host; /* host of the site */
};

/* Decide about a site. Pure. O(pages + HEALTH_MAX_RECORDS^2 * fragments). */
void health_decide(const struct health_facts *facts,
		   const struct health_rules *rules, struct arena *arena,
		   struct health_decision *decision_out);

#endif
