/*
 * daemon/privsep/notifier_client.h - the main process's side of the notifier
 * (notifier.h), which it restarts after an exit. The functions resemble those
 * in notifier_process.h and use its structs. All data from the notifier is
 * checked as untrusted input: the first invalid frame kills it.
 */
#ifndef DAEMON_PRIVSEP_NOTIFIER_CLIENT_H
#define DAEMON_PRIVSEP_NOTIFIER_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/privsep/notifier_process.h"
#include "daemon/privsep/spawner_client.h"

struct notifier_client;

/*
 * Start the notifier through `spawner`; if NULL, as a thread with the main
 * function `role`. Return NULL if it cannot be started, or if poster_create()
 * fails there.
 */
struct notifier_client *
notifier_client_create(struct spawner *spawner,
		       const struct poster_options *options, role_main *role);

/* Stop the notifier and all requests. NULL is a no-op. */
void notifier_client_destroy(struct notifier_client *poster);

/*
 * Like poster_start(). If the notifier has exited, restart it; before the
 * restart is due, a request fails with ERR_BUSY. The delay grows with
 * consecutive exits. ERR_TOO_LARGE: the request exceeds a limit of the
 * notifier; ERR_IO: it cannot be sent to the notifier. Return false if
 * NOTIFIER_MAX_REQUESTS requests are running; this one is not started.
 */
bool notifier_client_start(struct notifier_client *poster,
			   const struct post_request *request);

/*
 * Like poster_run(). If the notifier exits, all running requests fail with
 * ERR_NETWORK and the way it ended ("the notifier has ended: signal 9
 * (Killed)"); it is unknown whether the servers received them.
 */
void notifier_client_run(struct notifier_client *poster, uint32_t timeout_ms,
			 const int *files, size_t count);

/* Like poster_next(). The reason is printable ASCII. */
bool notifier_client_next(struct notifier_client *poster,
			  struct post_result *result_out);

/* End the wait in notifier_client_run(). The only function for other threads.
 */
void notifier_client_wake(struct notifier_client *poster);

#endif
