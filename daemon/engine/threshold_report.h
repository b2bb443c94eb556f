/*
 * daemon/engine/threshold_report.h - a report on the dendrogram of a site and
 * its thresholds: as text here, as a drawing in daemon/web/threshold_svg.h, as
 * JSON in daemon/web/thresholds.h.
 */
#ifndef DAEMON_ENGINE_THRESHOLD_REPORT_H
#define DAEMON_ENGINE_THRESHOLD_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "cluster/dendrogram.h"
#include "cluster/merge_model.h"
#include "cluster/quality.h"
#include "cluster/signature.h"
#include "cluster/threshold.h"
#include "daemon/engine/engine.h"
#include "store/rows.h"
#include "store/store.h"

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

/*
 * A snapshot of a site: its distinct signatures and the links between its
 * pages, the input of its dendrogram.
 */

/*
 * Maximum number of pages whose links are read, and of links: the pages with
 * the smallest keys, a sample that depends only on the pages.
 */
enum { SNAPSHOT_MAX_SOURCES = 20000, SNAPSHOT_MAX_LINKS = 4000000 };

/* Create with site_snapshot_read(); free with site_snapshot_free(). */
struct site_snapshot {
	struct site_row site;           /* its slices are not set */
	struct arena *arena;            /* owns leaves and witness */
	struct arena *names;            /* owns examples */
	struct dendrogram_leaf *leaves; /* [leaf_count], the distinct
					   signatures */
	const char **examples; /* [leaf_count], the URL of one page per leaf */
	size_t leaf_count;
	size_t shingle_count;
	struct label_pages witness; /* the pages in clusters */
};

/*
 * Read the site `host` in several short transactions; it may contain parts of
 * concurrent changes. Reads no pages of a site with more than `max_leaves`
 * distinct signatures, because its dendrogram is not computed. ERR_NOT_FOUND,
 * and errors of the transaction; then *snapshot_out is empty.
 */
enum error site_snapshot_read(struct store *store, const char *host,
			      size_t max_leaves,
			      struct site_snapshot *snapshot_out);
void site_snapshot_free(struct site_snapshot *snapshot);

/*
 * Free everything except the site and the examples, which a finished report
 * still needs.
 */
void site_snapshot_trim(struct site_snapshot *snapshot);

/* Compute the report; `snapshot` must outlive it. As report_begin(). */
enum error site_snapshot_report(const struct site_snapshot *snapshot,
				const struct dendrogram_options *watch,
				struct report *report_out);

/* The threshold chosen for "auto". */
struct threshold_choice {
	unsigned threshold;  /* permille */
	uint32_t site;       /* number of the site */
	uint64_t generation; /* generation of the site when it was read */
	char reason[SUGGESTION_REASON_BYTES];
};

/*
 * Choose the threshold of the site. With more leaves than `watch` allows it is
 * the default of the measure. ERR_STOPPED, and errors of site_snapshot_read().
 */
enum error
site_snapshot_choose_threshold(struct store *store, const char *host,
			       const struct dendrogram_options *watch,
			       struct threshold_choice *choice_out);

/*
 * Return the change that applies the choice, which must outlive it; `seed` is a
 * URL of the site.
 */
struct change threshold_choice_change(const struct threshold_choice *choice,
				      const struct url *seed);

#endif
