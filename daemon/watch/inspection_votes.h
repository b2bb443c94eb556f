/*
 * daemon/watch/inspection_votes.h - what the sample pages of a template say
 * together. Pure: facts in, numbers out.
 */
#ifndef DAEMON_WATCH_INSPECTION_VOTES_H
#define DAEMON_WATCH_INSPECTION_VOTES_H

#include "daemon/watch/inspection_facts.h"
#include "template/change_detector.h"

/* What one sample page says. */
struct sample_observation {
	enum observation kind;
	uint32_t cluster;     /* that it is in, or leads to; 0: none */
	uint64_t fetched_ms;  /* of the page as it is stored; 0: it is none */
	bool is_fresh;        /* its last visit was since the window began */
	bool has_other_paths; /* a page: it is another one than it was */
	bool is_moved;        /* gone: it leads to a page of `cluster` */
};

/*
 * A page that was not seen since `window_ms` says nothing (OBSERVED_UNSEEN),
 * unless its paths are not as they were, because it does not come back by
 * itself to what it was. Where it leads to nobody knows as long as that place
 * is awaited.
 */
struct sample_observation observe(const struct sample_page *page,
				  uint64_t window_ms);

/* A page, and none that has another form than it had. */
bool observation_is_as_it_was(const struct sample_observation *observation);

/* A cluster that pages of the sample are in, and should not be. */
struct stray {
	uint32_t cluster;
	uint32_t pages; /* of the sample are in it, whatever they say */
	bool is_seen;   /* the page was, and is one */
};

struct votes {
	struct sample_observation
		observations[MAX_TEMPLATE_SAMPLE]; /* [pages] */
	uint32_t pages;                            /* of the sample */
	struct detection detection; /* its slices are in the arena */
	uint32_t unseen;
	uint32_t gone;
	uint32_t blocked;
	uint32_t fresh;     /* came since the window began, or are gone */
	uint32_t elsewhere; /* in another cluster: each has its stray */
	struct stray strays[MAX_TEMPLATE_SAMPLE];
	uint32_t disagreed;   /* pages that are not what they were, or not where
				 they were */
	uint32_t destination; /* where most went that are elsewhere; 0: none */
	uint32_t led_to;    /* where half of the sample leads to; 0: nowhere */
	uint32_t majority;  /* the cluster of more than half, if there is one */
	uint64_t seen_ms;   /* one of them was last seen as it should be */
	bool follows_split; /* pages that are where a part went say nothing */
	bool is_recut;      /* the cut was moved, and not the pages */
	bool has_left;      /* when fewer must agree: they have changed, all in
			       the same way, and are elsewhere */
};

struct vote_rules {
	uint64_t window_ms; /* of observe() */
	uint16_t threshold; /* the cut of the site */
	bool is_late;       /* nobody is waited for any more */
};

/*
 * Count the votes of the sample of a live template. Pages that are where a part
 * went that was told of say nothing, until nearly all are there. Scratch is of
 * `arena`.
 */
void votes_count(const struct subject_facts *facts,
		 const struct vote_rules *rules, struct arena *arena,
		 struct votes *votes_out);

#endif
