/*
 * daemon/watch/inspection_lineage.h - the stored history of a template: a JSON
 * array, oldest entry first.
 */
#ifndef DAEMON_WATCH_INSPECTION_LINEAGE_H
#define DAEMON_WATCH_INSPECTION_LINEAGE_H

#include <jansson.h>

#include "daemon/watch/inspection_plan.h"

/*
 * Return the cluster of the page, or of the page that it redirects to; 0 =
 * none.
 */
uint32_t sample_page_place(const struct sample_page *page);

/* The clusters that have the sample pages of a template now. */
struct flows {
	struct destination
		items[MAX_TEMPLATE_SAMPLE]; /* [count], most pages first;
					       cluster 0 = deleted pages */
	uint32_t count;
};

struct flows flows_of(const struct subject_facts *facts);

/*
 * Return the cluster with most of the pages, except `self` and 0; for equal
 * numbers `likely`, otherwise the smallest number. 0 = no cluster.
 */
uint32_t flows_main(const struct flows *flows, uint32_t self, uint32_t likely);

/* [{"template", "pages"}, ...] */
json_t *flows_json(struct slice host, const struct flows *flows);

struct lineage_entry {
	const char *kind;
	uint32_t other; /* the other cluster of the change; 0 = none */
	const struct flows *flows; /* or NULL */
};

/* Return the lineage with one more entry, in the arena of the plan. */
struct slice lineage_add(const struct plan *plan, struct slice lineage,
			 const struct lineage_entry *entry);

#endif
