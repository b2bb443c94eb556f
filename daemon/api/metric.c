#include "daemon/api/metric.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* clang-format off */
const struct metric_row metric_rows[METRIC_COUNT] = {
	[METRIC_BUILD_INFO] = {
		.name = "build_info",
		.type = "gauge",
		.labels = {"version", "schema"},
		.help = "1; its labels name the running program",
	},
	[METRIC_START] = {
		.name = "start_time_seconds",
		.type = "gauge",
		.help = "Start time of the daemon, in Unix time",
	},
	[METRIC_CONFIG_OK] = {
		.name = "config_last_reload_successful",
		.type = "gauge",
		.help = "0 when the last SIGHUP found an invalid configuration",
	},
	[METRIC_CONFIG_TIME] = {
		.name = "config_last_reload_success_timestamp_seconds",
		.type = "gauge",
		.help = "Time at which the daemon read the current configuration",
	},
	[METRIC_FETCHED] = {
		.name = "fetch_responses_total",
		.type = "counter",
		.help = "Responses of web servers, with any status",
	},
	[METRIC_FRESH] = {
		.name = "fetch_not_modified_total",
		.type = "counter",
		.help = "Responses that report an unchanged page (304)",
	},
	[METRIC_FETCH_FAILURES] = {
		.name = "fetch_failures_total",
		.type = "counter",
		.help = "Fetches without a page",
	},
	[METRIC_WIRE_BYTES] = {
		.name = "received_bytes_total",
		.type = "counter",
		.help = "Bytes received",
	},
	[METRIC_FETCHES] = {
		.name = "fetch_duration_seconds",
		.type = "histogram",
		.help = "Duration of a fetch of a page or sitemap",
	},
	[METRIC_ANALYSED] = {
		.name = "pages_analysed_total",
		.type = "counter",
		.help = "Pages parsed",
	},
	[METRIC_ANALYSES] = {
		.name = "analysis_duration_seconds",
		.type = "histogram",
		.help = "Duration of the analysis of a page",
	},
	[METRIC_COMMITTED] = {
		.name = "pages_committed_total",
		.type = "counter",
		.help = "Pages committed",
	},
	[METRIC_COMMITS] = {
		.name = "commits_total",
		.type = "counter",
		.help = "Write transactions",
	},
	[METRIC_FAILED_COMMITS] = {
		.name = "commit_failures_total",
		.type = "counter",
		.help = "Commits that failed",
	},
	[METRIC_TRANSACTIONS] = {
		.name = "commit_duration_seconds",
		.type = "histogram",
		.help = "Duration of a commit",
	},
	[METRIC_IN_FLIGHT] = {
		.name = "in_flight_pages",
		.type = "gauge",
		.help = "Pages between lease and commit",
	},
	[METRIC_MAX_IN_FLIGHT] = {
		.name = "in_flight_pages_limit",
		.type = "gauge",
		.help = "pipeline.max_in_flight",
	},
	[METRIC_RUNNING] = {
		.name = "fetches_in_progress",
		.type = "gauge",
		.help = "Fetches in progress",
	},
	[METRIC_QUEUE] = {
		.name = "queued_pages",
		.type = "gauge",
		.labels = {"queue"},
		.help = "Pages that wait for analysis or commit",
	},
	[METRIC_PAUSED] = {
		.name = "crawl_paused",
		.type = "gauge",
		.help = "1 while crawling waits because the store cannot be written",
	},
	[METRIC_STORE_USED] = {
		.name = "store_used_bytes",
		.type = "gauge",
		.help = "Used bytes of the memory map",
	},
	[METRIC_STORE_MAP] = {
		.name = "store_mapped_bytes",
		.type = "gauge",
		.help = "Size of the memory map",
	},
	[METRIC_STORE_MAX] = {
		.name = "store_max_bytes",
		.type = "gauge",
		.help = "Maximum size of the store",
	},
	[METRIC_STORE_FREE] = {
		.name = "store_disk_free_bytes",
		.type = "gauge",
		.help = "Free space in the file system of the store",
	},
	[METRIC_STORE_READERS] = {
		.name = "store_readers",
		.type = "gauge",
		.help = "Read transactions of all processes",
	},
	[METRIC_ROWS] = {
		.name = "rows",
		.type = "gauge",
		.labels = {"table"},
		.help = "Rows of a table",
	},
	[METRIC_TABLE_BYTES] = {
		.name = "table_bytes",
		.type = "gauge",
		.labels = {"table"},
		.help = "Bytes of a table",
	},
	[METRIC_POISONED] = {
		.name = "quarantined_pages",
		.type = "gauge",
		.help = "Pages in quarantine",
	},
	[METRIC_SITES] = {
		.name = "sites",
		.type = "gauge",
		.labels = {"state"},
		.help = "Sites by state: all, stale, blocked",
	},
	[METRIC_SITE_PAGES] = {
		.name = "site_pages",
		.type = "gauge",
		.labels = {"site"},
		.help = "Stored pages of a site",
	},
	[METRIC_SITE_URLS] = {
		.name = "site_urls",
		.type = "gauge",
		.labels = {"site"},
		.help = "Known URLs of a site",
	},
	[METRIC_SITE_PENDING] = {
		.name = "site_pending_urls",
		.type = "gauge",
		.labels = {"site"},
		.help = "URLs of a site that wait for a fetch",
	},
	[METRIC_SITE_FAILED] = {
		.name = "site_failed_urls",
		.type = "gauge",
		.labels = {"site"},
		.help = "URLs of a site without a page",
	},
	[METRIC_SITE_SPENT] = {
		.name = "site_budget_used_bytes",
		.type = "gauge",
		.labels = {"site"},
		.help = "Used bytes of the budget of a site",
	},
	[METRIC_SITE_SEEN] = {
		.name = "site_last_seen_timestamp_seconds",
		.type = "gauge",
		.labels = {"site"},
		.help = "Time of the last response of a site with a page or 304",
	},
	[METRIC_SITE_STALE] = {
		.name = "site_stale",
		.type = "gauge",
		.labels = {"site"},
		.help = "1 when a site has returned no page for watch.stale_after",
	},
	[METRIC_SITE_BLOCKED] = {
		.name = "site_blocked",
		.type = "gauge",
		.labels = {"site"},
		.help = "1 when a site no longer returns pages",
	},
	[METRIC_GUARDS] = {
		.name = "guards",
		.type = "gauge",
		.labels = {"state"},
		.help = "Guards by state: unknown, ok, firing, suspended",
	},
	[METRIC_EVENTS] = {
		.name = "events_total",
		.type = "counter",
		.labels = {"kind"},
		.help = "Events since the start of the daemon",
	},
	[METRIC_OPEN_ALERTS] = {
		.name = "firing_alerts",
		.type = "gauge",
		.labels = {"kind"},
		.help = "Firing alerts: not acknowledged and not silenced",
	},
	[METRIC_HOOK_WAITING] = {
		.name = "hook_queued_events",
		.type = "gauge",
		.labels = {"hook"},
		.help = "Events that wait for delivery to a hook",
	},
	[METRIC_HOOK_DELIVERED] = {
		.name = "hook_delivered_total",
		.type = "counter",
		.labels = {"hook"},
		.help = "Events that were delivered to a hook",
	},
	[METRIC_HOOK_DROPPED] = {
		.name = "hook_dropped_total",
		.type = "counter",
		.labels = {"hook"},
		.help = "Events that were dropped because the queue of a hook was full",
	},
	[METRIC_HOOK_FAILURES] = {
		.name = "hook_consecutive_failures",
		.type = "gauge",
		.labels = {"hook"},
		.help = "Consecutive failed deliveries to a hook",
	},
	[METRIC_PROCESSES] = {
		.name = "processes",
		.type = "gauge",
		.labels = {"role"},
		.help = "Processes of a role",
	},
	[METRIC_STARTS] = {
		.name = "process_starts_total",
		.type = "counter",
		.labels = {"role"},
		.help = "Starts of processes of a role",
	},
	[METRIC_DEATHS] = {
		.name = "process_crashes_total",
		.type = "counter",
		.labels = {"role"},
		.help = "Processes of a role that crashed or were killed",
	},
	[METRIC_CPU] = {
		.name = "process_cpu_seconds_total",
		.type = "counter",
		.labels = {"role"},
		.help = "CPU time of the current and former processes of a role",
	},
	[METRIC_RESIDENT] = {
		.name = "process_resident_memory_bytes",
		.type = "gauge",
		.labels = {"role"},
		.help = "Resident memory of the processes of a role",
	},
	[METRIC_CACHE_HITS] = {
		.name = "text_cache_hits_total",
		.type = "counter",
		.help = "Texts that the cache returned",
	},
	[METRIC_CACHE_MISSES] = {
		.name = "text_cache_misses_total",
		.type = "counter",
		.help = "Texts that the daemon computed",
	},
	[METRIC_CACHE_EVICTIONS] = {
		.name = "text_cache_evictions_total",
		.type = "counter",
		.help = "Texts that the cache evicted",
	},
	[METRIC_CACHE_ANSWERS] = {
		.name = "text_cache_entries",
		.type = "gauge",
		.help = "Texts in the cache",
	},
	[METRIC_CACHE_BYTES] = {
		.name = "text_cache_bytes",
		.type = "gauge",
		.help = "Bytes of the texts in the cache",
	},
	[METRIC_SAMPLES] = {
		.name = "models_built_total",
		.type = "counter",
		.labels = {"when"},
		.help = "Template models that workers built, ahead of requests or on demand",
	},
	[METRIC_HTTP_REQUESTS] = {
		.name = "http_requests_total",
		.type = "counter",
		.labels = {"listener"},
		.help = "Requests by listener",
	},
	[METRIC_HTTP_REFUSED] = {
		.name = "http_rejected_total",
		.type = "counter",
		.labels = {"listener"},
		.help = "Requests rejected because the queue was full",
	},
	[METRIC_HTTP_LIMITED] = {
		.name = "http_limited_total",
		.type = "counter",
		.labels = {"listener"},
		.help = "Requests rejected because their owner used up its quota",
	},
	[METRIC_HTTP_REPLIES] = {
		.name = "http_responses_total",
		.type = "counter",
		.labels = {"status"},
		.help = "Responses by class of status, without requests rejected before they ran",
	},
	[METRIC_HTTP_WAITING] = {
		.name = "http_queued_requests",
		.type = "gauge",
		.labels = {"state"},
		.help = "Requests that wait for a thread (queued) or a fetch (suspended)",
	},
	[METRIC_HTTP_LISTENERS] = {
		.name = "http_open_streams",
		.type = "gauge",
		.help = "Streams of events, and requests that wait for a fetch",
	},
	[METRIC_ANSWERS] = {
		.name = "http_request_duration_seconds",
		.type = "histogram",
		.help = "Time from a request to its response, without sending it",
	},
	[METRIC_CLUSTER_CONNECTED] = {
		.name = "node_broker_connected",
		.type = "gauge",
		.help = "1 while the broker is connected; this and the following metrics exist only in a node group",
	},
	[METRIC_CLUSTER_LEASE] = {
		.name = "node_has_lease",
		.type = "gauge",
		.help = "1 while this node holds its lease; without it the node does not commit or fetch",
	},
	[METRIC_CLUSTER_NODES] = {
		.name = "nodes",
		.type = "gauge",
		.help = "Nodes with a lease",
	},
	[METRIC_CLUSTER_PARTITIONS] = {
		.name = "node_partitions",
		.type = "gauge",
		.labels = {"state"},
		.help = "Partitions by their state on this node",
	},
	[METRIC_CLUSTER_LAG] = {
		.name = "node_replication_lag_entries",
		.type = "gauge",
		.help = "Log sequence numbers between the applied and the last entry, summed over the replicas of this node; 0 = up to date",
	},
	[METRIC_CLUSTER_FAILOVERS] = {
		.name = "node_failovers_total",
		.type = "counter",
		.help = "Partitions adopted from failed nodes",
	},
	[METRIC_CLUSTER_MOVES] = {
		.name = "node_handovers_total",
		.type = "counter",
		.help = "Partitions that this node handed over or adopted",
	},
	[METRIC_CLUSTER_DIVERGENCES] = {
		.name = "node_divergences_total",
		.type = "counter",
		.help = "Replicas that differed or had damaged rows",
	},
	[METRIC_CLUSTER_LOCKED] = {
		.name = "node_undecryptable_partitions",
		.type = "gauge",
		.help = "Replicas that wait for a key of nodes.encryption_key_file",
	},
	[METRIC_CLUSTER_APPENDS] = {
		.name = "node_log_appends_total",
		.type = "counter",
		.help = "Transactions appended to the log",
	},
	[METRIC_CLUSTER_APPEND_SECONDS] = {
		.name = "node_log_append_seconds_total",
		.type = "counter",
		.help = "Time that these transactions waited for the log",
	},
	[METRIC_CLUSTER_APPEND_BYTES] = {
		.name = "node_log_append_bytes_total",
		.type = "counter",
		.help = "Bytes appended to the log",
	},
	[METRIC_CLUSTER_JOBS] = {
		.name = "node_import_jobs_total",
		.type = "counter",
		.help = "Import jobs that this node has finished",
	},
	[METRIC_CLUSTER_QUESTIONS] = {
		.name = "node_forwarded_requests_total",
		.type = "counter",
		.labels = {"result"},
		.help = "Requests about sites of other nodes, by the node that responded: owner, replica or none",
	},
	[METRIC_CLUSTER_QUESTION_TIME] = {
		.name = "node_forward_duration_seconds",
		.type = "histogram",
		.help = "Time from such a request to its response",
	},
};
/* clang-format on */

void metric_begin(struct buffer *out, enum metric metric)
{
	const struct metric_row *row = &metric_rows[metric];

	buffer_printf(out, "# HELP templated_%s %s\n# TYPE templated_%s %s\n",
		      row->name, row->help, row->name, row->type);
}

/*
 * Escape bytes that would end the value or the line, and other control
 * characters, which are not valid in UTF-8 text.
 */
static void metric_append_value(struct buffer *out, struct slice value)
{
	const char *bytes = value.data;

	for (size_t i = 0; i < value.size; i++) {
		char c = bytes[i];

		if (c == '\n') {
			buffer_append_text(out, "\\n");
			continue;
		}
		if (c == '"' || c == '\\')
			buffer_append_byte(out, '\\');
		if ((unsigned char)c < ' ')
			c = '?';
		buffer_append_byte(out, c);
	}
}

static void metric_append_label(struct buffer *out, const char *name,
				struct slice value)
{
	buffer_printf(out, "%s=\"", name);
	metric_append_value(out, value);
	buffer_append_byte(out, '"');
}

/* Integers below 10^15 are exact. */
static void metric_append_number(struct buffer *out, double number)
{
	buffer_printf(out, " %.15g\n", number);
}

void metric_sample(struct buffer *out, enum metric metric, struct slice value,
		   double number)
{
	const struct metric_row *row = &metric_rows[metric];

	assert(row->labels[0] != NULL && row->labels[1] == NULL);
	buffer_printf(out, "templated_%s{", row->name);
	metric_append_label(out, row->labels[0], value);
	buffer_append_byte(out, '}');
	metric_append_number(out, number);
}

void metric_sample_of_two(struct buffer *out, enum metric metric,
			  struct slice first, struct slice second,
			  double number)
{
	const struct metric_row *row = &metric_rows[metric];

	assert(row->labels[0] != NULL && row->labels[1] != NULL);
	buffer_printf(out, "templated_%s{", row->name);
	metric_append_label(out, row->labels[0], first);
	buffer_append_byte(out, ',');
	metric_append_label(out, row->labels[1], second);
	buffer_append_byte(out, '}');
	metric_append_number(out, number);
}

void metric_write(struct buffer *out, enum metric metric, double number)
{
	const struct metric_row *row = &metric_rows[metric];

	assert(row->labels[0] == NULL);
	metric_begin(out, metric);
	buffer_printf(out, "templated_%s", row->name);
	metric_append_number(out, number);
}

void metric_write_histogram(struct buffer *out, enum metric metric,
			    const struct time_histogram *histogram)
{
	const struct metric_row *row = &metric_rows[metric];
	uint64_t count = 0;

	assert(strcmp(row->type, "histogram") == 0);
	metric_begin(out, metric);
	for (size_t i = 0; i < TIME_BOUNDS; i++) {
		count += histogram->counts[i];
		buffer_printf(
			out, "templated_%s_bucket{le=\"%g\"} %" PRIu64 "\n",
			row->name, (double)time_bounds_us[i] / 1e6, count);
	}
	count += histogram->counts[TIME_BOUNDS];
	buffer_printf(out,
		      "templated_%s_bucket{le=\"+Inf\"} %" PRIu64
		      "\ntemplated_%s_sum %.15g\ntemplated_%s_count %" PRIu64
		      "\n",
		      row->name, count, row->name,
		      (double)histogram->sum_us / 1e6, row->name, count);
}
