/*
 * daemon/delivery/delivery.h - delivery of events to hooks from their outboxes,
 * each event by an HTTP POST or a command, which
 * other processes make and run (courier.h, daemon/process/command.h). A hook
 * gets its events in order, one at a time and at least once; hooks are served
 * concurrently, so that a slow one delays no other. Delivered events are
 * deleted from the outbox by the next commit, while later events are already
 * sent: after a kill at most HOOK_REPORT_EVENTS events a hook are sent again.
 */
#ifndef DAEMON_DELIVERY_DELIVERY_H
#define DAEMON_DELIVERY_DELIVERY_H

#include <stdbool.h>
#include <stdint.h>

#include "crawl/fetch/address_filter.h"
#include "daemon/pipeline/pipeline.h"
#include "store/error.h"
#include "store/store.h"

struct delivery;
struct starter;

struct delivery_options {
	struct starter *starter; /* NULL: threads and our own children */
	const char *user_agent;
	const char *ca_file; /* PEM file of more authorities, or NULL */
	uint32_t connect_timeout_ms;
	uint32_t timeout_ms;           /* of a request */
	uint32_t first_pause_ms;       /* after a failure */
	const struct network *allowed; /* [allowed_count], private networks of
					  hooks */
	size_t allowed_count;
	bool allows_exec; /* commands are run */
	uint32_t exec_timeout_ms;
};

/* Start; reads `store`, and commits through `pipeline`. ERR_IO: `ca_file`
 * cannot be read, or there can be no thread or process. */
enum error delivery_start(struct delivery **delivery_out, struct store *store,
			  struct pipeline *pipeline,
			  const struct delivery_options *options);

/* Something was committed: check for new events. Any thread; cheap. */
void delivery_wake(struct delivery *delivery);

/*
 * Running deliveries get a second to end; then the results are committed.
 * Before pipeline_stop(). NULL is a no-op.
 */
void delivery_stop(struct delivery *delivery);

#endif
