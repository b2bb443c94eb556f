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

enum cuts_format { CUTS_JSON, CUTS_TEXT, CUTS_SVG, CUTS_FIGURE };

struct cuts;

/*
 * Create a cache. Sites with more than `max_leaves` distinct signatures are
 * rejected.
 */
struct cuts *cuts_create(struct store *store, size_t max_leaves);

/* NULL is a no-op. No request may be running. */
void cuts_destroy(struct cuts *cuts);

/* Stop: running and later requests return ERR_STOPPED. */
void cuts_stop(struct cuts *cuts);

/*
 * Append the thresholds of the site `host`: the report of
 * daemon/engine/report.h, with the site's options in the JSON. Any thread.
 * ERR_NOT_FOUND, ERR_TOO_LARGE, ERR_STOPPED; ERR_BUSY while another dendrogram
 * is computed, so that this uses at most one core.
 */
enum error cuts_append(struct cuts *cuts, const char *host,
		       enum cuts_format format, struct buffer *out);

#endif
