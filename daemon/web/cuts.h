/*
 * daemon/web/cuts.h - the thresholds of a site, from its dendrogram, which
 * is computed on request and cached until a page changes. One dendrogram has
 * the clusters of every threshold.
 */
#ifndef DAEMON_WEB_CUTS_H
#define DAEMON_WEB_CUTS_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/error.h"
#include "store/store.h"

enum thresholds_format {
	THRESHOLDS_JSON,
	THRESHOLDS_TEXT,
	THRESHOLDS_SVG,
	THRESHOLDS_FIGURE
};

struct site_thresholds;

/*
 * Create a cache. Sites with more than `max_leaves` distinct signatures are
 * rejected.
 */
struct site_thresholds *thresholds_create(struct store *store,
					  size_t max_leaves);

/* NULL is a no-op. No request may be running. */
void thresholds_destroy(struct site_thresholds *cuts);

/* Stop: running and later requests return ERR_STOPPED. */
void thresholds_stop(struct site_thresholds *cuts);

/*
 * Append the thresholds of the site `host`: the report of
 * daemon/engine/report.h, with the site's options in the JSON. Any thread.
 * ERR_NOT_FOUND, ERR_TOO_LARGE, ERR_STOPPED; ERR_BUSY while another dendrogram
 * is computed, so that this uses at most one core.
 */
enum error thresholds_append(struct site_thresholds *cuts, const char *host,
			     enum thresholds_format format, struct buffer *out);

#endif
