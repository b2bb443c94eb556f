/*
 * daemon/fetcher/remote_fetcher.h - a fetcher (crawl/fetch/fetch.h) in a
 * process of its own, for one thread that owns it. Whatever comes from there is
 * checked; what is no answer to a request that runs ends the process.
 *
 * When it has ended, or does not answer, it is started again: at once, and with
 * a pause that grows when it ends again and again. The requests that it had are
 * made again, but those that were with it at three ends in a row: they have
 * ERR_NETWORK, and `reason` says how it ended. It is also started again when
 * the files of the resolver were replaced: that is looked at once a minute, and
 * when there was a failure of the network.
 */
#ifndef DAEMON_FETCHER_REMOTE_FETCHER_H
#define DAEMON_FETCHER_REMOTE_FETCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crawl/fetch/fetch.h"
#include "daemon/process/process.h"

struct remote_fetcher;

struct remote_options {
	struct fetch_options fetch; /* copied; `ca_file` is read at once */
	struct starter *starter;    /* outlives it; NULL: it is a thread */
	role_main *main;            /* of that; NULL: fetcher_role() */
};

/* NULL, with a line in the log: `ca_file` cannot be read, or no process be
 * started. */
struct remote_fetcher *
remote_fetcher_create(const struct remote_options *options);

/* Ends every request and the process. NULL is a no-op. */
void remote_fetcher_destroy(struct remote_fetcher *remote);

/*
 * As fetcher_start(), without a sink. With `is_sitemap` the body of the result
 * is the entries of the sitemap (crawl/sitemap/listing.h), as far as it could
 * be read: also when there is an error, which may then be one of
 * sitemap_feed().
 */
void remote_fetcher_start(struct remote_fetcher *remote,
			  const struct fetch_request *request, bool is_sitemap);

/* Wait for results, at most `timeout_ms`. */
void remote_fetcher_run(struct remote_fetcher *remote, uint32_t timeout_ms);

/* As those of fetch.h. */
bool remote_fetcher_next(struct remote_fetcher *remote,
			 struct fetch_result *result_out);
void remote_fetcher_abort(struct remote_fetcher *remote);
void remote_fetcher_press(struct remote_fetcher *remote, size_t waiting);
size_t remote_fetcher_running(const struct remote_fetcher *remote);

/* End the wait in remote_fetcher_run(). The only function for other threads. */
void remote_fetcher_wake(struct remote_fetcher *remote);

#endif
