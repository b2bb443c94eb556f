/*
 * daemon/watch/names.h - give names to the clusters of a site
 * (template/template_name.h).
 *
 * A cluster gets its name when the pages of the site are complete, so that the
 * name does not depend on the order in which they were fetched. It keeps the
 * name when pages are added. When the cluster has twice or half as many pages,
 * the name is checked, and derived again only if it no longer fits. A name that
 * a client has given stays, and moves to the template that replaces it.
 */
#ifndef DAEMON_WATCH_NAMES_H
#define DAEMON_WATCH_NAMES_H

#include "base/error.h"
#include "daemon/engine/commit_event.h"
#include "daemon/watch/collect.h"

struct arena;
struct store;

enum { NAMES_MAX_UPDATES = 1000 /* of one check; the next check continues */ };

/*
 * Set names and name_count of the updates: the names that are new or changed,
 * and the names of clusters and templates that no longer exist. The names
 * belong to `arena`. Errors of the transaction.
 */
enum error site_names_make(struct store *store, const struct site_facts *site,
			   struct arena *arena,
			   struct template_updates *updates);

#endif
