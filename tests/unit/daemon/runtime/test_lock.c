/* Which thread holds which lock, and the order of locks. */
#include "daemon/runtime/lock.h"

#include <signal.h>

#include "tests/unit/run.h"

TEST(a_lock_is_held_from_its_acquisition_to_its_release)
{
	struct lock lock;

	lock_init(&lock, LOCK_API);
	ck_assert(!lock_is_held(&lock));
	lock_acquire(&lock);
	ck_assert(lock_is_held(&lock));
	lock_release(&lock);
	ck_assert(!lock_is_held(&lock));
	lock_destroy(&lock);
}

TEST(a_lock_is_alone_unless_another_is_held_with_it)
{
	struct lock outer;
	struct lock inner;

	lock_init(&outer, LOCK_PIPELINE);
	lock_init(&inner, LOCK_QUEUE);
	lock_acquire(&outer);
	ck_assert(lock_is_alone(&outer));
	lock_acquire(&inner);
	ck_assert(lock_is_held(&outer) && lock_is_held(&inner));
	ck_assert(!lock_is_alone(&outer) && !lock_is_alone(&inner));
	lock_release(&inner);
	ck_assert(lock_is_alone(&outer));
	lock_release(&outer);
	lock_destroy(&inner);
	lock_destroy(&outer);
}

static void *is_held_here(void *argument)
{
	return lock_is_held(argument) ? argument : NULL;
}

TEST(a_lock_of_one_thread_is_not_held_by_another)
{
	struct lock lock;
	pthread_t thread;
	void *held = &lock;

	lock_init(&lock, LOCK_SERVER);
	lock_acquire(&lock);
	ck_assert_int_eq(pthread_create(&thread, NULL, is_held_here, &lock), 0);
	pthread_join(thread, &held);
	ck_assert_ptr_null(held);
	lock_release(&lock);
	lock_destroy(&lock);
}

#ifndef NDEBUG
TEST_ABORTS(a_lock_of_a_smaller_rank_is_never_taken_within)
{
	struct lock outer;
	struct lock inner;

	lock_init(&outer, LOCK_PIPELINE);
	lock_init(&inner, LOCK_QUEUE);
	lock_acquire(&inner);
	lock_acquire(&outer);
}

TEST_ABORTS(two_locks_of_one_rank_never_nest)
{
	struct lock one;
	struct lock other;

	lock_init(&one, LOCK_QUEUE);
	lock_init(&other, LOCK_QUEUE);
	lock_acquire(&one);
	lock_acquire(&other);
}
#endif
