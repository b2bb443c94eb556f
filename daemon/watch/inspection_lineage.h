/*
 * daemon/watch/inspection_lineage.h - what happened to a template, as it is
 * stored: a JSON array, oldest first.
 */
#ifndef DAEMON_WATCH_INSPECTION_LINEAGE_H
#define DAEMON_WATCH_INSPECTION_LINEAGE_H

#include "daemon/watch/inspection_plan.h"

/* The lineage with one more entry, in the arena of the plan; `other` is the
 * cluster that has to do with it, or 0. */
struct slice lineage_add(const struct plan *plan, struct slice lineage,
			 const char *kind, uint32_t other);

#endif
