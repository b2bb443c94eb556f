/*
 * daemon/web/site_report_clusters.h - the paths that a change has removed or
 * added, as an outline. Internal to site_report*.c.
 */
#ifndef DAEMON_WEB_SITE_REPORT_CLUSTERS_H
#define DAEMON_WEB_SITE_REPORT_CLUSTERS_H

#include "base/buffer.h"
#include "template/page_tree.h"

/*
 * Append the shown paths of `side`; mark the steps that the other side does not
 * have.
 */
void report_outline(const struct path_tree *tree, enum path_side side,
		    struct buffer *out);

#endif
