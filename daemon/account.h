/*
 * daemon/account.h - select the user that the daemon runs as; it is never root.
 */
#ifndef DAEMON_ACCOUNT_H
#define DAEMON_ACCOUNT_H

#include <stdbool.h>

struct config;

/*
 * Become the configured user permanently if root has started the daemon. First
 * create missing folders of the store, the archive and the sockets, owned by
 * that user. Call it while the process has one thread. Return false after
 * logging the error: root needs `process.user`, or the change failed.
 */
bool account_become_user(const struct config *config);

/*
 * Without a configuration, the daemon of an ordinary user keeps its store and
 * its socket in the user's home (daemon/runtime/systemd.h): set both paths and
 * create their folders. Paths set by the service manager and paths of root are
 * unchanged. Return false after logging the error if there is no home.
 */
bool account_set_xdg_paths(struct config *config);

#endif
