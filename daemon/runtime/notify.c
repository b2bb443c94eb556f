#include "daemon/runtime/notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* The environment is never changed, so any thread may read it. */
/* NOLINTBEGIN(concurrency-mt-unsafe) */

bool notify_is_wanted(void)
{
	const char *path = getenv("NOTIFY_SOCKET");

	return path != NULL && *path != '\0';
}

void notify_send(const char *state)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const char *path = getenv("NOTIFY_SOCKET");
	size_t length = path == NULL ? 0 : strlen(path);
	int file;

	if (length == 0 || length >= sizeof(address.sun_path))
		return;
	memcpy(address.sun_path, path, length);
	if (address.sun_path[0] == '@')
		address.sun_path[0] = '\0'; /* not in the file system */
	file = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (file < 0)
		return;
	/* without waiting for a manager that does not read */
	sendto(file, state, strlen(state), MSG_NOSIGNAL | MSG_DONTWAIT,
	       (const struct sockaddr *)&address,
	       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length));
	close(file);
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
