/*
 * template/classify.h - find the probable cluster of a new page: the cluster of
 * the nearest stored signature, if its distance is at most twice the threshold.
 */
#ifndef TEMPLATE_CLASSIFY_H
#define TEMPLATE_CLASSIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "cluster/signature.h"
#include "page/page.h"
#include "template/site_view.h"

struct cluster_match {
	uint32_t cluster; /* 0 = none */
	double distance;  /* 0..1, to the nearest signature in reach */
	double reach;     /* 0..1: farther signatures are ignored */
};

/*
 * Return the signature of a page for classify(); it belongs to the arena of the
 * page. `path` is the path of the page's URL (empty if unknown).
 */
struct signature classify_signature(const struct site_view *site,
				    const struct page *page, struct slice path);

/*
 * Find the cluster of a signature. Of equally near signatures the first by
 * number counts. O(sum of the unique signatures of the site).
 */
struct cluster_match classify(const struct site_view *site,
			      struct signature own);

#endif
