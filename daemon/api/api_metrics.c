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

#define X(metric, name, type, label, label2, help) \
	[metric] = {name, type, {label, label2}, help},
const struct metric_row metric_rows[METRIC_COUNT] = {METRIC_LIST(X)};
#undef X

void metric_begin(struct buffer *out, enum metric metric)
{
	const struct metric_row *row = &metric_rows[metric];

	buffer_printf(out, "# HELP templated_%s %s\n# TYPE templated_%s %s\n",
		      row->name, row->help, row->name, row->type);
}

/*
 * Append a label. Escape bytes of the value that would end the value or the
 * line, and other control characters, which a metric must not contain.
 */
static void metric_append_label(struct buffer *out, const char *name,
				struct slice value)
{
	const char *bytes = value.data;

	buffer_printf(out, "%s=\"", name);
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
	buffer_append_byte(out, '"');
}

/* Append the number of a sample. Integers below 10^15 are exact. */
static void metric_append_number(struct buffer *out, double number)
{
	buffer_printf(out, " %.15g\n", number);
}

void metric_sample_of_two(struct buffer *out, enum metric metric,
			  struct slice first, struct slice second,
			  double number)
{
	const struct metric_row *row = &metric_rows[metric];

	assert(row->labels[0] != NULL);
	buffer_printf(out, "templated_%s{", row->name);
	metric_append_label(out, row->labels[0], first);
	if (row->labels[1] != NULL) {
		buffer_append_byte(out, ',');
		metric_append_label(out, row->labels[1], second);
	}
	buffer_append_byte(out, '}');
	metric_append_number(out, number);
}

void metric_sample(struct buffer *out, enum metric metric, struct slice value,
		   double number)
{
	metric_sample_of_two(out, metric, value, slice_of(""), number);
}

/*
 * Write a metric that has one label, with a sample for each of the words that
 * is not NULL.
 */
static void metric_write_words(struct buffer *out, enum metric metric,
			       const char *const *words,
			       const uint64_t *numbers, size_t count)
{
	metric_begin(out, metric);
	for (size_t i = 0; i < count; i++)
		if (words[i] != NULL)
			metric_sample(out, metric, slice_of(words[i]),
				      (double)numbers[i]);
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

/* The metrics of the processes of the daemon, by role. */

enum { MAX_STATM_BYTES = 256 };

/*
 * Return the resident memory of the process; 0 if the process has exited or the
 * kernel hides this figure.
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
		 * skip the first number, which is the size of the address space
		 */
		strtoull(text.data, &rest, 10);
		pages = strtoull(rest, NULL, 10);
	}
	buffer_free(&text);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void process_metrics_write(struct buffer *out, enum metric metric,
				  const uint64_t *counts, double unit)
{
	metric_begin(out, metric);
	for (int role = 0; role < ROLE_COUNT; role++)
		if (metric != METRIC_RESIDENT || counts[role] > 0)
			metric_sample(out, metric,
				      slice_of(role_name((enum role)role)),
				      (double)counts[role] / unit);
}

/*
 * Append the metrics of the processes, or nothing if `roster` is NULL. A role
 * has no sample of its resident memory if the kernel hides its processes
 * (ProtectProc=invisible).
 */
static void process_metrics(struct process_table *roster, struct buffer *out)
{
	uint64_t running[ROLE_COUNT] = {0};
	uint64_t resident[ROLE_COUNT] = {0};
	struct process_snapshot view;

	if (roster == NULL)
		return;
	view = process_table_snapshot(roster);
	for (size_t i = 0; i < view.count; i++) {
		running[view.entries[i].role]++;
		resident[view.entries[i].role] +=
			resident_bytes(view.entries[i].pid);
	}
	process_metrics_write(out, METRIC_PROCESSES, running, 1);
	process_metrics_write(out, METRIC_STARTS, view.starts, 1);
	process_metrics_write(out, METRIC_DEATHS, view.deaths, 1);
	process_metrics_write(out, METRIC_CPU, view.cpu_us, 1e6);
	process_metrics_write(out, METRIC_RESIDENT, resident, 1);
	process_snapshot_free(&view);
}

/* The figures of a site. Each figure has its own metric. */
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

/* Order for sorting: sites with more pages come first. */
static int site_order(const void *left, const void *right)
{
	const struct measured_site *a = left;
	const struct measured_site *b = right;

	size_t common =
		a->host.size < b->host.size ? a->host.size : b->host.size;
	int order = memcmp(a->host.data, b->host.data, common);

	if (a->numbers[PAGES] != b->numbers[PAGES])
		return a->numbers[PAGES] > b->numbers[PAGES] ? -1 : 1;
	return order != 0 ? order
			  : (a->host.size > b->host.size) -
				    (a->host.size < b->host.size);
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

/*
 * Write when each site last returned a page or "not modified". Write no line
 * for a site that never did.
 */
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

static void write_states(const struct measured_sites *sites, struct buffer *out)
{
	static const char *const words[] = {"all", "stale", "blocked"};
	uint64_t counts[3] = {sites->count};

	for (size_t i = 0; i < sites->count; i++) {
		counts[1] += sites->items[i].numbers[STALE];
		counts[2] += sites->items[i].numbers[BLOCKED];
	}
	metric_write_words(out, METRIC_SITES, words, counts, 3);
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

#define X(name, value, text) name,
static const uint16_t all_kinds[] = {EVENT_LIST(X)};
#undef X

static void write_daemon(struct api *api, struct buffer *out)
{
	char schema[NUMBER_BYTES];
	uint64_t config_ms;
	bool is_loaded;

	lock_acquire(&api->lock);
	config_ms = api->config_ms;
	is_loaded = api->config_error[0] == '\0';
	lock_release(&api->lock);
	snprintf(schema, sizeof(schema), "%d", STORE_SCHEMA);
	metric_begin(out, METRIC_BUILD_INFO);
	metric_sample_of_two(out, METRIC_BUILD_INFO,
			     slice_of(TEMPLATED_VERSION), slice_of(schema), 1);
	metric_write(out, METRIC_START, (double)api->started_ms / 1e3);
	metric_write(out, METRIC_CONFIG_OK, is_loaded);
	metric_write(out, METRIC_CONFIG_TIME, (double)config_ms / 1e3);
}

static void write_queues(const struct pipeline_stats *stats, struct buffer *out)
{
	metric_write(out, METRIC_IN_FLIGHT, (double)stats->in_flight);
	metric_write(out, METRIC_MAX_IN_FLIGHT, (double)stats->max_in_flight);
	metric_write(out, METRIC_RUNNING, (double)stats->running_fetches);
	metric_write_words(
		out, METRIC_QUEUE, (const char *const[]){"analyse", "commit"},
		(uint64_t[]){stats->analyse_queue, stats->commit_queue}, 2);
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

	metric_write(out, METRIC_STORE_LIVE, (double)usage->live_bytes);
	metric_write(out, METRIC_STORE_REUSABLE, (double)usage->free_bytes);
	metric_write(out, METRIC_STORE_FILE, (double)usage->file_bytes);
	metric_write(out, METRIC_STORE_ALLOCATED,
		     (double)usage->allocated_bytes);
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
	static const char *const names[GUARD_STATES] = {
		[GUARD_UNKNOWN] = "unknown",
		[GUARD_OK] = "ok",
		[GUARD_BROKEN] = "firing",
		[GUARD_SUSPENDED] = "suspended",
		[GUARD_UNMATCHED] = "unmatched",
		[GUARD_ALTERNATING] = "alternates",
		[GUARD_SUSPECTED] = "checking",
	};
	struct scan scan = scan_begin(txn, TABLE_GUARDS, slice_of(""));
	uint64_t counts[GUARD_STATES] = {0};
	struct guard_row row;

	while (scan_next(&scan))
		if (guard_row_decode(scan.value, &row) &&
		    row.state < GUARD_STATES)
			counts[row.state == GUARD_RECHECKED ? GUARD_SUSPECTED
							    : row.state]++;
	scan_end(&scan);
	metric_write_words(out, METRIC_GUARDS, names, counts, GUARD_STATES);
}

static void write_incidents(struct txn *txn, struct buffer *out)
{
	static const char *const names[] = {"collecting", "open"};
	struct scan scan = scan_begin(txn, TABLE_INCIDENTS, slice_of(""));
	uint64_t counts[2] = {0};
	struct incident_row row;

	while (scan_next(&scan))
		if (incident_row_decode(scan.value, &row) &&
		    row.state != INCIDENT_ENDED)
			counts[row.state != INCIDENT_COLLECTING]++;
	scan_end(&scan);
	metric_write_words(out, METRIC_INCIDENTS, names, counts, 2);
}

/* Write the metrics [count] with their samples, and free the samples. */
static void write_samples(struct buffer *out, const enum metric *metrics,
			  struct buffer *samples, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		metric_begin(out, metrics[i]);
		buffer_append_slice(out, buffer_slice(&samples[i]));
		buffer_free(&samples[i]);
	}
}

static void write_hooks(struct txn *txn, struct buffer *out)
{
	static const enum metric metrics[] = {
		METRIC_HOOK_WAITING, METRIC_HOOK_DELIVERED, METRIC_HOOK_DROPPED,
		METRIC_HOOK_REFUSED, METRIC_HOOK_FAILURES};
	enum { COUNT = sizeof(metrics) / sizeof(metrics[0]) };
	struct scan scan = scan_begin(txn, TABLE_HOOKS, slice_of(""));
	struct buffer samples[COUNT] = {0};
	struct hook_row row;

	while (scan_next(&scan)) {
		uint32_t hook = key_u32(scan.key, 0);
		uint64_t refused = hook_count_refused(txn, hook);
		char name[NUMBER_BYTES];

		if (!hook_row_decode(scan.value, &row))
			continue;
		snprintf(name, sizeof(name), "%" PRIu32, hook);
		for (int i = 0; i < COUNT; i++)
			metric_sample(&samples[i], metrics[i], slice_of(name),
				      (double)(uint64_t[COUNT]){
					      row.waiting, row.delivered,
					      row.dropped, refused,
					      row.failures}[i]);
	}
	scan_end(&scan);
	write_samples(out, metrics, samples, COUNT);
}

static enum error metrics_write_rows(const struct call *call,
				     struct buffer *out)
{
	struct txn txn = txn_begin_read(call->api->store);

	site_metrics(&txn, call->config->max_measured_sites, out);
	write_guards(&txn, out);
	write_incidents(&txn, out);
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

static void add_stats(struct http_stats *sum, const struct http_stats *stats)
{
	sum->waiting += stats->waiting;
	sum->parked += stats->parked;
	sum->listeners += stats->listeners;
	for (int i = 0; i < HTTP_CLASSES; i++)
		sum->replies[i] += stats->replies[i];
	time_histogram_join(&sum->answers, &stats->answers);
}

static void write_http(struct api *api, struct buffer *out)
{
	static const char *const names[LISTENERS] = {"socket", "read", "tcp",
						     "nodes"};
	static const char *const classes[HTTP_CLASSES] = {NULL,  NULL,  "2xx",
							  "3xx", "4xx", "5xx"};
	static const enum metric metrics[] = {
		METRIC_HTTP_REQUESTS, METRIC_HTTP_REFUSED, METRIC_HTTP_LIMITED};
	struct buffer samples[3] = {0};
	struct http_stats sum = {0};
	struct http_stats stats;

	for (int i = 0; i < LISTENERS; i++) {
		if (!api_listener_stats(api, (enum listener)i, &stats))
			continue;
		for (int k = 0; k < 3; k++)
			metric_sample(&samples[k], metrics[k],
				      slice_of(names[i]),
				      (double)(uint64_t[]){stats.requests,
							   stats.refused,
							   stats.limited}[k]);
		add_stats(&sum, &stats);
	}
	write_samples(out, metrics, samples, 3);
	metric_write_words(out, METRIC_HTTP_REPLIES, classes, sum.replies,
			   HTTP_CLASSES);
	metric_write_words(out, METRIC_HTTP_WAITING,
			   (const char *const[]){"queued", "suspended"},
			   (uint64_t[]){sum.waiting, sum.parked}, 2);
	metric_write(out, METRIC_HTTP_LISTENERS, (double)sum.listeners);
	metric_write_histogram(out, METRIC_ANSWERS, &sum.answers);
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

	metric_write_words(out, METRIC_SAMPLES,
			   (const char *const[]){"ahead", "on_demand"},
			   (uint64_t[]){stats.ahead, stats.asked}, 2);
}

static void write_partitions(const struct cluster_facts *facts,
			     struct buffer *out)
{
	const char *names[PARTITION_LEAVING + 1];
	uint64_t counts[PARTITION_LEAVING + 1] = {0};
	uint64_t lag = 0;

	for (unsigned i = 0; i < ALL_PARTITIONS; i++) {
		const struct partition_facts *row = &facts->partitions[i];

		counts[row->state]++;
		lag += partition_lag(row->state, row->applied, row->last);
	}
	for (unsigned i = 0; i <= PARTITION_LEAVING; i++)
		names[i] = partition_state_name((enum partition_state)i);
	metric_write_words(out, METRIC_CLUSTER_PARTITIONS, names, counts,
			   PARTITION_LEAVING + 1);
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
	metric_write_words(out, METRIC_CLUSTER_QUESTIONS, names, results,
			   FORWARD_RESULTS);
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
