/*
 * daemon/report/snapshot.h - a site as its pages stand in the store: distinct
 * signatures, and who links to whom. Its cuts are computed from that.
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

/* Of so many pages of a site the links are read, and no more when they have so
 * many links: those with the smallest keys, a sample that depends on nothing
 * but the pages. */
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
 * written meanwhile may be seen in part. Of a site with over `max_leaves`
 * distinct signatures, whose tree nobody makes, no page is read. ERR_NOT_FOUND,
 * and those of a transaction; *snapshot_out is empty then.
 */
enum error snapshot_read(struct store *store, const char *host,
			 size_t max_leaves, struct snapshot *snapshot_out);
void snapshot_free(struct snapshot *snapshot);

/* Forget all but the site and the examples: a report needs no more, once it is
 * made. */
void snapshot_trim(struct snapshot *snapshot);

/* Its report; `snapshot` must outlive that. As report_begin(). */
enum error snapshot_report(const struct snapshot *snapshot,
			   const struct dendrogram_options *watch,
			   struct report *report_out);

/* What "auto" takes. */
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

/* What the engine is told of it; `seed` is a URL of the site. */
struct change choice_change(const struct choice *choice,
			    const struct url *seed);

#endif
