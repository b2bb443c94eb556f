/*
 * daemon/notify/notifier.h - the notifier: deliver events from the outboxes of
 * hooks. Each event is delivered by an HTTP POST or by a command, which run in
 * other processes (daemon/privsep/fetcher_client.h,
 * daemon/privsep/spawner_client.h). A hook gets its events in order, one at a
 * time and at least once. Hooks are served concurrently, so that a slow hook
 * does not delay others. The next commit deletes the delivered events from the
 * outbox while later events are already sent. Therefore, after a crash, at most
 * HOOK_REPORT_EVENTS events of each hook are sent again.
 *
 * An event that the receiver refuses with a status that blames the request, not
 * the receiver or the hook, is set aside after MAX_REFUSALS attempts
 * (TABLE_REFUSED), so that it does not block the later events.
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
#include "daemon/query/hook_form.h"
#include "daemon/runtime/lock.h"
#include "store/store.h"

struct delivery;
struct spawner;

enum {
	MAX_RUNNING_POSTS = 1024, /* maximum number at the same time */
	MAX_REFUSALS = 3,         /* attempts until an event is set aside */
};

struct delivery_options {
	struct spawner *spawner;    /* NULL: use threads and child processes of
				       this process */
	struct fetch_options posts; /* user agent, timeouts, allowed networks
				       and so on of the requests */
	uint32_t first_pause_ms;    /* delay after the first failure */
	const char *daemon_url;     /* of the web interface, or ""; copied */
	bool allows_exec;           /* commands are allowed */
	uint32_t exec_timeout_ms;
};

/*
 * Start the notifier. It reads the store and commits through `pipeline`.
 * ERR_IO: the file with the CAs cannot be read, or a thread or process cannot
 * be started.
 */
enum error delivery_start(struct delivery **delivery_out, struct store *store,
			  struct pipeline *pipeline,
			  const struct delivery_options *options);

/*
 * Make the notifier check for new events. Call it after a commit. Any thread;
 * cheap.
 */
void delivery_wake(struct delivery *delivery);

/* The result of an attempt to deliver an event. */
struct hook_answer {
	uint64_t number;      /* number of the event */
	unsigned http_status; /* or the code of a mail server; 0 = no answer */
	struct buffer body;   /* the beginning of the answer */
	char error[128];      /* "" = the event was delivered */
};

/*
 * Wait until event `number` was delivered to the hook, or an attempt to deliver
 * it or an earlier event has failed. Return false after 25 s, if the hook lacks
 * its credentials, if it is deleted meanwhile, or after delivery_cancel(). Free
 * the body. Any thread.
 */
bool delivery_wait(struct delivery *delivery, uint32_t hook, uint64_t number,
		   struct hook_answer *answer_out);

/* Make all calls of delivery_wait() return. Any thread. */
void delivery_cancel(struct delivery *delivery);

/*
 * Stop the notifier: wait up to a second for events that are being sent, then
 * commit the results. Call it before pipeline_stop(). NULL is a no-op.
 */
void delivery_stop(struct delivery *delivery);

/*
 * HMAC-SHA256 (RFC 2104). The receiver of an event uses it to check that the
 * sender knows the secret.
 */

enum { HMAC_HEX_BYTES = 64 };

/*
 * Write the code of `text` with the key `key` in hexadecimal, followed by a
 * NUL.
 */
void hmac_sha256_hex(struct slice key, struct slice text,
		     char out[HMAC_HEX_BYTES + 1]);

/*
 * The target of a hook without settings: an http or https URL, or a command
 * "exec:/command argument...", which runs without a shell.
 */

enum { MAX_COMMAND_WORDS = 32 };

/*
 * Return whether the target is valid. If it is not, write the error text to
 * `message` [size].
 */
bool hook_target_check(struct slice target, char *message, size_t size);

bool hook_target_is_command(struct slice target);

/* The words of a command, separated by blanks. */
struct command_words {
	char text[MAX_TARGET_BYTES + 1];
	/* point into `text`; the last one is NULL */
	char *words[MAX_COMMAND_WORDS + 1];
};

/*
 * Split the command of the target into words. Return false if there are no
 * words or too many.
 */
bool hook_target_split(struct slice target, struct command_words *words_out);

/*
 * Internal: the state that the two threads of the notifier share. The sending
 * thread sends the events; the saving thread commits the results.
 */

/*
 * Maximum delay between two attempts. backoff_ms() adds at most a quarter of
 * it.
 */
enum {
	BACKOFF_MAX_MS = 60 * 60 * 1000,
	DELIVERY_MAX_PAUSE_MS = BACKOFF_MAX_MS / 4 * 5,
};

/*
 * The state of a hook; it belongs to the sending thread, except the last part.
 */
struct hook_queue {
	uint32_t hook;
	struct buffer target;
	struct buffer secret;
	struct buffer sealed_target; /* as in the row of the hook, encrypted */
	struct buffer sealed_secret;
	bool is_locked; /* the target or the secret cannot be decrypted: it must
			   be set again */
	bool is_there;  /* the store had the hook at the last scan */
	bool is_current; /* no result was unsaved when the last scan began */
	bool is_running; /* an event is being sent */
	bool is_child;   /* the event is sent by a command */
	struct child child;
	uint64_t number;   /* number of the event that is being sent, or of the
			      next event */
	uint16_t kind;     /* kind of that event */
	unsigned refusals; /* of that event */
	/* JSON of that event; empty: there is nothing to send */
	struct buffer body;
	struct hook_request request; /* that delivers it */
	struct buffer site;          /* host of the site of that event */
	uint64_t damaged; /* the last damaged event that was logged; 0 = none */
	/* Guarded by the lock of the notifier: */
	/*
	 * the current state, and the results that the store does not have yet.
	 * Its `error` and `refused_answer` are not used; see the next fields
	 */
	struct hook_report report;
	struct buffer refused_answer;
	char error[128];
	bool is_deleted; /* the store no longer had the hook at the last scan */
	/* the last result; its error is above. 0 attempts = none */
	struct hook_answer answer;
	uint64_t attempts;
	bool is_replaced; /* another hook has the number now, so the results are
			     ignored */
	bool has_news;    /* there are unsaved results */
	/*
	 * number of results at the front of the report that are saved: the
	 * outbox no longer has their events. They are dropped before the next
	 * snapshot of the store is read, because a snapshot from before the
	 * commit still has the events
	 */
	size_t saved;
	size_t saving;  /* number of results after these that are being saved */
	bool is_saving; /* the saving thread is committing results */
};

struct delivery {
	struct store *store;
	struct pipeline *pipeline;
	struct delivery_options options;
	char *daemon_url;
	struct fetcher_client *notifier;
	pthread_t sender;
	pthread_t saver;
	atomic_bool has_news;
	atomic_bool is_ended; /* send no further events */
	/*
	 * [outlet_count], ascending by hook; only the sending thread changes
	 * the list, with the lock held
	 */
	struct hook_queue **outlets;
	size_t outlet_count;
	size_t outlet_capacity;
	struct lock lock;
	/* signals to the saving thread that there is work */
	struct condition is_wanted;
	bool is_last; /* no further results will come; guarded by the lock */
	/* signals to delivery_wait(); guarded by the lock */
	struct condition is_answered;
	bool is_cancelled;
};

/* Read the hooks and the next event of each hook from the store. */
void delivery_load_hooks(struct delivery *delivery);
void hook_queue_destroy(struct hook_queue *outlet);

/*
 * delivery_send() begins to send the next event of each idle hook.
 * delivery_receive() processes the results of events that were sent.
 */
void delivery_send(struct delivery *delivery);
void delivery_receive(struct delivery *delivery);

/* The main function of the saving thread; public for tests. */
void *delivery_save(void *argument);

#endif
