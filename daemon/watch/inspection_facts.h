/*
 * daemon/watch/inspection_facts.h - what is stored of a site and its templates,
 * as plain data: all that an inspection decides by. Nothing else of the watch
 * reads the store to decide.
 *
 * Of the site, its clusters and its templates the rows are read at once, in one
 * transaction. The rest is heavy - records of pages, versions, parsed pages -
 * and read for one subject at a time, again in one transaction, and of that
 * what a plan wishes for: at most MAX_TEMPLATE_SAMPLE sample pages with two
 * records each, VERSION_MAX_RECORDS records and VERSION_MAX_SAMPLES parsed
 * pages for a version, and FACTS_MAX_MEMBERS keys. So no transaction outlasts
 * that, and one subject is in memory, however large the site.
 */
#ifndef DAEMON_WATCH_INSPECTION_FACTS_H
#define DAEMON_WATCH_INSPECTION_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/engine/findings.h"
#include "page/page.h"
#include "store/error.h"
#include "store/record.h"
#include "store/rows_cluster.h"
#include "store/rows_site.h"
#include "store/rows_template.h"
#include "template/change_detector.h"
#include "template/version.h"

struct arena;
struct store;

enum { FACTS_MAX_MEMBERS = 1000 };

/* A cluster, or a template, or both. */
struct subject {
	uint32_t cluster;
	bool has_cluster;
	struct cluster_row cluster_row;
	bool has_row;
	struct template_row row; /* its lineage is in the arena */
};

struct site_facts {
	struct site_row row;      /* its host and seed are in the arena */
	uint64_t due_ms;          /* the next visit; UINT64_MAX: none */
	struct subject *subjects; /* [subject_count], ascending by cluster */
	size_t subject_count;
};

/* Can pages of the site be asked for? */
bool site_is_asked(const struct site_row *site);

/* Times of rows that lie after `now_ms` are read as 0: a clock that was ahead
 * once stops nothing. ERR_NOT_FOUND, and those of a transaction. */
enum error site_facts_read(struct store *store, const char *host,
			   uint64_t now_ms, struct arena *arena,
			   struct site_facts *facts_out);

/* What a plan must know of one subject. */
struct wish {
	bool has_sample;   /* its sample pages, and its newest version's row */
	bool has_arrivals; /* the first pages of the cluster */
	uint32_t version;  /* a version of the pages of that cluster; 0: none */
	uint64_t since_ms; /* of those fetched since then, when they are enough;
			      0: of all */
	bool has_before;   /* the newest version as it was stored */
	bool has_members;  /* the keys of the cluster's pages */
	bool has_moves;    /* where sample pages that are gone have come again
			    */
};

/* Is all that is wished for among the given? */
bool wish_is_met(const struct wish *wish, const struct wish *given);

/* Where a sample page leads, by HTTP or as a stub in HTML. */
enum lead {
	LEAD_NONE,    /* it is a page, an error, or not there */
	LEAD_AWAY,    /* nobody knows where */
	LEAD_AWAITED, /* to a page that was not visited yet */
	LEAD_PAGE,    /* to a page of `lead_cluster` */
};

/* A sample page, as it was and as it is stored now. */
struct sample_page {
	uint64_t page;
	uint64_t since_ms;     /* of the visit that brought `before` */
	struct slice url;      /* these two in the arena */
	struct record before;  /* when the newest version was taken */
	struct record after;   /* a page: its record now, or `before` again */
	bool is_stored;        /* else it is gone */
	bool has_other_paths;  /* its paths are not those of `before` */
	bool is_refused;       /* the last visit failed, or was forbidden */
	uint16_t page_class;   /* enum page_class */
	uint32_t cluster;      /* that it is in; 0: none */
	uint64_t fetched_ms;   /* as it is stored */
	uint64_t answered_ms;  /* last visit, whatever it brought; 0: never */
	struct slice moved_to; /* the other URL that it leads to, or that has
				  its content now; or empty */
	enum lead lead;
	uint32_t lead_cluster; /* 0: none */
};

/* A record as a sample page keeps it: without its links, which say nothing of
 * the template. */
struct slice sample_record(struct arena *arena, const struct record *record);

/* One of the first pages of a cluster. */
struct arrival {
	uint64_t stored_ms;  /* first of all */
	uint64_t fetched_ms; /* last */
	uint64_t found_ms;   /* a link to it */
};

/* A version, and the sample pages that go with it. */
struct taken_version {
	struct version *version;         /* NULL: no page of it can be read */
	struct sample_page_entry *pages; /* [page_count] */
	size_t page_count;
	bool is_partial; /* of pages fetched since that time alone */
};

struct subject_facts {
	struct wish given;   /* what of the following was read */
	struct subject self; /* with the cluster as it is */
	struct sample_page sample[MAX_TEMPLATE_SAMPLE];
	uint32_t sample_count;
	uint64_t told; /* of a template that has ended: the last alert that says
			  where its pages went; 0: none */
	bool has_version_row; /* of self.row.version */
	uint64_t version_ms;  /* when that was taken */
	uint32_t version_pages;
	struct arrival arrivals[MAX_TEMPLATE_SAMPLE];
	uint32_t arrival_count;
	struct taken_version taken;
	const struct version *before; /* NULL: it is not there */
	const uint64_t *members;      /* [member_count] */
	size_t member_count;
};

/* So many pages of its newest version are not in its cluster any more. */
uint32_t subject_missing(const struct subject_facts *facts);

/* What is read for all subjects. */
struct facts_source {
	struct store *store;
	struct pool *pool; /* of those who parse; NULL: we do it */
	const struct site_facts *site;
	const struct page_limits *limits;
	uint32_t min_pages; /* fewer are not enough for a version */
	uint64_t now_ms;
	struct arena *arena; /* of what may be stored: taken pages */
};

/* Read what is wished for of the subject into `scratch`. Errors of the
 * transaction; ERR_CORRUPT. */
enum error subject_facts_read(const struct facts_source *source,
			      const struct subject *subject,
			      const struct wish *wish, struct arena *scratch,
			      struct subject_facts *facts_out);

#endif
