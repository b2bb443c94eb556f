/* daemon/ctl/ctl_store.h - functions that the verbs on a store folder share. */
#ifndef DAEMON_CTL_CTL_STORE_H
#define DAEMON_CTL_CTL_STORE_H

#include <stdbool.h>

#include "daemon/ctl/ctl.h"
#include "store/store.h"
#include "store/verify.h"

/* Report an error of the store in the folder `path`. */
void ctl_print_store_error(const struct ctl *ctl, const char *path,
			   enum error error);

/* Open the store read-only; on failure print a message and return false. */
bool ctl_open_store(const struct ctl *ctl, const char *path,
		    struct store **store_out);

/*
 * Verify the store in a child process, within the limit of --time if the
 * verb has it. If the store cannot be read, or not to its end, print a
 * message and return false. Free report_out->text.
 */
bool ctl_verify_store(const struct ctl *ctl, const char *path,
		      struct verify_report *report_out);

/*
 * Like ctl_verify_store(), and print each problem on standard error; return
 * false if there are problems. Frees the text of the report.
 */
bool ctl_check_store(const struct ctl *ctl, const char *path,
		     struct verify_report *report);

#endif
