/*
 * daemon/account.h - the user that the daemon runs as, which is never root.
 */
#ifndef DAEMON_ACCOUNT_H
#define DAEMON_ACCOUNT_H

#include <stdbool.h>

struct config;

/*
 * Become the user that the configuration names, for good, when root has started
 * us; folders of the store, the archive and the sockets that are not there are
 * made before, and are that user's. False, with a line in the log: root needs
 * `process.user`, or it cannot be done. While the process has one thread.
 */
bool account_take(const struct config *config);

/*
 * Without a configuration an ordinary user's daemon has its store and its
 * socket in their home (runtime/own_places.h): set both, and make their
 * folders. What the service manager has said stays as it is, and so does all
 * for root. False, with a line in the log: there is no home.
 */
bool account_take_places(struct config *config);

#endif
