#include "daemon/engine/fetching_parts.h"

#include <stdlib.h>

#include "base/memory.h"
#include "crawl/sitemap.h"
#include "daemon/runtime/clock.h"
#include "store/partitions.h"

enum {
	MAX_IDLE_HOSTS = 1024,
	MAX_WAIT_MS = 1000,
	MAX_QUEUE_MS = 10 * 1000, /* approximate maximum time that a job waits
				     for its host */
};

void crawler_send_ended(struct crawler *fetching, struct job *job)
{
	fetching->on_ended(fetching->context,
			   job_queue_push(fetching->ended, job));
}

uint64_t host_long_pause_ms(const struct host *host, uint64_t now_ms)
{
	uint64_t next_ms = host->polite.next_ms;

	return next_ms > now_ms + MAX_QUEUE_MS ? next_ms - now_ms : 0;
}

void job_set_pace(struct job *job, const struct host *host)
{
	job->pace_ms = host->pace_ms;
	job->pause_ms = host_long_pause_ms(host, clock_steady_ms());
}

void crawler_end_job(struct crawler *fetching, struct job *job,
		     enum error error)
{
	job->kind = CHANGE_FAILED;
	job->error = error;
	crawler_send_ended(fetching, job);
}

void crawler_fail_waiting_jobs(struct crawler *fetching, struct host *host,
			       enum error error, unsigned status)
{
	struct job *job;

	while ((job = host_pop(host)) != NULL) {
		job_set_pace(job, host);
		job->result.http_status = (uint16_t)status;
		crawler_end_job(fetching, job, error);
	}
}

/*
 * Finish jobs that would wait too long: the number of jobs is limited, and jobs
 * of a slow or failing host must not block other hosts.
 */
static void shorten_queue(struct crawler *fetching, struct host *host,
			  uint64_t now_ms)
{
	size_t keep = SIZE_MAX;
	struct job *job;

	if (host_long_pause_ms(host, now_ms) > 0)
		keep = 0;
	else if (host->pace_ms > 0)
		keep = MAX_QUEUE_MS / host->pace_ms + 1U;
	job = host_cut(host, keep);
	while (job != NULL) {
		struct job *next = job->next;

		job_set_pace(job, host);
		crawler_end_job(fetching, job, ERR_STOPPED);
		job = next;
	}
}

void crawler_transfer_start(struct crawler *fetching,
			    struct crawler_transfer *flight,
			    const struct url *url)
{
	struct host *host = flight->host;
	const struct job *job = flight->job;
	struct fetch_request request = {
		.url = url,
		.is_private_ok = (flight->site_flags & SITE_IS_PRIVATE_OK) != 0,
		.is_port_ok = (flight->site_flags & SITE_IS_PORT_OK) != 0,
		.is_network_ok = (flight->site_flags & SITE_IS_NETWORK_OK) != 0,
		.any_type = job == NULL || flight->is_sitemap,
		.not_after_ms = fetching->not_after_ms,
		.context = flight,
	};

	if (job == NULL)
		request.max_body_bytes = MAX_ROBOTS_BYTES;
	else if (flight->is_sitemap)
		request.max_body_bytes = MAX_SITEMAP_BYTES;
	request.proxy = job == NULL ? flight->proxy : job->work.proxy;
	if (!flight->is_foreign) {
		request.headers =
			job == NULL ? flight->headers : job->work.headers;
		if ((flight->site_flags & SITE_HAS_COOKIES) != 0)
			request.cookies = &host->cookies;
	}
	if (job != NULL) {
		request.etag = job->work.lease.etag;
		request.modified = job->work.lease.modified;
	}
	politeness_start(&host->polite);
	fetcher_client_start(fetching->fetcher, &request, flight->is_sitemap);
}

void crawler_transfer_free(struct crawler_transfer *flight)
{
	free(flight->headers);
	free(flight->proxy);
	free(flight);
}

static void start_page(struct crawler *fetching, struct host *host)
{
	struct job *job = host_pop(host);
	struct slice path = slice_of(job->url.text + job->url.path);
	struct crawler_transfer *flight;

	host->is_robots_used = true;
	if (!fetching->ignores_robots && host->robots != NULL &&
	    !robots_allows(host->robots, path)) {
		crawler_end_job(fetching, job, ERR_ROBOTS_DENIED);
		return;
	}
	politeness_set_delay(&host->polite, job->work.delay_ms,
			     fetching->ignores_robots || host->robots == NULL
				     ? 0
				     : robots_delay_ms(host->robots));
	flight = mem_alloc(1, sizeof(*flight));
	flight->host = host;
	flight->job = job;
	flight->site_flags = job->work.site_flags;
	flight->is_sitemap = (job->work.lease.flags & FRONTIER_IS_SITEMAP) != 0;
	crawler_transfer_start(fetching, flight, &job->url);
}

static bool crawler_has_room(const struct crawler *fetching)
{
	return fetcher_client_running(fetching->fetcher) <
		       fetching->max_connections &&
	       fetching->waiting_bytes <= fetching->max_waiting_bytes;
}

/*
 * Return whether the robots.txt of the host is too old, or has a time in the
 * future because the clock was set back.
 */
static bool crawler_robots_is_outdated(const struct crawler *fetching,
				       const struct host *host,
				       uint64_t wall_ms)
{
	return host->robots_ms > wall_ms ||
	       host->robots_ms + fetching->robots_ttl_ms <= wall_ms;
}

/* Start the jobs of the host that may start now. */
static void serve_host(struct crawler *fetching, struct host *host,
		       uint64_t now_ms)
{
	if (host->first != NULL)
		host_load(fetching, host);
	shorten_queue(fetching, host, now_ms);
	while (host->first != NULL &&
	       politeness_may_start(&host->polite, now_ms) &&
	       crawler_has_room(fetching)) {
		if (host->robots_state == ROBOTS_KNOWN &&
		    host->is_robots_used &&
		    crawler_robots_is_outdated(fetching, host, clock_wall_ms()))
			host->robots_state = ROBOTS_UNKNOWN;
		if (fetching->ignores_robots ||
		    host->robots_state == ROBOTS_KNOWN)
			start_page(fetching, host);
		else if (host->robots_state == ROBOTS_UNKNOWN)
			host_request_robots(fetching, host);
		else
			break;
	}
}

/* Begin with another host each time, so that no host uses all connections. */
static void serve_hosts(struct crawler *fetching, uint64_t now_ms)
{
	const struct hosts *hosts = &fetching->hosts;
	size_t first = fetching->rounds++;

	for (size_t i = 0; !fetching->is_stopping && i < hosts->count; i++)
		serve_host(fetching, hosts->items[(first + i) % hosts->count],
			   now_ms);
}

/* Return the time until the next job may start. */
static uint32_t idle_ms(const struct crawler *fetching, uint64_t now_ms)
{
	const struct hosts *hosts = &fetching->hosts;
	uint64_t wait = MAX_WAIT_MS;

	if (fetching->is_stopping && fetching->stop_ms < now_ms + MAX_WAIT_MS)
		return fetching->stop_ms > now_ms
			       ? (uint32_t)(fetching->stop_ms - now_ms)
			       : 0;
	if (fetching->is_stopping || !crawler_has_room(fetching))
		return MAX_WAIT_MS;
	for (size_t i = 0; i < hosts->count; i++) {
		const struct host *host = hosts->items[i];
		uint64_t next = host->polite.next_ms;

		if (host->first == NULL || host->polite.running > 0)
			continue;
		if (next <= now_ms)
			return 1;
		if (next - now_ms < wait)
			wait = next - now_ms;
	}
	return (uint32_t)wait;
}

/*
 * Return the number of hosts that could be fetched from if a connection were
 * free.
 */
static size_t crawler_count_waiting_hosts(const struct crawler *fetching,
					  uint64_t now_ms)
{
	const struct hosts *hosts = &fetching->hosts;
	size_t count = 0;

	if (fetching->is_stopping || fetcher_client_running(fetching->fetcher) <
					     fetching->max_connections)
		return 0;
	for (size_t i = 0; i < hosts->count; i++) {
		const struct host *host = hosts->items[i];

		count += host->first != NULL &&
			 host->robots_state != ROBOTS_REQUESTED &&
			 politeness_may_start(&host->polite, now_ms);
	}
	return count;
}

static void take_arrivals(struct crawler *fetching)
{
	struct job *job = job_queue_take_all(fetching->arrivals);

	while (job != NULL) {
		struct job *next = job->next;

		host_push(hosts_get(&fetching->hosts, &job->url), job);
		job = next;
	}
}

static bool is_finished(const struct crawler *fetching)
{
	return fetching->is_stopping &&
	       (fetcher_client_running(fetching->fetcher) == 0 ||
		clock_steady_ms() >= fetching->stop_ms);
}

static void crawler_handle_results(struct crawler *fetching)
{
	struct fetch_result result;

	while (fetcher_client_next(fetching->fetcher, &result))
		crawler_handle_result(fetching, &result);
}

/* Abort all jobs. */
static void abort_all(struct crawler *fetching)
{
	struct hosts *hosts = &fetching->hosts;

	fetcher_client_abort(fetching->fetcher);
	crawler_handle_results(fetching);
	take_arrivals(fetching);
	for (size_t i = 0; i < hosts->count; i++)
		crawler_fail_waiting_jobs(fetching, hosts->items[i],
					  ERR_STOPPED, 0);
}

/*
 * Finish the waiting jobs of hosts that another node owns now; count the
 * running ones.
 */
static void look_for_strangers(struct crawler *fetching)
{
	const struct store *store = fetching->store;
	uint64_t asks = fetching->asks;
	size_t strangers = 0;

	if (!store_is_partitioned(store))
		return;
	for (size_t i = 0; i < fetching->hosts.count; i++) {
		struct host *host = fetching->hosts.items[i];

		if (store_owns(store, store_partition_of_host(
					      store, host_subject(host).site)))
			continue;
		crawler_fail_waiting_jobs(fetching, host, ERR_NOT_OWNER, 0);
		strangers += host->polite.running;
	}
	fetching->strangers = strangers;
	fetching->looked = asks;
}

void crawler_run(struct crawler *fetching)
{
	while (!is_finished(fetching)) {
		uint64_t now_ms = clock_steady_ms();

		take_arrivals(fetching);
		if (atomic_exchange(&fetching->aborts, false))
			abort_all(fetching);
		look_for_strangers(fetching);
		serve_hosts(fetching, now_ms);
		fetching->running = fetcher_client_running(fetching->fetcher);
		if (fetching->running == 0)
			job_queue_flush(fetching->fetched);
		fetcher_client_report_backlog(
			fetching->fetcher,
			crawler_count_waiting_hosts(fetching, now_ms));
		fetcher_client_run(fetching->fetcher,
				   idle_ms(fetching, now_ms));
		crawler_handle_results(fetching);
		hosts_trim(&fetching->hosts, MAX_IDLE_HOSTS, now_ms);
	}
	fetching->running = 0;
	abort_all(fetching);
	hosts_free(&fetching->hosts);
}
