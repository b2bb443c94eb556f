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
		.help = "1; its labels say which program runs",
	},
	[METRIC_START] = {
		.name = "start_time_seconds",
		.type = "gauge",
		.help = "When the daemon was started, in Unix time",
	},
	[METRIC_UP] = {
		.name = "up_seconds",
		.type = "gauge",
		.help = "Time since the start",
	},
	[METRIC_CONFIG_OK] = {
		.name = "config_last_reload_successful",
		.type = "gauge",
		.help = "0 when the last SIGHUP brought a configuration that cannot be used",
	},
	[METRIC_CONFIG_TIME] = {
		.name = "config_last_reload_success_timestamp_seconds",
		.type = "gauge",
		.help = "When the configuration in use was read",
	},
	[METRIC_FETCHED] = {
		.name = "fetched_total",
		.type = "counter",
		.help = "Answers of web servers, whatever their status",
	},
	[METRIC_FRESH] = {
		.name = "fresh_total",
		.type = "counter",
		.help = "Answers that a page is as it was (304)",
	},
	[METRIC_FETCH_FAILURES] = {
		.name = "fetch_failures_total",
		.type = "counter",
		.help = "Fetches that brought no page",
	},
	[METRIC_WIRE_BYTES] = {
		.name = "wire_bytes_total",
		.type = "counter",
		.help = "Bytes received",
	},
	[METRIC_FETCHES] = {
		.name = "fetch_seconds",
		.type = "histogram",
		.help = "Time of a fetch of a page or sitemap",
	},
	[METRIC_ANALYSED] = {
		.name = "analysed_pages_total",
		.type = "counter",
		.help = "Pages parsed",
	},
	[METRIC_ANALYSES] = {
		.name = "analyse_seconds",
		.type = "histogram",
		.help = "Time of an analysis of a page",
	},
	[METRIC_COMMITTED] = {
		.name = "committed_pages_total",
		.type = "counter",
		.help = "Pages committed",
	},
	[METRIC_COMMITS] = {
		.name = "commits_total",
		.type = "counter",
		.help = "Transactions",
	},
	[METRIC_FAILED_COMMITS] = {
		.name = "failed_commits_total",
		.type = "counter",
		.help = "Turns of which nothing could be written",
	},
	[METRIC_TRANSACTIONS] = {
		.name = "commit_seconds",
		.type = "histogram",
		.help = "Time of a transaction",
	},
	[METRIC_IN_FLIGHT] = {
		.name = "in_flight_pages",
		.type = "gauge",
		.help = "Pages between lease and commit",
	},
	[METRIC_MAX_IN_FLIGHT] = {
		.name = "in_flight_max_pages",
		.type = "gauge",
		.help = "pipeline.max_in_flight",
	},
	[METRIC_RUNNING] = {
		.name = "running_fetches",
		.type = "gauge",
		.help = "Fetches under way",
	},
	[METRIC_QUEUE] = {
		.name = "queue_pages",
		.type = "gauge",
		.labels = {"queue"},
		.help = "Pages that wait to be analysed, or to be committed",
	},
	[METRIC_PAUSED] = {
		.name = "paused",
		.type = "gauge",
		.help = "1 while the store cannot be written and crawling waits",
	},
	[METRIC_STORE_USED] = {
		.name = "store_used_bytes",
		.type = "gauge",
		.help = "Bytes of the map in use",
	},
	[METRIC_STORE_MAP] = {
		.name = "store_map_bytes",
		.type = "gauge",
		.help = "Size of the map",
	},
	[METRIC_STORE_MAX] = {
		.name = "store_max_bytes",
		.type = "gauge",
		.help = "What the store may grow to",
	},
	[METRIC_STORE_FREE] = {
		.name = "store_disk_free_bytes",
		.type = "gauge",
		.help = "What the file system of the store has left for us",
	},
	[METRIC_STORE_READERS] = {
		.name = "store_readers",
		.type = "gauge",
		.help = "Transactions that read the store, of any process",
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
		.name = "poisoned_pages",
		.type = "gauge",
		.help = "Pages that ended the worker that read them, and are not read again",
	},
	[METRIC_SITES] = {
		.name = "sites",
		.type = "gauge",
		.labels = {"state"},
		.help = "Sites: all, those that show nothing new, those that refuse us",
	},
	[METRIC_SITE_PAGES] = {
		.name = "site_pages",
		.type = "gauge",
		.labels = {"site"},
		.help = "Pages of a site that are stored",
	},
	[METRIC_SITE_URLS] = {
		.name = "site_urls",
		.type = "gauge",
		.labels = {"site"},
		.help = "URLs of a site that are known",
	},
	[METRIC_SITE_PENDING] = {
		.name = "site_pending_urls",
		.type = "gauge",
		.labels = {"site"},
		.help = "URLs of a site that are still to be visited, or under way",
	},
	[METRIC_SITE_FAILED] = {
		.name = "site_failed_urls",
		.type = "gauge",
		.labels = {"site"},
		.help = "URLs of a site that brought no page",
	},
	[METRIC_SITE_SPENT] = {
		.name = "site_spent_bytes",
		.type = "gauge",
		.labels = {"site"},
		.help = "Bytes received of the budget of a site",
	},
	[METRIC_SITE_SEEN] = {
		.name = "site_seen_timestamp_seconds",
		.type = "gauge",
		.labels = {"site"},
		.help = "When a site last answered with a page, or that one is as it was",
	},
	[METRIC_SITE_STALE] = {
		.name = "site_stale",
		.type = "gauge",
		.labels = {"site"},
		.help = "1 when nothing was seen of a site for watch.stale_after",
	},
	[METRIC_SITE_BLOCKED] = {
		.name = "site_blocked",
		.type = "gauge",
		.labels = {"site"},
		.help = "1 when no page of a site comes any more",
	},
	[METRIC_GUARDS] = {
		.name = "guards",
		.type = "gauge",
		.labels = {"state"},
		.help = "Guards: unknown, ok, broken, suspended",
	},
	[METRIC_EVENTS] = {
		.name = "events_total",
		.type = "counter",
		.labels = {"kind"},
		.help = "Events since the start",
	},
	[METRIC_OPEN_ALERTS] = {
		.name = "open_alerts",
		.type = "gauge",
		.labels = {"kind"},
		.help = "Alerts that are neither acknowledged nor silenced",
	},
	[METRIC_HOOK_WAITING] = {
		.name = "hook_waiting_events",
		.type = "gauge",
		.labels = {"hook"},
		.help = "Events that a hook has not been told of",
	},
	[METRIC_HOOK_DELIVERED] = {
		.name = "hook_delivered_total",
		.type = "counter",
		.labels = {"hook"},
		.help = "Events that a hook was told of",
	},
	[METRIC_HOOK_DROPPED] = {
		.name = "hook_dropped_total",
		.type = "counter",
		.labels = {"hook"},
		.help = "Events that a hook is not told of: too many waited",
	},
	[METRIC_HOOK_FAILURES] = {
		.name = "hook_failures",
		.type = "gauge",
		.labels = {"hook"},
		.help = "Failures of a hook in a row",
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
		.help = "Processes of a role that became ready",
	},
	[METRIC_DEATHS] = {
		.name = "process_deaths_total",
		.type = "counter",
		.labels = {"role"},
		.help = "Processes of a role that ended by themselves, or had to be killed",
	},
	[METRIC_CPU] = {
		.name = "process_cpu_seconds_total",
		.type = "counter",
		.labels = {"role"},
		.help = "CPU time of the processes of a role, those that are gone too",
	},
	[METRIC_RESIDENT] = {
		.name = "process_resident_memory_bytes",
		.type = "gauge",
		.labels = {"role"},
		.help = "Memory of the processes of a role that is resident",
	},
	[METRIC_CACHE_HITS] = {
		.name = "answer_cache_hits_total",
		.type = "counter",
		.help = "Texts that were answered before",
	},
	[METRIC_CACHE_MISSES] = {
		.name = "answer_cache_misses_total",
		.type = "counter",
		.help = "Texts that had to be computed",
	},
	[METRIC_CACHE_EVICTIONS] = {
		.name = "answer_cache_evictions_total",
		.type = "counter",
		.help = "Answers that made room for others",
	},
	[METRIC_CACHE_ANSWERS] = {
		.name = "answer_cache_answers",
		.type = "gauge",
		.help = "Answers that are kept",
	},
	[METRIC_CACHE_BYTES] = {
		.name = "answer_cache_bytes",
		.type = "gauge",
		.help = "Bytes of these",
	},
	[METRIC_SAMPLES] = {
		.name = "samples_learned_total",
		.type = "counter",
		.labels = {"when"},
		.help = "Samples of templates that workers learned from: ahead "
			"of questions, or when asked",
	},
	[METRIC_HTTP_REQUESTS] = {
		.name = "http_requests_total",
		.type = "counter",
		.labels = {"listener"},
		.help = "Requests, by where they came from",
	},
	[METRIC_HTTP_REFUSED] = {
		.name = "http_refused_total",
		.type = "counter",
		.labels = {"listener"},
		.help = "Requests refused because too many waited",
	},
	[METRIC_HTTP_LIMITED] = {
		.name = "http_limited_total",
		.type = "counter",
		.labels = {"listener"},
		.help = "Requests refused because their token had its share",
	},
	[METRIC_HTTP_REPLIES] = {
		.name = "http_replies_total",
		.type = "counter",
		.labels = {"status"},
		.help = "Replies by the class of their status, without those refused at once",
	},
	[METRIC_HTTP_WAITING] = {
		.name = "http_waiting_requests",
		.type = "gauge",
		.labels = {"state"},
		.help = "Requests that wait for a thread, or for what is fetched for them",
	},
	[METRIC_HTTP_LISTENERS] = {
		.name = "http_listeners",
		.type = "gauge",
		.help = "Streams of events, and requests that wait for a fetch",
	},
	[METRIC_ANSWERS] = {
		.name = "answer_seconds",
		.type = "histogram",
		.help = "Time from a request to its answer, without sending it",
	},
	[METRIC_CLUSTER_CONNECTED] = {
		.name = "cluster_connected",
		.type = "gauge",
		.help = "1 while the broker of the cluster is connected; this and what follows in a cluster alone",
	},
	[METRIC_CLUSTER_LEASE] = {
		.name = "cluster_has_lease",
		.type = "gauge",
		.help = "1 while this node has its lease; else it neither commits nor fetches",
	},
	[METRIC_CLUSTER_NODES] = {
		.name = "cluster_nodes",
		.type = "gauge",
		.help = "Nodes that are there",
	},
	[METRIC_CLUSTER_PARTITIONS] = {
		.name = "cluster_partitions",
		.type = "gauge",
		.labels = {"state"},
		.help = "Partitions by what they are on this node",
	},
	[METRIC_CLUSTER_LAG] = {
		.name = "cluster_lag_entries",
		.type = "gauge",
		.help = "Numbers of the stream of logs from what the copies here have to the last entry of each; 0: they have all",
	},
	[METRIC_CLUSTER_FAILOVERS] = {
		.name = "cluster_failovers_total",
		.type = "counter",
		.help = "Partitions that were taken from nodes that are gone",
	},
	[METRIC_CLUSTER_MOVES] = {
		.name = "cluster_moves_total",
		.type = "counter",
		.help = "Partitions that were handed over or taken over",
	},
	[METRIC_CLUSTER_DIVERGENCES] = {
		.name = "cluster_divergences_total",
		.type = "counter",
		.help = "Copies that were found to differ, or to have damaged rows",
	},
	[METRIC_CLUSTER_LOCKED] = {
		.name = "cluster_locked_partitions",
		.type = "gauge",
		.help = "Copies that wait for a key of nodes.encryption_key_file",
	},
	[METRIC_CLUSTER_APPENDS] = {
		.name = "cluster_appends_total",
		.type = "counter",
		.help = "Transactions that went to the log",
	},
	[METRIC_CLUSTER_APPEND_SECONDS] = {
		.name = "cluster_append_seconds_total",
		.type = "counter",
		.help = "Time that these waited for it",
	},
	[METRIC_CLUSTER_APPEND_BYTES] = {
		.name = "cluster_append_bytes_total",
		.type = "counter",
		.help = "Their bytes in the log",
	},
	[METRIC_CLUSTER_JOBS] = {
		.name = "cluster_jobs_total",
		.type = "counter",
		.help = "Jobs that this node has done",
	},
	[METRIC_CLUSTER_QUESTIONS] = {
		.name = "cluster_questions_total",
		.type = "counter",
		.labels = {"answer"},
		.help = "Questions about what other nodes own, by who answered: owner, copy or nobody",
	},
	[METRIC_CLUSTER_QUESTION_TIME] = {
		.name = "cluster_question_seconds",
		.type = "histogram",
		.help = "Time from the beginning of such a question to its answer",
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
static void append_value(struct buffer *out, struct slice value)
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

static void append_label(struct buffer *out, const char *name,
			 struct slice value)
{
	buffer_printf(out, "%s=\"", name);
	append_value(out, value);
	buffer_append_byte(out, '"');
}

/* Integers below 10^15 are exact. */
static void append_number(struct buffer *out, double number)
{
	buffer_printf(out, " %.15g\n", number);
}

void metric_sample(struct buffer *out, enum metric metric, struct slice value,
		   double number)
{
	const struct metric_row *row = &metric_rows[metric];

	assert(row->labels[0] != NULL && row->labels[1] == NULL);
	buffer_printf(out, "templated_%s{", row->name);
	append_label(out, row->labels[0], value);
	buffer_append_byte(out, '}');
	append_number(out, number);
}

void metric_sample_of_two(struct buffer *out, enum metric metric,
			  struct slice first, struct slice second,
			  double number)
{
	const struct metric_row *row = &metric_rows[metric];

	assert(row->labels[0] != NULL && row->labels[1] != NULL);
	buffer_printf(out, "templated_%s{", row->name);
	append_label(out, row->labels[0], first);
	buffer_append_byte(out, ',');
	append_label(out, row->labels[1], second);
	buffer_append_byte(out, '}');
	append_number(out, number);
}

void metric_write(struct buffer *out, enum metric metric, double number)
{
	const struct metric_row *row = &metric_rows[metric];

	assert(row->labels[0] == NULL);
	metric_begin(out, metric);
	buffer_printf(out, "templated_%s", row->name);
	append_number(out, number);
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
