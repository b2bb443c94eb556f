#include "daemon/runtime/lock.h"

#include <assert.h>
#include <stddef.h>

/*
 * The lock that this thread has acquired last; its `outer` chain holds the
 * others.
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
