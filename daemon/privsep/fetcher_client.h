/*
 * daemon/privsep/fetcher_client.h - a fetcher (crawl/fetch.h) in a
 * separate process, used by the thread that owns it. It checks all received
 * data; an invalid response stops the process. The same program runs twice: the
 * notifier sends webhooks, and never reads the response of a site.
 *
 * If the process exits or does not respond, it is restarted: the first time
 * immediately, then with an increasing delay. Its requests are sent again,
 * except requests that were sent at three consecutive exits, and each POST,
 * because the server may have received it: these fail with ERR_NETWORK, and
 * `reason` states how the process ended ("the notifier has exited: signal 9
 * (Killed)"). It is also restarted after resolver files were replaced: checked
 * once a minute, and after a network failure; not while a POST is running.
 */
#ifndef DAEMON_PRIVSEP_FETCHER_CLIENT_H
#define DAEMON_PRIVSEP_FETCHER_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crawl/fetch.h"
#include "daemon/privsep/spawner_client.h"

struct fetcher_client;

struct fetcher_client_options {
	struct fetch_options fetch; /* copied; `ca_file` is read immediately */
	struct spawner
		*spawner; /* must outlive the fetcher; NULL: use a thread */
	role_main *main; /* main function of the thread; NULL: fetcher_main() */
	bool is_notifier; /* run as ROLE_NOTIFIER, otherwise as ROLE_FETCHER */
};

enum { FETCHER_CLIENT_MAX_FILES = 1024 };

/*
 * Return NULL after logging the error: `ca_file` cannot be read, or no process
 * can be started.
 */
struct fetcher_client *
fetcher_client_create(const struct fetcher_client_options *options);

/* Stop all requests and the process. NULL is a no-op. */
void fetcher_client_destroy(struct fetcher_client *remote);

/*
 * Like fetcher_start(), without a sink. With `is_sitemap`, the body of the
 * result is the entries of the sitemap (crawl/sitemap.h) that could be
 * read, also after an error, which may be an error of sitemap_feed(). A POST is
 * sent immediately. ERR_BUSY: the process has exited, and its restart is not
 * due; ERR_TOO_LARGE: the request exceeds a limit of a frame; ERR_IO: its body
 * cannot be sent.
 */
void fetcher_client_start(struct fetcher_client *remote,
			  const struct fetch_request *request, bool is_sitemap);

/*
 * Wait for results, for at most `timeout_ms`, or until one of the descriptors
 * `files` [count <= FETCHER_CLIENT_MAX_FILES] is readable.
 */
void fetcher_client_run(struct fetcher_client *remote, uint32_t timeout_ms,
			const int *files, size_t count);

/* Like the functions in fetch.h. */
bool fetcher_client_next(struct fetcher_client *remote,
			 struct fetch_result *result_out);
void fetcher_client_abort(struct fetcher_client *remote);
void fetcher_client_report_backlog(struct fetcher_client *remote,
				   size_t waiting);
size_t fetcher_client_running(const struct fetcher_client *remote);

/* End the wait in fetcher_client_run(). The only function for other threads. */
void fetcher_client_wake(struct fetcher_client *remote);

#endif
