/*
 * daemon/ctl/ctl_store.h - functions shared by the verbs on the folder of a
 * store.
 */
#ifndef DAEMON_CTL_CTL_STORE_H
#define DAEMON_CTL_CTL_STORE_H

#include <stdbool.h>

#include "daemon/ctl/ctl.h"
#include "store/store.h"
#include "store/verify.h"

/* Report an error of the store in the folder `path`. */
void ctl_complain_store(const struct ctl *ctl, const char *path,
			enum error error);

/* Open it read-only; false, with a message, when that fails. */
bool ctl_open_store(const struct ctl *ctl, const char *path,
		    struct store **store_out);

/*
 * Check all of it, and print each problem on standard error; false when there
 * are some, or it cannot be read. The text of the report is freed.
 */
bool ctl_check_store(const struct ctl *ctl, const char *path,
		     struct store *store, struct verify_report *report);

#endif
