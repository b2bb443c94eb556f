/* daemon/sandbox/process_role.h - what a process of the daemon is there for. */
#ifndef DAEMON_SANDBOX_PROCESS_ROLE_H
#define DAEMON_SANDBOX_PROCESS_ROLE_H

enum role {
	ROLE_KEEPER,  /* store, engine, API, schedules; no network */
	ROLE_STARTER, /* starts the other roles and the hooks' commands */
	ROLE_FETCHER, /* network and TLS; no store */
	ROLE_WORKER,  /* parses and extracts; neither network nor files */
	ROLE_COURIER, /* webhooks: as the fetcher */
	ROLE_COUNT
};

/* One word, such as "keeper"; static memory. */
const char *role_name(enum role role);

#endif
