/*
 * daemon/runtime/activation.h - use listening Unix sockets that the service
 * manager passes to the daemon: sd_listen_fds_with_names(3) without its
 * library. Any thread: the environment is only read.
 */
#ifndef DAEMON_RUNTIME_ACTIVATION_H
#define DAEMON_RUNTIME_ACTIVATION_H

#include <stdbool.h>
#include <stddef.h>

enum { ACTIVATION_PATH_BYTES = 108 }; /* with its NUL */

/* Return the number of descriptors passed to this process. */
size_t activation_count(void);

/*
 * Return the path of the listening socket that the manager calls `name`
 * (FileDescriptorName=). Return false if there is no such name, or it is not a
 * listening stream socket in the file system.
 */
bool activation_path(const char *name, char path_out[ACTIVATION_PATH_BYTES]);

/*
 * Return the descriptor of the socket on that path, which stays open; -1 if
 * there is no such socket.
 */
int activation_file(const char *path);

/*
 * Prevent other programs from inheriting the sockets; call it before starting
 * any.
 */
void activation_close_on_exec(void);

#endif
