/*
 * daemon/watch/collect.h - the stored data of a site and its
 * templates, as plain data: the complete input of a site check. No other part
 * of the watcher reads the store to decide.
 *
 * The rows of the site, its clusters and its templates are read together in one
 * transaction. Larger data - records of pages, versions, parsed pages - is read
 * for one subject at a time, again in one transaction, and only as far as a
 * plan requests it: at most MAX_TEMPLATE_SAMPLE sample pages with two records
 * each, VERSION_MAX_RECORDS records and VERSION_MAX_SAMPLES parsed pages for a
 * version, and FACTS_MAX_MEMBERS keys. So transactions are short, and only one
 * subject is in memory, however large the site is.
 */
#ifndef DAEMON_WATCH_COLLECT_H
#define DAEMON_WATCH_COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "daemon/engine/commit_event.h"
#include "page/page.h"
#include "store/record.h"
#include "store/rows.h"
#include "template/change_detector.h"
#include "template/version.h"

struct arena;
struct store;

enum { FACTS_MAX_MEMBERS = 1000 };

/* A cluster, or a template, or both. */
struct template_view {
	uint32_t cluster; /* first, for order_u32() */
	bool has_cluster;
	struct cluster_row cluster_row;
	bool has_row;
	struct template_row row; /* its lineage belongs to the arena */
};

struct site_facts {
	struct site_row row; /* its host and seed belong to the arena */
	uint64_t due_ms;     /* the next visit; UINT64_MAX = none */
	struct template_view
		*subjects; /* [subject_count], ascending by cluster */
	size_t subject_count;
};

/* Return whether pages of the site can be fetched. */
bool site_is_fetched(const struct site_row *site);

/*
 * Read the rows of a site. Times after `now_ms` become 0, so that a clock that
 * was ahead stops nothing. ERR_NOT_FOUND and errors of the transaction.
 */
enum error site_facts_read(struct store *store, const char *host,
			   uint64_t now_ms, struct arena *arena,
			   struct site_facts *facts_out);

/* The data that a plan needs about one subject. */
struct data_request {
	bool has_sample;   /* its sample pages and the row of its newest version
			    */
	bool has_arrivals; /* the first pages of the cluster */
	uint32_t version; /* build a version from the pages of that cluster; 0 =
			     none */
	uint64_t since_ms; /* only from pages fetched since then, if there are
			      enough; 0 = from all */
	bool has_before;   /* the newest stored version */
	bool has_members;  /* the keys of the cluster's pages */
	bool has_moves;    /* where missing sample pages have appeared again */
};

/* Return whether `given` has all the data of `wish`. */
bool data_request_is_met(const struct data_request *wish,
			 const struct data_request *given);

/* Where a sample page redirects to, by HTTP or by a stub page in HTML. */
enum redirect_target {
	REDIRECT_TARGET_NONE,    /* a page, an error, or missing */
	REDIRECT_TARGET_UNKNOWN, /* to an unknown place */
	REDIRECT_TARGET_QUEUED,  /* to a page that was not fetched yet */
	REDIRECT_TARGET_PAGE,    /* to a page of `lead_cluster` */
};

/* A sample page in its old and its current stored state. */
struct sample_page {
	uint64_t page;
	uint64_t since_ms;     /* time of the visit that stored `before` */
	struct slice url;      /* in the arena, as `before` */
	struct record before;  /* when the newest version was built */
	struct record after;   /* its current record, or a copy of `before` */
	bool is_stored;        /* false = the page is deleted */
	bool has_other_paths;  /* its paths differ from `before` */
	bool is_refused;       /* the last visit failed or was forbidden */
	uint16_t page_class;   /* enum page_class */
	uint32_t cluster;      /* its cluster; 0 = none */
	uint64_t fetched_ms;   /* of the stored page */
	uint64_t answered_ms;  /* last visit, whatever its result; 0 = never */
	struct slice moved_to; /* the URL that it redirects to, or that has its
				  content now; or empty */
	enum redirect_target lead;
	uint32_t lead_cluster; /* 0 = none */
};

/*
 * Return a record in the form of a stored sample page: without its links, which
 * do not depend on the template.
 */
struct slice sample_record(struct arena *arena, const struct record *record);

/* One of the first pages of a cluster. */
struct page_timestamps {
	uint64_t stored_ms;  /* first time */
	uint64_t fetched_ms; /* last time */
	uint64_t found_ms;   /* when a link to it was found */
};

/* A version and its sample pages. */
struct built_version {
	struct version *version; /* NULL if none of its pages can be read */
	struct sample_page_entry *pages; /* [page_count] */
	size_t page_count;
	bool is_partial; /* only from pages fetched since that time */
};

struct template_facts {
	struct data_request given; /* the data below that was read */
	struct template_view self; /* with the current cluster */
	struct sample_page sample[MAX_TEMPLATE_SAMPLE];
	uint32_t sample_count;
	uint64_t told; /* of an ended template: the last alert that reported
			  where its pages went; 0 = none */
	bool has_version_row; /* of self.row.version */
	uint64_t version_ms;  /* when it was built */
	uint32_t version_pages;
	struct page_timestamps arrivals[MAX_TEMPLATE_SAMPLE];
	uint32_t arrival_count;
	struct built_version taken;
	const struct version *before; /* NULL if missing */
	const uint64_t *members;      /* [member_count] */
	size_t member_count;
};

/* Return how many pages of its newest version have left its cluster. */
uint32_t template_missing_pages(const struct template_facts *facts);

/* Inputs for reading all subjects. */
struct facts_source {
	struct store *store;
	struct worker_pool *pool; /* workers that parse pages; NULL = parse in
			      this process */
	const struct site_facts *site;
	const struct page_limits *limits;
	uint32_t min_pages; /* minimum for a version */
	uint64_t now_ms;
	struct arena
		*arena; /* for results that may be stored: pages of a version */
};

/*
 * Read the requested data of the subject into `scratch`. Errors of the
 * transaction; ERR_CORRUPT.
 */
enum error template_facts_read(const struct facts_source *source,
			       const struct template_view *subject,
			       const struct data_request *wish,
			       struct arena *scratch,
			       struct template_facts *facts_out);

#endif
