/* daemon/privsep/wall.h - the layers of the sandbox. */
#ifndef DAEMON_PRIVSEP_WALL_H
#define DAEMON_PRIVSEP_WALL_H

/* Bits of a set of layers. */
enum sandbox_layer {
	SANDBOX_NO_NEW_PRIVILEGES = 1U << 0, /* also not dumpable */
	SANDBOX_SYSTEM_CALLS = 1U << 1,      /* seccomp */
	SANDBOX_FILES = 1U << 2,             /* Landlock */
	SANDBOX_TCP = 1U << 3,               /* Landlock, ABI 4 */
	SANDBOX_SCOPES = 1U << 4,     /* Landlock, ABI 6: no signals to other
					 processes, no abstract Unix sockets */
	SANDBOX_NAMESPACES = 1U << 5, /* user, network and IPC namespaces */
	SANDBOX_EMPTY_ROOT = 1U << 6,
	SANDBOX_LIMITS = 1U << 7, /* core size 0, descriptors, address space,
				     file size; worker: no processes */
	SANDBOX_CODE = 1U << 8,   /* no execution of written memory */
};

#endif
