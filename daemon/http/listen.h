/* daemon/http/listen.h - a listening Unix socket in the file system. */
#ifndef DAEMON_HTTP_LISTEN_H
#define DAEMON_HTTP_LISTEN_H

#include <stdint.h>
#include <sys/types.h>

#include "store/error.h"

/*
 * A listening socket and the identity of its file, so that no other file is
 * removed.
 */
struct listening {
	int file;     /* descriptor; -1: closed */
	dev_t device; /* of its file; 0: not ours to remove */
	ino_t inode;
};

/*
 * Listen on `path`, or take the socket that the service manager listens on
 * there (runtime/activation.h), whose file stays its. Else the file's mode is
 * set before anybody can connect. A dead socket file is replaced. ERR_BUSY:
 * another process answers on it; ERR_TOO_LARGE: the path is longer than a
 * socket's may be; ERR_IO. What is wrong, and what to do, is logged.
 */
enum error listen_on(const char *path, uint32_t mode,
		     struct listening *listening_out);

/*
 * Remove a dead socket file at `path`, if there is one: for who may not connect
 * any more when it listens. The errors of listen_on(), which does the same.
 */
enum error listen_clear(const char *path);

/*
 * Remove the file if it is still ours, so that no client can connect any more.
 */
void listen_hide(const struct listening *listening, const char *path);

/* Close. */
void listen_end(struct listening *listening);

#endif
