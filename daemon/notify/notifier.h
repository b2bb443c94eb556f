/*
 * daemon/notify/notifier.h - deliver events from the outboxes of hooks, each
 * by an HTTP POST or a command, through other processes (notifier.h,
 * daemon/privsep/spawner_client.h). A hook gets its events in order, one at a
 * time and at least once. Hooks are served concurrently, so that a slow hook
 * does not delay others. The next commit deletes delivered events from the
 * outbox while later events are already sent: after a crash, at most
 * HOOK_REPORT_EVENTS events per hook are sent again.
 */
#ifndef DAEMON_NOTIFY_NOTIFIER_H
#define DAEMON_NOTIFY_NOTIFIER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "daemon/engine/commit_event.h"
#include "daemon/engine/pipeline.h"
#include "daemon/privsep/fetcher_client.h"
#include "daemon/privsep/spawner_client.h"
#include "daemon/runtime/lock.h"
#include "store/store.h"

struct delivery;
struct spawner;

enum { MAX_RUNNING_POSTS = 1024 }; /* at the same time */

struct delivery_options {
	struct spawner *spawner;    /* NULL: use threads and child processes */
	struct fetch_options posts; /* texts, timeouts and allowed networks */
	uint32_t first_pause_ms;    /* after the first failure */
	bool allows_exec;           /* commands are allowed */
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

/* HMAC-SHA256 (RFC 2104), with which a hook authenticates the sender. */

enum { HMAC_HEX_BYTES = 64 };

/* Write the code of `text` under `key` in hexadecimal, with a NUL. */
void hmac_sha256_hex(struct slice key, struct slice text,
		     char out[HMAC_HEX_BYTES + 1]);

/*
 * The target of a hook: an http or https URL, or "exec:/command argument...",
 * which is run without a shell.
 */

enum { MAX_TARGET_BYTES = 2048, MAX_COMMAND_WORDS = 32 };

/* Return false if the target is invalid; `message` gets the error text. */
bool hook_target_check(struct slice target, char *message, size_t size);

bool hook_target_is_command(struct slice target);

/* The words of a command, separated by blanks. */
struct command_words {
	char text[MAX_TARGET_BYTES + 1];
	char *words[MAX_COMMAND_WORDS + 1]; /* in `text`; ends with NULL */
};

/* Return false if there are no words or too many. */
bool hook_target_split(struct slice target, struct command_words *words_out);

/*
 * State shared by the two threads of the delivery: one sends, the other
 * commits the results.
 */

/* Delay between two attempts; backoff_ms() adds at most a quarter. */
enum {
	BACKOFF_MAX_MS = 60 * 60 * 1000,
	DELIVERY_MAX_PAUSE_MS = BACKOFF_MAX_MS / 4 * 5,
};

/* State of a hook in the sending thread. */
struct hook_queue {
	uint32_t hook;
	struct buffer target;
	struct buffer secret;
	struct buffer sealed_target; /* from the row of the hook */
	struct buffer sealed_secret;
	bool is_locked;  /* target or secret must be set again */
	bool is_there;   /* in the store at the last scan */
	bool is_current; /* no result was unsaved when the scan began */
	bool is_running; /* an event is being sent: */
	bool is_child;   /* by a command */
	struct child child;
	uint64_t number;    /* of the running event, or the next to send */
	uint16_t kind;      /* kind of that event */
	struct buffer body; /* its JSON; empty: nothing to send */
	struct buffer site; /* its host */
	uint64_t damaged; /* the last damaged event that was logged; 0 = none */
	/* Guarded by the lock: */
	struct hook_report report; /* results that the store does not have yet,
				      except `error`, and the current state */
	char error[128];
	bool is_replaced; /* another hook has the number now: ignore results */
	bool has_news;    /* results are unsaved */
	size_t saved;     /* events at the front that the outbox no longer has;
			     dropped before the next snapshot, because an earlier
			     snapshot still has them */
	size_t saving;    /* the following events, which are being committed */
	bool is_saving;   /* a commit is running */
};

struct delivery {
	struct store *store;
	struct pipeline *pipeline;
	struct delivery_options options;
	struct fetcher_client *notifier;
	pthread_t sender;
	pthread_t saver;
	atomic_bool has_news;
	atomic_bool is_ended;        /* send no new events */
	struct hook_queue **outlets; /* [outlet_count], ascending; only the
				    sender changes the list, under the lock */
	size_t outlet_count;
	size_t outlet_capacity;
	struct lock lock;
	struct condition is_wanted; /* signals work to the saver */
	bool is_last; /* under the lock: no more results will come */
};

/* Read the hooks and their next events from the store. */
void delivery_load_hooks(struct delivery *delivery);
void hook_queue_destroy(struct hook_queue *outlet);

/* Send the next events, and process results. */
void delivery_send(struct delivery *delivery);
void delivery_receive(struct delivery *delivery);

/* The main function of the thread that commits results; for tests. */
void *delivery_save(void *argument);

#endif
