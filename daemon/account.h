/*
 * daemon/account.h - choose the user and the folders of the daemon. The daemon
 * never runs as root.
 */
#ifndef DAEMON_ACCOUNT_H
#define DAEMON_ACCOUNT_H

#include <stdbool.h>

struct config;

/*
 * If root has started the daemon, become the configured user permanently. First
 * create missing folders of the store, the archive and the sockets, which then
 * belong to that user. Call this while the process has one thread. If root has
 * not set `process.user`, or if the change fails, log the error and return
 * false.
 */
bool account_become_user(const struct config *config);

/*
 * Set the paths of the store and the socket for an ordinary user without a
 * configuration: they are in the user's home (daemon/runtime/systemd.h). Create
 * their folders. Paths that the service manager has set, and paths of root, are
 * not changed. If the user has no home, log the error and return false.
 */
bool account_set_xdg_paths(struct config *config);

#endif
