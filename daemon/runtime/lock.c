#include "daemon/runtime/lock.h"

#include <assert.h>
#include <stddef.h>
#include <time.h>

#include "store/txn.h"

void condition_init(struct condition *condition)
{
	pthread_condattr_t steady;

	pthread_condattr_init(&steady);
	pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
	pthread_cond_init(&condition->variable, &steady);
	pthread_condattr_destroy(&steady);
}

void condition_destroy(struct condition *condition)
{
	pthread_cond_destroy(&condition->variable);
}

void condition_wait(struct condition *condition, struct lock *lock)
{
	assert(lock_is_alone(lock) && !txn_is_open());
	pthread_cond_wait(&condition->variable, &lock->mutex);
	/* another thread that held the lock meanwhile may have set it */
	lock->outer = NULL;
}

bool condition_wait_until(struct condition *condition, struct lock *lock,
			  uint64_t until_ms)
{
	const struct timespec until = {
		.tv_sec = (time_t)(until_ms / 1000U),
		.tv_nsec = (long)(until_ms % 1000U) * 1000000L,
	};
	int status;

	assert(lock_is_alone(lock) && !txn_is_open());
	status = pthread_cond_timedwait(&condition->variable, &lock->mutex,
					&until);
	/* another thread that held the lock meanwhile may have set it */
	lock->outer = NULL;
	return status == 0;
}

void condition_signal(struct condition *condition)
{
	pthread_cond_signal(&condition->variable);
}

void condition_broadcast(struct condition *condition)
{
	pthread_cond_broadcast(&condition->variable);
}

/*
 * The lock that this thread acquired last. Its `outer` is the lock that the
 * thread acquired before, and so on.
 */
static _Thread_local struct lock *innermost;

void lock_init(struct lock *lock, enum lock_rank rank)
{
	*lock = (struct lock){.rank = rank};
	pthread_mutex_init(&lock->mutex, NULL);
}

void lock_destroy(struct lock *lock)
{
	assert(!lock_is_held(lock));
	pthread_mutex_destroy(&lock->mutex);
}

void lock_acquire(struct lock *lock)
{
	assert(innermost == NULL || innermost->rank < lock->rank);
	pthread_mutex_lock(&lock->mutex);
	lock->outer = innermost;
	innermost = lock;
}

void lock_release(struct lock *lock)
{
	assert(innermost == lock);
	innermost = lock->outer;
	pthread_mutex_unlock(&lock->mutex);
}

bool lock_is_held(const struct lock *lock)
{
	const struct lock *held = innermost;

	while (held != NULL && held != lock)
		held = held->outer;
	return held != NULL;
}

bool lock_is_alone(const struct lock *lock)
{
	return innermost == lock && lock->outer == NULL;
}
