/*
 * daemon/report/snapshot.h - a snapshot of a site: its distinct signatures and
 * the links between its pages. Its dendrogram is computed from that.
 */
#ifndef DAEMON_REPORT_SNAPSHOT_H
#define DAEMON_REPORT_SNAPSHOT_H

#include <stddef.h>
#include <stdint.h>

#include "cluster/dendrogram.h"
#include "cluster/suggestion.h"
#include "daemon/engine/engine.h"
#include "daemon/report/report.h"
#include "store/error.h"
#include "store/rows_site.h"
#include "store/store.h"

/*
 * The links of at most so many pages are read, and at most so many links: of
 * the pages with the smallest keys, a sample that depends only on the pages.
 */
enum { SNAPSHOT_MAX_SOURCES = 20000, SNAPSHOT_MAX_LINKS = 4000000 };

/* Begin with snapshot_read(); end with snapshot_free(). */
struct snapshot {
	struct site_row site;           /* without its slices */
	struct arena *arena;            /* of leaves and witness */
	struct arena *names;            /* of examples */
	struct dendrogram_leaf *leaves; /* [leaf_count], the distinct
					   signatures */
	const char **examples; /* [leaf_count], the URL of a page of each */
	size_t leaf_count;
	size_t shingle_count;
	struct witness_pages witness; /* the pages in clusters */
};

/*
 * Read the site `host` in short transactions, one after the other; what is
 * written meanwhile may be seen in part. No pages are read of a site with over
 * `max_leaves` distinct signatures, because its tree is not computed.
 * ERR_NOT_FOUND, and those of a transaction; *snapshot_out is empty then.
 */
enum error snapshot_read(struct store *store, const char *host,
			 size_t max_leaves, struct snapshot *snapshot_out);
void snapshot_free(struct snapshot *snapshot);

/*
 * Free everything but the site and the examples, which a finished report still
 * needs.
 */
void snapshot_trim(struct snapshot *snapshot);

/* Its report; `snapshot` must outlive that. As report_begin(). */
enum error snapshot_report(const struct snapshot *snapshot,
			   const struct dendrogram_options *watch,
			   struct report *report_out);

/* The threshold chosen for "auto". */
struct choice {
	unsigned threshold;  /* permille */
	uint32_t site;       /* its number */
	uint64_t generation; /* when it was read */
	char reason[SUGGESTION_REASON_BYTES];
};

/*
 * Choose the threshold of the site. With more leaves than `watch` allows it is
 * the default of the measure. ERR_STOPPED, and those of snapshot_read().
 */
enum error snapshot_choose(struct store *store, const char *host,
			   const struct dendrogram_options *watch,
			   struct choice *choice_out);

/* The change that applies the choice, which must outlive it; `seed` is a URL of
 * the site. */
struct change choice_change(const struct choice *choice,
			    const struct url *seed);

#endif
