/* Who holds which lock, and that none is taken against their order. */
#include "daemon/runtime/lock.h"

#include <signal.h>

#include "tests/unit/run.h"

START_TEST(a_lock_is_held_from_its_acquisition_to_its_release)
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
END_TEST

START_TEST(a_lock_is_alone_unless_another_is_held_with_it)
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
END_TEST

static void *is_held_here(void *argument)
{
	return lock_is_held(argument) ? argument : NULL;
}

START_TEST(a_lock_of_one_thread_is_not_held_by_another)
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
END_TEST

#ifndef NDEBUG
START_TEST(a_lock_of_a_smaller_rank_is_never_taken_within)
{
	struct lock outer;
	struct lock inner;

	lock_init(&outer, LOCK_PIPELINE);
	lock_init(&inner, LOCK_QUEUE);
	lock_acquire(&inner);
	lock_acquire(&outer);
}
END_TEST

START_TEST(two_locks_of_one_rank_never_nest)
{
	struct lock one;
	struct lock other;

	lock_init(&one, LOCK_QUEUE);
	lock_init(&other, LOCK_QUEUE);
	lock_acquire(&one);
	lock_acquire(&other);
}
END_TEST
#endif

SUITE(lock)
{
	Suite *suite = suite_create("lock");
	TCase *tests = tcase_create("lock");

	tcase_add_test(tests,
		       a_lock_is_held_from_its_acquisition_to_its_release);
	tcase_add_test(tests, a_lock_is_alone_unless_another_is_held_with_it);
	tcase_add_test(tests, a_lock_of_one_thread_is_not_held_by_another);
#ifndef NDEBUG
	tcase_add_test_raise_signal(
		tests, a_lock_of_a_smaller_rank_is_never_taken_within, SIGABRT);
	tcase_add_test_raise_signal(tests, two_locks_of_one_rank_never_nest,
				    SIGABRT);
#endif
	suite_add_tcase(suite, tests);
	return suite;
}
