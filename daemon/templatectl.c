/*
 * daemon/templatectl.c - the main program of the command line client, which
 * also has the offline commands.
 */
#include <stddef.h>
#include <string.h>

#include "daemon/ctl/ctl.h"
#include "daemon/privsep/fetcher_process.h"
#include "daemon/privsep/spawner_client.h"
#include "daemon/runtime/library_memory.h"

/*
 * Run this process in the role `name`. The spawner executes this program again
 * for each role; see daemon/privsep/spawner_client.h.
 */
static int templatectl_run_role(const char *name)
{
	static const struct role_program programs[ROLE_COUNT] = {
		[ROLE_SPAWNER] = {spawner_main, NULL},
		[ROLE_FETCHER] = {fetcher_main, NULL},
	};

	return process_main(name, programs);
}

int main(int argc, char **argv)
{
	library_memory_install();
	if (argc == 3 && strcmp(argv[1], "--role") == 0)
		return templatectl_run_role(argv[2]);
	return (int)ctl_run(argc < 1 ? 0 : (size_t)argc - 1,
			    (const char *const *)argv + 1, true);
}
