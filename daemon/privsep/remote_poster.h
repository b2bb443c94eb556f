/*
 * daemon/privsep/remote_poster.h - the main process's side of the notifier
 * (courier.h), which it restarts after an exit. The functions resemble those in
 * post.h and use its structs. All data from the notifier is checked as
 * untrusted input: the first invalid frame kills it.
 */
#ifndef DAEMON_PRIVSEP_REMOTE_POSTER_H
#define DAEMON_PRIVSEP_REMOTE_POSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/privsep/post.h"
#include "daemon/privsep/process.h"

struct remote_poster;

/*
 * Start the notifier through `starter`; if NULL, as a thread with the main
 * function `role`. Return NULL if it cannot be started, or if poster_create()
 * fails there.
 */
struct remote_poster *remote_poster_create(struct starter *starter,
					   const struct poster_options *options,
					   role_main *role);

/* Stop the notifier and all requests. NULL is a no-op. */
void remote_poster_destroy(struct remote_poster *poster);

/*
 * Like poster_start(). If the notifier has exited, restart it; before the
 * restart is due, a request fails with ERR_BUSY. The delay grows with
 * consecutive exits. ERR_TOO_LARGE: the request exceeds a limit of the
 * notifier; ERR_IO: it cannot be sent to the notifier. Return false if
 * COURIER_MAX_REQUESTS requests are running; this one is not started.
 */
bool remote_poster_start(struct remote_poster *poster,
			 const struct post_request *request);

/*
 * Like poster_run(). If the notifier exits, all running requests fail with
 * ERR_NETWORK and the way it ended ("the courier has ended: signal 9
 * (Killed)"); it is unknown whether the servers received them.
 */
void remote_poster_run(struct remote_poster *poster, uint32_t timeout_ms,
		       const int *files, size_t count);

/* Like poster_next(). The reason is printable ASCII. */
bool remote_poster_next(struct remote_poster *poster,
			struct post_result *result_out);

/* End the wait in remote_poster_run(). The only function for other threads. */
void remote_poster_wake(struct remote_poster *poster);

#endif
