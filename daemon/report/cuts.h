/*
 * daemon/report/cuts.h - the two cuts of a watched site and what lies
 * between: its dendrogram, made when somebody asks and kept until a page
 * changes. One tree answers for every threshold.
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

/* NULL is a no-op. Nobody asks any more. */
void cuts_destroy(struct cuts *cuts);

/* Whoever waits for a tree gets ERR_STOPPED, and so does who asks later. */
void cuts_stop(struct cuts *cuts);

/*
 * Append the cuts of the site `host`: as daemon/report/report.h has them,
 * with the site's options in the JSON. Any thread. ERR_NOT_FOUND,
 * ERR_TOO_LARGE, ERR_STOPPED; ERR_BUSY while another tree is made, so that one
 * processor is busy with that and no more.
 */
enum error cuts_append(struct cuts *cuts, const char *host,
		       enum cuts_format format, struct buffer *out);

#endif
