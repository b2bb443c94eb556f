/*
 * daemon/service.h - the components of the daemon, started in order and stopped
 * in reverse order. docs/dev/threads.md lists the threads of the
 * components, their waits and their lock order. Call all of these functions
 * from one thread.
 */
#ifndef DAEMON_SERVICE_H
#define DAEMON_SERVICE_H

#include "base/buffer.h"
#include "base/error.h"
#include "daemon/config/config.h"

struct buffer;
struct service;
struct spawner;
struct store;
struct tcp_listener;

/* Set the level and format of the log from the configuration. */
void service_set_log(const struct config *config);

/*
 * Open the store and the socket, and start all threads. `path` is the
 * configuration file, or NULL; `config` and `path` are copied. `spawner` is the
 * spawner of the daemon's processes; if NULL, they are threads. `listener`
 * accepts TCP clients, or is NULL; it must outlive the service. The log states
 * each failure and its remedy. Block signals before this call.
 */
enum error service_start(struct service **service_out,
			 const struct config *config, const char *path,
			 struct spawner *spawner,
			 const struct tcp_listener *listener);

/*
 * Reload the configuration file. Log an invalid file and keep the
 * configuration.
 */
void service_reload(struct service *service);

/*
 * Check that the server thread and the committer thread still respond; block
 * until they do.
 */
void service_probe(struct service *service);

/* Append the status: see daemon/service.h. */
void service_describe(const struct service *service, struct buffer *out);

/*
 * Stop the server, wait for running fetches, commit, and free everything. NULL
 * is a no-op.
 */
void service_stop(struct service *service);

/* One line about the daemon's state, for the service manager. */

/*
 * Append "12 sites, 3,400 pages, 2 crawling" from the store; nothing if the
 * store cannot be read. O(sites).
 */
void status_line(struct store *store, struct buffer *out);

#endif
