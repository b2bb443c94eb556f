/*
 * daemon/runtime/condition.h - condition variables that use the steady clock
 * (clock_steady_ms()), so that changes of the system time do not affect them.
 */
#ifndef DAEMON_RUNTIME_CONDITION_H
#define DAEMON_RUNTIME_CONDITION_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "daemon/runtime/lock.h"

/* Plain data, to be a field next to its lock. */
struct condition {
	pthread_cond_t variable;
};

void condition_init(struct condition *condition);

/* No thread may wait for it. */
void condition_destroy(struct condition *condition);

/*
 * Release the lock, wait for a signal, and acquire the lock again. The thread
 * may hold no other lock and no open transaction, so that it never waits while
 * it holds something that others wait for. A thread may wake without a signal:
 * check the condition again.
 */
void condition_wait(struct condition *condition, struct lock *lock);

/* The same, until clock_steady_ms() reaches `until_ms`; return false then. */
bool condition_wait_until(struct condition *condition, struct lock *lock,
			  uint64_t until_ms);

/* Wake one waiting thread, or all. */
void condition_signal(struct condition *condition);
void condition_broadcast(struct condition *condition);

#endif
