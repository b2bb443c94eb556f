/*
 * daemon/web/site_report.h - a report on a site as one HTML page. It shows the
 * clusters of the site, their distances, and the tree and the history of each
 * template.
 */
#ifndef DAEMON_WEB_SITE_REPORT_H
#define DAEMON_WEB_SITE_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "daemon/web/html.h"
#include "page/page.h"
#include "store/rows.h"
#include "store/store.h"
#include "template/page_tree.h"

struct arena;
struct report_facts;
struct site_thresholds;
struct version;

enum { SITE_REPORT_MAX_BYTES = 4 << 20 };

struct site_report_source {
	struct store *store;
	struct worker_pool *pool; /* workers that parse pages; NULL = this
				     process parses them */
	struct site_thresholds *cuts;
	struct page_limits limits;
	uint32_t min_cluster_pages; /* a smaller cluster has no template */
	uint64_t now_ms;
};

/*
 * Append the report to `out`. It is self-contained HTML5, without scripts,
 * images or external resources, and has at most SITE_REPORT_MAX_BYTES. All text
 * of the site is escaped and truncated; only http and https URLs become links.
 * The function reads the store in several short transactions, so it may see a
 * part of a concurrent change. ERR_NOT_FOUND; the errors of
 * thresholds_append(), except ERR_TOO_LARGE, which the report shows.
 */
enum error site_report(const struct site_report_source *source,
		       const char *host, struct buffer *out);

/*
 * Append the tree of the template `number` and the legend of its colours, as in
 * the report. These are HTML elements; the caller provides the style sheet. All
 * "style" attributes have the form "--t:70%". ERR_NOT_FOUND: the template has
 * no pages.
 */
enum error site_report_tree(const struct site_report_source *source,
			    const char *host, uint32_t number,
			    struct buffer *out);

/*
 * The data of a report, and its sections. Each constant is the maximum number
 * of items that the report shows.
 */

enum {
	REPORT_CLUSTERS = 60, /* clusters in the table */
	/* clusters in the table of clusters without a template */
	REPORT_SMALL = 12,
	REPORT_PAST = 20, /* ended templates */
	REPORT_TREES = 12,
	REPORT_SAMPLES = 3, /* sample pages of each cluster */
	REPORT_VERSIONS = 24,
	REPORT_EVENTS = 150,
	REPORT_CHANGES = 12,
	/*
	 * When all trees, or all changes, have this many bytes, the report
	 * begins no further one. The size of each tree and each change is
	 * bounded.
	 */
	REPORT_TREES_BYTES = SITE_REPORT_MAX_BYTES / 16 * 5,
	REPORT_CHANGES_BYTES = SITE_REPORT_MAX_BYTES / 8,
};

struct report_sample {
	struct slice url;
	struct slice title; /* "" = unknown */
};

struct report_version {
	uint32_t number;
	uint64_t first_ms;
	uint64_t last_ms;
	uint32_t page_count;
};

/* A cluster, or an ended template. */
struct report_template {
	uint32_t number;
	/* the name for people; "" if it has none */
	const char *name;
	/* it has a cluster now; otherwise the template has ended */
	bool is_there;
	struct cluster_row cluster;
	bool is_known; /* the template has at least one version */
	struct template_row row;
	/* the newest versions, the oldest of these first */
	struct report_version versions[REPORT_VERSIONS];
	uint32_t version_count;
	uint32_t version_total;
	struct report_sample samples[REPORT_SAMPLES];
	uint32_t sample_count;
	uint64_t fetched_ms; /* when one of the samples was last fetched */
};

struct report_event {
	uint64_t number;
	struct event_row row;
};

/*
 * The data of a report. `arena` owns everything, including the texts that the
 * rows refer to.
 */
struct report_facts {
	const struct site_report_source *source;
	struct arena *arena;
	struct site_row site;
	/*
	 * the largest clusters, by number of pages, then the templates that
	 * ended last, newest first
	 */
	struct report_template *templates; /* [template_count] */
	uint32_t template_count;
	uint32_t cluster_count;   /* number of all clusters of the site */
	uint32_t learned_count;   /* number of clusters that are large enough to
				     have a template */
	uint32_t past_count;      /* number of all ended templates */
	uint64_t clustered_pages; /* number of pages in clusters */
	/* [event_count]: the newest alerts, the oldest of these first */
	struct report_event *events;
	uint32_t event_count;
	uint64_t event_total;
};

/*
 * Read the data of one template that has pages, without samples and events.
 * facts_out->arena owns it; the caller has set this arena. ERR_NOT_FOUND: there
 * is no such template.
 */
enum error report_facts_read_one(const struct site_report_source *source,
				 const char *host, uint32_t number,
				 struct report_facts *facts_out);

/* Return the template with this number; NULL if it is not in the report. */
const struct report_template *report_find(const struct report_facts *facts,
					  uint32_t number);

/*
 * Return a version of the template of `cluster`; it belongs to the arena of the
 * facts. Return NULL if the version is not stored or cannot be read.
 */
struct version *report_version(const struct report_facts *facts,
			       uint32_t cluster, uint32_t version);

/* Return a short text for a kind of event, such as EVENT_TEMPLATE_NEW. */
const char *report_event_text(uint16_t kind);

/*
 * The sections of the report in their order. Each function appends one section
 * with all end tags.
 */
void report_clusters(const struct report_facts *facts, struct buffer *out);
enum error report_thresholds_section(const struct report_facts *facts,
				     struct buffer *out);
void report_trees(const struct report_facts *facts, struct buffer *out);
void report_timeline(const struct report_facts *facts, struct buffer *out);
void report_changes(const struct report_facts *facts, struct buffer *out);

/*
 * Return the name of a template, HOST/N, as HTML in the arena of the facts. The
 * name is a link to the tree of the template if the report has that tree.
 */
const char *report_template(const struct report_facts *facts, uint32_t number);

/*
 * Append the paths of one side of a change that the report shows, as an
 * outline. Steps that the other side does not have are marked.
 */
void report_outline(const struct path_tree *tree, enum path_side side,
		    struct buffer *out);

#endif
