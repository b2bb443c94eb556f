#include "daemon/runtime/notify.h"

#include <stdlib.h>
#include <unistd.h>

#include "daemon/runtime/datagram.h"

/* Nothing changes the environment, so any thread may read it. */
/* NOLINTBEGIN(concurrency-mt-unsafe) */

bool notify_is_wanted(void)
{
	const char *path = getenv("NOTIFY_SOCKET");

	return path != NULL && *path != '\0';
}

void notify_send(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");

	if (path != NULL)
		datagram_send(path, slice_of(state));
}

uint32_t notify_watchdog_ms(void)
{
	const char *limit_us = getenv("WATCHDOG_USEC");
	const char *pid = getenv("WATCHDOG_PID");
	unsigned long long half_ms;

	if (limit_us == NULL ||
	    (pid != NULL && strtoll(pid, NULL, 10) != (long long)getpid()))
		return 0;
	half_ms = strtoull(limit_us, NULL, 10) / 2000U;
	return half_ms > UINT32_MAX ? UINT32_MAX : (uint32_t)half_ms;
}

/* NOLINTEND(concurrency-mt-unsafe) */
