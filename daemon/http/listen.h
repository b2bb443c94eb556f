/* daemon/http/listen.h - a Unix socket of ours in the file system. */
#ifndef DAEMON_HTTP_LISTEN_H
#define DAEMON_HTTP_LISTEN_H

#include <stdint.h>
#include <sys/types.h>

#include "store/error.h"

/* Which file the socket made, so that no other one is ever removed. */
struct listening {
	int file; /* descriptor; -1: closed */
	dev_t device;
	ino_t inode;
};

/*
 * Listen on `path`. Its mode is set before anybody can connect. The file of a
 * socket that nobody answers on is replaced. ERR_BUSY: somebody answers;
 * ERR_TOO_LARGE: the path is longer than a socket's may be; ERR_IO. What is
 * wrong, and what to do, is logged.
 */
enum error listen_on(const char *path, uint32_t mode,
		     struct listening *listening_out);

/* Remove the file if it is still ours: nobody finds the socket any more. */
void listen_hide(const struct listening *listening, const char *path);

/* Close. */
void listen_end(struct listening *listening);

#endif
