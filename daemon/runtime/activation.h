/*
 * daemon/runtime/activation.h - Unix sockets that the service manager listens
 * on and hands over when it starts the daemon: sd_listen_fds_with_names(3)
 * without its library. The environment is only read, so any thread may ask.
 */
#ifndef DAEMON_RUNTIME_ACTIVATION_H
#define DAEMON_RUNTIME_ACTIVATION_H

#include <stdbool.h>
#include <stddef.h>

enum { ACTIVATION_PATH_BYTES = 108 }; /* of a socket, with its NUL */

/* How many files were handed over to this process. */
size_t activation_count(void);

/*
 * The path of the listening socket that the manager calls `name`
 * (FileDescriptorName=). False: there is none of that name, or it is no
 * listening stream socket in the file system.
 */
bool activation_path(const char *name, char path_out[ACTIVATION_PATH_BYTES]);

/* The descriptor of the one on that path, which stays open; -1: none. */
int activation_file(const char *path);

/* Have no other program inherit them; before there is one. */
void activation_close_on_exec(void);

#endif
