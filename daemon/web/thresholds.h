/*
 * daemon/web/thresholds.h - the thresholds of a site, from its dendrogram,
 * which is computed on request and cached until a page changes. One dendrogram
 * has the clusters of every threshold.
 */
#ifndef DAEMON_WEB_THRESHOLDS_H
#define DAEMON_WEB_THRESHOLDS_H

#include <jansson.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/error.h"
#include "cluster/threshold.h"
#include "store/store.h"

struct report;
struct site_thresholds;

enum thresholds_format {
	THRESHOLDS_JSON,
	THRESHOLDS_TEXT,
	THRESHOLDS_SVG,
	THRESHOLDS_FIGURE
};

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
 * daemon/engine/threshold_report.h, with the site's options in the JSON. Any
 * thread. ERR_NOT_FOUND, ERR_TOO_LARGE, ERR_STOPPED; ERR_BUSY while another
 * dendrogram is computed, so that this uses at most one core.
 */
enum error thresholds_append(struct site_thresholds *cuts, const char *host,
			     enum thresholds_format format, struct buffer *out);

/* A report as JSON. */

/*
 * Return {"threshold", "reason", "plateau": [begin, end] or null, "sizable",
 * "clusters"}; free it with json_decref().
 */
json_t *suggested_threshold_json(const struct threshold_suggestion *suggestion);

/*
 * Return all data of the text of daemon/engine/threshold_report.h, with
 * thresholds and heights as numbers from 0 to 1. At the LINK_LABEL_STEPS
 * thresholds of cluster/threshold.h, also the adjusted Rand index of the
 * clustering with the link labels and, if there are scores, with the given
 * labels. Free it with json_decref().
 */
json_t *report_json(const struct report *report);

#endif
