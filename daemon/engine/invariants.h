/* daemon/engine/invariants.h - verify a store including its clusters. */
#ifndef DAEMON_ENGINE_INVARIANTS_H
#define DAEMON_ENGINE_INVARIANTS_H

#include "store/store.h"
#include "store/verify.h"

/*
 * Run store_verify_pages() and, if all pages are intact, store_verify(). Then
 * check for each site: the stored signature is that of the record, guards count
 * the pages on which they fail, and the clusters are the connected components
 * of the threshold graph, by brute force over the distinct signatures (law 1):
 * O(n^2) comparisons. Uses one read transaction, and then one per site; any
 * thread. `place` belongs to the report, or is NULL. Free report_out->text.
 */
enum error invariants_verify(struct store *store, char *place,
			     struct verify_report *report_out);

#endif
