/*
 * daemon/api/api_metrics.h - the names of all metrics, and the writer of the
 * Prometheus text format 0.0.4. To add a metric, add a row to METRIC_LIST, code
 * that writes the metric, and a row in man/templated-metrics.7.
 */
#ifndef DAEMON_API_API_METRICS_H
#define DAEMON_API_API_METRICS_H

#include <stddef.h>

#include "base/buffer.h"
#include "daemon/runtime/clock.h"

struct txn;

enum { METRIC_LABELS = 2 }; /* maximum number of labels */

/* The columns: number, name after "templated_", type, two labels, help. */
/* clang-format off */
#define METRIC_LIST(X) \
	X(METRIC_BUILD_INFO, "build_info", "gauge", "version", "schema", \
	  "Always 1; the labels contain the version of the running program " \
	  "and of the schema of the store") \
	X(METRIC_START, "start_time_seconds", "gauge", NULL, NULL, "Start " \
	  "time of the daemon, in Unix time") \
	X(METRIC_CONFIG_OK, "config_last_reload_successful", "gauge", NULL, \
	  NULL, "0 when the last SIGHUP found an invalid configuration") \
	X(METRIC_CONFIG_TIME, \
	  "config_last_reload_success_timestamp_seconds", "gauge", NULL, \
	  NULL, "Time at which the daemon read the current configuration") \
	X(METRIC_FETCHED, "fetch_responses_total", "counter", NULL, NULL, \
	  "Responses of web servers, with any status") \
	X(METRIC_FRESH, "fetch_not_modified_total", "counter", NULL, NULL, \
	  "Responses that report an unchanged page (304)") \
	X(METRIC_FETCH_FAILURES, "fetch_failures_total", "counter", NULL, \
	  NULL, \
	  "Fetches that failed, so that there is no page") \
	X(METRIC_WIRE_BYTES, "received_bytes_total", "counter", NULL, NULL, \
	  "Bytes received") \
	X(METRIC_FETCHES, "fetch_duration_seconds", "histogram", NULL, \
	  NULL, "Duration of a fetch of a page or sitemap") \
	X(METRIC_ANALYSED, "pages_analysed_total", "counter", NULL, NULL, \
	  "Pages parsed") \
	X(METRIC_ANALYSES, "analysis_duration_seconds", "histogram", NULL, \
	  NULL, "Duration of the analysis of a page") \
	X(METRIC_COMMITTED, "pages_committed_total", "counter", NULL, NULL, \
	  "Pages committed") \
	X(METRIC_COMMITS, "commits_total", "counter", NULL, NULL, "Write " \
	  "transactions") \
	X(METRIC_FAILED_COMMITS, "commit_failures_total", "counter", NULL, \
	  NULL, "Commits that failed") \
	X(METRIC_TRANSACTIONS, "commit_duration_seconds", "histogram", \
	  NULL, NULL, "Duration of a commit") \
	X(METRIC_IN_FLIGHT, "in_flight_pages", "gauge", NULL, NULL, \
	  "Pages from the lease of their URL until their commit") \
	X(METRIC_MAX_IN_FLIGHT, "in_flight_pages_limit", "gauge", NULL, \
	  NULL, \
	  "The limit of templated_in_flight_pages: pipeline.max_in_flight") \
	X(METRIC_RUNNING, "fetches_in_progress", "gauge", NULL, NULL, \
	  "Fetches in progress") \
	X(METRIC_QUEUE, "queued_pages", "gauge", "queue", NULL, "Pages " \
	  "that wait for analysis or commit") \
	X(METRIC_PAUSED, "crawl_paused", "gauge", NULL, NULL, "1 while " \
	  "crawling waits because the store cannot be written") \
	X(METRIC_STORE_LIVE, "store_live_bytes", "gauge", NULL, NULL, \
	  "Size of the pages of the store that tables use") \
	X(METRIC_STORE_REUSABLE, "store_free_bytes", "gauge", NULL, NULL, \
	  "Size of the other pages of the store, which new data uses") \
	X(METRIC_STORE_FILE, "store_file_bytes", "gauge", NULL, NULL, \
	  "Size of the file of the store") \
	X(METRIC_STORE_ALLOCATED, "store_allocated_bytes", "gauge", NULL, \
	  NULL, "Disk space that the file of the store takes") \
	X(METRIC_STORE_MAP, "store_mapped_bytes", "gauge", NULL, NULL, \
	  "Size of the memory map") \
	X(METRIC_STORE_MAX, "store_max_bytes", "gauge", NULL, NULL, \
	  "Maximum size of the store") \
	X(METRIC_STORE_FREE, "store_disk_free_bytes", "gauge", NULL, NULL, \
	  "Free space in the file system of the store") \
	X(METRIC_STORE_READERS, "store_readers", "gauge", NULL, NULL, \
	  "Read transactions of all processes") \
	X(METRIC_ROWS, "rows", "gauge", "table", NULL, "Rows of a table") \
	X(METRIC_TABLE_BYTES, "table_bytes", "gauge", "table", NULL, \
	  "Bytes of a table") \
	X(METRIC_POISONED, "quarantined_pages", "gauge", NULL, NULL, \
	  "Pages in quarantine") \
	X(METRIC_SITES, "sites", "gauge", "state", NULL, "Sites by state: " \
	  "all, stale, blocked") \
	X(METRIC_SITE_PAGES, "site_pages", "gauge", "site", NULL, "Stored " \
	  "pages of a site") \
	X(METRIC_SITE_URLS, "site_urls", "gauge", "site", NULL, \
	  "Known URLs of a site, fetched or not") \
	X(METRIC_SITE_PENDING, "site_pending_urls", "gauge", "site", NULL, \
	  "URLs of a site that wait for a fetch") \
	X(METRIC_SITE_FAILED, "site_failed_urls", "gauge", "site", NULL, \
	  "URLs of a site whose fetch failed") \
	X(METRIC_SITE_SPENT, "site_budget_used_bytes", "gauge", "site", \
	  NULL, \
	  "Received bytes of a site that count for crawl.max_bytes") \
	X(METRIC_SITE_SEEN, "site_last_seen_timestamp_seconds", "gauge", \
	  "site", NULL, "Time of the last response of a site with a page " \
	  "or 304") \
	X(METRIC_SITE_STALE, "site_stale", "gauge", "site", NULL, "1 when " \
	  "a site has returned no page for watch.stale_after") \
	X(METRIC_SITE_BLOCKED, "site_blocked", "gauge", "site", NULL, \
	  "1 when a site returns only errors and challenges") \
	X(METRIC_GUARDS, "guards", "gauge", "state", NULL, "Guards by " \
	  "state: unknown, ok, firing, suspended, unmatched, alternates, " \
	  "checking") \
	X(METRIC_EVENTS, "events_total", "counter", "kind", NULL, "Events " \
	  "since the start of the daemon") \
	X(METRIC_OPEN_ALERTS, "firing_alerts", "gauge", "kind", NULL, \
	  "Firing alerts: not acknowledged and not silenced") \
	X(METRIC_INCIDENTS, "incidents", "gauge", "state", NULL, \
	  "Incidents that have not ended: collecting or open") \
	X(METRIC_HOOK_WAITING, "hook_queued_events", "gauge", "hook", NULL, \
	  "Events that wait for delivery to a hook") \
	X(METRIC_HOOK_DELIVERED, "hook_delivered_total", "counter", "hook", \
	  NULL, "Events that were delivered to a hook") \
	X(METRIC_HOOK_DROPPED, "hook_dropped_total", "counter", "hook", \
	  NULL, "Events that were dropped because the queue of a hook was " \
	  "full") \
	X(METRIC_HOOK_REFUSED, "hook_refused_events", "gauge", "hook", NULL, \
	  "Events that were set aside because the receiver of a hook " \
	  "refused them") \
	X(METRIC_HOOK_FAILURES, "hook_consecutive_failures", "gauge", \
	  "hook", NULL, "Consecutive failed deliveries to a hook") \
	X(METRIC_PROCESSES, "processes", "gauge", "role", NULL, \
	  "Processes of a role") \
	X(METRIC_STARTS, "process_starts_total", "counter", "role", NULL, \
	  "Starts of processes of a role") \
	X(METRIC_DEATHS, "process_crashes_total", "counter", "role", NULL, \
	  "Processes of a role that crashed or were killed") \
	X(METRIC_CPU, "process_cpu_seconds_total", "counter", "role", NULL, \
	  "CPU time of the current and former processes of a role") \
	X(METRIC_RESIDENT, "process_resident_memory_bytes", "gauge", \
	  "role", NULL, "Resident memory of the processes of a role") \
	X(METRIC_CACHE_HITS, "text_cache_hits_total", "counter", NULL, \
	  NULL, "Texts that the cache returned") \
	X(METRIC_CACHE_MISSES, "text_cache_misses_total", "counter", NULL, \
	  NULL, "Texts that the daemon computed") \
	X(METRIC_CACHE_EVICTIONS, "text_cache_evictions_total", "counter", \
	  NULL, NULL, "Texts that the cache evicted") \
	X(METRIC_CACHE_ANSWERS, "text_cache_entries", "gauge", NULL, NULL, \
	  "Texts in the cache") \
	X(METRIC_CACHE_BYTES, "text_cache_bytes", "gauge", NULL, NULL, \
	  "Bytes of the texts in the cache") \
	X(METRIC_SAMPLES, "models_built_total", "counter", "when", NULL, \
	  "Template models that workers built, ahead of requests or on " \
	  "demand") \
	X(METRIC_HTTP_REQUESTS, "http_requests_total", "counter", \
	  "listener", NULL, "Requests by listener") \
	X(METRIC_HTTP_REFUSED, "http_rejected_total", "counter", \
	  "listener", NULL, "Requests rejected because the queue was full") \
	X(METRIC_HTTP_LIMITED, "http_limited_total", "counter", "listener", \
	  NULL, \
	  "Requests rejected because their token used up its share") \
	X(METRIC_HTTP_REPLIES, "http_responses_total", "counter", "status", \
	  NULL, \
	  "Responses by class of status; requests that were rejected " \
	  "before they ran are not counted") \
	X(METRIC_HTTP_WAITING, "http_queued_requests", "gauge", "state", \
	  NULL, "Requests that wait for a thread (queued) or a fetch " \
	  "(suspended)") \
	X(METRIC_HTTP_LISTENERS, "http_open_streams", "gauge", NULL, NULL, \
	  "Open streams of events, and requests that wait for a fetch") \
	X(METRIC_ANSWERS, "http_request_duration_seconds", "histogram", \
	  NULL, NULL, \
	  "Time from a request to its response, without the time for " \
	  "sending the response") \
	X(METRIC_CLUSTER_CONNECTED, "node_broker_connected", "gauge", NULL, \
	  NULL, \
	  "1 while the daemon is connected to the broker; this metric and " \
	  "the following metrics exist only in a node group") \
	X(METRIC_CLUSTER_LEASE, "node_has_lease", "gauge", NULL, NULL, "1 " \
	  "while this node holds its lease; without it the node does not " \
	  "commit or fetch") \
	X(METRIC_CLUSTER_NODES, "nodes", "gauge", NULL, NULL, "Nodes with " \
	  "a lease") \
	X(METRIC_CLUSTER_PARTITIONS, "node_partitions", "gauge", "state", \
	  NULL, "Partitions by their state on this node") \
	X(METRIC_CLUSTER_LAG, "node_replication_lag_entries", "gauge", NULL, \
	  NULL, \
	  "Difference between the log sequence numbers of the last entry " \
	  "and of the last applied entry, summed over the replicas of " \
	  "this node; 0 = up to date") \
	X(METRIC_CLUSTER_FAILOVERS, "node_failovers_total", "counter", \
	  NULL, NULL, "Partitions adopted from failed nodes") \
	X(METRIC_CLUSTER_MOVES, "node_handovers_total", "counter", NULL, \
	  NULL, "Partitions that this node handed over or adopted") \
	X(METRIC_CLUSTER_DIVERGENCES, "node_divergences_total", "counter", \
	  NULL, NULL, \
	  "Replicas that differed from their owner or had damaged rows") \
	X(METRIC_CLUSTER_LOCKED, "node_undecryptable_partitions", "gauge", \
	  NULL, NULL, "Replicas that wait for a key of " \
	  "nodes.encryption_key_file") \
	X(METRIC_CLUSTER_APPENDS, "node_log_appends_total", "counter", \
	  NULL, NULL, "Transactions appended to the log") \
	X(METRIC_CLUSTER_APPEND_SECONDS, "node_log_append_seconds_total", \
	  "counter", NULL, NULL, "Time that these transactions waited for " \
	  "the log") \
	X(METRIC_CLUSTER_APPEND_BYTES, "node_log_append_bytes_total", \
	  "counter", NULL, NULL, "Bytes appended to the log") \
	X(METRIC_CLUSTER_JOBS, "node_import_jobs_total", "counter", NULL, \
	  NULL, "Import jobs that this node has finished") \
	X(METRIC_CLUSTER_QUESTIONS, "node_forwarded_requests_total", \
	  "counter", "result", NULL, "Requests about sites of other " \
	  "nodes, by the node that responded: owner, replica or none") \
	X(METRIC_CLUSTER_QUESTION_TIME, "node_forward_duration_seconds", \
	  "histogram", NULL, NULL, "Time from such a request to its " \
	  "response")
/* clang-format on */

enum metric {
#define X(metric, ...) metric,
	METRIC_LIST(X)
#undef X
		METRIC_COUNT
};

struct metric_row {
	const char *name; /* the part after "templated_" */
	const char *type;
	const char *labels[METRIC_LABELS]; /* NULL: no label */
	const char *help;
};

extern const struct metric_row metric_rows[METRIC_COUNT];

/*
 * Write the help and the type of a metric. Write all its samples directly after
 * this call.
 */
void metric_begin(struct buffer *out, enum metric metric);

/*
 * Write a sample of a metric with one label. The value of the label may contain
 * any bytes.
 */
void metric_sample(struct buffer *out, enum metric metric, struct slice value,
		   double number);

/* Write a sample of a metric with two labels. */
void metric_sample_of_two(struct buffer *out, enum metric metric,
			  struct slice first, struct slice second,
			  double number);

/*
 * metric_write() writes a whole metric without labels; metric_write_histogram()
 * writes a histogram.
 */
void metric_write(struct buffer *out, enum metric metric, double number);
void metric_write_histogram(struct buffer *out, enum metric metric,
			    const struct time_histogram *histogram);

/* The metrics of sites. */

/*
 * Append the number of sites and the metrics of the `max` sites with the most
 * pages, largest first. The remaining sites are summed up as one site "*",
 * which has no time "seen". After an error the transaction has the error. O(n
 * log n) for n sites.
 */
void site_metrics(struct txn *txn, size_t max, struct buffer *out);

#endif
