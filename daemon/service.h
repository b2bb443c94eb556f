/*
 * daemon/service.h - the parts of the daemon, started in order and stopped in
 * reverse. CONTRIBUTING.md ("Threads") lists the threads that this makes, what
 * each of them may wait for, and the order of their locks. One thread calls all
 * of these functions.
 */
#ifndef DAEMON_SERVICE_H
#define DAEMON_SERVICE_H

#include "daemon/config/config.h"
#include "store/error.h"

struct buffer;
struct service;
struct starter;
struct tcp_listener;

/* The log has the level and the form of the configuration from now on. */
void service_set_log(const struct config *config);

/*
 * Open the store and the socket, and start all threads. `path` is the file of
 * the configuration, or NULL; both are copied. `starter` starts the processes
 * of the daemon; with NULL they are threads. `listener`, which lasts as long as
 * the service, is for those who ask over TCP, or NULL. What fails is logged,
 * with what to do. Signals must be blocked by then.
 */
enum error service_start(struct service **service_out,
			 const struct config *config, const char *path,
			 struct starter *starter,
			 const struct tcp_listener *listener);

/* Reload the configuration file. A broken one is logged and changes nothing. */
void service_reload(struct service *service);

/*
 * Check that the server's and the committing thread still answer; blocks if
 * they do not.
 */
void service_probe(struct service *service);

/* Append what it is about: daemon/status_line.h. */
void service_describe(const struct service *service, struct buffer *out);

/*
 * Stop the server, let running fetches end, commit, and free everything. NULL
 * is a no-op.
 */
void service_stop(struct service *service);

#endif
