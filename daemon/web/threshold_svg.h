/* daemon/web/threshold_svg.h - a report as an SVG drawing. */
#ifndef DAEMON_WEB_THRESHOLD_SVG_H
#define DAEMON_WEB_THRESHOLD_SVG_H

#include "base/buffer.h"

struct report;

/*
 * Append a self-contained SVG 1.1 document with one axis of distances: the
 * pairs of pages, the number of sizable clusters by threshold, and the
 * dendrogram, condensed to at most 200 clusters, with lines for the thresholds.
 * No script, no image, no font; light or dark as the reader prefers. Names are
 * escaped and truncated: the size is bounded.
 */
void report_svg(const struct report *report, struct buffer *out);

/*
 * Append the same without its heading, as two svg elements for an HTML page:
 * class "wide" for 1000 pixels, and class "narrow" for 400. The style sheet of
 * the page shows one of them.
 */
void report_svg_figure(const struct report *report, struct buffer *out);

#endif
