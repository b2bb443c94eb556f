#include "daemon/runtime/thread.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/log.h"

/* Return the limit in multiples of `unit`; 0 = unlimited. */
static uint64_t thread_limit(int resource, uint64_t unit)
{
	struct rlimit limit;

	if (getrlimit((__rlimit_resource_t)resource, &limit) != 0 ||
	    limit.rlim_cur == RLIM_INFINITY)
		return 0;
	return limit.rlim_cur / unit;
}

void thread_limits(char *out)
{
	uint64_t memory_kib = thread_limit(RLIMIT_AS, 1024);
	uint64_t processes = thread_limit(RLIMIT_NPROC, 1);
	char memory[64] = "";
	char count[64] = "";

	if (memory_kib > 0)
		snprintf(memory, sizeof(memory),
			 "ulimit -v (%" PRIu64 " KiB of memory), ", memory_kib);
	if (processes > 0)
		snprintf(count, sizeof(count), "ulimit -u (%" PRIu64 "), ",
			 processes);
	snprintf(out, THREAD_LIMITS_BYTES,
		 "see %s%sand MemoryMax and TasksMax of the unit", memory,
		 count);
}

bool thread_start(pthread_t *thread_out, const pthread_attr_t *attributes,
		  void *(*run)(void *context), void *context)
{
	int code = pthread_create(thread_out, attributes, run, context);
	char limits[THREAD_LIMITS_BYTES];

	if (code == 0)
		return true;
	thread_limits(limits);
	log_error_limited("cannot start a thread: %s; %s",
			  strerrordesc_np(code), limits);
	return false;
}
