/*
 * daemon/delivery/delivery.h - the threads that tell hooks of what waits for
 * them in the outbox: an HTTP POST, or a command, an event. To each hook in the
 * order of the events, one at a time, and at least once; all hooks at the same
 * time, so that a slow one delays no other. What was delivered leaves the
 * outbox with the next commit, while the events behind it are sent already: a
 * daemon that is killed sends at most MAX_UNSAVED of them again.
 */
#ifndef DAEMON_DELIVERY_DELIVERY_H
#define DAEMON_DELIVERY_DELIVERY_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/pipeline/pipeline.h"
#include "store/error.h"
#include "store/store.h"

enum { MAX_UNSAVED = 100 /* deliveries to a hook that no commit has seen */ };

struct delivery;

struct delivery_options {
	const char *user_agent;
	const char *ca_file; /* PEM file of more authorities, or NULL */
	uint32_t connect_timeout_ms;
	uint32_t timeout_ms;     /* of a request */
	uint32_t first_pause_ms; /* after a failure */
	bool allows_exec;        /* commands are run */
	uint32_t exec_timeout_ms;
};

/* Start; reads `store`, and commits through `pipeline`. ERR_IO: `ca_file`
 * cannot be read, or there can be no thread. */
enum error delivery_start(struct delivery **delivery_out, struct store *store,
			  struct pipeline *pipeline,
			  const struct delivery_options *options);

/* Something was committed: look again. Any thread; cheap. */
void delivery_wake(struct delivery *delivery);

/*
 * What is under way has a second to end; then what was delivered is committed.
 * Before pipeline_stop(). NULL is a no-op.
 */
void delivery_stop(struct delivery *delivery);

#endif
