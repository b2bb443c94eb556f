#include "daemon/privsep/process_role.h"

#include <assert.h>

const char *role_name(enum role role)
{
	static const char *const names[ROLE_COUNT] = {
		[ROLE_KEEPER] = "keeper",   [ROLE_STARTER] = "starter",
		[ROLE_FETCHER] = "fetcher", [ROLE_WORKER] = "worker",
		[ROLE_COURIER] = "courier",
	};

	assert(role < ROLE_COUNT);
	return names[role];
}
