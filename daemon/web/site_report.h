/*
 * daemon/web/site_report.h - a report on a site as one HTML page: its
 * clusters, their distances, the tree of each template, and its history.
 */
#ifndef DAEMON_WEB_SITE_REPORT_H
#define DAEMON_WEB_SITE_REPORT_H

#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "page/page.h"
#include "store/store.h"

struct site_thresholds;

enum { SITE_REPORT_MAX_BYTES = 4 << 20 };

struct site_report_source {
	struct store *store;
	struct worker_pool *pool; /* workers that parse pages; NULL = parse in
			      this process */
	struct site_thresholds *cuts;
	struct page_limits limits;
	uint32_t min_cluster_pages; /* a smaller cluster has no template */
	uint64_t now_ms;
};

/*
 * Append the page: self-contained HTML5, without scripts, images or external
 * resources, of at most SITE_REPORT_MAX_BYTES. All text of the site is escaped
 * and truncated; only http and https URLs become links. Reads the store in
 * several short transactions, so it may see parts of concurrent changes.
 * ERR_NOT_FOUND, and the errors of thresholds_append() except ERR_TOO_LARGE,
 * which the page shows.
 */
enum error site_report(const struct site_report_source *source,
		       const char *host, struct buffer *out);

/*
 * Append the tree of a template and the legend of its colours, as in the
 * report: HTML elements, styled by the caller's style sheet. All "style"
 * attributes have the form "--t:70%". ERR_NOT_FOUND: the template has no pages.
 */
enum error site_report_tree(const struct site_report_source *source,
			    const char *host, uint32_t number,
			    struct buffer *out);

#endif
