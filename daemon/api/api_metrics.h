/*
 * daemon/api/api_metrics.h - the names of all metrics, and the writer of the
 * Prometheus text format 0.0.4. To add a metric, add a row here, code that
 * writes it, and a row in man/templated-metrics.7.
 */
#ifndef DAEMON_API_API_METRICS_H
#define DAEMON_API_API_METRICS_H

#include <stddef.h>

#include "base/buffer.h"
#include "daemon/runtime/clock.h"

struct buffer;
struct txn;

enum { METRIC_LABELS = 2 }; /* maximum labels of a metric */

/* Each has its row in api_metrics.c. */
enum metric {
	METRIC_BUILD_INFO,
	METRIC_START,
	METRIC_CONFIG_OK,
	METRIC_CONFIG_TIME,
	METRIC_FETCHED,
	METRIC_FRESH,
	METRIC_FETCH_FAILURES,
	METRIC_WIRE_BYTES,
	METRIC_FETCHES,
	METRIC_ANALYSED,
	METRIC_ANALYSES,
	METRIC_COMMITTED,
	METRIC_COMMITS,
	METRIC_FAILED_COMMITS,
	METRIC_TRANSACTIONS,
	METRIC_IN_FLIGHT,
	METRIC_MAX_IN_FLIGHT,
	METRIC_RUNNING,
	METRIC_QUEUE,
	METRIC_PAUSED,
	METRIC_STORE_USED,
	METRIC_STORE_MAP,
	METRIC_STORE_MAX,
	METRIC_STORE_FREE,
	METRIC_STORE_READERS,
	METRIC_ROWS,
	METRIC_TABLE_BYTES,
	METRIC_POISONED,
	METRIC_SITES,
	METRIC_SITE_PAGES,
	METRIC_SITE_URLS,
	METRIC_SITE_PENDING,
	METRIC_SITE_FAILED,
	METRIC_SITE_SPENT,
	METRIC_SITE_SEEN,
	METRIC_SITE_STALE,
	METRIC_SITE_BLOCKED,
	METRIC_GUARDS,
	METRIC_EVENTS,
	METRIC_OPEN_ALERTS,
	METRIC_HOOK_WAITING,
	METRIC_HOOK_DELIVERED,
	METRIC_HOOK_DROPPED,
	METRIC_HOOK_FAILURES,
	METRIC_PROCESSES,
	METRIC_STARTS,
	METRIC_DEATHS,
	METRIC_CPU,
	METRIC_RESIDENT,
	METRIC_CACHE_HITS,
	METRIC_CACHE_MISSES,
	METRIC_CACHE_EVICTIONS,
	METRIC_CACHE_ANSWERS,
	METRIC_CACHE_BYTES,
	METRIC_SAMPLES,
	METRIC_HTTP_REQUESTS,
	METRIC_HTTP_REFUSED,
	METRIC_HTTP_LIMITED,
	METRIC_HTTP_REPLIES,
	METRIC_HTTP_WAITING,
	METRIC_HTTP_LISTENERS,
	METRIC_ANSWERS,
	METRIC_CLUSTER_CONNECTED,
	METRIC_CLUSTER_LEASE,
	METRIC_CLUSTER_NODES,
	METRIC_CLUSTER_PARTITIONS,
	METRIC_CLUSTER_LAG,
	METRIC_CLUSTER_FAILOVERS,
	METRIC_CLUSTER_MOVES,
	METRIC_CLUSTER_DIVERGENCES,
	METRIC_CLUSTER_LOCKED,
	METRIC_CLUSTER_APPENDS,
	METRIC_CLUSTER_APPEND_SECONDS,
	METRIC_CLUSTER_APPEND_BYTES,
	METRIC_CLUSTER_JOBS,
	METRIC_CLUSTER_QUESTIONS,
	METRIC_CLUSTER_QUESTION_TIME,
	METRIC_COUNT
};

struct metric_row {
	const char *name; /* after "templated_" */
	const char *type;
	const char *labels[METRIC_LABELS]; /* or NULL */
	const char *help;
};

extern const struct metric_row metric_rows[METRIC_COUNT];

/*
 * Write the help and type of a metric; write its samples directly after this.
 */
void metric_begin(struct buffer *out, enum metric metric);

/* Write a sample of a metric with one label, whose value may have any bytes. */
void metric_sample(struct buffer *out, enum metric metric, struct slice value,
		   double number);

/* Write a sample of a metric with two labels. */
void metric_sample_of_two(struct buffer *out, enum metric metric,
			  struct slice first, struct slice second,
			  double number);

/* Write a complete metric without labels. */
void metric_write(struct buffer *out, enum metric metric, double number);
void metric_write_histogram(struct buffer *out, enum metric metric,
			    const struct time_histogram *histogram);

/* The metrics of sites. */

/*
 * Append the number of sites and the metrics of the `max` sites with the most
 * pages, in descending order. The remaining sites are summed up as one site,
 * "*", which has no "seen" time. Errors are set in the transaction. O(n log n)
 * for n sites.
 */
void site_metrics(struct txn *txn, size_t max, struct buffer *out);

#endif
