/*
 * template/change_detector.h - detect changes of a template: a pure function of
 * a few of its pages before and after. Only items count that several pages had
 * in common, and have lost or gained in common.
 */
#ifndef TEMPLATE_CHANGE_DETECTOR_H
#define TEMPLATE_CHANGE_DETECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "store/record.h"

struct arena;

enum { MAX_TEMPLATE_SAMPLE = 16 };

/* The result of a page's last visit since the baseline. */
enum observation {
	OBSERVED_UNSEEN,  /* not visited since the baseline */
	OBSERVED_PAGE,    /* a page: its record is `after` */
	OBSERVED_GONE,    /* 404, a redirect, a stub */
	OBSERVED_BLOCKED, /* a temporary error or a challenge: no evidence */
};

/* A sample page of the template. */
struct observed_page {
	uint64_t page;
	enum observation observation;
	uint32_t cluster;     /* its current cluster; 0 = none */
	struct record before; /* its baseline */
	struct record after;  /* OBSERVED_PAGE; may equal `before` */
};

enum decision_kind {
	DECISION_SAME,   /* no evidence of a change */
	DECISION_UNSURE, /* some pages disagree: visit the other sample pages */
	DECISION_CHANGED,  /* its pages changed together and are still in it */
	DECISION_REPLACED, /* its pages changed and are now in other clusters */
	DECISION_MERGED,   /* its unchanged pages are in another cluster */
	DECISION_SPLIT, /* some pages moved to another cluster, some stayed */
	DECISION_VANISHED, /* its pages no longer exist */
	DECISION_BLOCKED,  /* only errors and challenges */
};

/* A cluster that contains pages of the template now. */
struct destination {
	uint32_t cluster; /* 0 = no cluster */
	uint32_t pages;
};

struct detection {
	enum decision_kind kind;
	uint32_t seen;   /* n: pages visited since, as evidence */
	uint32_t agreed; /* k: of these, pages that agree with the decision */
	uint32_t disagreed; /* pages that have changed */
	bool has_classes;   /* paths are members of cpc, otherwise of cp */
	bool is_root_class; /* a class of html or body has changed, which is in
			       all paths: one change; the paths are members of
			       cp */
	/* paths that k of n lost or gained, ascending */
	const uint64_t *gone_paths;
	uint32_t gone_path_count;
	const uint64_t *come_paths;
	uint32_t come_path_count;
	const uint64_t *gone_fragments;
	uint32_t gone_fragment_count;
	const uint64_t *come_fragments;
	uint32_t come_fragment_count;
	double paths_moved;     /* share of the stable paths, 0..1 */
	double fragments_moved; /* share of the stable fragments, 0..1 */
	struct destination
		destinations[MAX_TEMPLATE_SAMPLE]; /* most pages first */
	uint32_t destination_count;
	uint64_t
		pages[MAX_TEMPLATE_SAMPLE]; /* [agreed]: the pages that agree */
};

/* The defaults were chosen by measurement: see change_detector.c. */
struct change_rules {
	unsigned min_pages;  /* k: least number of pages that must agree; all if
				there are fewer sample pages */
	unsigned agreement;  /* permille of the pages seen: k of n */
	unsigned path_ratio; /* permille of the stable paths that move */
	unsigned fragment_ratio; /* permille of the stable fragments */
	unsigned page_ratio;     /* permille of the stable paths of a page: it
				    disagrees if it loses more */
	unsigned few_ratio; /* permille of the stable paths, with fewer than
			       min_pages sample pages */
};

extern const struct change_rules change_rules_default;

/*
 * Decide whether the template `cluster` has changed, by its sample pages [count
 * <= MAX_TEMPLATE_SAMPLE]. Results are in `arena`. O(n log n) in the members.
 *
 * An item (path or fragment) is stable if more than half of the baselines have
 * it. It is removed if k of n pages that had it lost it; another is new if k of
 * n pages gained it; k is the ratio `agreement` of n, and at least min_pages. A
 * change needs k of all pages that may still vote: pages not yet visited count
 * against it, and while some disagree the decision is DECISION_UNSURE. Pages
 * that are gone or blocked do not count, but if more are gone than agree, the
 * template has vanished. If all were visited and too few agree, it is
 * DECISION_SAME, with `disagreed` > 0. Fewer than min_pages sample pages must
 * all agree, more paths must move (few_ratio), and texts do not decide.
 *
 * All visits must be of the same time: a page that was visited before others
 * disagreed is OBSERVED_UNSEEN until its next visit.
 */
void detect_change(struct arena *arena, uint32_t cluster,
		   const struct observed_page *sample, uint32_t count,
		   const struct change_rules *rules,
		   struct detection *detection_out);

#endif
