#include "daemon/privsep/process_role.h"

#include <assert.h>

const char *role_name(enum role role)
{
	static const char *const names[ROLE_COUNT] = {
		[ROLE_MAIN] = "keeper",      [ROLE_SPAWNER] = "starter",
		[ROLE_FETCHER] = "fetcher",  [ROLE_WORKER] = "worker",
		[ROLE_NOTIFIER] = "courier",
	};

	assert(role < ROLE_COUNT);
	return names[role];
}
