/*
 * daemon/report/site_report.h - all that is known of a site as one page of HTML
 * for people: its clusters, how far apart they are, the tree of each template,
 * and what has happened to them.
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
	struct cuts *cuts;
	struct page_limits limits;
	uint32_t min_cluster_pages; /* a smaller cluster has no template */
	uint64_t now_ms;
};

/*
 * Append the page: HTML5 that stands alone, without a script, an image or
 * anything else from elsewhere, and of at most SITE_REPORT_MAX_BYTES. Whatever
 * comes from the site is escaped and cut; only http and https are linked. It is
 * read in short transactions one after the other: what is written meanwhile may
 * be seen in part. ERR_NOT_FOUND, and those of cuts_append() but for
 * ERR_TOO_LARGE, which the page tells.
 */
enum error site_report(const struct site_report_source *source,
		       const char *host, struct buffer *out);

#endif
