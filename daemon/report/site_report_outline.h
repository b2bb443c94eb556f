/*
 * daemon/report/site_report_outline.h - the paths that one side of a change has
 * lost or got, as an outline. Internal to site_report*.c.
 */
#ifndef DAEMON_REPORT_SITE_REPORT_OUTLINE_H
#define DAEMON_REPORT_SITE_REPORT_OUTLINE_H

#include "store/buffer.h"
#include "template/path_tree.h"

/* Append the paths of `side` that are told: steps that the other side has not
 * are marked. */
void report_outline(const struct path_tree *tree, enum path_side side,
		    struct buffer *out);

#endif
