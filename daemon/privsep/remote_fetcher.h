/*
 * daemon/privsep/remote_fetcher.h - a fetcher (crawl/fetch.h) in a
 * separate process, used by the thread that owns it. It checks all received
 * data; an invalid response stops the process.
 *
 * If the process exits or does not respond, it is restarted: the first time
 * immediately, then with an increasing delay. Its requests are sent again,
 * except requests that were sent at three consecutive exits: these fail with
 * ERR_NETWORK, and `reason` states how the process ended. It is also restarted
 * after resolver files were replaced: checked once a minute, and after a
 * network failure.
 */
#ifndef DAEMON_PRIVSEP_REMOTE_FETCHER_H
#define DAEMON_PRIVSEP_REMOTE_FETCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crawl/fetch.h"
#include "daemon/privsep/process.h"

struct remote_fetcher;

struct remote_options {
	struct fetch_options fetch; /* copied; `ca_file` is read immediately */
	struct starter
		*starter; /* must outlive the fetcher; NULL: use a thread */
	role_main *main; /* main function of the thread; NULL: fetcher_role() */
};

/*
 * Return NULL after logging the error: `ca_file` cannot be read, or no process
 * can be started.
 */
struct remote_fetcher *
remote_fetcher_create(const struct remote_options *options);

/* Stop all requests and the process. NULL is a no-op. */
void remote_fetcher_destroy(struct remote_fetcher *remote);

/*
 * Like fetcher_start(), without a sink. With `is_sitemap`, the body of the
 * result is the entries of the sitemap (crawl/listing.h) that could be
 * read, also after an error, which may be an error of sitemap_feed().
 */
void remote_fetcher_start(struct remote_fetcher *remote,
			  const struct fetch_request *request, bool is_sitemap);

/* Wait for results, for at most `timeout_ms`. */
void remote_fetcher_run(struct remote_fetcher *remote, uint32_t timeout_ms);

/* Like the functions in fetch.h. */
bool remote_fetcher_next(struct remote_fetcher *remote,
			 struct fetch_result *result_out);
void remote_fetcher_abort(struct remote_fetcher *remote);
void remote_fetcher_press(struct remote_fetcher *remote, size_t waiting);
size_t remote_fetcher_running(const struct remote_fetcher *remote);

/* End the wait in remote_fetcher_run(). The only function for other threads. */
void remote_fetcher_wake(struct remote_fetcher *remote);

#endif
