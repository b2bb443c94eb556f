/*
 * daemon/web/site_report_change.h - the items that a change has removed and
 * added, from the versions before and after it, or from the event's evidence.
 * Internal to site_report*.c.
 */
#ifndef DAEMON_WEB_SITE_REPORT_CHANGE_H
#define DAEMON_WEB_SITE_REPORT_CHANGE_H

#include <stdint.h>

#include <jansson.h>

#include "daemon/web/site_report_parts.h"
#include "template/path_tree.h"

struct version_item;

/* The items that were removed or added. */
struct reported_items {
	const struct version_item **items; /* [count], most common first */
	uint32_t count;
	uint64_t total; /* more than `count` if some are unknown */
};

/* One of the two versions. */
struct reported_side {
	uint32_t cluster;
	uint32_t number;               /* of the version; 0 = unknown */
	const struct version *version; /* NULL = not stored */
	struct reported_items paths;
	struct reported_items texts;
};

/* Belongs to the arena of the facts, and to `detail`. */
struct reported_change {
	const struct report_facts *facts;
	const struct event_row *row;
	const json_t *detail; /* from the event's row, or NULL */
	struct reported_side sides[PATH_SIDES];
};

/* Fill in the sides. */
void report_change_find(struct reported_change *change);

#endif
