/*
 * daemon/watch/inspection_lineage.h - what happened to a template, as it is
 * stored: a JSON array, oldest first.
 */
#ifndef DAEMON_WATCH_INSPECTION_LINEAGE_H
#define DAEMON_WATCH_INSPECTION_LINEAGE_H

#include <jansson.h>

#include "daemon/watch/inspection_plan.h"

/* The cluster that it is in, or leads to; 0: none. */
uint32_t sample_page_place(const struct sample_page *page);

/* Where the sample pages of a template are, or lead to. */
struct flows {
	struct destination items[MAX_TEMPLATE_SAMPLE]; /* [count], most pages
				first; cluster 0: they are gone */
	uint32_t count;
};

struct flows flows_of(const struct subject_facts *facts);

/* Where most are, but the cluster itself and none; ties: `likely`, or else the
 * smallest number. 0: nowhere. */
uint32_t flows_main(const struct flows *flows, uint32_t self, uint32_t likely);

/* [{"template", "pages"}, ...] */
json_t *flows_json(struct slice host, const struct flows *flows);

struct lineage_entry {
	const char *kind;
	uint32_t other;            /* the cluster that has to do with it; 0 */
	const struct flows *flows; /* or NULL */
};

/* The lineage with one more entry, in the arena of the plan. */
struct slice lineage_add(const struct plan *plan, struct slice lineage,
			 const struct lineage_entry *entry);

#endif
