#include "daemon/runtime/datagram.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

static pthread_once_t is_open = PTHREAD_ONCE_INIT;
static int sender = -1;

static void open_sender(void)
{
	sender = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

void datagram_open(void)
{
	pthread_once(&is_open, open_sender);
}

bool datagram_send(const char *path, struct slice bytes)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = strlen(path);

	if (length == 0 || length >= sizeof(address.sun_path))
		return false;
	memcpy(address.sun_path, path, length);
	if (address.sun_path[0] == '@')
		address.sun_path[0] = '\0'; /* an abstract name */
	datagram_open();
	return sender >= 0 &&
	       sendto(sender, bytes.data, bytes.size,
		      MSG_NOSIGNAL | MSG_DONTWAIT,
		      (const struct sockaddr *)&address,
		      (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
				  length)) >= 0;
}
