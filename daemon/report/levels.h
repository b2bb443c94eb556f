/*
 * daemon/report/levels.h - the two levels of a watched site and what lies
 * between: its dendrogram, made when somebody asks and kept until a page
 * changes. One tree answers for every threshold.
 */
#ifndef DAEMON_REPORT_LEVELS_H
#define DAEMON_REPORT_LEVELS_H

#include <stddef.h>

#include "store/buffer.h"
#include "store/error.h"
#include "store/store.h"

enum levels_format { LEVELS_JSON, LEVELS_TEXT, LEVELS_SVG, LEVELS_FIGURE };

struct levels;

/* Sites with over `max_leaves` distinct signatures are refused. */
struct levels *levels_create(struct store *store, size_t max_leaves);

/* NULL is a no-op. Nobody asks any more. */
void levels_destroy(struct levels *levels);

/* Whoever waits for a tree gets ERR_STOPPED, and so does who asks later. */
void levels_stop(struct levels *levels);

/*
 * Append the levels of the site `host`: as daemon/report/report.h has them,
 * with the site's options in the JSON. Any thread. ERR_NOT_FOUND,
 * ERR_TOO_LARGE, ERR_STOPPED; ERR_BUSY while another tree is made, so that one
 * processor is busy with that and no more.
 */
enum error levels_append(struct levels *levels, const char *host,
			 enum levels_format format, struct buffer *out);

#endif
