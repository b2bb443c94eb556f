/*
 * daemon/engine/commit_incident.h - the incidents of a site in the store
 */
#ifndef DAEMON_ENGINE_COMMIT_INCIDENT_H
#define DAEMON_ENGINE_COMMIT_INCIDENT_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/engine/incident.h"
#include "store/txn.h"

struct arena;

/* A site has at most this many rows; the oldest ended ones are deleted. */
enum { MAX_SITE_INCIDENTS = 100 };

struct incident_list {
	struct incident *items; /* [count], ascending by number */
	size_t count;
};

/*
 * Read the incidents of the site that go on, and those that began after
 * `since_ms`. The slices belong to the arena. Free the list with
 * incident_list_free().
 */
struct incident_list incident_list_read(struct txn *txn, uint32_t site,
					uint64_t since_ms, struct arena *arena);
void incident_list_free(struct incident_list *list);

/*
 * Return when an incident of the site must be reported or ends, or
 * SITE_IS_CHANGING must be set or cleared, if nothing else happens; a time that
 * is not after rules->now_ms: now. UINT64_MAX: never.
 */
uint64_t incidents_next(struct txn *txn, const struct site_row *site,
			const struct incident_rules *rules);

#endif
