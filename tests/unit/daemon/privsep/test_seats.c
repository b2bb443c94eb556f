/* Tasks get workers in the order in which they came; long tasks never get all
 * workers. */
#include "daemon/privsep/worker_pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "tests/unit/run.h"

enum { WAITERS = 6 };

static struct worker_slots *seats;
static atomic_uint taken; /* how many of the waiters have had a seat */

static void setup(void)
{
	seats = worker_slots_create(2);
	taken = 0;
}

static void teardown(void)
{
	worker_slots_destroy(seats);
}

struct asking {
	struct worker_slot_request wish;
	unsigned place; /* out: how many had a seat before */
	struct worker_slot *seat;
	pthread_t thread;
};

static void *ask(void *argument)
{
	struct asking *asking = argument;

	asking->seat = worker_slots_acquire(seats, &asking->wish);
	asking->place = atomic_fetch_add(&taken, 1);
	worker_slots_release(seats, asking->seat);
	return NULL;
}

/* Begin, and be in the queue. */
static void begin(struct asking *asking)
{
	size_t waiting = worker_slots_waiting(seats);

	ck_assert_int_eq(pthread_create(&asking->thread, NULL, ask, asking), 0);
	while (worker_slots_waiting(seats) == waiting)
		usleep(100);
}

static struct worker_slot *take(bool is_long)
{
	return worker_slots_acquire(
		seats, &(struct worker_slot_request){.is_long = is_long});
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST(who_came_first_is_served_first)
{
	struct asking asking[WAITERS] = {0};
	struct worker_slot *first = take(false);
	struct worker_slot *second = take(false);

	for (unsigned i = 0; i < WAITERS; i++)
		begin(&asking[i]);
	worker_slots_release(seats, first);
	for (unsigned i = 0; i < WAITERS; i++) {
		pthread_join(asking[i].thread, NULL);
		ck_assert_uint_eq(asking[i].place, i);
	}
	worker_slots_release(seats, second);
}

TEST(a_long_task_leaves_a_seat_to_the_others)
{
	struct asking other = {.wish = {.is_long = true}};
	struct worker_slot *first = take(true);
	struct worker_slot *second;

	begin(&other);
	second = take(false); /* although a task waits */
	ck_assert_ptr_ne(first, second);
	ck_assert_uint_eq(taken, 0);
	worker_slots_release(seats, second);
	second = take(false);
	ck_assert_uint_eq(taken, 0);
	worker_slots_release(seats, first);
	pthread_join(other.thread, NULL);
	ck_assert_ptr_eq(other.seat, first);
	worker_slots_release(seats, second);
}

TEST(the_only_seat_takes_long_tasks)
{
	struct worker_slots *one = worker_slots_create(1);

	worker_slots_release(
		one, worker_slots_acquire(one, &(struct worker_slot_request){
						       .is_long = true}));
	worker_slots_destroy(one);
}

TEST(a_wish_is_for_one_seat_or_for_who_knows_the_site)
{
	const struct worker_slot_request known = {.site = 7};
	struct worker_slot *second = worker_slots_at(seats, 1);
	const struct worker_slot_request only = {.site = 7, .only = second};
	struct asking other = {.wish = {.only = second}};

	ck_assert_ptr_eq(worker_slots_acquire(seats, &only), second);
	begin(&other);
	worker_slots_release(seats, take(false)); /* the first one is not his */
	ck_assert_uint_eq(taken, 0);
	worker_slots_release(seats, second);
	pthread_join(other.thread, NULL);
	worker_slots_release(seats, worker_slots_acquire(seats, &only));
	ck_assert_ptr_eq(worker_slots_acquire(seats, &known), second);
	worker_slots_release(seats, second);
}
