/*
 * daemon/web/threshold_svg.h - a report (daemon/engine/threshold_report.h) as
 * an SVG drawing.
 */
#ifndef DAEMON_WEB_THRESHOLD_SVG_H
#define DAEMON_WEB_THRESHOLD_SVG_H

#include "base/buffer.h"

struct report;

/*
 * Append a self-contained SVG 1.1 document. On one axis of distances it shows
 * the distances of the pairs of pages, the number of sizable clusters at each
 * threshold, the dendrogram, condensed to at most 200 clusters, and a line for
 * each threshold. It contains no script, no image and no font, and it is light
 * or dark as the reader prefers. Names are escaped and truncated, so the size
 * of the document is bounded.
 */
void report_svg(const struct report *report, struct buffer *out);

#endif
