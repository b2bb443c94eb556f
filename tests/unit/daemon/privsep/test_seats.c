/* Who gets which worker: in the order in which they came, long tasks never all
 * of them. */
#include "daemon/privsep/seats.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "tests/unit/run.h"

enum { WAITERS = 6 };

static struct seats *seats;
static atomic_uint taken; /* how many of the waiters have had a seat */

static void setup(void)
{
	seats = seats_create(2);
	taken = 0;
}

static void teardown(void)
{
	seats_destroy(seats);
}

struct asking {
	struct seat_wish wish;
	unsigned place; /* out: how many had a seat before */
	struct seat *seat;
	pthread_t thread;
};

static void *ask(void *argument)
{
	struct asking *asking = argument;

	asking->seat = seats_take(seats, &asking->wish);
	asking->place = atomic_fetch_add(&taken, 1);
	seats_leave(seats, asking->seat);
	return NULL;
}

/* Begin, and be in the queue. */
static void begin(struct asking *asking)
{
	size_t waiting = seats_waiting(seats);

	ck_assert_int_eq(pthread_create(&asking->thread, NULL, ask, asking), 0);
	while (seats_waiting(seats) == waiting)
		usleep(100);
}

static struct seat *take(bool is_long)
{
	return seats_take(seats, &(struct seat_wish){.is_long = is_long});
}

START_TEST(who_came_first_is_served_first)
{
	struct asking asking[WAITERS] = {0};
	struct seat *first = take(false);
	struct seat *second = take(false);

	for (unsigned i = 0; i < WAITERS; i++)
		begin(&asking[i]);
	seats_leave(seats, first);
	for (unsigned i = 0; i < WAITERS; i++) {
		pthread_join(asking[i].thread, NULL);
		ck_assert_uint_eq(asking[i].place, i);
	}
	seats_leave(seats, second);
}
END_TEST

START_TEST(a_long_task_leaves_a_seat_to_the_others)
{
	struct asking other = {.wish = {.is_long = true}};
	struct seat *first = take(true);
	struct seat *second;

	begin(&other);
	second = take(false); /* though somebody waits */
	ck_assert_ptr_ne(first, second);
	ck_assert_uint_eq(taken, 0);
	seats_leave(seats, second);
	second = take(false);
	ck_assert_uint_eq(taken, 0);
	seats_leave(seats, first);
	pthread_join(other.thread, NULL);
	ck_assert_ptr_eq(other.seat, first);
	seats_leave(seats, second);
}
END_TEST

START_TEST(the_only_seat_takes_long_tasks)
{
	struct seats *one = seats_create(1);

	seats_leave(one, seats_take(one, &(struct seat_wish){.is_long = true}));
	seats_destroy(one);
}
END_TEST

START_TEST(a_wish_is_for_one_seat_or_for_who_knows_the_site)
{
	const struct seat_wish known = {.site = 7};
	struct seat *second = seats_at(seats, 1);
	const struct seat_wish only = {.site = 7, .only = second};
	struct asking other = {.wish = {.only = second}};

	ck_assert_ptr_eq(seats_take(seats, &only), second);
	begin(&other);
	seats_leave(seats, take(false)); /* the first one is not his */
	ck_assert_uint_eq(taken, 0);
	seats_leave(seats, second);
	pthread_join(other.thread, NULL);
	seats_leave(seats, seats_take(seats, &only));
	ck_assert_ptr_eq(seats_take(seats, &known), second);
	seats_leave(seats, second);
}
END_TEST

SUITE(seats)
{
	Suite *suite = suite_create("seats");
	TCase *tests = tcase_create("seats");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, who_came_first_is_served_first);
	tcase_add_test(tests, a_long_task_leaves_a_seat_to_the_others);
	tcase_add_test(tests, the_only_seat_takes_long_tasks);
	tcase_add_test(tests, a_wish_is_for_one_seat_or_for_who_knows_the_site);
	suite_add_tcase(suite, tests);
	return suite;
}
