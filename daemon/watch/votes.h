/*
 * daemon/watch/votes.h - count what the sample pages of a template
 * show together. Pure.
 */
#ifndef DAEMON_WATCH_VOTES_H
#define DAEMON_WATCH_VOTES_H

#include "daemon/watch/collect.h"
#include "template/change_detector.h"

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

/* Return whether the page is unseen, or exists with its old paths. */
bool observation_is_unchanged(const struct sample_observation *observation);

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

#endif
