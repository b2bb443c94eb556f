/*
 * daemon/report/cuts.h - the cuts of a site's dendrogram, which is computed
 * on request and kept until a page changes. One dendrogram gives the clusters
 * of every threshold.
 */
#ifndef DAEMON_REPORT_CUTS_H
#define DAEMON_REPORT_CUTS_H

#include <stddef.h>

#include "store/buffer.h"
#include "store/error.h"
#include "store/store.h"

enum cuts_format { CUTS_JSON, CUTS_TEXT, CUTS_SVG, CUTS_FIGURE };

struct cuts;

/* Sites with over `max_leaves` distinct signatures are refused. */
struct cuts *cuts_create(struct store *store, size_t max_leaves);

/* NULL is a no-op. No request may be running. */
void cuts_destroy(struct cuts *cuts);

/* Running and later requests get ERR_STOPPED. */
void cuts_stop(struct cuts *cuts);

/*
 * Append the cuts of the site `host`: the report of daemon/report/report.h,
 * with the site's options in the JSON. Any thread. ERR_NOT_FOUND,
 * ERR_TOO_LARGE, ERR_STOPPED; ERR_BUSY while another tree is computed, so that
 * only one core is used for that.
 */
enum error cuts_append(struct cuts *cuts, const char *host,
		       enum cuts_format format, struct buffer *out);

#endif
