/*
 * daemon/web/thresholds.h - the thresholds of a site: the suggested threshold,
 * and what each other threshold would result in. They are read from the
 * dendrogram of the site, which contains the clusters of every threshold. It is
 * computed on request and cached until a page changes.
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

enum thresholds_format { THRESHOLDS_JSON, THRESHOLDS_TEXT, THRESHOLDS_SVG };

/*
 * Create a cache. Requests for sites with more than `max_leaves` unique
 * signatures get ERR_TOO_LARGE.
 */
struct site_thresholds *thresholds_create(struct store *store,
					  size_t max_leaves);

/* No request may be running. NULL is a no-op. */
void thresholds_destroy(struct site_thresholds *cuts);

/* Make running and later requests return ERR_STOPPED. */
void thresholds_stop(struct site_thresholds *cuts);

/*
 * Append the report (daemon/engine/threshold_report.h) on the thresholds of the
 * site `host`. In JSON it also has the options of the site. Any thread.
 * ERR_NOT_FOUND, ERR_TOO_LARGE, ERR_STOPPED. ERR_BUSY: another dendrogram is
 * being computed; only one at a time is, so that this uses at most one core.
 */
enum error thresholds_append(struct site_thresholds *cuts, const char *host,
			     enum thresholds_format format, struct buffer *out);

/* The report on the thresholds as JSON. */

/*
 * Return the suggestion as {"threshold", "reason", "plateau": [begin, end] or
 * null, "sizable", "clusters"}. Free it with json_decref().
 */
json_t *suggested_threshold_json(const struct threshold_suggestion *suggestion);

/*
 * Return the report as JSON: all data of the text form
 * (daemon/engine/threshold_report.h). Thresholds and heights are numbers from 0
 * to 1. For the LINK_LABEL_STEPS thresholds of cluster/threshold.h the JSON
 * also has the adjusted Rand index of the clustering and the link labels and,
 * if there are scores, of the clustering and the given labels. Free it with
 * json_decref().
 */
json_t *report_json(const struct report *report);

#endif
