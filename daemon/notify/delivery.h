/*
 * daemon/notify/delivery.h - deliver events from the outboxes of hooks, each
 * by an HTTP POST or a command, through other processes (courier.h,
 * daemon/privsep/command.h). A hook gets its events in order, one at a time and
 * at least once. Hooks are served concurrently, so that a slow hook does not
 * delay others. The next commit deletes delivered events from the outbox while
 * later events are already sent: after a crash, at most HOOK_REPORT_EVENTS
 * events per hook are sent again.
 */
#ifndef DAEMON_NOTIFY_DELIVERY_H
#define DAEMON_NOTIFY_DELIVERY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "crawl/address_filter.h"
#include "daemon/engine/pipeline.h"
#include "store/store.h"

struct delivery;
struct spawner;

struct delivery_options {
	struct spawner *starter; /* NULL: use threads and child processes */
	const char *user_agent;
	const char *ca_file; /* PEM, additional to the system's; or NULL */
	uint32_t connect_timeout_ms;
	uint32_t timeout_ms;           /* of a request */
	uint32_t first_pause_ms;       /* after the first failure */
	const struct network *allowed; /* [allowed_count], private networks that
					  hooks may use */
	size_t allowed_count;
	bool allows_exec; /* commands are allowed */
	uint32_t exec_timeout_ms;
};

/*
 * Start the delivery; it reads `store` and commits through `pipeline`. ERR_IO:
 * `ca_file` cannot be read, or no thread or process can be started.
 */
enum error delivery_start(struct delivery **delivery_out, struct store *store,
			  struct pipeline *pipeline,
			  const struct delivery_options *options);

/* Check for new events after a commit. Any thread; cheap. */
void delivery_wake(struct delivery *delivery);

/*
 * Stop: wait up to a second for running deliveries, then commit the results.
 * Call it before pipeline_stop(). NULL is a no-op.
 */
void delivery_stop(struct delivery *delivery);

#endif
