/* daemon/report/report_svg.h - a report as a drawing. */
#ifndef DAEMON_REPORT_REPORT_SVG_H
#define DAEMON_REPORT_REPORT_SVG_H

#include "store/buffer.h"

struct report;

/*
 * Append a self-contained SVG 1.1 document: over one axis of distances the
 * pairs of pages, the number of sizable clusters by threshold, and the
 * dendrogram condensed to at most 200 clusters, with the thresholds of the
 * cuts drawn through all of them. No script, no image, no font; light or dark
 * as the reader likes it. Names are escaped and cut: the size is bounded.
 */
void report_svg(const struct report *report, struct buffer *out);

/*
 * Append the same without its heading, as two svg elements for a page of HTML:
 * of class "wide" for 1000 pixels, and of class "narrow" for 400. The style
 * sheet of the page shows one of them.
 */
void report_svg_figure(const struct report *report, struct buffer *out);

#endif
