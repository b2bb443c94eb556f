/* The robots.txt and the pauses of a host. */
#include "daemon/engine/fetching_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "daemon/runtime/clock.h"
#include "store/rows_frontier.h"

enum {
	MAX_ROBOTS_HOPS = 5, /* RFC 9309, 2.3.1.2 */
	ROBOTS_STATUS_TOO_MANY = 429,
	ROBOTS_URL_BYTES = MAX_HOST_BYTES + 32,
	MAX_PAUSE_MS = 24 * 60 * 60 * 1000, /* see crawl/polite.c */
};

/*
 * Return the subject of a log line; its URL is written to `url`
 * [ROBOTS_URL_BYTES].
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

void host_load(struct crawler *fetching, struct host *host)
{
	uint64_t now_ms = clock_wall_ms();
	struct txn txn;
	struct host_row row = {0};

	if (host->is_loaded)
		return;
	host->is_loaded = true;
	txn = txn_begin_read(fetching->store);
	if (host_row_get(&txn, slice_of(host->authority), &row)) {
		/* a later time was stored before the clock was set back */
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
	txn_abort(&txn);
}

static char *copy_or_null(const char *text)
{
	return text == NULL ? NULL : mem_copy_text(text, strlen(text));
}

/*
 * Send the row to the committer thread; `robots` is the result of a flight, or
 * NULL.
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

void host_store_pause(struct crawler *fetching, const struct host *host)
{
	uint64_t pause_ms = host->polite.next_ms - clock_steady_ms();
	struct host_row row = {
		.next_ms = clock_wall_ms() + pause_ms,
		.failures = host->polite.failures,
	};

	send_host(fetching, host, row, NULL);
}

void host_request_robots(struct crawler *fetching, struct host *host)
{
	struct crawler_transfer *flight = mem_alloc(1, sizeof(*flight));

	flight->host = host;
	/* use the options of the first waiting job, which may finish earlier */
	flight->site_flags = host->first->work.site_flags;
	flight->headers = copy_or_null(host->first->work.headers);
	flight->proxy = copy_or_null(host->first->work.proxy);
	url_parse(&flight->url, slice_of("/robots.txt"), &host->first->url);
	host->robots_state = ROBOTS_REQUESTED;
	host->robots_hops = 0;
	crawler_transfer_start(fetching, flight, &flight->url);
}

/* Store the file also for the next run. */
static void store_robots(struct crawler *fetching, const struct host *host,
			 struct fetch_result *result)
{
	struct host_row row = {
		.robots_ms = host->robots_ms,
		.robots_status = result->http_status,
	};

	send_host(fetching, host, row, result);
}

/* Follow a redirect of robots.txt; true if it is requested at its new URL. */
static bool follow_robots(struct crawler *fetching,
			  struct crawler_transfer *flight,
			  const struct fetch_result *result)
{
	struct crawler_transfer *next;

	if (result->redirect[0] == '\0' ||
	    flight->host->robots_hops >= MAX_ROBOTS_HOPS)
		return false;
	next = mem_alloc(1, sizeof(*next));
	next->host = flight->host;
	if (url_parse(&next->url, slice_of(result->redirect), NULL) !=
	    ERR_NONE) {
		crawler_transfer_free(next);
		return false;
	}
	/* the operator has named only the first host */
	if (strcmp(next->url.host, flight->url.host) == 0)
		next->site_flags = flight->site_flags;
	/* credentials belong to one origin only */
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
 * Return the error for the host's jobs if robots.txt cannot be fetched:
 * temporary, unless the address of the host itself is forbidden.
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
		return ERR_NETWORK;
	}
}

/*
 * RFC 9309, 2.3.1: while a server cannot return its robots.txt, everything is
 * forbidden; the pages are retried later. The same applies to "Too many
 * requests".
 */
void crawler_handle_robots(struct crawler *fetching,
			   struct crawler_transfer *flight,
			   struct fetch_result *result)
{
	struct host *host = flight->host;
	unsigned status = result->http_status;
	bool is_answer = result->error == ERR_NONE && !result->is_broken;
	char url[ROBOTS_URL_BYTES];

	if (is_answer && fetching->is_stopping && result->redirect[0] != '\0') {
		host->robots_state =
			ROBOTS_UNKNOWN; /* request it again for the next job */
		return;
	}
	if (is_answer && follow_robots(fetching, flight, result))
		return;
	if (!is_answer || status >= 500 || status == ROBOTS_STATUS_TOO_MANY) {
		log_info_about(robots_subject(host, url), "%s",
			       is_answer ? "the server fails" : result->reason);
		host->robots_state = ROBOTS_UNKNOWN;
		crawler_fail_waiting_jobs(fetching, host,
					  passing_error(host, result->error),
					  is_answer ? status : 0);
		return;
	}
	if (status >= 300 && status < 400)
		status = 404; /* too many redirects: as if the file did not
				 exist */
	result->http_status = (uint16_t)status;
	set_robots(host, buffer_slice(&result->body), status, clock_wall_ms());
	store_robots(fetching, host, result);
}
