/* daemon/ctl/ctl_partition.h - functions shared by the actions of templatectl
 * partition. */
#ifndef DAEMON_CTL_CTL_PARTITION_H
#define DAEMON_CTL_CTL_PARTITION_H

#include "daemon/cluster/partition_copy.h"
#include "daemon/cluster/secret_keys.h"
#include "daemon/ctl/ctl.h"

/* partition migrate */
enum ctl_status ctl_partition_migrate(const struct ctl *ctl, const char *path);

/* The depot of --depot; what is to be sent to one waits in the folder. NULL:
 * there is none, and the log, which is standard error, says why. */
struct depot *ctl_partition_depot(const struct ctl *ctl, const char *folder);

/* The keys of --secret-file; NULL: it is not given. False, with a message: they
 * cannot be read, or --with-secrets needs them. */
bool ctl_partition_keys(const struct ctl *ctl, struct secret_keys **keys_out);

/* Print what was copied, and where: `place` is "file" or "depot". */
void ctl_partition_print(const struct ctl *ctl, const char *place,
			 const char *path, const struct partition_copy *copy);

#endif
