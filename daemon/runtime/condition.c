#include "daemon/runtime/condition.h"

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
	lock->outer = NULL; /* another thread may have set it */
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
	lock->outer = NULL; /* another thread may have set it */
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
