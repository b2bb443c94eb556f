/*
 * daemon/delivery/delivery_parts.h - state shared by the two threads of the
 * delivery: one sends, the other commits the results. Internal to delivery*.c.
 */
#ifndef DAEMON_DELIVERY_DELIVERY_PARTS_H
#define DAEMON_DELIVERY_DELIVERY_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "daemon/delivery/delivery.h"
#include "daemon/delivery/remote_poster.h"
#include "daemon/engine/alert_change.h"
#include "daemon/process/command.h"
#include "daemon/runtime/condition.h"
#include "store/buffer.h"

/* Between two tries; backoff_ms() adds a quarter at most. */
enum {
	BACKOFF_MAX_MS = 60 * 60 * 1000,
	DELIVERY_MAX_PAUSE_MS = BACKOFF_MAX_MS / 4 * 5,
};

/* A hook as the sending thread holds it. */
struct outlet {
	uint32_t hook;
	struct buffer target;
	struct buffer secret;
	struct buffer sealed_target; /* of the row that it was made from */
	struct buffer sealed_secret;
	bool is_locked;  /* target or secret have to be given again */
	bool is_there;   /* in the store, when it was last looked at */
	bool is_current; /* nothing was unsaved when the look began */
	bool is_running; /* an event is under way: */
	bool is_child;   /* by a command */
	struct child child;
	uint64_t number;    /* of the event under way, or the next to send */
	uint16_t kind;      /* of it */
	struct buffer body; /* its JSON; empty: there is nothing to send */
	struct buffer site; /* its host */
	uint64_t damaged;   /* the last event that was said to be; 0: none */
	/* under the lock */
	struct hook_report report; /* what the store has not seen, but for
				      `error`; the rest is as it stands */
	char error[128];
	bool is_replaced; /* its number is another hook's by now: its results
			     are reported no more */
	bool has_news;    /* there is something to report */
	size_t saved;     /* the first of its events that are no longer in the
			     outbox: forgotten before the next snapshot is taken,
			     as one taken earlier has them still */
	size_t saving;    /* those behind them, in the commit under way */
	bool is_saving;   /* it is in the commit under way */
};

struct delivery {
	struct store *store;
	struct pipeline *pipeline;
	struct delivery_options options;
	struct remote_poster *poster;
	pthread_t sender;
	pthread_t saver;
	atomic_bool has_news;
	atomic_bool is_ended;    /* nothing new is sent */
	struct outlet **outlets; /* [outlet_count], ascending; the sender's, who
				    changes the list under the lock */
	size_t outlet_count;
	size_t outlet_capacity;
	struct lock lock;
	struct condition is_wanted; /* the saver has something to do */
	bool is_last;               /* under the lock: nothing more comes */
};

/* delivery_look.c: the hooks and their next events, as the store has them. */
void delivery_look(struct delivery *delivery);
void outlet_destroy(struct outlet *outlet);
/* Forget the first so many of the events that were delivered. */
void hook_report_forget(struct hook_report *report, size_t count);

/* delivery_send.c: begin to send what is ready, and take what has ended. */
void delivery_send(struct delivery *delivery);
void delivery_receive(struct delivery *delivery);

/* delivery_save.c: the thread that has it committed; its argument is the
 * delivery. */
void *delivery_save(void *argument);

#endif
