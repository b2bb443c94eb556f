/*
 * daemon/ctl/ctl_store.h - functions that the actions on store folders share.
 */
#ifndef DAEMON_CTL_CTL_STORE_H
#define DAEMON_CTL_CTL_STORE_H

#include <stdbool.h>

#include "daemon/ctl/ctl.h"
#include "store/store.h"
#include "store/verify.h"

/* Print an error about the store in the folder `path`. */
void ctl_print_store_error(const struct ctl *ctl, const char *path,
			   enum error error);

/* Open the store read-only. On failure print an error and return false. */
bool ctl_open_store(const struct ctl *ctl, const char *path,
		    struct store **store_out);

/*
 * Verify the store in a child process, within the time limit of --time if the
 * action has this option. If the store cannot be read to its end, print an
 * error and return false. The caller frees report_out->text.
 */
bool ctl_verify_store(const struct ctl *ctl, const char *path,
		      struct verify_report *report_out);

/*
 * Do the same as ctl_verify_store(), and print each problem on standard error.
 * Return false if there are problems, too. The text of the report is freed.
 */
bool ctl_check_store(const struct ctl *ctl, const char *path,
		     struct verify_report *report);

#endif
