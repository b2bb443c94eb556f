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
 * Verify the store in the folder, in a process of its own and for no longer
 * than --time allows, where the verb has that: OPTION_TIME_ROW. False, with a
 * message, when it cannot be read, or not to the end. Free report_out->text.
 */
bool ctl_verify_store(const struct ctl *ctl, const char *path,
		      struct verify_report *report_out);

/*
 * The same; and print each problem on standard error; false when there are
 * some. The text of the report is freed.
 */
bool ctl_check_store(const struct ctl *ctl, const char *path,
		     struct verify_report *report);

#define OPTION_TIME_ROW                                                     \
	{                                                                   \
		.name = "time", .kind = OPTION_WHOLE, .value = "S",         \
		.minimum = 1, .maximum = UINT32_MAX,                        \
		.meaning = "give the check up after S seconds (default: a " \
			   "minute, and one a MiB)"                         \
	}

#endif
