/*
 * daemon/watch/collect.h - the stored data of a site and its templates, as
 * plain data: the complete input of a site check. The watcher decides only from
 * this data and reads the store nowhere else.
 *
 * The rows of the site, its clusters and its templates are read together in one
 * transaction. Larger data is read for one subject at a time, again in one
 * transaction, and only if a plan requests it. It is limited: at most
 * MAX_TEMPLATE_SAMPLE sample pages with two records each, VERSION_MAX_RECORDS
 * records and VERSION_MAX_SAMPLES parsed pages for a version, and
 * FACTS_MAX_MEMBERS page keys. So transactions are short, and only the data of
 * one subject is in memory, however large the site is.
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

/*
 * A subject of the watcher: a cluster, a template, or both if they have the
 * same number.
 */
struct template_view {
	/* number of the cluster; must be the first field, for order_u32() */
	uint32_t cluster;
	bool has_cluster;
	struct cluster_row cluster_row;
	bool has_row;
	/* row of the template; its lineage belongs to the arena */
	struct template_row row;
};

/* The decision about rendering the pages of a template. */
struct render_view {
	uint32_t cluster;
	struct render_row row; /* without its signatures */
};

struct site_facts {
	/* row of the site; its host and seed belong to the arena */
	struct site_row row;
	/* time of the next visit of any page; UINT64_MAX = no visit is due */
	uint64_t due_ms;
	struct template_view
		*subjects; /* [subject_count], ascending by cluster */
	size_t subject_count;
	struct render_view *renders; /* [render_count], ascending by cluster */
	size_t render_count;
};

/* Return whether the daemon can fetch pages of the site. */
bool site_is_fetched(const struct site_row *site);

/*
 * Read the rows of a site. Times after `now_ms` become 0: they were stored when
 * the clock was ahead and must not delay anything. ERR_NOT_FOUND and errors of
 * the transaction.
 */
enum error site_facts_read(struct store *store, const char *host,
			   uint64_t now_ms, struct arena *arena,
			   struct site_facts *facts_out);

/*
 * The data that a plan needs about one subject. The field `given` of struct
 * template_facts has the same type; it states which of the data was read.
 */
struct data_request {
	/*
	 * the sample pages of the template, and the row of its newest version
	 */
	bool has_sample;
	bool has_arrivals; /* the first pages that came into the cluster */
	/*
	 * a new version, built from the pages of the cluster with this number;
	 * 0 = none
	 */
	uint32_t version;
	/*
	 * build the version only from pages that were fetched after this time,
	 * if there are enough; 0 = from all pages
	 */
	uint64_t since_ms;
	bool has_before;  /* the newest stored version, and earlier ones */
	bool has_members; /* the keys in `members` */
	/* the pages that have the content of deleted sample pages now */
	bool has_moves;
};

/*
 * Return whether the data that was read (`given`) contains everything that
 * `wish` requests.
 */
bool data_request_is_met(const struct data_request *wish,
			 const struct data_request *given);

/*
 * The target of a sample page that redirects, by HTTP or as a stub page in
 * HTML.
 */
enum redirect_target {
	REDIRECT_TARGET_NONE,    /* no redirect: a page, an error, or deleted */
	REDIRECT_TARGET_UNKNOWN, /* a URL that is not in the store */
	REDIRECT_TARGET_QUEUED,  /* a URL that was not fetched yet */
	REDIRECT_TARGET_PAGE,    /* a page, which is in `lead_cluster` */
};

/*
 * A sample page: its state when it became a sample page, and its current state.
 */
struct sample_page {
	uint64_t page;
	/*
	 * time of the visit that fetched the page from which `before` was made
	 */
	uint64_t since_ms;
	struct slice url; /* in the arena, as `before` */
	/* its record when the newest version was built */
	struct record before;
	/* its current record; a copy of `before` if the content is the same */
	struct record after;
	bool is_stored; /* false = the page was deleted */
	/* it redirects to a page, whose state is its current state */
	bool is_moved;
	/* its current paths differ from the paths of `before` */
	bool has_other_paths;
	bool is_refused; /* the last visit failed or was forbidden */
	/* it can be visited, and no visit of it is due or running */
	bool is_idle;
	uint16_t page_class; /* value of enum page_class */
	uint32_t cluster;    /* its current cluster; 0 = none */
	uint64_t fetched_ms; /* time when the stored page was fetched */
	uint64_t changed_ms; /* time when its content last changed */
	/* time of the last visit, with any result; 0 = never */
	uint64_t answered_ms;
	/*
	 * URL that it redirects to, or that has its content now; empty = none
	 */
	struct slice moved_to;
	enum redirect_target lead;
	uint32_t lead_cluster; /* cluster of the target page; 0 = none */
};

/*
 * Return a record in the form of a stored sample page. Its hyperlinks are
 * removed, because they do not depend on the template.
 */
struct slice sample_record(struct arena *arena, const struct record *record);

/* One of the first pages of a cluster. */
struct page_timestamps {
	uint64_t stored_ms;  /* time when it was first stored */
	uint64_t fetched_ms; /* time when it was last fetched */
	uint64_t found_ms;   /* time when a link to it was found */
};

/* A version and its sample pages. */
struct built_version {
	struct version *version; /* NULL if none of the pages could be read */
	struct sample_page_entry *pages; /* [page_count] */
	size_t page_count;
	/* built only from pages that were fetched recently (see since_ms) */
	bool is_partial;
};

struct template_facts {
	struct data_request given; /* states which of the data below was read */
	/* the subject, with the current state of its cluster */
	struct template_view self;
	struct sample_page sample[MAX_TEMPLATE_SAMPLE];
	uint32_t sample_count;
	/*
	 * number of the last alert that reported where the pages of an ended
	 * template are; 0 = none
	 */
	uint64_t told;
	/* the store has the row of version self.row.version */
	bool has_version_row;
	uint64_t version_ms; /* time when that version was built */
	uint32_t version_pages;
	struct page_timestamps arrivals[MAX_TEMPLATE_SAMPLE];
	uint32_t arrival_count;
	struct built_version taken;
	/* the newest stored version; NULL if missing */
	const struct version *before;
	/*
	 * number of the earlier version whose design `taken` has again; 0 =
	 * none
	 */
	uint32_t former;
	uint64_t former_ms; /* time when that version was last built */
	/*
	 * [member_count], keys of the cluster's pages, and of those that were
	 * split off from clusters in this round and not fetched since
	 */
	uint64_t *members;
	size_t member_count;
};

/*
 * Return how many pages of the template's newest version are no longer in its
 * cluster.
 */
uint32_t template_missing_pages(const struct template_facts *facts);

/* The inputs that are the same for reading all subjects of a site. */
struct facts_source {
	struct store *store;
	/* workers that parse pages; NULL = parse in this process */
	struct worker_pool *pool;
	const struct site_facts *site;
	const struct page_limits *limits;
	uint32_t min_pages; /* minimum number of pages for a version */
	uint64_t now_ms;
	/* owns results that may be stored: the pages of a version */
	struct arena *arena;
};

/*
 * Read the data of `subject` that `wish` requests. Temporary data is in
 * `scratch`. Errors of the transaction; ERR_CORRUPT.
 */
enum error template_facts_read(const struct facts_source *source,
			       const struct template_view *subject,
			       const struct data_request *wish,
			       struct arena *scratch,
			       struct template_facts *facts_out);

#endif
