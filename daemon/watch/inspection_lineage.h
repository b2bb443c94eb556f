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
uint32_t sample_page_cluster(const struct sample_page *page);

/* The clusters that have the sample pages of a template now. */
struct page_moves {
	struct destination
		items[MAX_TEMPLATE_SAMPLE]; /* [count], most pages first;
					       cluster 0 = deleted pages */
	uint32_t count;
};

struct page_moves page_moves_of(const struct template_facts *facts);

/*
 * Return the cluster with most of the pages, except `self` and 0; for equal
 * numbers `likely`, otherwise the smallest number. 0 = no cluster.
 */
uint32_t page_moves_main(const struct page_moves *flows, uint32_t self,
			 uint32_t likely);

/* [{"template", "pages"}, ...] */
json_t *page_moves_json(struct slice host, const struct page_moves *flows);

struct lineage_entry {
	const char *kind;
	uint32_t other; /* the other cluster of the change; 0 = none */
	const struct page_moves *flows; /* or NULL */
};

/* Return the lineage with one more entry, in the arena of the plan. */
struct slice lineage_add(const struct watch_plan *plan, struct slice lineage,
			 const struct lineage_entry *entry);

#endif
