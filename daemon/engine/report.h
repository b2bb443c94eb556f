/*
 * daemon/engine/report.h - a report on the dendrogram of a site and its
 * thresholds: as text here, as a drawing in daemon/web/report_svg.h, as JSON
 * in daemon/web/report_json.h.
 */
#ifndef DAEMON_ENGINE_REPORT_H
#define DAEMON_ENGINE_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "cluster/condensed.h"
#include "cluster/dendrogram.h"
#include "cluster/histogram.h"
#include "cluster/merges.h"
#include "cluster/quality.h"
#include "cluster/signature.h"
#include "cluster/suggestion.h"
#include "cluster/witness.h"

enum {
	REPORT_MAX_LEAVES = 32768, /* half a billion comparisons */
	REPORT_MAX_WIDTH = 80,
	REPORT_MIN_WIDTH = 72,
};

/* A threshold that a report describes. */
struct report_threshold {
	const char *name; /* static string */
	char mark;        /* S, T, P, * or U */
	unsigned threshold;
};

enum { REPORT_THRESHOLDS = 5 };

/* Agreement of a clustering with labels. */
struct report_score {
	const char *name; /* static string: the threshold's name, or "best
			     (oracle)" */
	unsigned threshold;
	uint32_t clusters;
	struct agreement agreement;
};

/* Create with report_begin(); free with report_free(). */
struct report {
	enum measure measure;
	unsigned threshold; /* current threshold of the site */
	size_t shingle_ids; /* number of distinct shingles in all signatures */
	struct dendrogram dendrogram;
	struct distance_histogram histogram;
	struct dendrogram_point *curve; /* [DENDROGRAM_POINTS] */
	struct threshold_suggestion suggestion;
	struct label_choice witness; /* computed from the links to the pages */
	const char *const *examples; /* [dendrogram.count], the name of a page
					per leaf; owned by the caller */
	struct report_score scores[REPORT_THRESHOLDS + 1]; /* [score_count] */
	size_t score_count;
	size_t labelled; /* number of pages with a label */
	struct label_choice
		truth; /* the same choice, computed from the labels */
	struct cluster_merges merges; /* if there is truth; otherwise empty */
};

/* The input of a report. */
struct report_pages {
	const struct dendrogram_leaf *leaves; /* [leaf_count] */
	size_t leaf_count;
	struct label_pages witness; /* all pages, with these leaves */
	const uint32_t *truth;      /* [witness.count], 0 = unknown; or NULL */
};

/*
 * Compute the dendrogram of the leaves and the fields that depend only on it;
 * the caller fills in the other fields. `watch` as in cluster/dendrogram.h,
 * except the histogram; max_leaves 0 = REPORT_MAX_LEAVES. ERR_TOO_LARGE with
 * more leaves, ERR_STOPPED.
 */
enum error report_begin(enum measure measure, const struct report_pages *pages,
			const struct dendrogram_options *watch,
			struct report *report_out);
void report_free(struct report *report);

/*
 * Write, by ascending threshold, "site", "template", "plateau" if there is one,
 * "suggestion", and "in use" if the current threshold is none of these. Return
 * their number.
 */
size_t report_thresholds(const struct report *report,
			 struct report_threshold cuts_out[REPORT_THRESHOLDS]);

/*
 * Compute the scores of the thresholds, then the score of the threshold with
 * the largest adjusted Rand index, the lowest one if several are equal. Page i
 * of [count] has the signature of leaf leaves[i] and the label truth[i]; pages
 * with label 0 are skipped. Compares partitions once per height of a merge.
 * `truth` has no agreement with fewer than LINK_LABEL_MIN_PAGES labels.
 */
void report_score(struct report *report, const uint32_t *leaves,
		  const uint32_t *truth, size_t count);

/*
 * Append the name of a page, cleaned (daemon/runtime/terminal.h), in at most
 * `width` columns (>= 3): a longer name becomes "..." and its end, which is
 * more distinctive.
 */
void report_name(const char *name, size_t width, struct buffer *out);

/*
 * Append an address in readable form: escapes in http and https URLs are
 * decoded, possibly to invalid UTF-8; other addresses are unchanged.
 */
void report_address(struct slice address, struct buffer *out);

/*
 * Append the report in lines of `width` columns, clamped to [REPORT_MIN_WIDTH,
 * REPORT_MAX_WIDTH]. Only ASCII except the names of pages. At most about 150
 * lines.
 */
void report_text(const struct report *report, size_t width, struct buffer *out);

#endif
