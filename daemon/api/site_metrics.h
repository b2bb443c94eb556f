/* daemon/api/site_metrics.h - the metrics of sites. Internal to the API. */
#ifndef DAEMON_API_SITE_METRICS_H
#define DAEMON_API_SITE_METRICS_H

#include <stddef.h>

struct buffer;
struct txn;

/*
 * Append the number of sites and the metrics of the `max` sites with the most
 * pages, in descending order. The remaining sites are summed up as one site,
 * "*", which has no "seen" time. Errors are set in the transaction. O(n log n)
 * for n sites.
 */
void site_metrics(struct txn *txn, size_t max, struct buffer *out);

#endif
