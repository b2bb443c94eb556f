/*
 * daemon/runtime/datagram.h - datagrams to Unix sockets that others have named:
 * the service manager's and journald's. They all leave by one socket, since the
 * keeper can make no other one after it has entered its sandbox.
 */
#ifndef DAEMON_RUNTIME_DATAGRAM_H
#define DAEMON_RUNTIME_DATAGRAM_H

#include <stdbool.h>

#include "store/slice.h"

/* Make the socket, unless there is one. Call before sandbox_enter() when
 * datagrams will be sent. Any thread. */
void datagram_open(void);

/*
 * Send the bytes to the socket `path` without waiting; a path that begins with
 * '@' is an abstract name. False: there is no such path, or it has no room.
 * Opens the socket when that was not done. Any thread.
 */
bool datagram_send(const char *path, struct slice bytes);

#endif
