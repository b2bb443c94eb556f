/*
 * daemon/ctl/ctl_backup.c - templatectl: backup, a copy of the running daemon's
 * store.
 */
#include "daemon/ctl/ctl.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/ctl/ctl_client.h"
#include "daemon/ctl/ctl_store.h"
#include "daemon/ctl/progress.h"
#include "store/folder.h"
#include "store/secrets.h"

enum { KIB = 1024 };

/* A copy that is being written. */
struct backup {
	int file;
	uint64_t done;
	int failure; /* errno */
	struct progress progress;
};

static enum error write_copy(void *context, struct slice bytes, uint64_t total)
{
	struct backup *backup = context;
	const char *rest = bytes.data;
	size_t left = bytes.size;

	while (left > 0) {
		ssize_t size = write(backup->file, rest, left);

		if (size < 0 && errno == EINTR)
			continue;
		if (size < 0) {
			backup->failure = errno;
			return ERR_IO;
		}
		rest += size;
		left -= (size_t)size;
	}
	backup->done += bytes.size;
	progress_show(&backup->progress, backup->done / KIB,
		      (total > backup->done ? total : backup->done) / KIB,
		      "KiB");
	return ERR_NONE;
}

/* Receive the copy into a new file of the folder and sync it. */
static enum ctl_status backup_receive(const struct ctl *ctl,
				      struct backup *backup)
{
	const struct socket_download download = {
		.target = "/v1/backup",
		.sink = write_copy,
		.context = backup,
	};
	enum ctl_status status;

	backup->progress = progress_begin("backup");
	status = client_receive(ctl, &download);
	progress_clear(&backup->progress);
	if (status == CTL_DONE && fsync(backup->file) != 0) {
		backup->failure = errno;
		status = CTL_FAILED;
	}
	return status;
}

static void backup_report_file(const struct ctl *ctl, const char *folder,
			       int number)
{
	ctl_print_error(ctl, "%s: %s", folder, strerrordesc_np(number));
}

/* Fetch the copy; replace an earlier one only when the new one is complete. */
static enum ctl_status backup_fetch(const struct ctl *ctl, const char *folder,
				    uint64_t *bytes_out)
{
	struct backup backup = {.file = folder_create(folder, FOLDER_NEW)};
	enum ctl_status status = CTL_FAILED;
	char name[MAX_PATH_BYTES];

	if (backup.file < 0) {
		backup_report_file(ctl, folder, errno);
		return status;
	}
	status = backup_receive(ctl, &backup);
	close(backup.file);
	if (status == CTL_DONE && folder_replace(folder) != ERR_NONE) {
		backup.failure = errno;
		status = CTL_FAILED;
	}
	if (backup.failure != 0)
		backup_report_file(ctl, folder, backup.failure);
	if (status != CTL_DONE && folder_name(name, folder, FOLDER_NEW))
		unlink(name);
	*bytes_out = backup.done;
	return status;
}

/*
 * The daemon does not send the secrets: copy them from its folder, after the
 * rows that name them. The secrets of an earlier backup are removed.
 */
static enum ctl_status copy_secrets(const struct ctl *ctl, const char *folder)
{
	const char *from = option_text(ctl, "with-secrets");
	char name[MAX_PATH_BYTES];
	enum error error;

	if (folder_name(name, folder, SECRETS_FILE))
		unlink(name);
	if (from == NULL)
		return CTL_DONE;
	error = secrets_restore(from, folder, NULL);
	if (error == ERR_NONE)
		return CTL_DONE;
	ctl_print_store_error(ctl, from, error);
	return CTL_FAILED;
}

static bool backup_exists(const char *folder)
{
	char name[MAX_PATH_BYTES];

	return folder_name(name, folder, FOLDER_DATA) &&
	       access(name, F_OK) == 0;
}

/* Print the counts of the backup; verify it without --no-verify. */
static enum ctl_status backup_verify(const struct ctl *ctl, const char *folder,
				     json_t *answer)
{
	struct verify_report report = {0};
	struct store *store = NULL;
	struct store_usage usage;
	bool is_good = ctl_open_store(ctl, folder, &store);

	if (!is_good)
		return CTL_FAILED;
	if (store_usage(store, &usage) == ERR_NONE) {
		json_object_set_new(
			answer, "sites",
			json_integer((json_int_t)usage.rows[TABLE_SITES]));
		json_object_set_new(
			answer, "pages",
			json_integer((json_int_t)usage.rows[TABLE_RECORDS]));
	}
	store_close(store);
	if (!option_given(ctl, "no-verify")) {
		is_good = ctl_check_store(ctl, folder, &report);
		json_object_set_new(answer, "problems",
				    json_integer((json_int_t)report.problems));
	}
	return is_good ? CTL_DONE : CTL_FAILED;
}

static enum ctl_status back_up(const struct ctl *ctl, const char *folder)
{
	uint64_t bytes;
	enum ctl_status status;
	json_t *answer;

	if (backup_exists(folder) && !option_given(ctl, "force")) {
		ctl_print_error(
			ctl,
			"%s: contains a store already; --force overwrites it",
			folder);
		return CTL_FAILED;
	}
	status = backup_fetch(ctl, folder, &bytes);
	if (status == CTL_DONE)
		status = copy_secrets(ctl, folder);
	if (status != CTL_DONE)
		return status;
	answer = json_pack("{s:s, s:I}", "folder", folder, "size_bytes",
			   (json_int_t)bytes);
	status = backup_verify(ctl, folder, answer);
	client_print(ctl, answer);
	json_decref(answer);
	return status;
}

static enum ctl_status run_backup(const struct ctl *ctl)
{
	const char *folder = ctl->operands[0];
	int lock;
	enum error error = folder_lock(folder, &lock);
	enum ctl_status status;

	if (error != ERR_NONE) {
		ctl_print_store_error(ctl, folder, error);
		return CTL_FAILED;
	}
	status = back_up(ctl, folder);
	close(lock);
	return status;
}

static const struct verb_option backup_options[] = {
	{.name = "force",
	 .kind = OPTION_FLAG,
	 .meaning = "overwrite an existing backup"},
	{.name = "with-secrets",
	 .kind = OPTION_TEXT,
	 .value = "STORE",
	 .meaning = "also copy the secrets of the folder STORE"},
	{.name = "no-verify",
	 .kind = OPTION_FLAG,
	 .meaning = "do not verify the backup"},
	{.name = NULL},
};

const struct verb verb_backup = {
	.name = "backup",
	.group = VERBS_OPERATE,
	.operands = "DIR",
	.min_operands = 1,
	.max_operands = 1,
	.summary = "Copy the store to DIR while the daemon runs",
	.options = backup_options,
	.run = run_backup,
};
