#include "daemon/fetching.h"

#include <stdio.h>
#include <stdlib.h>

#include "daemon/clock.h"
#include "store/log.h"
#include "store/memory.h"
#include "store/rows.h"

enum {
	MAX_IDLE_HOSTS = 1024,
	MAX_ROBOTS_HOPS = 5,
	MAX_WAIT_MS = 1000,
	MAX_QUEUE_MS = 10 * 1000, /* a job waits for its host, about */
	STATUS_TOO_MANY = 429,
	STATUS_UNAVAILABLE = 503,
};

/* A transfer under way: a page's, or (job NULL) that of a robots.txt. */
struct flight {
	struct host *host;
	struct job *job;
	bool is_private_ok;
	struct url url; /* of robots.txt */
};

static void send_ended(struct fetching *fetching, struct job *job)
{
	job_queue_push(fetching->ended, job);
	fetching->on_ended(fetching->context);
}

/* How long the host rests, when that is longer than jobs may wait. */
static uint64_t long_pause_ms(const struct host *host, uint64_t now_ms)
{
	uint64_t next_ms = host->polite.next_ms;

	return next_ms > now_ms + MAX_QUEUE_MS ? next_ms - now_ms : 0;
}

/* The frontier is told the pace of the host, so that it leases no more. */
static void note_pace(struct job *job, const struct host *host)
{
	job->pace_ms = host->pace_ms;
	job->pause_ms = long_pause_ms(host, clock_steady_ms());
}

static void end_job(struct fetching *fetching, struct job *job,
		    enum error error)
{
	job->kind = CHANGE_FAILED;
	job->error = error;
	send_ended(fetching, job);
}

/* Every job that waits for the host ends with `error`. */
static void fail_waiting(struct fetching *fetching, struct host *host,
			 enum error error, unsigned status)
{
	struct job *job;

	while ((job = host_pop(host)) != NULL) {
		note_pace(job, host);
		job->result.http_status = (uint16_t)status;
		end_job(fetching, job, error);
	}
}

/*
 * Give back what would wait for too long: all jobs together are limited, and
 * those of a slow or failing host must not keep other hosts waiting.
 */
static void shorten_queue(struct fetching *fetching, struct host *host,
			  uint64_t now_ms)
{
	size_t keep = SIZE_MAX;
	struct job *job;

	if (long_pause_ms(host, now_ms) > 0)
		keep = 0;
	else if (host->pace_ms > 0)
		keep = MAX_QUEUE_MS / host->pace_ms + 1U;
	job = host_cut(host, keep);
	while (job != NULL) {
		struct job *next = job->next;

		note_pace(job, host);
		end_job(fetching, job, ERR_STOPPED);
		job = next;
	}
}

static void start(struct fetching *fetching, struct flight *flight,
		  const struct url *url)
{
	bool is_robots = flight->job == NULL;

	polite_started(&flight->host->polite);
	fetcher_start(fetching->fetcher, url, flight->is_private_ok, is_robots,
		      is_robots ? MAX_ROBOTS_BYTES : 0, flight);
}

/* Use the robots.txt that an earlier run has stored, if it is fresh. */
static bool load_robots(struct fetching *fetching, struct host *host)
{
	uint64_t now_ms = clock_wall_ms();
	struct txn txn = txn_begin_read(fetching->store);
	struct host_row row = {0};
	bool is_fresh;

	is_fresh = host_row_get(&txn, slice_of(host->authority), &row) &&
		   row.robots_ms != 0 &&
		   row.robots_ms + fetching->robots_ttl_ms > now_ms;
	if (is_fresh)
		host_set_robots(host, row.robots, row.robots_status,
				row.robots_ms);
	txn_abort(&txn);
	return is_fresh;
}

static void ask_robots(struct fetching *fetching, struct host *host)
{
	struct flight *flight = mem_alloc(1, sizeof(*flight));

	flight->host = host;
	flight->is_private_ok = host->first->work.is_private_ok;
	url_parse(&flight->url, slice_of("/robots.txt"), &host->first->url);
	host->robots_state = ROBOTS_ASKED;
	host->robots_hops = 0;
	start(fetching, flight, &flight->url);
}

/* Remember the file for the next run, too. */
static void store_robots(struct fetching *fetching, const struct host *host,
			 struct fetch_result *result)
{
	struct job *job = mem_alloc(1, sizeof(*job));

	url_parse(&job->url, slice_of(host->authority), NULL);
	job->kind = CHANGE_HOST;
	job->result.body = result->body;
	result->body = (struct buffer){0};
	job->host.robots_ms = host->robots_ms;
	job->host.robots_status = result->http_status;
	send_ended(fetching, job);
}

/* True when the robots.txt moved and is asked for at its new place. */
static bool follow_robots(struct fetching *fetching, struct flight *flight,
			  const struct fetch_result *result)
{
	struct flight *next;

	if (result->redirect[0] == '\0' ||
	    flight->host->robots_hops >= MAX_ROBOTS_HOPS)
		return false;
	next = mem_alloc(1, sizeof(*next));
	next->host = flight->host;
	if (url_parse(&next->url, slice_of(result->redirect), NULL) !=
	    ERR_NONE) {
		free(next);
		return false;
	}
	/* only the host that the operator named may be private */
	next->is_private_ok = flight->is_private_ok &&
			      strcmp(next->url.host, flight->url.host) == 0;
	flight->host->robots_hops++;
	start(fetching, next, &next->url);
	return true;
}

/*
 * RFC 9309, 2.3.1: a server that cannot answer for its robots.txt forbids
 * everything, for now: the pages are tried again later. "Too many requests"
 * says as little about what is allowed.
 */
static void take_robots(struct fetching *fetching, struct flight *flight,
			struct fetch_result *result)
{
	struct host *host = flight->host;
	unsigned status = result->http_status;
	bool is_answer =
		result->error == ERR_NONE || result->error == ERR_TOO_LARGE;

	if (is_answer && fetching->is_stopping && result->redirect[0] != '\0') {
		host->robots_state = ROBOTS_UNKNOWN; /* the jobs go back */
		return;
	}
	if (is_answer && follow_robots(fetching, flight, result))
		return;
	if (!is_answer || status >= 500 || status == STATUS_TOO_MANY) {
		log_info("%s/robots.txt: %s", host->authority,
			 is_answer ? "the server fails" : result->reason);
		host->robots_state = ROBOTS_UNKNOWN;
		fail_waiting(fetching, host,
			     is_answer ? ERR_NETWORK : result->error, status);
		return;
	}
	if (status >= 300 && status < 400)
		status = 404; /* led nowhere: as if there were none */
	result->http_status = (uint16_t)status;
	host_set_robots(host, buffer_slice(&result->body), status,
			clock_wall_ms());
	store_robots(fetching, host, result);
}

/* The HTTP status of a page that is none, as an error. */
static enum error error_of_status(unsigned status)
{
	return status == STATUS_TOO_MANY || status >= 500 ? ERR_NETWORK
							  : ERR_NOT_FOUND;
}

static void take_page(struct fetching *fetching, const struct flight *flight,
		      struct fetch_result *result)
{
	struct job *job = flight->job;
	unsigned status = result->http_status;

	note_pace(job, flight->host);
	job->result = *result;
	result->body = (struct buffer){0};
	result = &job->result;
	if (result->error != ERR_NONE) {
		log_debug("%s: %s", job->url.text, result->reason);
		end_job(fetching, job, result->error);
	} else if (result->redirect[0] != '\0' &&
		   url_parse(&job->target, slice_of(result->redirect), NULL) ==
			   ERR_NONE) {
		job->kind = CHANGE_REDIRECT;
		send_ended(fetching, job);
	} else if (status < 200 || status >= 300) {
		end_job(fetching, job, error_of_status(status));
	} else if (!result->is_html) {
		end_job(fetching, job, ERR_NOT_HTML);
	} else {
		job->kind = CHANGE_PAGE;
		fetching->waiting_bytes += result->body.size;
		job_queue_push(fetching->fetched, job);
	}
}

static void take_result(struct fetching *fetching, struct fetch_result *result)
{
	struct flight *flight = result->context;
	struct host *host = flight->host;
	bool is_pressed = result->error == ERR_TIMEOUT ||
			  result->error == ERR_NETWORK ||
			  result->http_status == STATUS_TOO_MANY ||
			  result->http_status == STATUS_UNAVAILABLE;

	polite_finished(&host->polite, is_pressed, result->retry_after_s,
			clock_steady_ms());
	host->pace_ms = host->polite.delay_ms > result->elapsed_ms
				? host->polite.delay_ms
				: result->elapsed_ms;
	if (flight->job == NULL)
		take_robots(fetching, flight, result);
	else
		take_page(fetching, flight, result);
	buffer_free(&result->body);
	free(flight);
}

static void start_page(struct fetching *fetching, struct host *host)
{
	struct job *job = host_pop(host);
	struct slice path = slice_of(job->url.text + job->url.path);
	struct flight *flight;

	host->is_robots_used = true;
	if (!fetching->ignores_robots && host->robots != NULL &&
	    !robots_allows(host->robots, path)) {
		end_job(fetching, job, ERR_DENIED);
		return;
	}
	polite_set_delay(&host->polite, job->work.delay_ms,
			 fetching->ignores_robots || host->robots == NULL
				 ? 0
				 : robots_delay_ms(host->robots));
	flight = mem_alloc(1, sizeof(*flight));
	flight->host = host;
	flight->job = job;
	flight->is_private_ok = job->work.is_private_ok;
	start(fetching, flight, &job->url);
}

static bool has_room(const struct fetching *fetching)
{
	return fetcher_running(fetching->fetcher) < fetching->max_connections &&
	       fetching->waiting_bytes <= fetching->max_waiting_bytes;
}

/* Begin what may begin for this host. */
static void serve_host(struct fetching *fetching, struct host *host,
		       uint64_t now_ms)
{
	shorten_queue(fetching, host, now_ms);
	while (host->first != NULL && polite_may_start(&host->polite, now_ms) &&
	       has_room(fetching)) {
		if (host->robots_state == ROBOTS_KNOWN &&
		    host->is_robots_used &&
		    host->robots_ms + fetching->robots_ttl_ms <=
			    clock_wall_ms())
			host->robots_state = ROBOTS_UNKNOWN;
		if (fetching->ignores_robots ||
		    host->robots_state == ROBOTS_KNOWN ||
		    (host->robots_state == ROBOTS_UNKNOWN &&
		     load_robots(fetching, host)))
			start_page(fetching, host);
		else if (host->robots_state == ROBOTS_UNKNOWN)
			ask_robots(fetching, host);
		else
			break;
	}
}

/* Another host is the first each time, so that none takes all connections. */
static void serve_hosts(struct fetching *fetching, uint64_t now_ms)
{
	const struct hosts *hosts = &fetching->hosts;
	size_t first = fetching->rounds++;

	for (size_t i = 0; !fetching->is_stopping && i < hosts->count; i++)
		serve_host(fetching, hosts->items[(first + i) % hosts->count],
			   now_ms);
}

/* How long nothing can begin, if nothing happens. */
static uint32_t idle_ms(const struct fetching *fetching, uint64_t now_ms)
{
	const struct hosts *hosts = &fetching->hosts;
	uint64_t wait = MAX_WAIT_MS;

	if (fetching->is_stopping && fetching->stop_ms < now_ms + MAX_WAIT_MS)
		return fetching->stop_ms > now_ms
			       ? (uint32_t)(fetching->stop_ms - now_ms)
			       : 0;
	if (fetching->is_stopping || !has_room(fetching))
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

static void take_arrivals(struct fetching *fetching)
{
	struct job *job = job_queue_take_all(fetching->arrivals);

	while (job != NULL) {
		struct job *next = job->next;

		host_push(hosts_get(&fetching->hosts, &job->url), job);
		job = next;
	}
}

static bool is_finished(const struct fetching *fetching)
{
	return fetching->is_stopping &&
	       (fetcher_running(fetching->fetcher) == 0 ||
		clock_steady_ms() >= fetching->stop_ms);
}

static void take_results(struct fetching *fetching)
{
	struct fetch_result result;

	while (fetcher_next(fetching->fetcher, &result))
		take_result(fetching, &result);
}

/* Give back every lease that is left. */
static void end_all(struct fetching *fetching)
{
	struct hosts *hosts = &fetching->hosts;

	fetcher_abort(fetching->fetcher);
	take_results(fetching);
	take_arrivals(fetching);
	for (size_t i = 0; i < hosts->count; i++)
		fail_waiting(fetching, hosts->items[i], ERR_STOPPED, 0);
	hosts_free(hosts);
}

void fetching_run(struct fetching *fetching)
{
	while (!is_finished(fetching)) {
		uint64_t now_ms = clock_steady_ms();

		take_arrivals(fetching);
		serve_hosts(fetching, now_ms);
		fetching->running = fetcher_running(fetching->fetcher);
		fetcher_run(fetching->fetcher, idle_ms(fetching, now_ms));
		take_results(fetching);
		hosts_trim(&fetching->hosts, MAX_IDLE_HOSTS, now_ms);
	}
	fetching->running = 0;
	end_all(fetching);
}
