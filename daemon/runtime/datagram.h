/*
 * daemon/runtime/datagram.h - send datagrams to the Unix sockets of the service
 * manager and journald. All of them use one socket, because the main process
 * cannot create another after it has entered its sandbox.
 */
#ifndef DAEMON_RUNTIME_DATAGRAM_H
#define DAEMON_RUNTIME_DATAGRAM_H

#include <stdbool.h>

#include "base/slice.h"

/*
 * Create the socket, unless it exists. Call it before sandbox_enter() if
 * datagrams will be sent. Any thread.
 */
void datagram_open(void);

/*
 * Send the bytes to the socket `path` without waiting; a path that begins with
 * '@' is an abstract name. Create the socket if it is missing. Return false if
 * the path does not exist, or its queue is full. Any thread.
 */
bool datagram_send(const char *path, struct slice bytes);

#endif
