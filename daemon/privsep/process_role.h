/* daemon/privsep/process_role.h - the roles of the daemon's processes. */
#ifndef DAEMON_PRIVSEP_PROCESS_ROLE_H
#define DAEMON_PRIVSEP_PROCESS_ROLE_H

enum role {
	ROLE_MAIN,     /* main process: store, engine, API; no network */
	ROLE_SPAWNER,  /* spawner: starts other roles and commands */
	ROLE_FETCHER,  /* network and TLS; no store */
	ROLE_WORKER,   /* parses and extracts; no network, no files */
	ROLE_NOTIFIER, /* notifier: webhooks; limits of the fetcher */
	ROLE_COUNT
};

/* Return the role as one word, such as "fetcher"; static memory. */
const char *role_name(enum role role);

#endif
