/*
 * daemon/service.h - the daemon as a service: start all its components, reload,
 * and stop them in reverse order. docs/dev/threads.md lists the threads of the
 * components, the events that they wait for, and the order of their locks. Call
 * all of these functions from one thread.
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
 * Check what service_start() will open: the lock of the store, and the files
 * that the configuration names. Each error is logged with its remedy. The store
 * is locked only during the check. Call it before the process
 * starts a thread or enters the sandbox.
 */
enum error service_check(const struct config *config);

/*
 * Check the data that the daemon reads later: the tables of the store, and that
 * all files in extract.model_dir are models. A daemon starts also with a
 * damaged model: only the texts of its site fail.
 */
enum error service_check_data(const struct config *config);

/*
 * Open the store and the socket, and start all threads. `path` is the path of
 * the configuration file, or NULL. `config` and `path` are copied. `spawner`
 * starts the daemon's processes; if it is NULL, threads are used instead.
 * `listener` accepts TCP clients, or is NULL; it must outlive the service. Each
 * failure is logged with its remedy. Block signals before this call.
 */
enum error service_start(struct service **service_out,
			 const struct config *config, const char *path,
			 struct spawner *spawner,
			 const struct tcp_listener *listener);

/*
 * Load the configuration file again and apply it. If the file is invalid, log
 * the errors and keep the current configuration.
 */
void service_reload(struct service *service);

/*
 * Check that the server thread and the committer thread respond. This blocks
 * until they do.
 */
void service_probe(struct service *service);

/* Append the status line (see status_line() below). */
void service_describe(const struct service *service, struct buffer *out);

/*
 * Stop the server, wait for running fetches, commit, and free everything. If
 * `service` is NULL, do nothing.
 */
void service_stop(struct service *service);

/* A line about the daemon's state, for the service manager. */

/*
 * Append a line such as "12 sites, 3,400 pages, 2 crawling" from the store. If
 * the store cannot be read, append nothing. O(sites).
 */
void status_line(struct store *store, struct buffer *out);

#endif
