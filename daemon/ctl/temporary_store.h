/* daemon/ctl/temporary_store.h - a store for the work on files. */
#ifndef DAEMON_CTL_TEMPORARY_STORE_H
#define DAEMON_CTL_TEMPORARY_STORE_H

#include "daemon/ctl/ctl.h"
#include "store/error.h"
#include "store/store.h"

/*
 * Open a store under $TMPDIR whose files are unlinked at once, so that they
 * disappear with the process, however it ends. Errors are reported. End with
 * store_close().
 */
enum error temporary_store_open(const struct ctl *ctl,
				struct store **store_out);

/*
 * The same with a folder that stays until temporary_folder_remove(), for what
 * is written beside the data. Make one under $TMPDIR, mode 0700: NULL on an
 * error, which is reported; else free() the path.
 */
char *temporary_folder_make(const struct ctl *ctl);

/* Remove it, and the files in it. */
void temporary_folder_remove(const char *path);

#endif
