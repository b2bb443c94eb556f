/*
 * daemon/privsep/empty_root.h - enter new user, network and IPC namespaces, and
 * a root folder that stays empty.
 */
#ifndef DAEMON_PRIVSEP_EMPTY_ROOT_H
#define DAEMON_PRIVSEP_EMPTY_ROOT_H

/*
 * Return the layers that the kernel enforces afterwards (set of enum
 * sandbox_wall). Call it while the process has one thread.
 */
unsigned empty_root_enter(void);

#endif
