/* daemon/http/listen.h - a listening Unix socket in the file system. */
#ifndef DAEMON_HTTP_LISTEN_H
#define DAEMON_HTTP_LISTEN_H

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/*
 * A listening socket and the identity of its file, so that no other file is
 * removed.
 */
struct listen_socket {
	int file;     /* descriptor; -1: closed */
	dev_t device; /* of its file; 0: this process must not remove it */
	ino_t inode;
};

/*
 * Listen on `path`, or use the socket of the service manager on this path
 * (runtime/activation.h), which keeps its file. Otherwise the file's mode is
 * set before a client can connect, and an unused socket file is replaced.
 * ERR_BUSY: another process accepts on it. ERR_TOO_LARGE: the path is too long
 * for a socket. ERR_IO. The error and a remedy are logged.
 */
enum error listen_on(const char *path, uint32_t mode,
		     struct listen_socket *listening_out);

/*
 * Remove an unused socket file at `path`, if there is one. For processes that
 * can no longer connect when they listen. Errors as for listen_on(), which does
 * the same.
 */
enum error listen_clear(const char *path);

/*
 * Remove the file if it still belongs to this socket, so that clients can no
 * longer connect.
 */
void listen_hide(const struct listen_socket *listening, const char *path);

/* Close. */
void listen_end(struct listen_socket *listening);

#endif
