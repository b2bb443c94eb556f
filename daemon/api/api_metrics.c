#include "daemon/api/api_metrics.h"

#include <assert.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "daemon/api/api.h"
#include "daemon/api/api_events.h"
#include "daemon/privsep/process_table.h"
#include "daemon/privsep/sandbox.h"
#include "daemon/query/text_cache.h"
#include "daemon/runtime/clock.h"
#include "store/key.h"
#include "store/rows.h"
#include "store/txn.h"

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

/* The metrics of the daemon's processes, by role. */

struct buffer;
struct process_table;

enum { MAX_STATM_BYTES = 256 };

/*
 * Return the resident memory of the process; 0 if it has exited or the kernel
 * does not report it.
 */
static uint64_t resident_bytes(pid_t pid)
{
	struct buffer text = {0};
	uint64_t pages = 0;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%ld/statm", (long)pid);
	if (file_read(path, MAX_STATM_BYTES, &text) == ERR_NONE) {
		char *rest;

		/*
		 * the second number; the first is the size of the address space
		 */
		strtoull(text.data, &rest, 10);
		pages = strtoull(rest, NULL, 10);
	}
	buffer_free(&text);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static struct slice process_metrics_role(int role)
{
	return slice_of(role_name((enum role)role));
}

static void write_running(const struct process_snapshot *view,
			  struct buffer *out)
{
	uint64_t counts[ROLE_COUNT] = {0};

	for (size_t i = 0; i < view->count; i++)
		counts[view->entries[i].role]++;
	metric_begin(out, METRIC_PROCESSES);
	for (int role = 0; role < ROLE_COUNT; role++)
		metric_sample(out, METRIC_PROCESSES, process_metrics_role(role),
			      (double)counts[role]);
}

static void write_resident(const struct process_snapshot *view,
			   struct buffer *out)
{
	uint64_t bytes[ROLE_COUNT] = {0};

	for (size_t i = 0; i < view->count; i++)
		bytes[view->entries[i].role] +=
			resident_bytes(view->entries[i].pid);
	metric_begin(out, METRIC_RESIDENT);
	for (int role = 0; role < ROLE_COUNT; role++)
		if (bytes[role] > 0)
			metric_sample(out, METRIC_RESIDENT,
				      process_metrics_role(role),
				      (double)bytes[role]);
}

static void process_metrics_write(struct buffer *out, enum metric metric,
				  const uint64_t *counts, double unit)
{
	metric_begin(out, metric);
	for (int role = 0; role < ROLE_COUNT; role++)
		metric_sample(out, metric, process_metrics_role(role),
			      (double)counts[role] / unit);
}

/*
 * Append the metrics; none if `roster` is NULL. A role has no resident memory
 * if the kernel hides its processes (ProtectProc=invisible).
 */
static void process_metrics(struct process_table *roster, struct buffer *out)
{
	struct process_snapshot view;

	if (roster == NULL)
		return;
	view = process_table_snapshot(roster);
	write_running(&view, out);
	process_metrics_write(out, METRIC_STARTS, view.starts, 1);
	process_metrics_write(out, METRIC_DEATHS, view.deaths, 1);
	process_metrics_write(out, METRIC_CPU, view.cpu_us, 1e6);
	write_resident(&view, out);
	process_snapshot_free(&view);
}

/* The figures of a site; each has its metric. */
enum number { PAGES, URLS, PENDING, FAILED, SPENT, STALE, BLOCKED, NUMBERS };

static const enum metric number_metrics[NUMBERS] = {
	[PAGES] = METRIC_SITE_PAGES,     [URLS] = METRIC_SITE_URLS,
	[PENDING] = METRIC_SITE_PENDING, [FAILED] = METRIC_SITE_FAILED,
	[SPENT] = METRIC_SITE_SPENT,     [STALE] = METRIC_SITE_STALE,
	[BLOCKED] = METRIC_SITE_BLOCKED,
};

struct measured_site {
	struct slice host; /* valid until the transaction ends */
	uint64_t seen_ms;
	uint64_t numbers[NUMBERS];
};

struct measured_sites {
	struct measured_site *items; /* [count] */
	size_t count;
	size_t capacity;
};

static struct measured_site site_metrics_measure(const struct site_row *row)
{
	uint32_t flags = row->options.flags;

	return (struct measured_site){
		.host = row->host,
		.seen_ms = row->seen_ms,
		.numbers =
			{
				[PAGES] = row->page_count,
				[URLS] = row->found_count,
				[PENDING] = row->pending_count,
				[FAILED] = row->failed_count,
				[SPENT] = row->spent_bytes,
				[STALE] = (flags & SITE_IS_STALE) != 0,
				[BLOCKED] = (flags & SITE_IS_BLOCKED) != 0,
			},
	};
}

static struct measured_sites site_metrics_read(struct txn *txn)
{
	struct scan scan =
		scan_begin(txn, TABLE_SITES, (struct slice){NULL, 0});
	struct measured_sites sites = {0};
	struct site_row row;

	while (scan_next(&scan)) {
		if (!site_decode(scan.value, &row))
			continue;
		sites.items = mem_grow(sites.items, sites.count,
				       &sites.capacity, sizeof(*sites.items));
		sites.items[sites.count++] = site_metrics_measure(&row);
	}
	scan_end(&scan);
	return sites;
}

static int host_order(struct slice a, struct slice b)
{
	size_t common = a.size < b.size ? a.size : b.size;
	int order = memcmp(a.data, b.data, common);

	return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

/* Sites with more pages come first. */
static int site_order(const void *left, const void *right)
{
	const struct measured_site *a = left;
	const struct measured_site *b = right;

	if (a->numbers[PAGES] != b->numbers[PAGES])
		return a->numbers[PAGES] > b->numbers[PAGES] ? -1 : 1;
	return host_order(a->host, b->host);
}

static void write_number(const struct measured_sites *sites, size_t max,
			 enum number number, struct buffer *out)
{
	enum metric metric = number_metrics[number];
	uint64_t rest = 0;

	metric_begin(out, metric);
	for (size_t i = 0; i < sites->count; i++) {
		const struct measured_site *site = &sites->items[i];

		if (i < max)
			metric_sample(out, metric, site->host,
				      (double)site->numbers[number]);
		else
			rest += site->numbers[number];
	}
	if (sites->count > max)
		metric_sample(out, metric, slice_of("*"), (double)rest);
}

/* A site that was never seen has no sample. */
static void write_seen(const struct measured_sites *sites, size_t max,
		       struct buffer *out)
{
	metric_begin(out, METRIC_SITE_SEEN);
	for (size_t i = 0; i < sites->count && i < max; i++) {
		const struct measured_site *site = &sites->items[i];

		if (site->seen_ms != 0)
			metric_sample(out, METRIC_SITE_SEEN, site->host,
				      (double)site->seen_ms / 1e3);
	}
}

static uint64_t site_metrics_sum(const struct measured_sites *sites,
				 enum number number)
{
	uint64_t result = 0;

	for (size_t i = 0; i < sites->count; i++)
		result += sites->items[i].numbers[number];
	return result;
}

static void write_states(const struct measured_sites *sites, struct buffer *out)
{
	metric_begin(out, METRIC_SITES);
	metric_sample(out, METRIC_SITES, slice_of("all"), (double)sites->count);
	metric_sample(out, METRIC_SITES, slice_of("stale"),
		      (double)site_metrics_sum(sites, STALE));
	metric_sample(out, METRIC_SITES, slice_of("blocked"),
		      (double)site_metrics_sum(sites, BLOCKED));
}

void site_metrics(struct txn *txn, size_t max, struct buffer *out)
{
	struct measured_sites sites = site_metrics_read(txn);

	if (sites.count > 0)
		qsort(sites.items, sites.count, sizeof(*sites.items),
		      site_order);
	write_states(&sites, out);
	for (int i = 0; i < NUMBERS; i++)
		write_number(&sites, max, (enum number)i, out);
	write_seen(&sites, max, out);
	free(sites.items);
}

enum { NUMBER_BYTES = 24 };

static const uint16_t all_kinds[] = {
#define X(name, value, text) name,
	EVENT_LIST(X)
#undef X
};

static struct slice number_text(char *text, uint64_t number)
{
	snprintf(text, NUMBER_BYTES, "%" PRIu64, number);
	return slice_of(text);
}

static void write_daemon(struct api *api, struct buffer *out)
{
	char schema[NUMBER_BYTES];
	uint64_t config_ms;
	bool is_loaded;

	lock_acquire(&api->lock);
	config_ms = api->config_ms;
	is_loaded = api->config_error[0] == '\0';
	lock_release(&api->lock);
	metric_begin(out, METRIC_BUILD_INFO);
	metric_sample_of_two(out, METRIC_BUILD_INFO,
			     slice_of(TEMPLATED_VERSION),
			     number_text(schema, STORE_SCHEMA), 1);
	metric_write(out, METRIC_START, (double)api->started_ms / 1e3);
	metric_write(out, METRIC_CONFIG_OK, is_loaded);
	metric_write(out, METRIC_CONFIG_TIME, (double)config_ms / 1e3);
}

static void write_queues(const struct pipeline_stats *stats, struct buffer *out)
{
	metric_write(out, METRIC_IN_FLIGHT, (double)stats->in_flight);
	metric_write(out, METRIC_MAX_IN_FLIGHT, (double)stats->max_in_flight);
	metric_write(out, METRIC_RUNNING, (double)stats->running_fetches);
	metric_begin(out, METRIC_QUEUE);
	metric_sample(out, METRIC_QUEUE, slice_of("analyse"),
		      (double)stats->analyse_queue);
	metric_sample(out, METRIC_QUEUE, slice_of("commit"),
		      (double)stats->commit_queue);
	metric_write(out, METRIC_PAUSED, stats->is_paused);
}

static void write_pipeline(struct pipeline *pipeline, struct buffer *out)
{
	struct pipeline_stats stats;

	pipeline_stats(pipeline, &stats);
	metric_write(out, METRIC_FETCHED, (double)stats.fetched);
	metric_write(out, METRIC_FRESH, (double)stats.fresh);
	metric_write(out, METRIC_FETCH_FAILURES, (double)stats.failed);
	metric_write(out, METRIC_WIRE_BYTES, (double)stats.wire_bytes);
	metric_write_histogram(out, METRIC_FETCHES, &stats.fetches);
	metric_write(out, METRIC_ANALYSED, (double)stats.analysed);
	metric_write_histogram(out, METRIC_ANALYSES, &stats.analyses);
	metric_write(out, METRIC_COMMITTED, (double)stats.committed);
	metric_write(out, METRIC_COMMITS, (double)stats.commits);
	metric_write(out, METRIC_FAILED_COMMITS, (double)stats.failed_commits);
	metric_write_histogram(out, METRIC_TRANSACTIONS, &stats.transactions);
	write_queues(&stats, out);
}

static void write_tables(struct buffer *out, enum metric metric,
			 const uint64_t *numbers)
{
	metric_begin(out, metric);
	for (int table = 0; table < TABLE_COUNT; table++)
		metric_sample(out, metric,
			      slice_of(table_name((enum table)table)),
			      (double)numbers[table]);
}

static void write_store(const struct call *call,
			const struct store_usage *usage, struct buffer *out)
{
	struct statvfs disk;

	metric_write(out, METRIC_STORE_USED, (double)usage->used_bytes);
	metric_write(out, METRIC_STORE_MAP, (double)usage->map_bytes);
	metric_write(out, METRIC_STORE_MAX, (double)usage->max_map_bytes);
	if (statvfs(call->config->store_path, &disk) == 0)
		metric_write(out, METRIC_STORE_FREE,
			     (double)disk.f_bavail * (double)disk.f_frsize);
	metric_write(out, METRIC_STORE_READERS,
		     (double)store_count_readers(call->api->store));
	write_tables(out, METRIC_ROWS, usage->rows);
	write_tables(out, METRIC_TABLE_BYTES, usage->bytes);
	metric_write(out, METRIC_POISONED,
		     (double)usage->rows[TABLE_QUARANTINE]);
}

static void write_guards(struct txn *txn, struct buffer *out)
{
	static const char *const names[GUARD_STATES] = {"unknown", "ok",
							"firing", "suspended"};
	struct scan scan = scan_begin(txn, TABLE_GUARDS, slice_of(""));
	uint64_t counts[GUARD_STATES] = {0};
	struct guard_row row;

	while (scan_next(&scan))
		if (guard_row_decode(scan.value, &row) &&
		    row.state < GUARD_STATES)
			counts[row.state]++;
	scan_end(&scan);
	metric_begin(out, METRIC_GUARDS);
	for (int i = 0; i < GUARD_STATES; i++)
		metric_sample(out, METRIC_GUARDS, slice_of(names[i]),
			      (double)counts[i]);
}

/* The samples of a hook, by metric. */
struct hook_samples {
	struct buffer waiting;
	struct buffer delivered;
	struct buffer dropped;
	struct buffer failures;
};

static void metrics_add_hook(struct hook_samples *samples, uint32_t hook,
			     const struct hook_row *row)
{
	char text[NUMBER_BYTES];
	struct slice name = number_text(text, hook);

	metric_sample(&samples->waiting, METRIC_HOOK_WAITING, name,
		      (double)row->waiting);
	metric_sample(&samples->delivered, METRIC_HOOK_DELIVERED, name,
		      (double)row->delivered);
	metric_sample(&samples->dropped, METRIC_HOOK_DROPPED, name,
		      (double)row->dropped);
	metric_sample(&samples->failures, METRIC_HOOK_FAILURES, name,
		      (double)row->failures);
}

static void write_samples(struct buffer *out, enum metric metric,
			  struct buffer *samples)
{
	metric_begin(out, metric);
	buffer_append_slice(out, buffer_slice(samples));
	buffer_free(samples);
}

static void write_hooks(struct txn *txn, struct buffer *out)
{
	struct scan scan = scan_begin(txn, TABLE_HOOKS, slice_of(""));
	struct hook_samples samples = {0};
	struct hook_row row;

	while (scan_next(&scan))
		if (hook_row_decode(scan.value, &row))
			metrics_add_hook(&samples, key_u32(scan.key, 0), &row);
	scan_end(&scan);
	write_samples(out, METRIC_HOOK_WAITING, &samples.waiting);
	write_samples(out, METRIC_HOOK_DELIVERED, &samples.delivered);
	write_samples(out, METRIC_HOOK_DROPPED, &samples.dropped);
	write_samples(out, METRIC_HOOK_FAILURES, &samples.failures);
}

static enum error metrics_write_rows(const struct call *call,
				     struct buffer *out)
{
	struct txn txn = txn_begin_read(call->api->store);

	site_metrics(&txn, call->config->max_measured_sites, out);
	write_guards(&txn, out);
	write_hooks(&txn, out);
	return txn_end(&txn);
}

static void write_kinds(struct buffer *out, enum metric metric,
			const uint64_t *counts, kind_set kinds)
{
	metric_begin(out, metric);
	for (size_t i = 0; i < sizeof(all_kinds) / sizeof(all_kinds[0]); i++)
		if (kind_set_has(kinds, all_kinds[i]))
			metric_sample(out, metric,
				      slice_of(event_kind_name(all_kinds[i])),
				      (double)counts[all_kinds[i]]);
}

static enum error write_events(struct api *api, struct buffer *out)
{
	struct event_counts counts;
	enum error error = event_counters_read(api->tally, &counts);

	if (error != ERR_NONE)
		return error;
	write_kinds(out, METRIC_EVENTS, counts.events, UINT64_MAX);
	write_kinds(out, METRIC_OPEN_ALERTS, counts.open_alerts,
		    kind_set_alerts());
	return ERR_NONE;
}

static void write_replies(const struct http_stats *stats, struct buffer *out)
{
	static const char *const classes[HTTP_CLASSES] = {NULL,  "1xx", "2xx",
							  "3xx", "4xx", "5xx"};

	metric_begin(out, METRIC_HTTP_REPLIES);
	for (int i = 2; i < HTTP_CLASSES; i++)
		metric_sample(out, METRIC_HTTP_REPLIES, slice_of(classes[i]),
			      (double)stats->replies[i]);
}

static void add_stats(struct http_stats *sum, const struct http_stats *stats)
{
	sum->waiting += stats->waiting;
	sum->parked += stats->parked;
	sum->listeners += stats->listeners;
	for (int i = 0; i < HTTP_CLASSES; i++)
		sum->replies[i] += stats->replies[i];
	time_histogram_join(&sum->answers, &stats->answers);
}

/* Write the sums over all servers. */
static void write_sum(const struct http_stats *sum, struct buffer *out)
{
	write_replies(sum, out);
	metric_begin(out, METRIC_HTTP_WAITING);
	metric_sample(out, METRIC_HTTP_WAITING, slice_of("queued"),
		      (double)sum->waiting);
	metric_sample(out, METRIC_HTTP_WAITING, slice_of("suspended"),
		      (double)sum->parked);
	metric_write(out, METRIC_HTTP_LISTENERS, (double)sum->listeners);
	metric_write_histogram(out, METRIC_ANSWERS, &sum->answers);
}

static void write_http(struct api *api, struct buffer *out)
{
	static const char *const names[LISTENERS] = {"socket", "read", "tcp",
						     "nodes"};
	struct buffer requests = {0};
	struct buffer refused = {0};
	struct buffer limited = {0};
	struct http_stats sum = {0};
	struct http_stats stats;

	for (int i = 0; i < LISTENERS; i++) {
		if (!api_listener_stats(api, (enum listener)i, &stats))
			continue;
		metric_sample(&requests, METRIC_HTTP_REQUESTS,
			      slice_of(names[i]), (double)stats.requests);
		metric_sample(&refused, METRIC_HTTP_REFUSED, slice_of(names[i]),
			      (double)stats.refused);
		metric_sample(&limited, METRIC_HTTP_LIMITED, slice_of(names[i]),
			      (double)stats.limited);
		add_stats(&sum, &stats);
	}
	write_samples(out, METRIC_HTTP_REQUESTS, &requests);
	write_samples(out, METRIC_HTTP_REFUSED, &refused);
	write_samples(out, METRIC_HTTP_LIMITED, &limited);
	write_sum(&sum, out);
}

static void write_answers(struct text_cache *answers, struct buffer *out)
{
	const struct answer_cache_stats stats = text_cache_stats(answers);

	metric_write(out, METRIC_CACHE_HITS, (double)stats.hits);
	metric_write(out, METRIC_CACHE_MISSES, (double)stats.misses);
	metric_write(out, METRIC_CACHE_EVICTIONS, (double)stats.evictions);
	metric_write(out, METRIC_CACHE_ANSWERS, (double)stats.count);
	metric_write(out, METRIC_CACHE_BYTES, (double)stats.bytes);
}

static void write_samples_learned(struct cache_warmer *teaching,
				  struct buffer *out)
{
	const struct teaching_stats stats = cache_warmer_stats(teaching);

	metric_begin(out, METRIC_SAMPLES);
	metric_sample(out, METRIC_SAMPLES, slice_of("ahead"),
		      (double)stats.ahead);
	metric_sample(out, METRIC_SAMPLES, slice_of("on_demand"),
		      (double)stats.asked);
}

static void write_partitions(const struct cluster_facts *facts,
			     struct buffer *out)
{
	double counts[PARTITION_LEAVING + 1] = {0};
	uint64_t lag = 0;

	for (unsigned i = 0; i < ALL_PARTITIONS; i++) {
		const struct partition_facts *row = &facts->partitions[i];

		counts[row->state]++;
		lag += partition_lag(row->state, row->applied, row->last);
	}
	metric_begin(out, METRIC_CLUSTER_PARTITIONS);
	for (unsigned i = 0; i <= PARTITION_LEAVING; i++)
		metric_sample(
			out, METRIC_CLUSTER_PARTITIONS,
			slice_of(partition_state_name((enum partition_state)i)),
			counts[i]);
	metric_write(out, METRIC_CLUSTER_LAG, (double)lag);
}

static void write_questions(struct api *api, struct buffer *out)
{
	static const char *const names[FORWARD_RESULTS] = {
		[FORWARD_NO_RESPONSE] = "none",
		[FORWARD_OWNER] = "owner",
		[FORWARD_REPLICA] = "replica",
	};
	uint64_t results[FORWARD_RESULTS];
	struct time_histogram times;

	lock_acquire(&api->lock);
	memcpy(results, api->pass_results, sizeof(results));
	times = api->pass_times;
	lock_release(&api->lock);
	metric_begin(out, METRIC_CLUSTER_QUESTIONS);
	for (unsigned i = 0; i < FORWARD_RESULTS; i++)
		metric_sample(out, METRIC_CLUSTER_QUESTIONS, slice_of(names[i]),
			      (double)results[i]);
	metric_write_histogram(out, METRIC_CLUSTER_QUESTION_TIME, &times);
}

static void metrics_write_nodes(struct api *api, struct buffer *out)
{
	const struct node_client *peers = api->peers;
	struct cluster_facts facts;

	if (peers == NULL)
		return;
	peers->facts(peers->cluster, &facts);
	metric_write(out, METRIC_CLUSTER_CONNECTED, facts.is_connected);
	metric_write(out, METRIC_CLUSTER_LEASE, facts.has_lease);
	metric_write(out, METRIC_CLUSTER_NODES, (double)facts.node_count);
	write_partitions(&facts, out);
	metric_write(out, METRIC_CLUSTER_FAILOVERS, (double)facts.failovers);
	metric_write(out, METRIC_CLUSTER_MOVES, (double)facts.moves);
	metric_write(out, METRIC_CLUSTER_DIVERGENCES,
		     (double)facts.divergences);
	metric_write(out, METRIC_CLUSTER_LOCKED, facts.locked);
	metric_write(out, METRIC_CLUSTER_APPENDS, (double)facts.appends);
	metric_write(out, METRIC_CLUSTER_APPEND_SECONDS,
		     (double)facts.append_us / 1e6);
	metric_write(out, METRIC_CLUSTER_APPEND_BYTES,
		     (double)facts.append_bytes);
	metric_write(out, METRIC_CLUSTER_JOBS, (double)facts.jobs);
	write_questions(api, out);
	free(facts.nodes);
}

static enum error write_metrics(const struct call *call, struct buffer *out)
{
	struct api *api = call->api;
	struct store_usage usage;
	enum error error = store_usage(api->store, &usage);

	if (error != ERR_NONE)
		return error;
	write_daemon(api, out);
	write_pipeline(api->pipeline, out);
	write_store(call, &usage, out);
	error = metrics_write_rows(call, out);
	if (error == ERR_NONE)
		error = write_events(api, out);
	process_metrics(api->roster, out);
	write_answers(api->answers, out);
	write_samples_learned(api->teaching, out);
	write_http(api, out);
	metrics_write_nodes(api, out);
	return error;
}

enum http_verdict api_get_metrics(struct call *call)
{
	struct buffer body = {0};
	enum error error = write_metrics(call, &body);

	if (error != ERR_NONE) {
		buffer_free(&body);
		return call_fail_with(call, error, "the store");
	}
	http_reply(call->exchange, 200,
		   "text/plain; version=0.0.4; charset=utf-8", &body);
	return HTTP_ANSWERED;
}
