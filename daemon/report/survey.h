/*
 * daemon/report/survey.h - a site as its pages stand in the store: distinct
 * signatures, and who links to whom. Its levels are computed from that.
 */
#ifndef DAEMON_REPORT_SURVEY_H
#define DAEMON_REPORT_SURVEY_H

#include <stddef.h>
#include <stdint.h>

#include "cluster/dendrogram.h"
#include "cluster/suggestion.h"
#include "daemon/engine/engine.h"
#include "daemon/report/report.h"
#include "store/error.h"
#include "store/rows.h"
#include "store/store.h"

/* Of so many pages of a site the links are read, and no more when they have so
 * many links: those with the smallest keys, a sample that depends on nothing
 * but the pages. */
enum { SURVEY_MAX_SOURCES = 20000, SURVEY_MAX_LINKS = 4000000 };

/* Begin with survey_read(); end with survey_free(). */
struct survey {
	struct site_row site;           /* without its slices */
	struct arena *arena;            /* of leaves and witness */
	struct arena *names;            /* of examples */
	struct dendrogram_leaf *leaves; /* [leaf_count], the distinct
					   signatures */
	const char **examples; /* [leaf_count], the URL of a page of each */
	size_t leaf_count;
	size_t term_count;
	struct witness_pages witness; /* the pages in clusters */
};

/*
 * Read the site `host` in short transactions, one after the other; what is
 * written meanwhile may be seen in part. Of a site with over `max_leaves`
 * distinct signatures, whose tree nobody makes, no page is read. ERR_NOT_FOUND,
 * and those of a transaction; *survey_out is empty then.
 */
enum error survey_read(struct store *store, const char *host, size_t max_leaves,
		       struct survey *survey_out);
void survey_free(struct survey *survey);

/* Forget all but the site and the examples: a report needs no more, once it is
 * made. */
void survey_trim(struct survey *survey);

/* Its report; `survey` must outlive that. As report_begin(). */
enum error survey_report(const struct survey *survey,
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
 * the default of the measure. ERR_STOPPED, and those of survey_read().
 */
enum error survey_choose(struct store *store, const char *host,
			 const struct dendrogram_options *watch,
			 struct choice *choice_out);

/* What the engine is told of it; `seed` is a URL of the site. */
struct change choice_change(const struct choice *choice,
			    const struct url *seed);

#endif
