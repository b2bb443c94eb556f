/*
 * daemon/sandbox/empty_root.h - namespaces of users, network and IPC, and a
 * root folder in which there is nothing and can never be.
 */
#ifndef DAEMON_SANDBOX_EMPTY_ROOT_H
#define DAEMON_SANDBOX_EMPTY_ROOT_H

/* Which walls stand now (enum sandbox_wall). For a process of one thread. */
unsigned empty_root_enter(void);

#endif
