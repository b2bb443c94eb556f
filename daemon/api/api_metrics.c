#include "daemon/api/api_call.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "daemon/api/event_tally.h"
#include "daemon/api/metric.h"
#include "daemon/api/process_metrics.h"
#include "daemon/api/site_metrics.h"
#include "daemon/query/answer_cache.h"
#include "daemon/query/teaching.h"
#include "daemon/runtime/clock.h"
#include "store/key.h"
#include "store/rows_event.h"
#include "store/rows_guard.h"
#include "store/rows_hook.h"

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
