/*
 * daemon/report/site_report.h - a report on a site as one page of HTML: its
 * clusters, their distances, the tree of each template, and its history.
 */
#ifndef DAEMON_REPORT_SITE_REPORT_H
#define DAEMON_REPORT_SITE_REPORT_H

#include <stdint.h>

#include "page/page.h"
#include "store/buffer.h"
#include "store/error.h"
#include "store/store.h"

struct cuts;

enum { SITE_REPORT_MAX_BYTES = 4 << 20 };

struct site_report_source {
	struct store *store;
	struct pool *pool; /* of those who parse; NULL: we do it */
	struct cuts *cuts;
	struct page_limits limits;
	uint32_t min_cluster_pages; /* a smaller cluster has no template */
	uint64_t now_ms;
};

/*
 * Append the page: self-contained HTML5, without scripts, images or external
 * resources, and of at most SITE_REPORT_MAX_BYTES. Whatever comes from the site
 * is escaped and cut; only http and https are linked. The store is read in
 * several short transactions, so concurrent changes may be seen in part.
 * ERR_NOT_FOUND, and the errors of cuts_append(), except ERR_TOO_LARGE, which
 * is shown in the page.
 */
enum error site_report(const struct site_report_source *source,
		       const char *host, struct buffer *out);

/*
 * Append the tree of a template with what its colours mean, as in the report:
 * elements of HTML whose style sheet is the caller's. Attributes "style" are
 * all of the form "--t:70%". ERR_NOT_FOUND: the site has no pages of it.
 */
enum error site_report_tree(const struct site_report_source *source,
			    const char *host, uint32_t number,
			    struct buffer *out);

#endif
