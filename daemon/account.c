#include "daemon/account.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/config/config.h"
#include "daemon/sandbox/user.h"
#include "store/log.h"

enum { PRIVATE = 0700, SHARED = 0755 };

static bool make_folder(const char *user, const char *path, mode_t mode)
{
	if (*path == '\0' || user_make_folder(user, path, mode) == ERR_NONE)
		return true;
	log_error("process.user %s: the folder %s cannot be made: %s", user,
		  path, strerrordesc_np(errno));
	return false;
}

/* The folder that the file is in. */
static bool make_folder_of(const char *user, const char *path)
{
	char folder[MAX_CONFIG_TEXT];
	char *end;

	snprintf(folder, sizeof(folder), "%s", path);
	end = strrchr(folder, '/');
	if (end == NULL || end == folder)
		return true;
	*end = '\0';
	return make_folder(user, folder, SHARED);
}

static bool make_folders(const struct config *config)
{
	const char *user = config->user;

	return make_folder(user, config->store_path, PRIVATE) &&
	       make_folder(user, config->warc, PRIVATE) &&
	       make_folder_of(user, config->socket_path) &&
	       make_folder_of(user, config->reader_path);
}

bool account_take(const struct config *config)
{
	char reason[USER_REASON_BYTES];
	bool is_root = geteuid() == 0;

	if (*config->user == '\0') {
		if (is_root)
			log_error("process.user: is not set, and the daemon "
				  "does not run as root: set it to a user that "
				  "has nothing else to do, or start the daemon "
				  "as one");
		return !is_root;
	}
	if (user_check(config->user, reason) == ERR_NONE &&
	    (!is_root || make_folders(config)) &&
	    user_become(config->user, reason) == ERR_NONE)
		return true;
	if (*reason != '\0')
		log_error("process.user %s: %s", config->user, reason);
	return false;
}
