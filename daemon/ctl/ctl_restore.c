/*
 * daemon/ctl/ctl_restore.c - templatectl: restore, replace the store by a
 * backup.
 */
#include "daemon/ctl/ctl.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "daemon/config/config.h"
#include "daemon/ctl/ctl_client.h"
#include "daemon/ctl/ctl_store.h"
#include "store/folder.h"

enum { MAX_NAME_BYTES = 64 };

/* Find the folder of the store: the operand, or the configured one. */
static bool restore_read_target(const struct ctl *ctl, struct config *config)
{
	const char *path = option_text(ctl, "config");
	const char *store = option_text(ctl, "store");
	struct buffer message = {0};
	bool is_read = true;

	config_defaults(config);
	if (path != NULL) {
		is_read = config_load(path, config, &message) == ERR_NONE;
		if (!is_read)
			fputs(message.data, stderr);
		buffer_free(&message);
	}
	if (store != NULL)
		snprintf(config->store_path, sizeof(config->store_path), "%s",
			 store);
	return is_read;
}

/* Make the new name of the existing store. */
static void restore_make_old_name(char *out)
{
	time_t now = time(NULL);
	struct tm when = {0};

	gmtime_r(&now, &when);
	strftime(out, MAX_NAME_BYTES, "data.mdb.before-%Y%m%dT%H%M%SZ", &when);
}

static bool restore_file_exists(const char *path, const char *name)
{
	char whole[MAX_PATH_BYTES];

	return folder_name(whole, path, name) && access(whole, F_OK) == 0;
}

static enum ctl_status restore_replace(const struct ctl *ctl,
				       struct store *backup, const char *path,
				       const struct verify_report *report)
{
	bool is_forced = option_given(ctl, "force");
	char aside[MAX_NAME_BYTES];
	enum error error;
	json_t *answer;

	restore_make_old_name(aside);
	error = store_restore(backup, path, is_forced ? aside : NULL);
	if (error == ERR_ADDRESS_FORBIDDEN) {
		ctl_print_error(
			ctl,
			"%s: contains a store already; --force moves it aside",
			path);
		return CTL_FAILED;
	}
	if (error != ERR_NONE) {
		ctl_print_store_error(ctl, path, error);
		return CTL_FAILED;
	}
	answer = json_pack("{s:s, s:I, s:I}", "store", path, "sites",
			   (json_int_t)report->sites, "pages",
			   (json_int_t)report->pages);
	if (is_forced && restore_file_exists(path, aside))
		json_object_set_new(answer, "aside", json_string(aside));
	client_print(ctl, answer);
	json_decref(answer);
	return CTL_DONE;
}

static enum ctl_status run_restore(const struct ctl *ctl)
{
	const char *folder = ctl->operands[0];
	enum ctl_status status = CTL_FAILED;
	struct verify_report report;
	struct store *backup = NULL;
	struct config config;

	if (!restore_read_target(ctl, &config))
		return CTL_USAGE;
	if (ctl_check_store(ctl, folder, &report) &&
	    ctl_open_store(ctl, folder, &backup))
		status = restore_replace(ctl, backup, config.store_path,
					 &report);
	store_close(backup);
	return status;
}

static const struct verb_option restore_options[] = {
	{.name = "store",
	 .kind = OPTION_TEXT,
	 .value = "PATH",
	 .meaning = "the folder of the store (default: store.path)"},
	{.name = "config",
	 .letter = 'c',
	 .kind = OPTION_TEXT,
	 .value = "FILE",
	 .meaning = "configuration file with store.path"},
	{.name = "force",
	 .kind = OPTION_FLAG,
	 .meaning = "move an existing store aside"},
	OPTION_TIME_ROW,
	{.name = NULL},
};

const struct verb verb_restore = {
	.name = "restore",
	.group = VERBS_OPERATE,
	.operands = "DIR",
	.min_operands = 1,
	.max_operands = 1,
	.summary =
		"Verify a backup and make it the store, while no daemon runs",
	.options = restore_options,
	.run = run_restore,
};
