/*
 * daemon/api/site_metrics.h - the metrics of sites. Internal to the API.
 */
#ifndef DAEMON_API_SITE_METRICS_H
#define DAEMON_API_SITE_METRICS_H

#include <stddef.h>

struct buffer;
struct txn;

/*
 * Append how many sites there are, and the metrics of the `max` that have the
 * most pages, the first of them first; the others are one site, "*", with
 * their sums, which says nothing of when they were seen. An error is the
 * transaction's. O(n log n) for n sites.
 */
void site_metrics(struct txn *txn, size_t max, struct buffer *out);

#endif
