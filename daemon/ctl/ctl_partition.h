/*
 * daemon/ctl/ctl_partition.h - functions that the actions of templatectl
 * partition share.
 */
#ifndef DAEMON_CTL_CTL_PARTITION_H
#define DAEMON_CTL_CTL_PARTITION_H

#include "daemon/ctl/ctl.h"
#include "daemon/nodes/partition_copy.h"
#include "daemon/nodes/secret_keys.h"

/* partition migrate */
enum ctl_status ctl_partition_migrate(const struct ctl *ctl, const char *path);

/*
 * Open the snapshot store of --depot; files for upload are spooled in the
 * folder. Return NULL on failure; the log, which is standard error, states why.
 */
struct snapshot_store *ctl_partition_depot(const struct ctl *ctl,
					   const char *folder);

/*
 * Read the keys of --secret-file; NULL if it is not given. If they are
 * unreadable, or missing for --with-secrets, print a message and return false.
 */
bool ctl_partition_keys(const struct ctl *ctl,
			struct encryption_keys **keys_out);

/* Print the size and place of the copy: `place` is "file" or "depot". */
void ctl_partition_print(const struct ctl *ctl, const char *place,
			 const char *path, const struct snapshot_figures *copy);

#endif
