/*
 * template/change_detector.h - detects changes of a template: a pure function
 * of the records of a few of its pages, before and after. It counts only items
 * (paths and fragments) that several pages had in common and several pages have
 * lost, or that several pages have gained.
 */
#ifndef TEMPLATE_CHANGE_DETECTOR_H
#define TEMPLATE_CHANGE_DETECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "store/record.h"

struct arena;

enum { MAX_TEMPLATE_SAMPLE = 16 };

/* The result of the last visit of a page since its baseline was stored. */
enum observation {
	OBSERVED_UNSEEN,  /* the page was not visited since then */
	OBSERVED_PAGE,    /* a page was returned; its record is `after` */
	OBSERVED_GONE,    /* the page no longer exists: 404, a redirect, or an
			     empty page */
	OBSERVED_BLOCKED, /* a temporary error or a challenge, which is no
			     evidence */
};

/* A sample page of the template. */
struct observed_page {
	uint64_t page;
	enum observation observation;
	uint32_t cluster;     /* its current cluster; 0 = none */
	struct record before; /* its record before, the baseline */
	struct record after;  /* its record now, for OBSERVED_PAGE; may equal
				 `before` */
};

enum decision_kind {
	DECISION_SAME,     /* there is no evidence of a change */
	DECISION_UNSURE,   /* some pages have changed: visit the other sample
			      pages */
	DECISION_CHANGED,  /* the pages changed together and remain in the
			      template */
	DECISION_REPLACED, /* the pages changed and are in other clusters now */
	DECISION_MERGED,   /* unchanged pages are in another cluster now */
	DECISION_SPLIT,    /* some pages moved to another cluster, some not */
	DECISION_VANISHED, /* the pages no longer exist */
	DECISION_BLOCKED,  /* all visits returned errors or challenges */
};

/* A cluster that pages of the template have moved to. */
struct destination {
	uint32_t cluster; /* 0 = no cluster */
	uint32_t pages;
};

enum { REGION_MAX_ELEMENTS = 8 };

/*
 * A region that was replaced: the elements between the same neighbours in an
 * element that all pages still have. Its texts are as path_write() writes them.
 */
struct change_region {
	struct slice where; /* path of the element */
	struct slice was;   /* the first element in it that was lost */
	struct slice now;   /* the first element in it that was gained */
	struct {
		struct slice was;
		struct slice now;
	} elements[REGION_MAX_ELEMENTS]; /* [element_count] of the lost ones and
					    of the gained ones, in order */
	uint32_t element_count;
	uint32_t lost;   /* number of its labels before */
	uint32_t gained; /* number of its labels now */
	uint32_t pages;  /* mask: sample pages on which it was replaced */
};

struct detection {
	enum decision_kind kind;
	uint32_t seen;      /* n: pages whose visit is evidence */
	uint32_t agreed;    /* k: how many of these agree with the decision */
	uint32_t disagreed; /* how many of these have changed */
	/*
	 * only the generated class names are others: the site was built again,
	 * which is no change
	 */
	bool is_rebuilt;
	bool has_classes;   /* paths are with classes (cpc), otherwise without
			       (cp) */
	bool is_root_class; /* a class of html or body has changed. This class
			       is in every path with classes, so it counts as
			       one change; the paths are without classes (cp) */
	/* paths that k of n pages have lost or gained, ascending */
	const uint64_t *gone_paths;
	uint32_t gone_path_count;
	const uint64_t *come_paths;
	uint32_t come_path_count;
	const uint64_t *gone_fragments;
	uint32_t gone_fragment_count;
	const uint64_t *come_fragments;
	uint32_t come_fragment_count;
	/* [region_count] the replaced regions, largest first */
	const struct change_region *regions;
	uint32_t region_count;
	double paths_moved;     /* ratio of the stable paths, 0..1; see
				   common_items.moved. 0 if paths have moved
				   only because of few elements in them */
	double fragments_moved; /* ratio of the stable fragments, 0..1 */
	/* sorted by descending number of pages */
	struct destination destinations[MAX_TEMPLATE_SAMPLE];
	uint32_t destination_count;
	uint64_t pages[MAX_TEMPLATE_SAMPLE]; /* [agreed] the pages that agree
						with the decision */
};

/*
 * Thresholds of the decision. The defaults were chosen by measurement; see
 * change_detector.c.
 */
struct change_rules {
	/*
	 * minimum of k, the number of pages that must agree; if there are fewer
	 * sample pages, all must agree
	 */
	unsigned min_pages;
	unsigned agreement;  /* permille: minimum ratio k / n of the visited
				pages */
	unsigned path_ratio; /* permille of the stable paths: the template has
				changed if more move */
	/* permille of the stable fragments: the same */
	unsigned fragment_ratio;
	unsigned page_ratio; /* permille of the stable paths of one page: the
				page has changed if it loses more */
	unsigned few_ratio;  /* instead of path_ratio if there are fewer than
				min_pages sample pages */
	/*
	 * minimum number of elements that a region, or a template, loses and
	 * gains
	 */
	unsigned region_elements;
};

extern const struct change_rules change_rules_default;

/*
 * Decide from its sample pages [count <= MAX_TEMPLATE_SAMPLE] whether the
 * template `cluster` has changed. Results are in `arena`. O(n log n) for n
 * items.
 *
 * An item (path or fragment) is stable if more than half of the baselines
 * contain it. A stable item is removed if k of the n pages that had it have
 * lost it. Any other item is new if k of n pages have gained it. k is the ratio
 * `agreement` of n, but at least min_pages.
 *
 * A change needs k of all pages that may still vote. A page that was not
 * visited yet counts against the change, and while some pages have changed, but
 * too few, the decision is DECISION_UNSURE. If all pages were visited and too
 * few agree, it is DECISION_SAME, with `disagreed` > 0. Pages that are gone or
 * blocked do not vote; but if more pages are gone than agree, the template has
 * vanished. If there are fewer than min_pages sample pages, all of them must
 * agree, more paths must move (few_ratio), and fragments do not decide.
 *
 * All visits must be from the same time. So if a page was visited before others
 * changed, its observation must be OBSERVED_UNSEEN until its next visit.
 */
void detect_change(struct arena *arena, uint32_t cluster,
		   const struct observed_page *sample, uint32_t count,
		   const struct change_rules *rules,
		   struct detection *detection_out);

#endif
