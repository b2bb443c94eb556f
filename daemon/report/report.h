/*
 * daemon/report/report.h - a report on the dendrogram of a site and its cuts:
 * as text here, as a drawing in daemon/report/report_svg.h, as JSON in
 * daemon/report/report_json.h.
 */
#ifndef DAEMON_REPORT_REPORT_H
#define DAEMON_REPORT_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "cluster/condensed.h"
#include "cluster/dendrogram.h"
#include "cluster/histogram.h"
#include "cluster/merges.h"
#include "cluster/quality.h"
#include "cluster/signature.h"
#include "cluster/suggestion.h"
#include "cluster/witness.h"
#include "store/buffer.h"

enum {
	REPORT_MAX_LEAVES = 32768, /* half a billion comparisons */
	REPORT_MAX_WIDTH = 80,
	REPORT_MIN_WIDTH = 72,
};

/* A cut that a report describes. */
struct report_cut {
	const char *name; /* static */
	char mark;        /* S, T, P, * or U */
	unsigned threshold;
};

enum { REPORT_CUTS = 5 };

/* Agreement of a cut with labels. */
struct report_score {
	const char *name; /* static: that of a cut, or "best (oracle)" */
	unsigned threshold;
	uint32_t clusters;
	struct agreement agreement;
};

/* Begin with report_begin(); end with report_free(). */
struct report {
	enum measure measure;
	unsigned threshold; /* that the pages are grouped at */
	size_t shingle_ids; /* distinct shingles of all signatures */
	struct dendrogram dendrogram;
	struct histogram histogram;
	struct dendrogram_point *curve; /* [DENDROGRAM_POINTS] */
	struct suggestion suggestion;
	struct witness_choice witness; /* by the links to the pages */
	const char *const *examples;   /* [dendrogram.count], the name of a page
					  of each leaf; not ours */
	struct report_score scores[REPORT_CUTS + 1]; /* [score_count] */
	size_t score_count;
	size_t labelled;             /* pages with a label */
	struct witness_choice truth; /* the same choice by the labels */
	struct merges merges;        /* where there is truth; else none */
};

/* What a report is made of. */
struct report_pages {
	const struct dendrogram_leaf *leaves; /* [leaf_count] */
	size_t leaf_count;
	struct witness_pages witness; /* all pages; its leaves are these */
	const uint32_t *truth; /* [witness.count], 0: not known; or NULL */
};

/*
 * Make the dendrogram of the leaves and what follows from it; the rest is for
 * the caller to fill in. `watch` as in cluster/dendrogram.h, but for the
 * histogram; max_leaves 0 stands for REPORT_MAX_LEAVES. ERR_TOO_LARGE with
 * more, ERR_STOPPED.
 */
enum error report_begin(enum measure measure, const struct report_pages *pages,
			const struct dendrogram_options *watch,
			struct report *report_out);
void report_free(struct report *report);

/*
 * By ascending threshold "site", "template", "plateau" if there is one,
 * "suggestion", and "in use" when the threshold is none of these. Returns how
 * many there are.
 */
size_t report_cuts(const struct report *report,
		   struct report_cut cuts_out[REPORT_CUTS]);

/*
 * Compute the scores of the cuts, then that of the threshold with the largest
 * adjusted Rand index, of equal ones the lowest. Page i of [count] has the
 * signature of leaf leaves[i] and the label truth[i]; 0: it has none and is
 * left out. One comparison of partitions for each height that joins. `truth`
 * has no agreement with fewer than WITNESS_MIN_PAGES labels.
 */
void report_score(struct report *report, const uint32_t *leaves,
		  const uint32_t *truth, size_t count);

/*
 * Append the name of a page, cleaned (daemon/runtime/terminal.h), in at most
 * `width` columns (>= 3): of a longer one "..." and its end, which
 * distinguishes it better.
 */
void report_name(const char *name, size_t width, struct buffer *out);

/*
 * Append an address in readable form: the escapes of http and https URLs are
 * decoded, possibly to invalid UTF-8; anything else is left as it is.
 */
void report_address(struct slice address, struct buffer *out);

/*
 * Append the report in lines of `width` columns, brought into
 * [REPORT_MIN_WIDTH, REPORT_MAX_WIDTH]. All is ASCII but for names of pages.
 * Some 150 lines at most.
 */
void report_text(const struct report *report, size_t width, struct buffer *out);

#endif
