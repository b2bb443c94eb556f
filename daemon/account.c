#include "daemon/account.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "daemon/config/config.h"
#include "daemon/privsep/sandbox.h"
#include "daemon/runtime/systemd.h"

enum { PRIVATE = 0700, SHARED = 0755 };

static bool account_make_folder(const char *user, const char *path, mode_t mode)
{
	if (*path == '\0' || user_make_folder(user, path, mode) == ERR_NONE)
		return true;
	log_error("process.user %s: cannot create the folder %s: %s", user,
		  path, strerrordesc_np(errno));
	return false;
}

/* Create the folder that contains the file `path`, owned by `user`. */
static bool make_folder_of(const char *user, const char *path)
{
	char folder[MAX_CONFIG_TEXT];
	char *end;

	snprintf(folder, sizeof(folder), "%s", path);
	end = strrchr(folder, '/');
	if (end == NULL || end == folder)
		return true;
	*end = '\0';
	return account_make_folder(user, folder, SHARED);
}

static bool account_make_folders(const struct config *config)
{
	const char *user = config->user;

	return account_make_folder(user, config->store_path, PRIVATE) &&
	       account_make_folder(user, config->warc, PRIVATE) &&
	       make_folder_of(user, config->socket_path) &&
	       make_folder_of(user, config->reader_path);
}

bool account_become_user(const struct config *config)
{
	char reason[USER_REASON_BYTES];
	bool is_root = geteuid() == 0;

	if (*config->user == '\0') {
		if (is_root)
			log_error(
				"the daemon does not run as root: set "
				"process.user to a user with no other purpose, "
				"or start the daemon as one");
		return !is_root;
	}
	if (user_check(config->user, reason) == ERR_NONE &&
	    (!is_root || account_make_folders(config)) &&
	    user_become(config->user, reason) == ERR_NONE)
		return true;
	if (*reason != '\0')
		log_error("process.user %s: %s", config->user, reason);
	return false;
}

static bool is_said(const char *variable)
{
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): there is only one thread */
	return getenv(variable) != NULL;
}

static bool take_store(struct config *config)
{
	if (is_said("STATE_DIRECTORY"))
		return true;
	if (!xdg_store_path(config->store_path, sizeof(config->store_path))) {
		log_error(
			"there is no folder for the store: set HOME or "
			"XDG_DATA_HOME, or pass a configuration file with -c");
		return false;
	}
	if (xdg_folder_make(config->store_path))
		return true;
	log_error("store %s: %s", config->store_path, strerrordesc_np(errno));
	return false;
}

static bool take_socket(struct config *config)
{
	char folder[XDG_SOCKET_BYTES];

	if (is_said("RUNTIME_DIRECTORY") ||
	    activation_file(config->socket_path) >= 0)
		return true;
	if (!xdg_socket_path(config->socket_path)) {
		log_error("there is no folder for the socket: set "
			  "XDG_RUNTIME_DIR, or pass a configuration file with "
			  "-c");
		return false;
	}
	snprintf(folder, sizeof(folder), "%s", config->socket_path);
	*strrchr(folder, '/') = '\0';
	if (xdg_folder_make(folder))
		return true;
	log_error("socket %s: %s", config->socket_path, strerrordesc_np(errno));
	return false;
}

bool account_set_xdg_paths(struct config *config)
{
	return geteuid() == 0 || (take_store(config) && take_socket(config));
}
