#include "daemon/ctl/ctl_store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "daemon/config/config.h"
#include "daemon/ctl/client.h"
#include "daemon/ctl/ctl.h"
#include "daemon/ctl/offline.h"
#include "daemon/ctl/offline_learn.h"
#include "daemon/engine/invariants.h"
#include "daemon/runtime/child.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/terminal.h"
#include "store/recover.h"
#include "store/secrets.h"
#include "store/store.h"

void ctl_print_store_error(const struct ctl *ctl, const char *path,
			   enum error error)
{
	const char *what = "it must be writable, on a local disk";

	if (error == ERR_BUSY)
		what = "another process uses it; stop the daemon first";
	else if (error == ERR_NOT_FOUND)
		what = "the folder has no store";
	else if (error == ERR_VERSION)
		what = "use the version that wrote it";
	else if (error == ERR_CORRUPT)
		what = "it is not a store, or it is damaged";
	else if (error == ERR_STORE_FULL)
		what = "the disk is too full for a copy";
	ctl_print_error(ctl, "%s: %s; %s", path, error_text(error), what);
}

bool ctl_open_store(const struct ctl *ctl, const char *path,
		    struct store **store_out)
{
	const struct store_options options = {.is_read_only = true};
	enum error error = store_open(store_out, path, &options);

	if (error != ERR_NONE)
		ctl_print_store_error(ctl, path, error);
	return error == ERR_NONE;
}

/*
 * Verify the store, in the child process. Write the report and its text to
 * `out`.
 */
static enum error ctl_store_verify_child(void *context,
					 struct child_work_position *place,
					 struct buffer *out)
{
	const struct store_options options = {.is_read_only = true};
	struct verify_report report = {0};
	struct store *store = NULL;
	enum error error = store_open(&store, context, &options);

	if (error == ERR_NONE)
		error = invariants_verify(store, place->text, &report);
	store_close(store);
	buffer_append(out, &report, sizeof(report));
	buffer_append(out, report.text.data, report.text.size);
	buffer_free(&report.text);
	return error;
}

static void read_report(const struct buffer *answer,
			struct verify_report *report_out)
{
	*report_out = (struct verify_report){0};
	if (answer->size < sizeof(*report_out))
		return;
	memcpy(report_out, answer->data, sizeof(*report_out));
	report_out->place = NULL;
	report_out->text = (struct buffer){0};
	buffer_append(&report_out->text, answer->data + sizeof(*report_out),
		      answer->size - sizeof(*report_out));
}

bool ctl_verify_store(const struct ctl *ctl, const char *path,
		      struct verify_report *report_out)
{
	uint64_t seconds = option_whole(ctl, "time", 0);
	const struct child_work trial = {
		.work = ctl_store_verify_child,
		.context = (void *)path,
		.limit_ms = seconds == 0 ? child_work_limit_ms(path)
					 : seconds * 1000,
	};
	struct buffer answer = {0};
	char why[CHILD_WORK_POSITION_BYTES];
	enum error error = run_in_child(&trial, &answer, why);

	read_report(&answer, report_out);
	buffer_free(&answer);
	if (error == ERR_STOPPED)
		ctl_print_error(ctl, "%s: %s; " STORE_ADVICE, path, why);
	else if (error != ERR_NONE)
		ctl_print_store_error(ctl, path, error);
	return error == ERR_NONE;
}

bool ctl_check_store(const struct ctl *ctl, const char *path,
		     struct verify_report *report)
{
	bool is_read = ctl_verify_store(ctl, path, report);

	if (report->problems > 0) {
		fwrite(report->text.data, 1, report->text.size, stderr);
		ctl_print_error(ctl, "%s: %" PRIu64 " problems", path,
				report->problems);
	}
	buffer_free(&report->text);
	return is_read && report->problems == 0;
}

/* The action templatectl verify. */

/*
 * Return the report of the check of a store folder as JSON, in the form of GET
 * /v1/verify.
 */
static json_t *verify_report_json(const struct verify_report *report)
{
	json_t *lines = json_array();
	const char *text = report->text.data;

	while (text != NULL && *text != '\0') {
		size_t length = strcspn(text, "\n");
		struct buffer clean = {0};

		terminal_clean((struct slice){text, length}, &clean);
		json_array_append_new(
			lines,
			json_stringn(clean.data == NULL ? "" : clean.data,
				     clean.size));
		buffer_free(&clean);
		text += length + (text[length] == '\n' ? 1 : 0);
	}
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "problems",
			 (json_int_t)report->problems, "sites",
			 (json_int_t)report->sites, "pages",
			 (json_int_t)report->pages, "clusters",
			 (json_int_t)report->clusters, "df_counts",
			 (json_int_t)report->df_counts, "urls",
			 (json_int_t)report->urls, "report", lines);
}

static void verify_report_print(const json_t *answer)
{
	const json_t *line;
	size_t i;

	json_array_foreach(json_object_get(answer, "report"), i, line)
	{
		struct buffer clean = {0};

		terminal_clean(slice_of(json_string_value(line)), &clean);
		printf("%s\n", clean.data == NULL ? "" : clean.data);
		buffer_free(&clean);
	}
	printf("%" PRIu64 " problems in %" PRIu64 " sites, %" PRIu64
	       " pages, %" PRIu64 " clusters, %" PRIu64 " counts, %" PRIu64
	       " URLs\n",
	       field_whole(answer, "problems"), field_whole(answer, "sites"),
	       field_whole(answer, "pages"), field_whole(answer, "clusters"),
	       field_whole(answer, "df_counts"), field_whole(answer, "urls"));
}

enum ctl_status run_verify(const struct ctl *ctl)
{
	const char *path = option_text(ctl, "store");
	struct verify_report report = {0};
	enum ctl_status status = CTL_FAILED;
	json_t *answer = NULL;

	if (path == NULL) {
		status = action_ask(ctl, NULL, &answer);
	} else if (ctl_verify_store(ctl, path, &report)) {
		answer = verify_report_json(&report);
		status = CTL_DONE;
	}
	buffer_free(&report.text);
	if (status != CTL_DONE)
		return status;
	if (ctl->is_json)
		client_print_json(answer);
	else
		verify_report_print(answer);
	if (field_whole(answer, "problems") > 0)
		status = CTL_FAILED;
	json_decref(answer);
	return status;
}

/* The action templatectl backup, which copies the store of a running daemon. */

/* A copy that is being received. */
struct backup {
	int file;
	uint64_t done;
	int failure; /* errno of a failed write, or 0 */
	struct progress progress;
};

static enum error write_copy(void *context, struct slice bytes, uint64_t total)
{
	struct backup *backup = context;
	enum error error = client_write(backup->file, bytes, &backup->failure);

	backup->done += bytes.size;
	if (error == ERR_NONE)
		progress_show_bytes(&backup->progress, backup->done, total);
	return error;
}

/* Receive the copy into backup->file, and sync the file to disk. */
static enum ctl_status backup_receive(const struct ctl *ctl,
				      struct backup *backup)
{
	const struct socket_request download = {
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

/*
 * Receive the copy into the folder. An earlier copy is replaced only when the
 * new one is complete.
 */
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
 * Remove the secrets of an earlier backup. If --with-secrets is given, copy the
 * secrets from that folder of the daemon, because the daemon does not send
 * them. This must follow the rows that refer to them.
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

static bool folder_has_file(const char *folder, const char *name)
{
	char path[MAX_PATH_BYTES];

	return folder_name(path, folder, name) && access(path, F_OK) == 0;
}

/*
 * Add the counts of the backup to `answer`, and verify it unless --no-verify is
 * given.
 */
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

	if (folder_has_file(folder, FOLDER_DATA) &&
	    !option_given(ctl, "force")) {
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
	return status;
}

enum ctl_status run_backup(const struct ctl *ctl)
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

/* The action templatectl compact. */

/*
 * Compact a store that no daemon uses. *answer_out gets the JSON that the
 * daemon would return.
 */
static enum ctl_status ctl_store_compact(const struct ctl *ctl,
					 const char *path, json_t **answer_out)
{
	const struct store_options options = {0};
	uint64_t begin_ms = clock_steady_ms();
	struct store_sizes sizes;
	struct store *store = NULL;
	enum error error;

	if (!ctl_open_store(ctl, path, &store))
		return CTL_FAILED; /* store_open() would create a store */
	store_close(store);
	store = NULL;
	error = store_open(&store, path, &options);
	if (error == ERR_NONE)
		error = store_compact(store, &sizes);
	store_close(store);
	if (error != ERR_NONE) {
		ctl_print_store_error(ctl, path, error);
		return CTL_FAILED;
	}
	*answer_out = json_pack("{s:I, s:I, s:I}", "before_bytes",
				(json_int_t)sizes.before, "after_bytes",
				(json_int_t)sizes.after, "elapsed_ms",
				(json_int_t)(clock_steady_ms() - begin_ms));
	return CTL_DONE;
}

enum ctl_status run_compact(const struct ctl *ctl)
{
	const char *path = option_text(ctl, "store");
	json_t *answer = NULL;
	enum ctl_status status =
		path == NULL ? action_ask(ctl, NULL, &answer)
			     : ctl_store_compact(ctl, path, &answer);

	if (status == CTL_DONE)
		action_print(ctl, answer);
	json_decref(answer);
	return status;
}

/* The action templatectl restore, which replaces the store with a backup. */

enum { MAX_NAME_BYTES = 64 };

/*
 * Find the folder of the store: --store or, without it, the configured folder.
 */
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

static enum ctl_status restore_replace(const struct ctl *ctl,
				       struct store *backup, const char *path,
				       const struct verify_report *report)
{
	bool is_forced = option_given(ctl, "force");
	char aside[MAX_NAME_BYTES]; /* new name of the store that is replaced */
	time_t now = time(NULL);
	struct tm when = {0};
	enum error error;
	json_t *answer;

	gmtime_r(&now, &when);
	strftime(aside, sizeof(aside), "data.mdb.before-%Y%m%dT%H%M%SZ", &when);
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
	if (is_forced && folder_has_file(path, aside))
		json_object_set_new(answer, "aside", json_string(aside));
	client_print(ctl, answer);
	return CTL_DONE;
}

enum ctl_status run_restore(const struct ctl *ctl)
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

/*
 * The action templatectl recover, which copies the undamaged part of a store.
 */

static void recover_print_lines(struct slice text)
{
	struct buffer clean = {0};

	terminal_clean_lines(text, &clean);
	fwrite(clean.data, 1, clean.size, stderr);
	buffer_free(&clean);
}

/* Rebuild the damaged sites in the new store, from their pages in `remains`. */
static enum error recover_rebuild_sites(struct store *remains, const char *to,
					struct site_rebuild_report *report)
{
	const struct store_options options = {0};
	struct store *store = NULL;
	enum error error = store_open(&store, to, &options);

	if (error == ERR_NONE)
		error = rebuild_sites(remains, store, report);
	store_close(store);
	if (report->text.size > 0)
		recover_print_lines(buffer_slice(&report->text));
	buffer_free(&report->text);
	return error;
}

/*
 * Recover the store; print the problems, so that the reports have no text
 * afterwards.
 */
static enum error recover_to_new_store(const struct ctl *ctl,
				       struct recovery_report *report,
				       struct site_rebuild_report *relearned)
{
	struct store *remains = NULL;
	enum error error = temporary_store_open(ctl, &remains);

	*report = (struct recovery_report){0};
	*relearned = (struct site_rebuild_report){0};
	if (error == ERR_NONE)
		error = store_recover_intact(ctl->operands[0], ctl->operands[1],
					     remains, report);
	if (report->text.size > 0)
		recover_print_lines(buffer_slice(&report->text));
	buffer_free(&report->text);
	if (error == ERR_NONE)
		error = recover_rebuild_sites(remains, ctl->operands[1],
					      relearned);
	store_close(remains);
	return error;
}

enum ctl_status run_recover(const struct ctl *ctl)
{
	const char *to = ctl->operands[1];
	struct recovery_report report;
	struct site_rebuild_report relearned;
	struct verify_report verified;
	enum error error = recover_to_new_store(ctl, &report, &relearned);
	bool is_good;
	json_t *answer;

	if (error == ERR_ADDRESS_FORBIDDEN)
		ctl_print_error(ctl, "%s: contains a store already", to);
	else if (error != ERR_NONE)
		ctl_print_store_error(ctl, ctl->operands[0], error);
	if (error != ERR_NONE)
		return CTL_FAILED;
	/* check the new store as any store */
	is_good = ctl_check_store(ctl, to, &verified);
	answer = json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "store", to,
			   "sites_saved", (json_int_t)report.sites,
			   "sites_learned", (json_int_t)relearned.sites,
			   "pages_learned", (json_int_t)relearned.pages,
			   "pages_lost", (json_int_t)relearned.lost,
			   "bodies_lost", (json_int_t)report.bodies_lost,
			   "rows_saved", (json_int_t)report.rows);
	client_print(ctl, answer);
	return is_good ? CTL_DONE : CTL_FAILED;
}
