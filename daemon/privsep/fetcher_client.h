/*
 * daemon/privsep/fetcher_client.h - a fetcher (crawl/fetch.h) in a separate
 * process, used by the thread that owns it. It checks all data that it
 * receives; if a response is invalid, it stops the process. The same program
 * runs twice, because webhooks are sent by another process, the notifier, which
 * never reads the response of a site.
 *
 * If the process exits or does not respond, it is restarted, the first time
 * immediately, then with an increasing delay. Its running requests are sent
 * again. Two kinds of requests fail with ERR_NETWORK instead: those during
 * which the process has exited three times in a row, and every POST, because
 * the server may have received it. Their `reason` states how the process ended
 * ("the notifier has exited: signal 9 (Killed)").
 *
 * The process is also restarted if files of the resolver were replaced. This is
 * checked once a minute and after a network failure, but not while a POST is
 * running.
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
	struct spawner *spawner; /* the spawner must outlive the fetcher; NULL =
				    run a thread instead of a process */
	role_main *main;         /* main function; NULL = fetcher_main() */
	bool is_notifier; /* run as ROLE_NOTIFIER, otherwise as ROLE_FETCHER */
};

enum { FETCHER_CLIENT_MAX_FILES = 1024 };

/*
 * Create the fetcher. Return NULL, with a line in the log, if `ca_file` cannot
 * be read or the process cannot be started.
 */
struct fetcher_client *
fetcher_client_create(const struct fetcher_client_options *options);

/* Stop all requests and the process. NULL is a no-op. */
void fetcher_client_destroy(struct fetcher_client *remote);

/*
 * Start a request as fetcher_start() does; the request must have no sink. If
 * `is_sitemap` is true, the body of the result is the list of the entries of
 * the sitemap (crawl/sitemap.h), as many as could be read before an error; the
 * error may be one of sitemap_feed(). A request with `post` is sent
 * immediately, or fails. One with `body` is never sent twice.
 * Errors in the result: ERR_BUSY: the process has exited, and its restart is
 * not due; ERR_TOO_LARGE: the request exceeds a limit of a frame; ERR_IO: the
 * body of the request cannot be sent.
 */
void fetcher_client_start(struct fetcher_client *remote,
			  const struct fetch_request *request, bool is_sitemap);

/*
 * Send and receive until a result is available, at most for `timeout_ms`.
 * Return earlier if one of the descriptors `files` [count <=
 * FETCHER_CLIENT_MAX_FILES] is readable.
 */
void fetcher_client_run(struct fetcher_client *remote, uint32_t timeout_ms,
			const int *files, size_t count);

/* These do the same as the functions of fetch.h without "_client". */
bool fetcher_client_next(struct fetcher_client *remote,
			 struct fetch_result *result_out);
void fetcher_client_abort(struct fetcher_client *remote);
void fetcher_client_report_backlog(struct fetcher_client *remote,
				   size_t waiting);
size_t fetcher_client_running(const struct fetcher_client *remote);

/*
 * Let fetcher_client_run() return. Other threads may call only this function.
 */
void fetcher_client_wake(struct fetcher_client *remote);

#endif
