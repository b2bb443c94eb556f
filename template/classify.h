/*
 * template/classify.h - the cluster that a new page probably belongs to: that
 * of the nearest stored signature, if its distance is at most twice the
 * threshold.
 */
#ifndef TEMPLATE_CLASSIFY_H
#define TEMPLATE_CLASSIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "cluster/signature.h"
#include "page/page.h"
#include "store/slice.h"
#include "template/site_view.h"

struct classed {
	uint32_t cluster; /* 0: none */
	double distance;  /* 0..1, to the nearest signature in reach */
	double reach;     /* 0..1: farther signatures are ignored */
};

/* What classify() compares of a page, whose URL has the path `path` (empty: not
 * known); in the arena of the page. */
struct signature classify_signature(const struct site_view *site,
				    const struct page *page, struct slice path);

/*
 * Class a page by its signature. Of equally near signatures the first by number
 * counts. O(sum of the distinct signatures of the site).
 */
struct classed classify(const struct site_view *site, struct signature own);

#endif
