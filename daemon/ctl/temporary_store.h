/* daemon/ctl/temporary_store.h - a store for the verbs on files. */
#ifndef DAEMON_CTL_TEMPORARY_STORE_H
#define DAEMON_CTL_TEMPORARY_STORE_H

#include "base/error.h"
#include "daemon/ctl/ctl.h"
#include "store/store.h"

/*
 * Open a store under $TMPDIR and unlink its files immediately, so that they
 * disappear when the process exits, for any reason. Errors are reported. End
 * with store_close().
 */
enum error temporary_store_open(const struct ctl *ctl,
				struct store **store_out);

/*
 * Create a folder under $TMPDIR, mode 0700, that remains until
 * temporary_folder_remove(), for a store with files next to its data. Return
 * NULL on an error, which is reported; otherwise free() the path.
 */
char *temporary_folder_make(const struct ctl *ctl);

/* Remove the folder and its files. */
void temporary_folder_remove(const char *path);

#endif
