#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "daemon/ctl/client.h"
#include "daemon/ctl/ctl.h"
#include "daemon/ctl/ctl_store.h"
#include "daemon/ctl/offline.h"
#include "daemon/nodes/encryption_keys.h"
#include "daemon/nodes/nodes.h"
#include "daemon/nodes/snapshot.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/terminal.h"
#include "store/partitions.h"

/*
 * The action templatectl partition, for the partitions in the store of a node
 * that is not running.
 */

enum {
	ANY_PARTITION = JOURNAL_PARTITIONS,
	CONNECT_TIMEOUT_MS = 10000,
	STALL_TIMEOUT_S = 60,
};

/*
 * Return the folder of --store. Without --store print an error and return NULL.
 */
static const char *partition_store_path(const struct ctl *ctl)
{
	if (!option_given(ctl, "store"))
		ctl_print_error(ctl, "--store is missing");
	return option_text(ctl, "store");
}

static const char *text_or_none(const struct ctl *ctl, const char *name)
{
	const char *text = option_text(ctl, name);

	return text == NULL ? "" : text;
}

/*
 * Open the snapshot store of --snapshot-store. `folder` is used for files
 * before their upload. On failure return NULL; the log, which goes to standard
 * error, has the reason.
 */
static struct snapshot_store *ctl_partition_depot(const struct ctl *ctl,
						  const char *folder)
{
	struct snapshot_store *depot = NULL;

	snapshot_store_open(
		&depot, &(struct snapshot_store_options){
				.location = option_text(ctl, "snapshot-store"),
				.key_file = text_or_none(
					ctl, "snapshot-store-key-file"),
				.ca_file = text_or_none(ctl, "ca-file"),
				.spool_folder = folder,
				.connect_timeout_ms = CONNECT_TIMEOUT_MS,
				.stall_timeout_s = STALL_TIMEOUT_S,
			});
	return depot;
}

/*
 * Read the keys of --encryption-key-file; without it *keys_out is NULL. If they
 * cannot be read, or --with-secrets needs them, print an error and return
 * false.
 */
static bool ctl_partition_keys(const struct ctl *ctl,
			       struct encryption_keys **keys_out)
{
	const char *path = text_or_none(ctl, "encryption-key-file");

	if (option_given(ctl, "with-secrets") && *path == '\0') {
		ctl_print_error(
			ctl,
			"--with-secrets needs --encryption-key-file: secrets "
			"are exported encrypted only");
		*keys_out = NULL;
		return false;
	}
	return encryption_keys_read(keys_out, path) == ERR_NONE;
}

/*
 * Open a store that has partitions. On failure print an error and return false.
 */
static bool partition_open_store(const struct ctl *ctl, const char *path,
				 bool is_written,
				 const struct encryption_keys *keys,
				 struct store **store_out)
{
	const struct store_options ctl_partition_options = {
		.is_read_only = !is_written,
		.partition_of = nodes_partition_of,
		.cipher = encryption_keys_cipher(keys),
	};
	enum error error = store_open(store_out, path, &ctl_partition_options);

	if (error != ERR_NONE)
		ctl_print_store_error(ctl, path, error);
	return error == ERR_NONE;
}

static bool read_sizes(const struct ctl *ctl, struct store *store,
		       const char *path, struct partition_sizes *sizes)
{
	enum error error = partition_sizes_read(store, sizes);

	if (error != ERR_NONE)
		ctl_print_store_error(ctl, path, error);
	return error == ERR_NONE;
}

/*
 * Return whether the store has partitions (is a store of a node) or is empty.
 * Otherwise print an error.
 */
static bool has_partitions(const struct ctl *ctl, const char *path,
			   const struct partition_sizes *sizes)
{
	if (sizes->strange_sites == 0)
		return true;
	ctl_print_error(ctl,
			"%s: not a store of a node: the numbers of %" PRIu64
			" sites do not contain their partition; write the "
			"store to a snapshot store with partition migrate",
			path, sizes->strange_sites);
	return false;
}

/*
 * Print the place and the size of a snapshot. The place is a "file" or a
 * "snapshot_store".
 */
static void ctl_partition_print(const struct ctl *ctl, const char *place,
				const char *path,
				const struct snapshot_figures *copy)
{
	json_t *answer =
		json_pack("{s:I, s:s, s:I, s:I, s:I}", "partition",
			  (json_int_t)copy->head.partition, place, path,
			  "number", (json_int_t)copy->head.number, "epoch",
			  (json_int_t)copy->head.epoch, "unpacked_bytes",
			  (json_int_t)copy->bytes);

	client_print(ctl, answer);
}

static json_t *size_json(unsigned partition, const struct partition_size *size)
{
	return json_pack(
		"{s:I, s:I, s:I, s:I, s:I}", "partition", (json_int_t)partition,
		"sites", (json_int_t)size->sites, "pages",
		(json_int_t)size->pages, "rows", (json_int_t)size->rows,
		"bytes", (json_int_t)size->bytes);
}

static void print_sizes(const struct ctl *ctl,
			const struct partition_sizes *sizes)
{
	json_t *rows = json_array();
	json_t *answer;

	for (unsigned i = 0; i < JOURNAL_PARTITIONS; i++)
		if (sizes->items[i].rows > 0)
			json_array_append_new(rows,
					      size_json(i, &sizes->items[i]));
	answer = json_pack("{s:o, s:b}", "partitions", rows, "is_of_cluster",
			   sizes->strange_sites == 0);
	action_print(ctl, answer);
	json_decref(answer);
}

enum ctl_status run_partition_list(const struct ctl *ctl)
{
	const char *path = partition_store_path(ctl);
	struct partition_sizes *sizes;
	struct store *store = NULL;
	bool is_read;

	if (path == NULL)
		return CTL_USAGE;
	if (!ctl_open_store(ctl, path, &store))
		return CTL_FAILED;
	sizes = mem_alloc(1, sizeof(*sizes));
	is_read = read_sizes(ctl, store, path, sizes);
	if (is_read)
		print_sizes(ctl, sizes);
	free(sizes);
	store_close(store);
	return is_read ? CTL_DONE : CTL_FAILED;
}

/*
 * Parse the number of a partition. If the text is not one, print an error and
 * return false.
 */
static bool read_partition(const struct ctl *ctl, const char *text,
			   unsigned *partition_out)
{
	char *end = NULL;
	unsigned long number = strtoul(text, &end, 10);

	*partition_out = (unsigned)number;
	if (text[0] >= '0' && text[0] <= '9' && *end == '\0' &&
	    number < JOURNAL_PARTITIONS)
		return true;
	ctl_print_error(
		ctl,
		"%s: a partition is 0 to %d; %d has the hooks and silences",
		text, JOURNAL_PARTITIONS - 1, JOURNAL_COMMON);
	return false;
}

static enum ctl_status partition_export_file(const struct ctl *ctl,
					     struct store *store,
					     const char *path,
					     unsigned partition)
{
	const char *file = ctl->operands[1];
	struct partition_sizes *sizes = mem_alloc(1, sizeof(*sizes));
	struct snapshot_figures copy;
	enum ctl_status status = CTL_FAILED;
	enum error error;

	if (read_sizes(ctl, store, path, sizes) &&
	    has_partitions(ctl, path, sizes)) {
		error = snapshot_save_file(store, partition, clock_wall_ms(),
					   file, &copy);
		if (error == ERR_NONE) {
			ctl_partition_print(ctl, "file", file, &copy);
			status = CTL_DONE;
		} else {
			ctl_print_error(ctl, "%s: cannot write: %s", file,
					error_text(error));
		}
	}
	free(sizes);
	return status;
}

enum ctl_status run_partition_export(const struct ctl *ctl)
{
	const char *path = partition_store_path(ctl);
	enum ctl_status status = CTL_FAILED;
	struct encryption_keys *keys;
	struct store *store = NULL;
	unsigned partition;

	if (path == NULL ||
	    !read_partition(ctl, ctl->operands[0], &partition) ||
	    !ctl_partition_keys(ctl, &keys))
		return CTL_USAGE;
	/* secrets can be read only if the store is opened for writing */
	if (partition_open_store(ctl, path, option_given(ctl, "with-secrets"),
				 keys, &store))
		status = partition_export_file(ctl, store, path, partition);
	store_close(store);
	encryption_keys_destroy(keys);
	return status;
}

/*
 * Return whether the partition may be imported: the store does not have it yet,
 * or --force is given. ANY_PARTITION: the same for all partitions. Otherwise
 * print an error.
 */
static bool may_import(const struct ctl *ctl, struct store *store,
		       const char *path, unsigned partition)
{
	struct partition_sizes *sizes = mem_alloc(1, sizeof(*sizes));
	bool is_fit = read_sizes(ctl, store, path, sizes) &&
		      has_partitions(ctl, path, sizes);

	for (unsigned i = 0; i < JOURNAL_PARTITIONS && is_fit; i++) {
		if ((partition != ANY_PARTITION && partition != i) ||
		    sizes->items[i].rows == 0 || option_given(ctl, "force"))
			continue;
		ctl_print_error(
			ctl,
			"%s: already has partition %u; --force replaces it",
			path, i);
		is_fit = false;
	}
	free(sizes);
	return is_fit;
}

static bool partition_report_file(const struct ctl *ctl, const char *file,
				  enum error error)
{
	if (error == ERR_VERSION)
		ctl_print_error(ctl, "%s: written by another version", file);
	else if (error == ERR_NO_ENCRYPTION_KEY)
		ctl_print_error(ctl,
				"%s: no key in --encryption-key-file decrypts "
				"its secrets; use the key file of the nodes",
				file);
	else if (error != ERR_NONE)
		ctl_print_error(ctl, "%s: %s", file, error_text(error));
	return error != ERR_NONE;
}

static enum ctl_status import_file(const struct ctl *ctl, const char *path,
				   const struct encryption_keys *keys)
{
	const char *file = ctl->operands[0];
	enum ctl_status status = CTL_FAILED;
	struct snapshot_figures copy;
	struct store *store = NULL;

	/*
	 * read the whole file before anything is deleted, in case it is damaged
	 */
	if (partition_report_file(ctl, file,
				  snapshot_load_file(NULL, file, &copy)) ||
	    !partition_open_store(ctl, path, true, keys, &store))
		return CTL_FAILED;
	if (may_import(ctl, store, path, copy.head.partition) &&
	    !partition_report_file(ctl, file,
				   snapshot_load_file(store, file, &copy))) {
		ctl_partition_print(ctl, "file", file, &copy);
		status = CTL_DONE;
	}
	store_close(store);
	return status;
}

/*
 * Import the newest snapshot of the partition. If there is none, return true.
 */
static bool import_latest(const struct ctl *ctl, struct store *store,
			  struct snapshot_store *depot, unsigned partition,
			  uint64_t *count)
{
	struct snapshot_store_item item = {.partition = partition};
	struct snapshot_figures copy;
	enum error error = snapshot_store_latest(depot, partition, UINT64_MAX,
						 &item.number);
	char what[32];

	if (error == ERR_NOT_FOUND)
		return true;
	if (error == ERR_NONE)
		error = snapshot_load(store, item, depot, &copy);
	snprintf(what, sizeof(what), "partition %u", partition);
	++*count;
	return !partition_report_file(ctl, what, error);
}

/* Import all partitions of the snapshot store into the store. */
static bool import_all(const struct ctl *ctl, struct store *store,
		       const char *path, struct snapshot_store *depot)
{
	uint64_t count = 0;
	json_t *answer;

	if (!may_import(ctl, store, path, ANY_PARTITION))
		return false;
	for (unsigned i = 0; i < JOURNAL_PARTITIONS; i++)
		if (!import_latest(ctl, store, depot, i, &count))
			return false;
	answer = json_pack("{s:s, s:I}", "snapshot_store",
			   snapshot_store_location(depot), "partitions",
			   (json_int_t)count);
	client_print(ctl, answer);
	return true;
}

static enum ctl_status import_depot(const struct ctl *ctl, const char *path,
				    const struct encryption_keys *keys)
{
	enum ctl_status status = CTL_FAILED;
	struct snapshot_store *depot = NULL;
	struct store *store = NULL;

	if (option_text(ctl, "snapshot-store") == NULL) {
		ctl_print_error(ctl, "FILE or --snapshot-store is missing");
		return CTL_USAGE;
	}
	depot = ctl_partition_depot(ctl, path);
	if (depot != NULL &&
	    partition_open_store(ctl, path, true, keys, &store) &&
	    import_all(ctl, store, path, depot))
		status = CTL_DONE;
	store_close(store);
	snapshot_store_close(depot);
	return status;
}

enum ctl_status run_partition_import(const struct ctl *ctl)
{
	const char *path = partition_store_path(ctl);
	enum ctl_status status = CTL_USAGE;
	struct encryption_keys *keys;

	if (path == NULL)
		return CTL_USAGE;
	if (ctl_partition_keys(ctl, &keys))
		status = ctl->operand_count > 0 ? import_file(ctl, path, keys)
						: import_depot(ctl, path, keys);
	encryption_keys_destroy(keys);
	return status;
}

/*
 * The action templatectl partition migrate: makes the first snapshots of a node
 * group from the store of a single daemon.
 */

struct ctl_migration {
	const struct ctl *ctl;
	struct encryption_keys *keys; /* or NULL */
	struct snapshot_store *depot;
	struct store *store; /* the new store */
	struct partition_sizes sizes;
	struct partitions_migration_report report;
	uint64_t saved; /* number of partitions */
	uint64_t bytes; /* bytes of their rows */
};

static bool complain_of_old(const struct ctl *ctl, const char *path,
			    enum error error)
{
	if (error == ERR_MALFORMED)
		ctl_print_error(ctl, "%s: already a store of a node", path);
	else if (error == ERR_TOO_LARGE)
		ctl_print_error(ctl, "%s: too many sites in one partition",
				path);
	else if (error != ERR_NONE)
		ctl_print_store_error(ctl, path, error);
	return error == ERR_NONE;
}

/*
 * Copy all rows of the old store to a new one that has partitions, with new
 * site numbers.
 */
static bool migration_renumber(struct ctl_migration *migration,
			       const char *path, const char *folder)
{
	const struct store_options written = {0};
	const struct store_options options = {
		.is_temporary = true,
		.partition_of = nodes_partition_of,
		.cipher = encryption_keys_cipher(migration->keys),
	};
	struct store *old = NULL;
	enum error error;

	/*
	 * check that the store exists, because opening it for writing would
	 * create it
	 */
	if (!ctl_open_store(migration->ctl, path, &old))
		return false;
	store_close(old);
	old = NULL;
	/*
	 * open it for writing, because this locks it and allows to read its
	 * secrets
	 */
	error = store_open(&old, path, &written);
	if (error == ERR_NONE)
		error = store_open(&migration->store, folder, &options);
	if (error == ERR_NONE)
		error = partitions_migrate(
			old, migration->store,
			option_given(migration->ctl, "with-secrets"),
			&migration->report);
	store_close(old);
	if (!complain_of_old(migration->ctl, path, error))
		return false;
	error = partition_sizes_read(migration->store, &migration->sizes);
	return complain_of_old(migration->ctl, folder, error);
}

/*
 * Return whether the snapshot store has no snapshots of the partitions to save,
 * or --force is given. Otherwise print an error.
 */
static bool migration_target_is_empty(const struct ctl_migration *migration)
{
	enum error error = ERR_NOT_FOUND;
	uint64_t number;

	if (option_given(migration->ctl, "force"))
		return true;
	for (unsigned i = 0; i < JOURNAL_PARTITIONS && error == ERR_NOT_FOUND;
	     i++)
		if (migration->sizes.items[i].rows > 0)
			error = snapshot_store_latest(migration->depot, i,
						      UINT64_MAX, &number);
	if (error == ERR_NONE)
		ctl_print_error(migration->ctl,
				"%s: already has snapshots; --force adds these",
				snapshot_store_location(migration->depot));
	return error == ERR_NOT_FOUND;
}

static bool save_all(struct ctl_migration *migration)
{
	struct progress progress = progress_begin("save");
	struct snapshot_figures copy;
	enum error error = ERR_NONE;

	for (unsigned i = 0; i < JOURNAL_PARTITIONS && error == ERR_NONE; i++) {
		progress_show(&progress, i, JOURNAL_PARTITIONS, NULL);
		/* save the common partition even if it is empty */
		if (migration->sizes.items[i].rows == 0 && i != JOURNAL_COMMON)
			continue;
		error = snapshot_save(migration->store, i, clock_wall_ms(),
				      migration->depot, &copy);
		migration->saved++;
		migration->bytes += copy.bytes;
	}
	progress_clear(&progress);
	if (error != ERR_NONE)
		ctl_print_error(migration->ctl, "%s: %s",
				snapshot_store_location(migration->depot),
				error_text(error));
	return error == ERR_NONE;
}

static void migration_print(const struct ctl_migration *migration)
{
	const struct partitions_migration_report *report = &migration->report;
	json_t *answer = json_pack(
		"{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "snapshot_store",
		snapshot_store_location(migration->depot), "partitions",
		(json_int_t)migration->saved, "sites",
		(json_int_t)report->sites, "events", (json_int_t)report->events,
		"rows", (json_int_t)report->rows, "unpacked_bytes",
		(json_int_t)migration->bytes, "secrets",
		(json_int_t)report->secrets, "secrets_copied",
		(json_int_t)report->secrets_copied);

	client_print(migration->ctl, answer);
	if (report->secrets > report->secrets_copied)
		ctl_print_error(migration->ctl,
				"%" PRIu64
				" secrets of sites and hooks were omitted; set "
				"them again, or use --with-secrets",
				report->secrets - report->secrets_copied);
}

enum ctl_status run_partition_migrate(const struct ctl *ctl)
{
	const char *path = partition_store_path(ctl);
	struct ctl_migration *migration;
	enum ctl_status status = CTL_FAILED;
	struct encryption_keys *keys;
	char *folder;

	if (path == NULL)
		return CTL_USAGE;
	if (option_text(ctl, "snapshot-store") == NULL) {
		ctl_print_error(ctl, "--snapshot-store is missing");
		return CTL_USAGE;
	}
	if (!ctl_partition_keys(ctl, &keys))
		return CTL_USAGE;
	folder = temporary_folder_make(ctl);
	if (folder == NULL) {
		encryption_keys_destroy(keys);
		return CTL_FAILED;
	}
	migration = mem_alloc(1, sizeof(*migration));
	migration->ctl = ctl;
	migration->keys = keys;
	migration->depot = ctl_partition_depot(ctl, folder);
	if (migration->depot != NULL &&
	    migration_renumber(migration, path, folder) &&
	    migration_target_is_empty(migration) && save_all(migration)) {
		migration_print(migration);
		status = CTL_DONE;
	}
	snapshot_store_close(migration->depot);
	store_close(migration->store);
	encryption_keys_destroy(keys);
	free(migration);
	temporary_folder_remove(folder);
	free(folder);
	return status;
}
