/*
 * daemon/ctl/ctl_partition_migrate.c - templatectl partition migrate: the store
 * of a single daemon as the initial snapshots of a node group.
 */
#include "daemon/ctl/ctl_partition.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "daemon/ctl/ctl_client.h"
#include "daemon/ctl/ctl_store.h"
#include "daemon/ctl/progress.h"
#include "daemon/ctl/temporary_store.h"
#include "daemon/nodes/cluster.h"
#include "daemon/nodes/partition_sizes.h"
#include "daemon/runtime/clock.h"
#include "store/repartition.h"

struct ctl_partition_migrate_migration {
	const struct ctl *ctl;
	struct encryption_keys *keys; /* or NULL */
	struct snapshot_store *depot;
	struct store *store; /* the new store */
	struct partition_sizes sizes;
	struct partitions_migration_report report;
	uint64_t saved; /* partitions */
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

/* Copy all rows of the old store, under new numbers. */
static bool
migration_renumber(struct ctl_partition_migrate_migration *migration,
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

	/* check that the store exists; do not create one */
	if (!ctl_open_store(migration->ctl, path, &old))
		return false;
	store_close(old);
	old = NULL;
	/*
	 * open for writing, which locks the store and gives access to secrets
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

/* Reject a snapshot store that already has snapshots. */
static bool migration_target_is_empty(
	const struct ctl_partition_migrate_migration *migration)
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

static bool save_all(struct ctl_partition_migrate_migration *migration)
{
	struct progress progress = progress_begin("save");
	struct snapshot_figures copy;
	enum error error = ERR_NONE;

	for (unsigned i = 0; i < JOURNAL_PARTITIONS && error == ERR_NONE; i++) {
		progress_show(&progress, i, JOURNAL_PARTITIONS, NULL);
		/* the common partition always exists, with or without hooks */
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

static void
migration_print(const struct ctl_partition_migrate_migration *migration)
{
	const struct partitions_migration_report *report = &migration->report;
	json_t *answer = json_pack(
		"{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "depot",
		snapshot_store_location(migration->depot), "partitions",
		(json_int_t)migration->saved, "sites",
		(json_int_t)report->sites, "events", (json_int_t)report->events,
		"rows", (json_int_t)report->rows, "unpacked_bytes",
		(json_int_t)migration->bytes, "secrets",
		(json_int_t)report->secrets, "secrets_copied",
		(json_int_t)report->secrets_copied);

	client_print(migration->ctl, answer);
	json_decref(answer);
	if (report->secrets > report->secrets_copied)
		ctl_print_error(migration->ctl,
				"%" PRIu64
				" secrets of sites and hooks were omitted; set "
				"them again, or use --with-secrets",
				report->secrets - report->secrets_copied);
}

enum ctl_status ctl_partition_migrate(const struct ctl *ctl, const char *path)
{
	struct ctl_partition_migrate_migration *migration;
	enum ctl_status status = CTL_FAILED;
	struct encryption_keys *keys;
	char *folder;

	if (option_text(ctl, "depot") == NULL) {
		ctl_print_error(ctl, "--depot is missing");
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
