/* daemon/engine/verify_laws.h - checking a store, with its clusters. */
#ifndef DAEMON_ENGINE_VERIFY_LAWS_H
#define DAEMON_ENGINE_VERIFY_LAWS_H

#include "store/store.h"
#include "store/verify.h"

/*
 * store_verify_pages(), and where all of them are whole store_verify(), and for
 * each site: the stored signature is that of the record, guards count the pages
 * that they fail on, and the clusters are the connected components of the
 * threshold graph, by brute force over the distinct signatures (law 1): O(n^2)
 * comparisons. One snapshot, and then one a site; any thread. `place` is that
 * of the report, or NULL. Free report_out->text.
 */
enum error verify_laws(struct store *store, char *place,
		       struct verify_report *report_out);

#endif
