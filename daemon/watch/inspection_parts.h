/*
 * daemon/watch/inspection_parts.h - an inspection while it is made. Internal to
 * inspection*.c.
 */
#ifndef DAEMON_WATCH_INSPECTION_PARTS_H
#define DAEMON_WATCH_INSPECTION_PARTS_H

#include <jansson.h>

#include "daemon/watch/inspection.h"
#include "store/arena.h"
#include "store/rows_cluster.h"
#include "template/change_detector.h"
#include "template/version.h"

/* A cluster, or a template, or both. */
struct subject {
	uint32_t cluster;
	bool has_cluster;
	struct cluster_row cluster_row;
	bool has_row;
	struct template_row row; /* its lineage is in the arena */
	bool is_done;            /* inspected by now */
};

struct inspector {
	struct store *store;
	const struct inspection_rules *rules;
	struct inspection *inspection;
	struct arena *arena;   /* of what is found */
	struct arena *scratch; /* of one subject */
	uint64_t now_ms;
	struct site_row site;     /* its host and seed are in the arena */
	struct subject *subjects; /* [subject_count], ascending by cluster */
	size_t subject_count;
	bool is_settled;     /* no page is awaited, no threshold chosen */
	bool is_cut;         /* more was found than is committed at once */
	bool is_first;       /* its first templates are not all known */
	uint32_t *contested; /* [contested_count], clusters that pages of
				open inquiries are in by now */
	size_t contested_count;
	size_t contested_capacity;
	uint32_t asked;   /* pages of samples, in the rounds under way */
	uint32_t blocked; /* of these: they do not come any more */
	uint32_t seen;    /* of these: they came, or are gone */
	/* what was found, [count] */
	struct template_finding *templates;
	size_t template_count;
	size_t template_capacity;
	struct event_row *events;
	size_t event_count;
	size_t event_capacity;
	uint64_t *visits;
	size_t visit_count;
	size_t visit_capacity;
};

struct slice inspector_copy(struct arena *arena, struct slice text);

/* Can pages of the site be asked for? */
bool inspector_can_ask(const struct inspector *inspector);

/* NULL when there is none. */
struct subject *inspector_subject(const struct inspector *inspector,
				  uint32_t cluster);

void inspector_visit(struct inspector *inspector, uint64_t page);
/* Slices of the event must be in the arena. */
void inspector_emit(struct inspector *inspector, const struct event_row *event);
struct template_finding *inspector_find(struct inspector *inspector,
					uint32_t cluster,
					const struct template_row *row);

/* To be made again at that time. */
void inspector_wait(struct inspector *inspector, uint64_t time_ms);

/* inspection_sample.c: the pages of a sample, as they were and are. */

struct sample_page {
	struct observed_page observed;
	struct slice url;
	uint64_t since_ms;
	uint64_t fetched_ms;  /* of the page as it is stored */
	bool is_fresh;        /* its last visit was since the window began */
	bool has_other_paths; /* PAGE: it is another one than it was */
	bool is_moved;        /* GONE: it leads to a page of observed.cluster */
};

struct sample {
	struct sample_page pages[MAX_TEMPLATE_SAMPLE];
	uint32_t count;
};

/* Read the sample of a live template. What was not seen since `window_ms` is
 * OBSERVED_UNSEEN, unless its paths are not as they were. */
enum error sample_read(struct inspector *inspector,
		       const struct subject *subject, uint64_t window_ms,
		       struct sample *sample_out);

/* inspection_version.c: a version out of the stored pages of a cluster. */

struct taken {
	struct version *version;          /* NULL: no page of it can be read */
	struct sample_page_entry *sample; /* [sample_count] */
	size_t sample_count;
	bool is_partial; /* of pages fetched since `since_ms` alone */
};

/*
 * Of the pages that were fetched since then (0: of all); of all, too, when
 * those are too few.
 */
enum error take_version(struct inspector *inspector, uint32_t cluster,
			uint64_t since_ms, struct taken *taken_out);

/* A record as a sample keeps it. */
struct slice sample_record(struct inspector *inspector,
			   const struct record *record);

/* Members of the taken sample take the places of the pages that are gone. */
void sample_mend(struct inspector *inspector, const struct sample *sample,
		 struct taken *taken);

/* The version `number` as it was stored; NULL when it is not there. */
struct version *load_version(struct inspector *inspector, uint32_t cluster,
			     uint32_t number);

/* Add the taken version to the finding, as number found->row.version. */
void find_version(struct inspector *inspector, const struct taken *taken,
		  uint64_t first_ms, struct template_finding *found);

/* inspection_detail.c: evidence, for people and programs. */

struct evidence {
	const struct subject *subject;
	const struct detection *detection;
	const struct sample *sample;
	const struct version *before; /* or NULL */
	const struct version *after;  /* of where most pages went; or NULL */
	uint32_t versions[2]; /* of the template: before, after; 0: none */
	const char *reason;   /* why it was told, beyond the numbers; or NULL */
};

/* A JSON object, in the arena. */
struct slice evidence_json(struct inspector *inspector,
			   const struct evidence *evidence);

/* The lineage with one more entry, in the arena. */
struct slice lineage_add(struct inspector *inspector, struct slice lineage,
			 const char *kind, uint32_t other);

/* inspection_template.c: what has become of a known template. */
enum error inspect_template(struct inspector *inspector,
			    struct subject *subject);

/* inspection_cluster.c: a cluster that is no live template yet. */
enum error inspect_cluster(struct inspector *inspector,
			   struct subject *subject);

#endif
