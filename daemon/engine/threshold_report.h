/*
 * daemon/engine/threshold_report.h - a report on the dendrogram of a site and
 * its thresholds
 *
 * This file formats it as text, daemon/web/threshold_svg.h draws it, and
 * daemon/web/thresholds.h formats it as JSON.
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
#include "cluster/shingle_weights.h"
#include "cluster/threshold.h"
#include "daemon/engine/engine.h"
#include "store/rows.h"
#include "store/store.h"

enum {
	/* more leaves would need more than half a billion comparisons */
	REPORT_MAX_LEAVES = 32768,
	REPORT_MAX_WIDTH = 80,
	REPORT_MIN_WIDTH = 72,
};

/* A threshold that a report shows. */
struct report_threshold {
	const char *name; /* name of the threshold, a static string */
	char mark;        /* character that marks it: S, T, P, * or U */
	unsigned threshold;
};

enum { REPORT_THRESHOLDS = 5 };

/* The agreement of a clustering with the labels. */
struct report_score {
	/* static string: name of the threshold, or "best (oracle)" */
	const char *name;
	unsigned threshold;
	uint32_t clusters;
	struct agreement agreement;
};

/* A report. Create with report_begin(); free with report_free(). */
struct report {
	enum measure measure;
	unsigned threshold; /* current threshold of the site */
	size_t shingle_ids; /* number of distinct shingles in all signatures */
	struct dendrogram dendrogram;
	struct distance_histogram histogram;
	struct dendrogram_point *curve; /* [DENDROGRAM_POINTS] */
	struct threshold_suggestion suggestion;
	/*
	 * threshold that agrees best with labels that are computed from the
	 * hyperlinks to the pages
	 */
	struct label_choice witness;
	/*
	 * [dendrogram.count], the name of one page of each leaf; the caller
	 * owns them
	 */
	const char *const *examples;
	struct report_score scores[REPORT_THRESHOLDS + 1]; /* [score_count] */
	size_t score_count;
	size_t labelled; /* number of pages with a label */
	/* threshold that agrees best with the labels of the pages */
	struct label_choice truth;
	/* filled if the pages have labels; otherwise empty */
	struct cluster_merges merges;
};

/* The input of a report. */
struct report_pages {
	const struct dendrogram_leaf *leaves; /* [leaf_count] */
	size_t leaf_count;
	/*
	 * all pages: for each, the index of its leaf (pages with the same
	 * signature) and a label that is computed from the hyperlinks to the
	 * page
	 */
	struct label_pages witness;
	/* [witness.count], the label of each page, 0 = unknown; or NULL */
	const uint32_t *truth;
	/*
	 * the weights of the shingles; NULL: every shingle counts once.
	 * [shingle_count] are the shingles of the numbers in the leaves.
	 */
	const struct shingle_weights *weights;
	const uint64_t *shingles;
	size_t shingle_count;
};

/*
 * Return `pages` with leaves whose distances are weighted; they are in `arena`.
 */
struct report_pages report_weigh(struct arena *arena,
				 const struct report_pages *pages);

/*
 * Compute the dendrogram of the leaves, and the fields of the report that
 * depend only on it; the caller fills in the other fields. `watch` is described
 * in cluster/dendrogram.h; its histogram is not used. If max_leaves is 0, the
 * limit is REPORT_MAX_LEAVES. ERR_TOO_LARGE: there are more leaves.
 * ERR_STOPPED.
 */
enum error report_begin(enum measure measure, const struct report_pages *pages,
			const struct dendrogram_options *watch,
			struct report *report_out);
void report_free(struct report *report);

/*
 * Write the thresholds of the report to cuts_out, ascending, and return their
 * number: "site", "template", "plateau" if there is one, "suggestion", and "in
 * use" if the current threshold is not one of these.
 */
size_t report_thresholds(const struct report *report,
			 struct report_threshold cuts_out[REPORT_THRESHOLDS]);

/*
 * Compute the scores of the thresholds, and then the score of the threshold
 * with the largest adjusted Rand index; if several are equal, use the lowest.
 * Page i of [count] has the signature of leaf leaves[i] and the label truth[i].
 * Pages with label 0 are skipped. The partitions are compared once for each
 * height of a merge. With fewer than LINK_LABEL_MIN_PAGES labels, report->truth
 * has no agreement.
 */
void report_score(struct report *report, const uint32_t *leaves,
		  const uint32_t *truth, size_t count);

/*
 * Append the name of a page in at most `width` columns (>= 3). Control
 * characters are removed (daemon/runtime/terminal.h). If the name is longer,
 * append "..." and its end, because the end tells more about the page than the
 * beginning.
 */
void report_name(const char *name, size_t width, struct buffer *out);

/*
 * Append an address in readable form. Escapes in http and https URLs are
 * decoded, which may result in invalid UTF-8. Other addresses are not changed.
 */
void report_address(struct slice address, struct buffer *out);

/*
 * Append the report as text with lines of `width` columns, clamped to
 * [REPORT_MIN_WIDTH, REPORT_MAX_WIDTH]. It has at most about 150 lines, and is
 * ASCII except for the names of pages.
 */
void report_text(const struct report *report, size_t width, struct buffer *out);

/*
 * A snapshot of a site: its distinct signatures and the hyperlinks between its
 * pages. It is the input for its dendrogram.
 */

/*
 * The maximum number of pages whose hyperlinks are read, and of hyperlinks. If
 * there are more pages, those with the smallest keys are read: this sample
 * depends only on the pages.
 */
enum { SNAPSHOT_MAX_SOURCES = 20000, SNAPSHOT_MAX_LINKS = 4000000 };

/*
 * A snapshot. Create with site_snapshot_read(); free with site_snapshot_free().
 */
struct site_snapshot {
	/* row of the site; its slices are not set */
	struct site_row site;
	struct arena *arena;            /* owns `leaves` and `witness` */
	struct arena *names;            /* owns `examples` */
	struct dendrogram_leaf *leaves; /* [leaf_count], the distinct
					   signatures */
	/* [leaf_count], the URL of one page of each leaf */
	const char **examples;
	size_t leaf_count;
	uint32_t *clusters; /* [leaf_count], in the arena: current clusters */
	uint64_t *shingles; /* [shingle_count], in the arena; 0 = unused */
	size_t shingle_count;
	/* the current weights of the site; owned */
	struct shingle_weights weights;
	struct label_pages witness; /* the pages that are in clusters */
};

/*
 * Read the pages of the site `host` for the report. This uses several short
 * transactions, so the result may contain parts of concurrent changes. If the
 * site has more than `max_leaves` distinct signatures, no pages are read,
 * because the dendrogram will not be computed. On an error *snapshot_out is
 * empty. ERR_NOT_FOUND, and errors of the transactions.
 */
enum error site_snapshot_read(struct store *store, const char *host,
			      size_t max_leaves,
			      struct site_snapshot *snapshot_out);
void site_snapshot_free(struct site_snapshot *snapshot);

/*
 * Free everything except the row of the site and the examples, which a finished
 * report still needs.
 */
void site_snapshot_trim(struct site_snapshot *snapshot);

/* Compute the report. `snapshot` must outlive it. Errors of report_begin(). */
enum error site_snapshot_report(const struct site_snapshot *snapshot,
				const struct dendrogram_options *watch,
				struct report *report_out);

/* What was chosen for a site. Free with threshold_choice_free(). */
struct threshold_choice {
	unsigned threshold; /* permille */
	/* weights of the shingles, computed from the pages; owned */
	struct shingle_weights weights;
	bool has_weights; /* the site gets `weights`; false: it keeps its own */
	uint32_t site;    /* number of the site */
	uint64_t generation; /* generation of the site when it was read */
	char reason[SUGGESTION_REASON_BYTES];
};

/*
 * Choose the threshold of the site, and new weights if the site may have
 * weights. The site keeps its weights if neither its threshold nor its clusters
 * would change, so the clusters depend only on the pages.
 *
 * If the site has more leaves than `watch` allows, there is no dendrogram: the
 * threshold is the default of the measure, and the site keeps its weights until
 * it has twice as many pages. ERR_STOPPED, and errors of site_snapshot_read().
 */
enum error
site_snapshot_choose_threshold(struct store *store, const char *host,
			       const struct dendrogram_options *watch,
			       struct threshold_choice *choice_out);
void threshold_choice_free(struct threshold_choice *choice);

/*
 * Return the change that sets the chosen threshold. `choice` must outlive the
 * change. `seed` is any URL of the site.
 */
struct change threshold_choice_change(const struct threshold_choice *choice,
				      const struct url *seed);

#endif
