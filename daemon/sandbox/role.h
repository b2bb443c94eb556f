/* daemon/sandbox/role.h - the processes of the daemon, by what they do. */
#ifndef DAEMON_SANDBOX_ROLE_H
#define DAEMON_SANDBOX_ROLE_H

enum role {
	ROLE_KEEPER,
	ROLE_STARTER,
	ROLE_FETCHER,
	ROLE_WORKER,
	ROLE_COURIER,
	ROLE_COUNT
};

enum { ROLE_NAME_BYTES = 16 };

/* "keeper" and so on; static memory. */
const char *role_name(enum role role);

#endif
