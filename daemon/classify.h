/*
 * daemon/classify.h - the cluster that a page would belong to if it were
 * stored, and all pages beside it: that of the nearest stored signature, when
 * it is within twice the threshold. Internal to answer.c and its like.
 */
#ifndef DAEMON_CLASSIFY_H
#define DAEMON_CLASSIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "crawl/url.h"
#include "page/page.h"
#include "store/record.h"
#include "store/rows.h"
#include "store/txn.h"

struct classed {
	struct site_row site; /* its slices point into the map */
	uint32_t cluster;
};

/*
 * False when the site of `url` is unknown or no stored page is near enough; of
 * equally near signatures the first by number. O(sum of the distinct
 * signatures of the site).
 */
bool classify_page(struct txn *txn, const struct url *url,
		   const struct page *page, struct classed *classed_out);

/*
 * The record of the stored page `url`, if that is a member of the cluster;
 * free() the result. NULL when it is not.
 */
void *classify_load_member(struct txn *txn, const struct classed *classed,
			   const struct url *url, struct record *record_out);

/* Does the page of the record hold the fragment? O(log n). */
bool classify_has_fragment(const struct record *record, uint64_t fragment);

#endif
