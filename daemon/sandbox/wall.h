/* daemon/sandbox/wall.h - what keeps a process in its role. */
#ifndef DAEMON_SANDBOX_WALL_H
#define DAEMON_SANDBOX_WALL_H

/* Bits of a set of walls. */
enum sandbox_wall {
	SANDBOX_NO_NEW_PRIVILEGES = 1U << 0, /* and not dumpable */
	SANDBOX_SYSTEM_CALLS = 1U << 1,      /* seccomp */
	SANDBOX_FILES = 1U << 2,             /* Landlock */
	SANDBOX_TCP = 1U << 3,               /* Landlock, ABI 4 */
	SANDBOX_SCOPES = 1U << 4,            /* Landlock, ABI 6: no signals to
						others, abstract Unix sockets */
	SANDBOX_NAMESPACES = 1U << 5,        /* of users, network, IPC */
	SANDBOX_EMPTY_ROOT = 1U << 6,
	SANDBOX_LIMITS = 1U << 7, /* core 0, descriptors, address space, size
				     of files; worker: no process */
	SANDBOX_CODE = 1U << 8,   /* what was written is not executed */
};

#endif
