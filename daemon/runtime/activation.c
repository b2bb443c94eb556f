#include "daemon/runtime/activation.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { FIRST_FILE = 3, MAX_FILES = 64 };

_Static_assert(sizeof(((struct sockaddr_un *)0)->sun_path) ==
		       ACTIVATION_PATH_BYTES,
	       "a socket path");

/* Nothing changes the environment, so any thread may read it. */
/* NOLINTBEGIN(concurrency-mt-unsafe) */

size_t activation_count(void)
{
	const char *pid = getenv("LISTEN_PID");
	const char *files = getenv("LISTEN_FDS");
	unsigned long count;

	if (pid == NULL || files == NULL ||
	    strtoll(pid, NULL, 10) != (long long)getpid())
		return 0;
	count = strtoul(files, NULL, 10);
	return count > MAX_FILES ? MAX_FILES : count;
}

/* Return the socket's path; false if it is not in the file system. */
static bool read_path(int file, char path_out[ACTIVATION_PATH_BYTES])
{
	struct sockaddr_un address = {0};
	socklen_t size = sizeof(address);
	int is_listening = 0;
	socklen_t option_size = sizeof(is_listening);
	size_t length;

	if (getsockopt(file, SOL_SOCKET, SO_ACCEPTCONN, &is_listening,
		       &option_size) != 0 ||
	    is_listening == 0 ||
	    getsockname(file, (struct sockaddr *)&address, &size) != 0 ||
	    address.sun_family != AF_UNIX)
		return false;
	length = strnlen(address.sun_path, sizeof(address.sun_path));
	if (length == 0 || length == sizeof(address.sun_path))
		return false;
	memcpy(path_out, address.sun_path, length + 1);
	return true;
}

bool activation_path(const char *name, char path_out[ACTIVATION_PATH_BYTES])
{
	const char *names = getenv("LISTEN_FDNAMES");
	size_t count = activation_count();
	size_t wanted = strlen(name);

	for (size_t i = 0; names != NULL && i < count; i++) {
		size_t length = strcspn(names, ":");

		if (length == wanted && memcmp(names, name, length) == 0)
			return read_path(FIRST_FILE + (int)i, path_out);
		names += length;
		names += *names == ':';
	}
	return false;
}

int activation_file(const char *path)
{
	char other[ACTIVATION_PATH_BYTES];
	int end = FIRST_FILE + (int)activation_count();

	for (int file = FIRST_FILE; file < end; file++)
		if (read_path(file, other) && strcmp(other, path) == 0)
			return file;
	return -1;
}

void activation_close_on_exec(void)
{
	int end = FIRST_FILE + (int)activation_count();

	for (int file = FIRST_FILE; file < end; file++)
		fcntl(file, F_SETFD, FD_CLOEXEC);
}

/* NOLINTEND(concurrency-mt-unsafe) */
