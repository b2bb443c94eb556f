/*
 * daemon/web/site_report.h - a report on a site as one HTML page: its
 * clusters, their distances, the tree of each template, and its history.
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
	struct worker_pool *pool; /* workers that parse pages; NULL = parse in
			      this process */
	struct site_thresholds *cuts;
	struct page_limits limits;
	uint32_t min_cluster_pages; /* a smaller cluster has no template */
	uint64_t now_ms;
};

/*
 * Append the page: self-contained HTML5, without scripts, images or external
 * resources, of at most SITE_REPORT_MAX_BYTES. All text of the site is escaped
 * and truncated; only http and https URLs become links. Reads the store in
 * several short transactions, so it may see parts of concurrent changes.
 * ERR_NOT_FOUND, and the errors of thresholds_append() except ERR_TOO_LARGE,
 * which the page shows.
 */
enum error site_report(const struct site_report_source *source,
		       const char *host, struct buffer *out);

/*
 * Append the tree of a template and the legend of its colours, as in the
 * report: HTML elements, styled by the caller's style sheet. All "style"
 * attributes have the form "--t:70%". ERR_NOT_FOUND: the template has no pages.
 */
enum error site_report_tree(const struct site_report_source *source,
			    const char *host, uint32_t number,
			    struct buffer *out);

/* The data of a report, and its sections. */

enum {
	REPORT_CLUSTERS = 60, /* maximum in the table */
	REPORT_SMALL =
		12, /* maximum in the table of clusters without a template */
	REPORT_PAST = 20, /* ended templates */
	REPORT_TREES = 12,
	REPORT_SAMPLES = 3, /* sampled pages per cluster */
	REPORT_VERSIONS = 24,
	REPORT_EVENTS = 150,
	REPORT_CHANGES = 12,
	/*
	 * Start no further tree or change beyond these sizes; each one is
	 * bounded.
	 */
	REPORT_TREES_BYTES = SITE_REPORT_MAX_BYTES / 16 * 5,
	REPORT_CHANGES_BYTES = SITE_REPORT_MAX_BYTES / 8,
};

struct report_sample {
	struct slice url;
	struct slice title; /* or empty */
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
	bool is_there; /* it has a cluster now */
	struct cluster_row cluster;
	bool is_known; /* it has at least one version */
	struct template_row row;
	struct report_version
		versions[REPORT_VERSIONS]; /* the newest ones, oldest first */
	uint32_t version_count;
	uint32_t version_total;
	struct report_sample samples[REPORT_SAMPLES];
	uint32_t sample_count;
	uint64_t fetched_ms; /* last fetch of one of these */
};

struct report_event {
	uint64_t number;
	struct event_row row;
};

/* `arena` owns everything, including the slices of rows. */
struct report_facts {
	const struct site_report_source *source;
	struct arena *arena;
	struct site_row site;
	/*
	 * clusters by pages, largest first, then ended templates, newest first
	 */
	struct report_template *templates; /* [template_count] */
	uint32_t template_count;
	uint32_t cluster_count;   /* of the site */
	uint32_t learned_count;   /* clusters large enough to have a template */
	uint32_t past_count;      /* ended templates */
	uint64_t clustered_pages; /* pages in clusters */
	struct report_event
		*events; /* [event_count] the newest alerts, oldest first */
	uint32_t event_count;
	uint64_t event_total;
};

/*
 * The same for one template that has pages, without samples and events, into
 * {.arena}. ERR_NOT_FOUND: there is no such template.
 */
enum error report_facts_read_one(const struct site_report_source *source,
				 const char *host, uint32_t number,
				 struct report_facts *facts_out);

/* Return a template by its number; NULL if it is not in the report. */
const struct report_template *report_find(const struct report_facts *facts,
					  uint32_t number);

/*
 * Return the version of a template, in the facts' arena; NULL if it is not
 * stored or unreadable.
 */
struct version *report_version(const struct report_facts *facts,
			       uint32_t cluster, uint32_t version);

/* Return a short text for an event kind ("template.added", ...). */
const char *report_event_text(uint16_t kind);

/* Append the sections, in order. Each closes its elements. */
void report_clusters(const struct report_facts *facts, struct buffer *out);
enum error report_thresholds_section(const struct report_facts *facts,
				     struct buffer *out);
void report_trees(const struct report_facts *facts, struct buffer *out);
void report_timeline(const struct report_facts *facts, struct buffer *out);
void report_changes(const struct report_facts *facts, struct buffer *out);

/*
 * Return HTML for HOST/N, with a link to its tree if it has one, in the facts'
 * arena.
 */
const char *report_template(const struct report_facts *facts, uint32_t number);

/*
 * Append the shown paths of `side`; mark the steps that the other side does not
 * have.
 */
void report_outline(const struct path_tree *tree, enum path_side side,
		    struct buffer *out);

#endif
