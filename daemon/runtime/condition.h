/*
 * daemon/runtime/condition.h - condition variables that keep time by the clock
 * that never goes back (clock_steady_ms()), whatever becomes of the system's.
 */
#ifndef DAEMON_RUNTIME_CONDITION_H
#define DAEMON_RUNTIME_CONDITION_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "daemon/runtime/lock.h"

/* Plain data, to be a field beside its lock. */
struct condition {
	pthread_cond_t variable;
};

void condition_init(struct condition *condition);

/* Nobody may wait for it. */
void condition_destroy(struct condition *condition);

/*
 * Leave the lock, wait for a signal, and hold the lock again. It must be the
 * only one that the thread holds, and no transaction may be open: nobody waits
 * with something in his hands that others may wait for. A thread may wake
 * without a signal, so look again.
 */
void condition_wait(struct condition *condition, struct lock *lock);

/* The same, until clock_steady_ms() is `until_ms`: false when it is. */
bool condition_wait_until(struct condition *condition, struct lock *lock,
			  uint64_t until_ms);

/* Wake one who waits, or all. */
void condition_signal(struct condition *condition);
void condition_broadcast(struct condition *condition);

#endif
