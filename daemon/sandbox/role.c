#include "daemon/sandbox/role.h"

const char *role_name(enum role role)
{
	static const char *const names[ROLE_COUNT] = {
		"keeper", "starter", "fetcher", "worker", "courier",
	};

	return names[role];
}
