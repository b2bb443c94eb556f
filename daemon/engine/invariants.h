/* daemon/engine/invariants.h - verify a whole store, including the clusters. */
#ifndef DAEMON_ENGINE_INVARIANTS_H
#define DAEMON_ENGINE_INVARIANTS_H

#include "store/store.h"
#include "store/verify.h"

/*
 * Run store_verify_pages() and, if all pages are intact, store_verify(). Then
 * check the following for each site. The stored signature of a page is the
 * signature of its record. Each guard counts exactly the pages on which it
 * fails. The clusters are the connected components of the threshold graph;
 * these are computed by comparing all pairs of distinct signatures (law 1),
 * which takes O(n^2) comparisons. One read transaction is used for the store
 * and one for each site. Any thread may call this. `place` belongs to the
 * report, or is NULL. Free report_out->text.
 */
enum error invariants_verify(struct store *store, char *place,
			     struct verify_report *report_out);

#endif
