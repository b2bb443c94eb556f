/*
 * daemon/delivery/remote_poster.h - the keeper's side of the courier
 * (courier.h), which is started again when it has ended. It has the shape of
 * post.h, whose structs it takes. What the courier says is checked as input
 * from an enemy: with the first frame that makes no sense it is killed.
 */
#ifndef DAEMON_DELIVERY_REMOTE_POSTER_H
#define DAEMON_DELIVERY_REMOTE_POSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/delivery/post.h"
#include "daemon/process/process.h"

struct remote_poster;

/*
 * Start the courier by `starter`; NULL: as a thread, whose main function is
 * `role`. NULL when it cannot be started, or poster_create() fails there.
 */
struct remote_poster *remote_poster_create(struct starter *starter,
					   const struct poster_options *options,
					   role_main *role);

/* Ends the courier, and with it every request. NULL is a no-op. */
void remote_poster_destroy(struct remote_poster *poster);

/*
 * As poster_start(), at most COURIER_MAX_REQUESTS at a time. When the courier
 * has ended it is started again; a request that comes during the pause before
 * that, which grows while it dies again and again, ends with ERR_BUSY.
 * ERR_TOO_LARGE: it is too large for the courier; ERR_IO: nor can it be sent to
 * it. False: COURIER_MAX_REQUESTS are under way, and this one is not begun.
 */
bool remote_poster_start(struct remote_poster *poster,
			 const struct post_request *request);

/*
 * As poster_run(). When the courier ends, all requests under way end with
 * ERR_NETWORK and how it ended ("the courier has ended: signal 9 (Killed)"):
 * whether the server got them is not known.
 */
void remote_poster_run(struct remote_poster *poster, uint32_t timeout_ms,
		       const int *files, size_t count);

/* As poster_next(). The reason is of printable ASCII. */
bool remote_poster_next(struct remote_poster *poster,
			struct post_result *result_out);

/* End the wait in remote_poster_run(). The only function for other threads. */
void remote_poster_wake(struct remote_poster *poster);

#endif
