/*
 * daemon/notify/delivery_parts.h - state shared by the two threads of the
 * delivery: one sends, the other commits the results. Internal to delivery*.c.
 */
#ifndef DAEMON_NOTIFY_DELIVERY_PARTS_H
#define DAEMON_NOTIFY_DELIVERY_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/buffer.h"
#include "daemon/engine/alert_change.h"
#include "daemon/notify/delivery.h"
#include "daemon/privsep/command.h"
#include "daemon/privsep/remote_poster.h"
#include "daemon/runtime/condition.h"

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
	bool is_locked;  /* target or secret cannot be decrypted and must be set
			    again */
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
	struct notifier_client *poster;
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

/* delivery_load_hooks.c: read the hooks and their next events from the store.
 */
void delivery_load_hooks(struct delivery *delivery);
void hook_queue_destroy(struct hook_queue *outlet);
/* Remove the first `count` delivered events. */
void hook_report_drop(struct hook_report *report, size_t count);

/* delivery_send.c: send the next events, and process results. */
void delivery_send(struct delivery *delivery);
void delivery_receive(struct delivery *delivery);

/*
 * delivery_save.c: main function of the thread that commits results; the
 * argument is the delivery.
 */
void *delivery_save(void *argument);

#endif
