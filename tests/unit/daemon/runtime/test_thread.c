#include "daemon/runtime/thread.h"

#include <stdint.h>
#include <sys/resource.h>

#include "base/log.h"
#include "tests/unit/run.h"

static char said[512];

static void take(const struct log_event *event)
{
	snprintf(said, sizeof(said), "%s", event->message);
}

static void *run(void *context)
{
	int *ran = context;

	*ran = 1;
	return NULL;
}

TEST(a_thread_runs)
{
	pthread_t thread;
	int ran = 0;

	ck_assert(thread_start(&thread, NULL, run, &ran));
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_int_eq(ran, 1);
}

/* A stack that no address space has room for. */
TEST(what_the_system_says_is_logged)
{
	pthread_attr_t attributes;
	pthread_t thread;

	log_set_sink(take);
	pthread_attr_init(&attributes);
	ck_assert_int_eq(
		pthread_attr_setstacksize(&attributes, (size_t)1 << 52), 0);
	ck_assert(!thread_start(&thread, &attributes, run, NULL));
	pthread_attr_destroy(&attributes);
	log_set_sink(NULL);
	ck_assert_ptr_nonnull(strstr(said, "cannot start a thread: "));
	ck_assert_ptr_nonnull(strstr(said, "see "));
	ck_assert_ptr_nonnull(strstr(said, " of the unit"));
}

TEST(a_limit_of_memory_is_named)
{
	struct rlimit before;
	struct rlimit small;
	char limits[THREAD_LIMITS_BYTES];

	ck_assert_int_eq(getrlimit(RLIMIT_AS, &before), 0);
	small = before;
	small.rlim_cur = (rlim_t)1 << 40;
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &small), 0);
	thread_limits(limits);
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &before), 0);
	ck_assert_ptr_nonnull(
		strstr(limits, "ulimit -v (1073741824 KiB of memory), "));
	if (before.rlim_cur != RLIM_INFINITY)
		return;
	thread_limits(limits);
	ck_assert_ptr_null(strstr(limits, "ulimit -v"));
}
