/*
 * daemon/web/site_report_parts.h - the data of a report, and its sections.
 * Internal to site_report*.c.
 */
#ifndef DAEMON_WEB_SITE_REPORT_PARTS_H
#define DAEMON_WEB_SITE_REPORT_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/web/site_report.h"
#include "store/rows_cluster.h"
#include "store/rows_event.h"
#include "store/rows_site.h"
#include "store/rows_template.h"

struct arena;
struct version;

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

/* Read the data of a report. ERR_NOT_FOUND, and errors of the transaction. */
enum error report_facts_read(const struct site_report_source *source,
			     const char *host, struct arena *arena,
			     struct report_facts *facts_out);

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
void report_head(const struct report_facts *facts, struct buffer *out);
void report_clusters(const struct report_facts *facts, struct buffer *out);
enum error report_thresholds_section(const struct report_facts *facts,
				     struct buffer *out);
void report_trees(const struct report_facts *facts, struct buffer *out);
void report_timeline(const struct report_facts *facts, struct buffer *out);
void report_changes(const struct report_facts *facts, struct buffer *out);

/*
 * The parts of the timeline: a drawing with lanes, and the lineage as a table.
 */
void report_lanes(const struct report_facts *facts, struct buffer *out);
void report_lineage(const struct report_facts *facts, struct buffer *out);

/* The style sheet of the page. */
extern const char report_style[];

#endif
