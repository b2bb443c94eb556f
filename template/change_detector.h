/*
 * template/change_detector.h - has a template changed? A pure function of what
 * a few of its pages were and are. Content may change as it likes: what counts
 * is what several pages had in common, and lost or got in common.
 */
#ifndef TEMPLATE_CHANGE_DETECTOR_H
#define TEMPLATE_CHANGE_DETECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/record.h"

struct arena;

enum { MAX_TEMPLATE_SAMPLE = 16 };

/* What the last visit of a page since the baseline has brought. */
enum observation {
	OBSERVED_UNSEEN,  /* it was not visited since */
	OBSERVED_PAGE,    /* it is a page: `after` */
	OBSERVED_GONE,    /* 404, a redirect, a stub */
	OBSERVED_BLOCKED, /* an error that passes, or a challenge: says nothing
			   */
};

/* A page of the sample. */
struct observed_page {
	uint64_t page;
	enum observation observation;
	struct record before; /* its baseline */
	struct record after;  /* OBSERVED_PAGE; may be the same as before */
	uint32_t cluster;     /* that it is in by now; 0: none */
};

enum decision_kind {
	DECISION_SAME,     /* nothing is known against it */
	DECISION_UNSURE,   /* some disagree: ask the rest of the sample pages */
	DECISION_CHANGED,  /* its pages moved together, and are still its */
	DECISION_REPLACED, /* they changed, and belong to others now */
	DECISION_MERGED,   /* as it was, they are another template's now */
	DECISION_SPLIT,    /* some went, and some stayed */
	DECISION_VANISHED, /* its pages are gone */
	DECISION_BLOCKED,  /* errors and challenges alone */
};

/* Where the pages went. */
struct destination {
	uint32_t cluster; /* 0: nowhere */
	uint32_t pages;
};

struct detection {
	enum decision_kind kind;
	uint32_t seen;      /* n: pages that were visited since, and tell */
	uint32_t agreed;    /* k: of these, that say so */
	uint32_t disagreed; /* pages that are not as they were */
	bool has_classes;   /* paths are members of cpc; else of cp */
	/* ascending: what k of n lost or got */
	const uint64_t *gone_paths;
	uint32_t gone_path_count;
	const uint64_t *come_paths;
	uint32_t come_path_count;
	const uint64_t *gone_fragments;
	uint32_t gone_fragment_count;
	const uint64_t *come_fragments;
	uint32_t come_fragment_count;
	double paths_moved;     /* share of the stable ones, 0..1 */
	double fragments_moved; /* the same */
	struct destination
		destinations[MAX_TEMPLATE_SAMPLE]; /* most pages first */
	uint32_t destination_count;
	uint64_t pages[MAX_TEMPLATE_SAMPLE]; /* [agreed]: those that say so */
};

/* Defaults were chosen on data: see judge.c. */
struct change_rules {
	unsigned min_pages;      /* k: at least so many must agree; fewer when
				    the sample has fewer */
	unsigned agreement;      /* permille of those seen: k of n */
	unsigned path_ratio;     /* permille of the stable paths that move */
	unsigned fragment_ratio; /* permille of the stable fragments */
	unsigned page_ratio;     /* permille of the stable paths that a page
				    has: it disagrees when it loses more */
	unsigned few_ratio;      /* permille of the stable paths, where the
				    sample has fewer than min_pages */
};

extern const struct change_rules change_rules_default;

/*
 * Has the template `cluster` by its sample [count <= MAX_TEMPLATE_SAMPLE].
 * Results are in `arena`. O(n log n) in the members of the records.
 *
 * Stable is what more than half of the baselines have. It is gone when k of n
 * pages that had it lost it, and something else has come when k of n pages got
 * it: k is `agreement` of the n, and at least min_pages. An event needs k of
 * all that may still have a say: those who were not asked yet count against it,
 * and make it DECISION_UNSURE while some disagree; those who are gone or
 * blocked do not. When all were asked and too few agree, it is DECISION_SAME,
 * with `disagreed` > 0: pages that were edited by hand, or a change under way.
 *
 * A sample of fewer than min_pages pages must agree as a whole; in it content
 * is not told from template, so that more paths must move (few_share), and
 * texts alone say nothing.
 *
 * Visits tell what is at one time: a observed that was asked before others
 * disagreed is OBSERVED_UNSEEN until it is asked again.
 */
void detect_change(struct arena *arena, uint32_t cluster,
		   const struct observed_page *sample, uint32_t count,
		   const struct change_rules *rules,
		   struct detection *detection_out);

#endif
