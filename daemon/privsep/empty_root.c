#include "daemon/privsep/empty_root.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/privsep/wall.h"

/*
 * Open a folder that has been removed: it is empty, and no process can create a
 * file in it. This needs no mount; the filter inherited from the spawner
 * forbids mounts.
 */
static int open_removed(void)
{
	char places[][24] = {"/tmp/empty-XXXXXX", "/run/empty-XXXXXX",
			     "/var/tmp/empty-XXXXXX", "/dev/shm/empty-XXXXXX"};
	int folder = -1;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (mkdtemp(places[i]) == NULL)
			continue;
		folder = open(places[i], O_PATH | O_DIRECTORY | O_CLOEXEC);
		rmdir(places[i]);
		if (folder >= 0)
			break;
	}
	return folder;
}

/*
 * A process that cannot create namespaces may still be root and change its root
 * folder.
 */
unsigned empty_root_enter(void)
{
	unsigned holds = 0;
	int folder = open_removed();

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC) == 0)
		holds |= SANDBOX_NAMESPACES;
	if (folder < 0)
		return holds;
	if (fchdir(folder) == 0 && chroot(".") == 0 && chdir("/") == 0)
		holds |= SANDBOX_EMPTY_ROOT;
	close(folder);
	return holds;
}
