/*
 * daemon/engine/snapshot.h - a snapshot of a site: its distinct signatures and
 * the links between its pages, the input of its dendrogram.
 */
#ifndef DAEMON_ENGINE_SNAPSHOT_H
#define DAEMON_ENGINE_SNAPSHOT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "cluster/dendrogram.h"
#include "cluster/suggestion.h"
#include "daemon/engine/engine.h"
#include "daemon/engine/report.h"
#include "store/rows_site.h"
#include "store/store.h"

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
