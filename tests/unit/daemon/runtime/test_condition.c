/* Who waits wakes by a signal, or when the time has come. */
#include "daemon/runtime/lock.h"

#include "daemon/runtime/clock.h"
#include "tests/unit/run.h"

enum { MOMENT_MS = 50, PATIENCE_MS = 20000 };

struct door {
	struct lock lock;
	struct condition is_changed;
	bool is_open;
};

static void make(struct door *door)
{
	*door = (struct door){0};
	lock_init(&door->lock, LOCK_QUEUE);
	condition_init(&door->is_changed);
}

static void take_down(struct door *door)
{
	condition_destroy(&door->is_changed);
	lock_destroy(&door->lock);
}

static void *open_door(void *argument)
{
	struct door *door = argument;

	lock_acquire(&door->lock);
	door->is_open = true;
	condition_signal(&door->is_changed);
	lock_release(&door->lock);
	return NULL;
}

static pthread_t start(void *(*work)(void *argument), struct door *door)
{
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, work, door), 0);
	return thread;
}

FIXTURE(.timeout_s = 60);

TEST(a_wait_ends_at_its_time_on_the_steady_clock)
{
	struct door door;
	uint64_t until_ms = clock_steady_ms() + MOMENT_MS;

	make(&door);
	lock_acquire(&door.lock);
	while (condition_wait_until(&door.is_changed, &door.lock, until_ms))
		;
	ck_assert_uint_ge(clock_steady_ms(), until_ms);
	ck_assert_uint_lt(clock_steady_ms(), until_ms + PATIENCE_MS);
	lock_release(&door.lock);
	take_down(&door);
}

TEST(a_time_that_is_over_ends_the_wait_at_once)
{
	struct door door;

	make(&door);
	lock_acquire(&door.lock);
	ck_assert(!condition_wait_until(&door.is_changed, &door.lock, 0));
	lock_release(&door.lock);
	take_down(&door);
}

TEST(a_signal_ends_the_wait_and_the_lock_is_held_again)
{
	struct door door;
	uint64_t until_ms = clock_steady_ms() + PATIENCE_MS;
	pthread_t thread;

	make(&door);
	lock_acquire(&door.lock);
	thread = start(open_door, &door);
	while (!door.is_open)
		ck_assert(condition_wait_until(&door.is_changed, &door.lock,
					       until_ms));
	ck_assert(lock_is_alone(&door.lock));
	lock_release(&door.lock);
	pthread_join(thread, NULL);
	take_down(&door);
}

static void *wait_for_door(void *argument)
{
	struct door *door = argument;

	lock_acquire(&door->lock);
	while (!door->is_open)
		condition_wait(&door->is_changed, &door->lock);
	lock_release(&door->lock);
	return NULL;
}

TEST(a_broadcast_wakes_all)
{
	struct door door;
	pthread_t threads[3];

	make(&door);
	for (size_t i = 0; i < 3; i++)
		threads[i] = start(wait_for_door, &door);
	lock_acquire(&door.lock);
	door.is_open = true;
	condition_broadcast(&door.is_changed);
	lock_release(&door.lock);
	for (size_t i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	take_down(&door);
}
