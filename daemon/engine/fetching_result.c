/* Handle the result of a transfer, and start the next step of its job. */
#include "daemon/engine/fetching_parts.h"

#include <stdlib.h>

#include "base/log.h"
#include "daemon/runtime/clock.h"

enum {
	STATUS_FRESH = 304,
	STATUS_TOO_MANY = 429,
	STATUS_BAD_GATEWAY = 502,
	STATUS_UNAVAILABLE = 503,
	STATUS_GATEWAY_TIMEOUT = 504,
};

/* Return the error for the HTTP status of a response without a page. */
static enum error error_of_status(unsigned status)
{
	return status == STATUS_TOO_MANY || status >= 500 ? ERR_NETWORK
							  : ERR_NOT_FOUND;
}

/* Handle the status of a response; true if its body is not needed. */
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
	} else if (result->redirect[0] != '\0' &&
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
	job_queue_push(fetching->fetched, job);
}

/*
 * Read a sitemap. Its entries are used even if it ends at a limit or is
 * incomplete; one that was truncated in transit is fetched again.
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
	if (error == ERR_NETWORK || error == ERR_TIMEOUT ||
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
		       result->error == ERR_NETWORK || result->is_broken;
	}
}

/*
 * Set the pace of the host; before its robots.txt is known it gets no other
 * requests.
 */
static void set_pace(struct crawler *fetching,
		     const struct crawler_transfer *flight,
		     const struct fetch_result *result)
{
	struct host *host = flight->host;
	uint32_t elapsed_ms = (uint32_t)(result->elapsed_us / 1000);
	bool is_stopped = result->error == ERR_STOPPED;
	/* a forbidden address says nothing about the load of the host */
	bool is_refused = result->error == ERR_ADDRESS_FORBIDDEN &&
			  host->robots_hops == 0;
	bool is_failed = flight->job == NULL && result->error != ERR_NONE &&
			 !is_stopped && !is_refused;

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
		host_store_pause(fetching, host);
	}
}

void crawler_handle_result(struct crawler *fetching,
			   struct fetch_result *result)
{
	struct crawler_transfer *flight = result->context;
	struct job *job = flight->job;

	set_pace(fetching, flight, result);
	if (job == NULL) {
		crawler_handle_robots(fetching, flight, result);
		fetch_result_free(result);
	} else {
		job_set_pace(job, flight->host);
		job->result = *result;
		if (flight->is_sitemap)
			take_sitemap(fetching, job);
		else
			crawler_handle_page(fetching, job);
	}
	crawler_transfer_free(flight);
}
