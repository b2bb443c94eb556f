#include "daemon/engine/engine_internal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "crawl/sitemap.h"
#include "daemon/engine/sites.h"
#include "daemon/runtime/clock.h"
#include "page/robots_tag.h"
#include "store/encryption.h"
#include "store/partitions.h"
#include "store/rows.h"

/*
 * The hosts of the fetching thread, with their waiting jobs and their robots
 * rules.
 */

/* Return the host of the URL; create it if it is new. */
static struct host *hosts_get(struct hosts *hosts, const struct url *url)
{
	struct host *host;

	for (size_t i = 0; i < hosts->count; i++)
		if (strcmp(hosts->items[i]->authority, url->authority) == 0)
			return hosts->items[i];
	host = mem_alloc(1, sizeof(*host));
	snprintf(host->authority, sizeof(host->authority), "%s",
		 url->authority);
	host->polite.max_running = 1;
	host->polite.first_pause_ms = hosts->first_pause_ms;
	host->polite.seed = hash64(host->authority, strlen(host->authority), 0);
	hosts->items = mem_grow(hosts->items, hosts->count, &hosts->capacity,
				sizeof(struct host *));
	hosts->items[hosts->count++] = host;
	return host;
}

/* Remove and return the first waiting job; NULL if no job waits. */
static struct job *host_pop(struct host *host)
{
	struct job *job = host->first;

	if (job == NULL)
		return NULL;
	host->first = job->next;
	if (host->first == NULL)
		host->last = NULL;
	host->count--;
	return job;
}

static void destroy_host(struct host *host)
{
	for (;;) {
		struct job *job = host_pop(host);

		if (job == NULL)
			break;
		job_destroy(job);
	}
	arena_destroy(host->arena);
	buffer_free(&host->cookies.lines);
	free(host);
}

/* Delete hosts without work while there are more than `max` hosts. */
static void hosts_trim(struct hosts *hosts, size_t max, uint64_t now_ms)
{
	for (size_t i = hosts->count; i-- > 0 && hosts->count > max;) {
		struct host *host = hosts->items[i];

		if (host->first != NULL || host->polite.running > 0 ||
		    host->robots_state == ROBOTS_REQUESTED ||
		    !politeness_may_start(&host->polite, now_ms))
			continue;
		destroy_host(host);
		hosts->items[i] = hosts->items[--hosts->count];
	}
}

static void hosts_free(struct hosts *hosts)
{
	for (size_t i = 0; i < hosts->count; i++)
		destroy_host(hosts->items[i]);
	free(hosts->items);
	*hosts = (struct hosts){0};
}

static void host_push(struct host *host, struct job *job)
{
	job->next = NULL;
	host->retry_pause_ms = job->work.retry_pause_ms;
	host->max_retry_after_s = job->work.max_retry_after_s;
	if (host->last == NULL)
		host->first = job;
	else
		host->last->next = job;
	host->last = job;
	host->count++;
}

/* Remove all waiting jobs after the first `keep`, and return them as a list. */
static struct job *host_cut(struct host *host, size_t keep)
{
	struct job **end = &host->first;
	struct job *last = NULL;
	struct job *rest;

	if (host->count <= keep)
		return NULL;
	for (size_t i = 0; i < keep; i++) {
		last = *end;
		assert(last != NULL); /* the host has more than `keep` jobs */
		end = &last->next;
	}
	rest = *end;
	*end = NULL;
	host->last = last;
	host->count = keep;
	return rest;
}

/*
 * Set the robots rules of the host from a response. `status` 0 means that there
 * was no response.
 */
static void host_set_robots(struct host *host, struct slice file,
			    unsigned status, uint64_t fetched_ms)
{
	arena_destroy(host->arena);
	host->arena = arena_create();
	host->robots = status >= 200 && status < 300
			       ? robots_parse(host->arena, file, ROBOTS_AGENT)
			       : robots_from_status(host->arena, status);
	host->robots_ms = fetched_ms;
	host->robots_state = ROBOTS_KNOWN;
	host->is_robots_used = false;
}

/*
 * A running transfer of the page of a job, or of a robots.txt if `job` is NULL.
 */
struct crawler_transfer {
	struct host *host;
	struct job *job;
	bool is_sitemap;
	struct url url; /* URL of the robots.txt, if `job` is NULL */
	/* robots.txt: SITE_* flags of the site whose job needs the file */
	uint32_t site_flags;
	char *headers; /* robots.txt: headers of that site, or NULL */
	char *proxy;
	/*
	 * robots.txt: redirected to another origin, which must not receive the
	 * site's headers, cookies or proxy
	 */
	bool is_foreign;
};

enum {
	STATUS_FRESH = 304,
	STATUS_TOO_MANY = 429,
	STATUS_BAD_GATEWAY = 502,
	STATUS_UNAVAILABLE = 503,
	STATUS_GATEWAY_TIMEOUT = 504,
};

enum {
	MAX_IDLE_HOSTS = 1024,
	MAX_WAIT_MS = 1000,
	/* approximate maximum time for which a job waits for its host */
	MAX_QUEUE_MS = 10 * 1000,
};

/* Pass the finished job to the committer thread. */
static void crawler_send_ended(struct crawler *fetching, struct job *job)
{
	fetching->on_ended(fetching->context,
			   job_queue_push(fetching->ended, job));
}

/*
 * Return the remaining pause of the host if it is longer than jobs may wait;
 * otherwise 0.
 */
static uint64_t host_long_pause_ms(const struct host *host, uint64_t now_ms)
{
	uint64_t next_ms = host->polite.next_ms;

	return next_ms > now_ms + MAX_QUEUE_MS ? next_ms - now_ms : 0;
}

/*
 * Copy the pace of the host to the job. The engine uses it to lease only as
 * many URLs as the host can serve.
 */
static void job_set_pace(struct job *job, const struct host *host)
{
	job->analysis.pace_ms = host->pace_ms;
	job->analysis.pause_ms = host_long_pause_ms(host, clock_steady_ms());
}

static void crawler_end_job(struct crawler *fetching, struct job *job,
			    enum error error)
{
	job->kind = CHANGE_FAILED;
	job->error = error;
	crawler_send_ended(fetching, job);
}

/* Finish all jobs that wait for the host with `error`. */
static void crawler_fail_waiting_jobs(struct crawler *fetching,
				      struct host *host, enum error error,
				      unsigned status)
{
	struct job *job;

	while ((job = host_pop(host)) != NULL) {
		job_set_pace(job, host);
		job->result.http_status = (uint16_t)status;
		crawler_end_job(fetching, job, error);
	}
}

/*
 * Finish jobs that would wait too long for their host. The total number of jobs
 * is limited, so jobs of a slow or failing host would block other hosts.
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

/*
 * Return whether a response "not modified" would be usable. If a browser must
 * render each page of the site, the stored page may be one that is not rendered
 * yet.
 */
static bool flight_may_be_unmodified(const struct crawler *fetching,
				     const struct crawler_transfer *flight)
{
	return fetching->render == NULL || flight->is_sitemap ||
	       site_render_of(flight->site_flags) != SITE_RENDER_ALWAYS;
}

/* Start the transfer. `flight` is freed when the transfer ends. */
static void crawler_transfer_start(struct crawler *fetching,
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
	if (job != NULL && flight_may_be_unmodified(fetching, flight)) {
		request.etag = job->work.lease.etag;
		request.modified = job->work.lease.modified;
	}
	politeness_start(&host->polite);
	fetcher_client_start(fetching->fetcher, &request, flight->is_sitemap);
}

static void crawler_transfer_free(struct crawler_transfer *flight)
{
	free(flight->headers);
	free(flight->proxy);
	free(flight);
}

/*
 * Functions that fetch the robots.txt of a host and that load and store its
 * pauses.
 */

enum {
	/* maximum redirects of robots.txt (RFC 9309, 2.3.1.2) */
	MAX_ROBOTS_HOPS = 5,
	ROBOTS_URL_BYTES = MAX_HOST_BYTES + 32,
	/* the longest pause; see crawl/schedule.c */
	MAX_PAUSE_MS = 24 * 60 * 60 * 1000,
};

/*
 * Return the subject of a log line about the robots.txt of the host. The URL of
 * the subject is written to `url` [ROBOTS_URL_BYTES].
 */
static struct log_subject robots_subject(const struct host *host, char *url)
{
	struct log_subject subject = host_subject(host);

	snprintf(url, ROBOTS_URL_BYTES, "%s/robots.txt", host->authority);
	subject.url = slice_of(url);
	return subject;
}

static void set_robots(struct host *host, struct slice file, unsigned status,
		       uint64_t fetched_ms)
{
	char url[ROBOTS_URL_BYTES];

	host_set_robots(host, file, status, fetched_ms);
	if (robots_is_delay_clamped(host->robots))
		log_warn_limited_about(robots_subject(host, url),
				       "its Crawl-delay is not a number or too "
				       "large; using %u s",
				       robots_delay_ms(host->robots) / 1000U);
}

enum {
	/* cookies that were stored longer ago are not sent */
	MAX_COOKIE_AGE_DAYS = 30,
	/* maximum bytes of the cookies of a host that are stored */
	MAX_STORED_COOKIES = 4 * 1024,
	/* pause between two times when changed cookies are stored */
	FIRST_COOKIES_PAUSE_MS = 10 * 1000,
	LAST_COOKIES_PAUSE_MS = 60 * 60 * 1000,
};

/* Return the cookies of the host as they are stored. */
static struct slice host_cookies(const struct host *host)
{
	struct slice lines = buffer_slice(&host->cookies.lines);
	const char *text = lines.data;

	while (lines.size > MAX_STORED_COOKIES) {
		lines.size--;
		while (lines.size > 0 && text[lines.size - 1] != '\n')
			lines.size--;
	}
	return lines;
}

static uint64_t cookies_hash(struct slice lines)
{
	return lines.size == 0 ? 0 : hash64(lines.data, lines.size, 1);
}

/*
 * Load the cookies that an earlier run has stored, unless they are too old.
 * libcurl omits those that have expired.
 */
static void host_load_cookies(struct host *host, struct txn *txn)
{
	uint64_t max_age_ms = UINT64_C(86400000) * MAX_COOKIE_AGE_DAYS;
	struct cookies_row row;
	struct site_row site;
	struct buffer lines = {0};

	if (!site_get(txn, host_subject(host).site, &site) ||
	    (site.options.flags & SITE_HAS_COOKIES) == 0 ||
	    !cookies_row_get(txn, site.id,
			     strncmp(host->authority, "https:", 6) == 0,
			     &row) ||
	    !secret_text_read(txn->store, row.lines, &lines))
		return;
	host->stored_cookies = cookies_hash(buffer_slice(&lines));
	if (row.saved_ms + max_age_ms > clock_wall_ms())
		buffer_append_slice(&host->cookies.lines, buffer_slice(&lines));
	buffer_wipe(&lines);
}

/*
 * Load the state of the host that an earlier run has stored: its cookies, a
 * robots.txt that is still fresh, and a pause that is not over. Do this only
 * once for each host.
 */
static void host_load(struct crawler *fetching, struct host *host)
{
	uint64_t now_ms = clock_wall_ms();
	struct txn txn;
	struct host_row row = {0};

	if (host->is_loaded)
		return;
	host->is_loaded = true;
	txn = txn_begin_read(fetching->store);
	if (host_row_get(&txn, slice_of(host->authority), &row)) {
		/*
		 * a time further in the future was stored before the clock was
		 * set back
		 */
		if (row.next_ms > now_ms &&
		    row.next_ms - now_ms <= MAX_PAUSE_MS) {
			host->polite.failures = row.failures;
			host->polite.next_ms =
				clock_steady_ms() + row.next_ms - now_ms;
		}
		if (row.robots_ms != 0 && row.robots_ms <= now_ms &&
		    row.robots_ms + fetching->robots_ttl_ms > now_ms)
			set_robots(host, row.robots, row.robots_status,
				   row.robots_ms);
	}
	host_load_cookies(host, &txn);
	txn_abort(&txn);
}

static char *copy_or_null(const char *text)
{
	return text == NULL ? NULL : mem_copy_text(text, strlen(text));
}

/*
 * Send the row to the committer thread. If `robots` is not NULL, it is the
 * result of a transfer of robots.txt, and the row gets its body.
 */
static void send_host(struct crawler *fetching, const struct host *host,
		      struct host_row row, struct fetch_result *robots)
{
	const struct crawler_transfer *flight =
		robots == NULL ? NULL : robots->context;
	struct job *job = mem_alloc(1, sizeof(*job));
	struct url home;

	url_parse(&home, slice_of(host->authority), NULL);
	url_parse(&job->url, slice_of("/robots.txt"), &home);
	job->kind = CHANGE_HOST;
	job->host = row;
	if (robots != NULL) {
		job->work.headers = copy_or_null(flight->headers);
		job->result = *robots;
		*robots = (struct fetch_result){0};
	}
	crawler_send_ended(fetching, job);
}

/*
 * Pass the cookies of the host to the committer thread if they have changed.
 * Some servers set other cookies with each response, so the pause between two
 * times becomes longer. If `is_last`, do not wait for its end.
 */
static void host_store_cookies(struct crawler *fetching, struct host *host,
			       bool is_last)
{
	struct slice lines = host_cookies(host);
	uint64_t now_ms = clock_steady_ms();
	struct job *job;

	if (cookies_hash(lines) == host->stored_cookies ||
	    (!is_last && now_ms < host->cookies_next_ms))
		return;
	host->stored_cookies = cookies_hash(lines);
	host->cookies_pause_ms = host->cookies_pause_ms == 0
					 ? FIRST_COOKIES_PAUSE_MS
					 : 2 * host->cookies_pause_ms;
	if (host->cookies_pause_ms > LAST_COOKIES_PAUSE_MS)
		host->cookies_pause_ms = LAST_COOKIES_PAUSE_MS;
	host->cookies_next_ms = now_ms + host->cookies_pause_ms;
	job = mem_alloc(1, sizeof(*job));
	url_parse(&job->url, slice_of(host->authority), NULL);
	job->kind = CHANGE_COOKIES;
	buffer_append_slice(&job->listing, lines);
	crawler_send_ended(fetching, job);
}

static void host_request_robots(struct crawler *fetching, struct host *host)
{
	struct crawler_transfer *flight = mem_alloc(1, sizeof(*flight));

	flight->host = host;
	/*
	 * copy the options of the first waiting job, because that job may
	 * finish before this transfer
	 */
	flight->site_flags = host->first->work.site_flags;
	flight->headers = copy_or_null(host->first->work.headers);
	flight->proxy = copy_or_null(host->first->work.proxy);
	url_parse(&flight->url, slice_of("/robots.txt"), &host->first->url);
	host->robots_state = ROBOTS_REQUESTED;
	host->robots_hops = 0;
	crawler_transfer_start(fetching, flight, &flight->url);
}

/*
 * Follow a redirect of robots.txt. Return true if the file is requested at its
 * new URL.
 */
static bool follow_robots(struct crawler *fetching,
			  struct crawler_transfer *flight,
			  const struct fetch_result *result)
{
	struct crawler_transfer *next;

	if (!fetch_result_is_redirect(result) ||
	    flight->host->robots_hops >= MAX_ROBOTS_HOPS)
		return false;
	next = mem_alloc(1, sizeof(*next));
	next->host = flight->host;
	if (url_parse(&next->url, slice_of(result->redirect), NULL) !=
	    ERR_NONE) {
		crawler_transfer_free(next);
		return false;
	}
	/* the operator's permissions are for the original host only */
	if (strcmp(next->url.host, flight->url.host) == 0)
		next->site_flags = flight->site_flags;
	/* credentials are for one origin only */
	next->is_foreign =
		flight->is_foreign ||
		strcmp(next->url.authority, flight->url.authority) != 0;
	if (!next->is_foreign) {
		next->headers = copy_or_null(flight->headers);
		next->proxy = copy_or_null(flight->proxy);
	}
	flight->host->robots_hops++;
	crawler_transfer_start(fetching, next, &next->url);
	return true;
}

/*
 * Return the error for the waiting jobs of a host whose robots.txt cannot be
 * fetched. The error is temporary, except if the address of the host itself is
 * forbidden.
 */
static enum error passing_error(const struct host *host, enum error error)
{
	switch (error) {
	case ERR_ADDRESS_FORBIDDEN:
		return host->robots_hops == 0 ? error : ERR_NETWORK;
	case ERR_STOPPED:
	case ERR_TIMEOUT:
		return error;
	default:
		return error_is_network(error) ? error : ERR_NETWORK;
	}
}

/*
 * Handle the response for a robots.txt. While a server fails to return its
 * robots.txt, all its pages are forbidden (RFC 9309, 2.3.1) and are retried
 * later. The same applies to the status "Too many requests".
 */
static void crawler_handle_robots(struct crawler *fetching,
				  struct crawler_transfer *flight,
				  struct fetch_result *result)
{
	struct host *host = flight->host;
	unsigned status = result->http_status;
	bool is_answer = result->error == ERR_NONE && !result->is_broken;
	char url[ROBOTS_URL_BYTES];

	if (is_answer && fetching->is_stopping &&
	    fetch_result_is_redirect(result)) {
		/* request the file again when the next job arrives */
		host->robots_state = ROBOTS_UNKNOWN;
		return;
	}
	if (is_answer && follow_robots(fetching, flight, result))
		return;
	if (!is_answer || status >= 500 || status == STATUS_TOO_MANY) {
		log_info_about(robots_subject(host, url), "%s",
			       is_answer ? "the server fails" : result->reason);
		host->robots_state = ROBOTS_UNKNOWN;
		crawler_fail_waiting_jobs(fetching, host,
					  passing_error(host, result->error),
					  is_answer ? status : 0);
		return;
	}
	if (status >= 300 && status < 400)
		/* too many redirects: treat the file as missing */
		status = 404;
	result->http_status = (uint16_t)status;
	set_robots(host, buffer_slice(&result->body), status, clock_wall_ms());
	/* also store the file in the database, for the next run */
	send_host(fetching, host,
		  (struct host_row){.robots_ms = host->robots_ms,
				    .robots_status = result->http_status},
		  result);
}

/*
 * Functions that handle the result of a transfer and start the next step of its
 * job.
 */

/* Return the error for the HTTP status of a response without a page. */
static enum error error_of_status(unsigned status)
{
	return status == STATUS_TOO_MANY || status >= 500 ? ERR_NETWORK
							  : ERR_NOT_FOUND;
}

/*
 * Handle the HTTP status of a job's response. Return true if the body of the
 * response is not needed.
 */
static bool crawler_handle_status(struct crawler *fetching, struct job *job)
{
	const struct fetch_result *result = &job->result;
	unsigned status = result->http_status;

	if (result->error != ERR_NONE) {
		log_debug_about(job_subject(job), "%s", result->reason);
		crawler_end_job(fetching, job, result->error);
	} else if (status == STATUS_FRESH) {
		job->kind = CHANGE_NOT_MODIFIED;
		crawler_send_ended(fetching, job);
	} else if (fetch_result_is_redirect(result) &&
		   url_parse(&job->target, slice_of(result->redirect), NULL) ==
			   ERR_NONE) {
		job->kind = CHANGE_REDIRECT;
		crawler_send_ended(fetching, job);
	} else if (status < 200 || status >= 300) {
		crawler_end_job(fetching, job, error_of_status(status));
	} else {
		return false;
	}
	return true;
}

/*
 * Return whether the page is rendered before a worker has analysed it: always,
 * or as a client has requested. With "auto", the analysis decides this
 * (daemon/engine/render_decision.h). The probe for missing pages is compared
 * with pages that may be rendered or not, so it is never rendered.
 */
static bool job_must_render(const struct crawler *fetching,
			    const struct job *job)
{
	const uint32_t flags = job->work.lease.flags;
	const uint32_t requested = FRONTIER_IS_RENDERED | FRONTIER_IS_ON_DEMAND;

	if (fetching->render == NULL || (flags & FRONTIER_IS_PROBE) != 0)
		return false;
	switch (site_render_of(job->work.site_flags)) {
	case SITE_RENDER_ALWAYS:
		return true;
	case SITE_RENDER_NEVER:
		return (flags & requested) == requested;
	default:
		return false;
	}
}

static void crawler_handle_page(struct crawler *fetching, struct job *job)
{
	if (crawler_handle_status(fetching, job))
		return;
	if (!job->result.is_html) {
		crawler_end_job(fetching, job, ERR_NOT_HTML);
		return;
	}
	job->kind = CHANGE_PAGE;
	fetching->waiting_bytes += job->result.body.size;
	if (job_must_render(fetching, job))
		fetching->render(fetching->context, job);
	else
		job_queue_push(fetching->fetched, job);
}

/*
 * Read a sitemap. Its entries are used even if it exceeds a limit or is
 * incomplete. If it was truncated in transit, it is fetched again.
 */
static void take_sitemap(struct crawler *fetching, struct job *job)
{
	struct fetch_result *result = &job->result;
	enum error error = result->error;
	bool is_file = result->http_status >= 200 && result->http_status < 300;

	if (error == ERR_NONE && !is_file) {
		crawler_handle_status(fetching, job);
		return;
	}
	if (error == ERR_NONE && result->is_cut)
		error = result->is_broken ? ERR_NETWORK : ERR_TOO_LARGE;
	if (error_is_network(error) || error == ERR_TIMEOUT ||
	    error == ERR_STOPPED) {
		crawler_end_job(fetching, job, error);
		return;
	}
	if (result->body.size == 0) {
		crawler_end_job(fetching, job,
				error == ERR_NONE ? ERR_MALFORMED : error);
		return;
	}
	if (error != ERR_NONE)
		log_info_about(job_subject(job), "partly read: %s",
			       error_text(error));
	job->kind = CHANGE_SITEMAP;
	job->listing = result->body;
	result->body = (struct buffer){0};
	crawler_send_ended(fetching, job);
}

static bool is_pressed(const struct fetch_result *result)
{
	switch (result->http_status) {
	case STATUS_TOO_MANY:
	case STATUS_BAD_GATEWAY:
	case STATUS_UNAVAILABLE:
	case STATUS_GATEWAY_TIMEOUT:
		return true;
	default:
		return result->error == ERR_TIMEOUT ||
		       error_is_network(result->error) || result->is_broken;
	}
}

/*
 * Shorten the pause that the server asks for. Maintenance may end long before
 * the time in Retry-After, so a site that is watched is requested at its check
 * interval. A limit of requests (429) is kept.
 */
static void limit_retry_after(const struct host *host,
			      struct fetch_result *result)
{
	uint64_t max_s = result->http_status == STATUS_UNAVAILABLE
				 ? host->max_retry_after_s
				 : MAX_PAUSE_MS / 1000;

	if (result->retry_after_s > max_s)
		result->retry_after_s = max_s;
}

/*
 * Set the pace of the host after a transfer. While its robots.txt is unknown,
 * the host gets no other requests.
 */
static void set_pace(struct crawler *fetching,
		     const struct crawler_transfer *flight,
		     const struct fetch_result *result)
{
	struct host *host = flight->host;
	uint32_t elapsed_ms = (uint32_t)(result->elapsed_us / 1000);
	bool is_stopped = result->error == ERR_STOPPED;
	/* a forbidden address tells nothing about the load of the host */
	bool is_refused = result->error == ERR_ADDRESS_FORBIDDEN &&
			  host->robots_hops == 0;
	bool is_failed = flight->job == NULL && result->error != ERR_NONE &&
			 !is_stopped && !is_refused;

	/* a server that responds gets the longer pauses of an overload */
	host->polite.max_pause_ms =
		result->error == ERR_NONE ? 0 : host->retry_pause_ms;
	politeness_finish(&host->polite, is_failed || is_pressed(result),
			  result->retry_after_s, clock_steady_ms());
	host->pace_ms = host->polite.delay_ms > elapsed_ms
				? host->polite.delay_ms
				: elapsed_ms;
	if (!is_stopped && host_long_pause_ms(host, clock_steady_ms()) > 0) {
		if (politeness_is_broken(&host->polite))
			log_info_about(
				host_subject(host),
				"repeated failures; no fetches for %u s",
				(unsigned)(host_long_pause_ms(
						   host, clock_steady_ms()) /
					   1000U));
		/*
		 * store the pause in the database, so that it survives a
		 * restart
		 */
		send_host(fetching, host,
			  (struct host_row){
				  .next_ms = clock_wall_ms() +
					     host->polite.next_ms -
					     clock_steady_ms(),
				  .failures = host->polite.failures,
			  },
			  NULL);
	}
}

static void crawler_handle_result(struct crawler *fetching,
				  struct fetch_result *result)
{
	struct crawler_transfer *flight = result->context;
	struct job *job = flight->job;

	limit_retry_after(flight->host, result);
	set_pace(fetching, flight, result);
	if ((flight->site_flags & SITE_HAS_COOKIES) != 0 && !flight->is_foreign)
		host_store_cookies(fetching, flight->host, false);
	if (job == NULL) {
		crawler_handle_robots(fetching, flight, result);
		fetch_result_free(result);
	} else {
		job_set_pace(job, flight->host);
		if (fetching->render != NULL && !flight->is_foreign)
			buffer_append_slice(
				&job->cookies,
				buffer_slice(&flight->host->cookies.lines));
		job->result = *result;
		if (flight->is_sitemap)
			take_sitemap(fetching, job);
		else
			crawler_handle_page(fetching, job);
	}
	crawler_transfer_free(flight);
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

/* Start jobs of the host that may start now. */
static void serve_host(struct crawler *fetching, struct host *host,
		       uint64_t now_ms)
{
	if (host->first != NULL)
		host_load(fetching, host);
	shorten_queue(fetching, host, now_ms);
	while (host->first != NULL &&
	       politeness_may_start(&host->polite, now_ms) &&
	       crawler_has_room(fetching)) {
		uint64_t wall_ms = clock_wall_ms();

		/*
		 * the file is too old, or its time is in the future because the
		 * clock was set back
		 */
		if (host->robots_state == ROBOTS_KNOWN &&
		    host->is_robots_used &&
		    (host->robots_ms > wall_ms ||
		     host->robots_ms + fetching->robots_ttl_ms <= wall_ms))
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

/*
 * Start jobs of all hosts. Begin with another host each time, so that no host
 * can use all connections.
 */
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
 * Return the number of hosts that have a job which could start now if a
 * connection were free.
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

static void crawler_handle_results(struct crawler *fetching)
{
	struct fetch_result result;

	while (fetcher_client_next(fetching->fetcher, &result))
		crawler_handle_result(fetching, &result);
}

/* Abort all running and waiting jobs. */
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
 * Finish the waiting jobs of hosts that another node owns now, and count the
 * running jobs of such hosts.
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
	while (!fetching->is_stopping ||
	       (fetcher_client_running(fetching->fetcher) > 0 &&
		clock_steady_ms() < fetching->stop_ms)) {
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
		fetcher_client_run(fetching->fetcher, idle_ms(fetching, now_ms),
				   NULL, 0);
		crawler_handle_results(fetching);
		hosts_trim(&fetching->hosts, MAX_IDLE_HOSTS, now_ms);
	}
	fetching->running = 0;
	abort_all(fetching);
	for (size_t i = 0; i < fetching->hosts.count; i++)
		host_store_cookies(fetching, fetching->hosts.items[i], true);
	hosts_free(&fetching->hosts);
}
