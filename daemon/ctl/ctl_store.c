#include "daemon/ctl/ctl_store.h"

#include <inttypes.h>
#include <stdio.h>

#include "daemon/engine/verify_laws.h"

void ctl_complain_store(const struct ctl *ctl, const char *path,
			enum error error)
{
	const char *what = "it must be ours to write, on a local disk";

	if (error == ERR_BUSY)
		what = "a process has it open: a daemon must be stopped first";
	else if (error == ERR_NOT_FOUND)
		what = "there is no store";
	else if (error == ERR_VERSION)
		what = "another version can read it";
	else if (error == ERR_CORRUPT)
		what = "it is no store, or a damaged one";
	else if (error == ERR_STORE_FULL)
		what = "its disk has no room for a copy";
	ctl_complain(ctl, "%s: %s; %s", path, error_text(error), what);
}

bool ctl_open_store(const struct ctl *ctl, const char *path,
		    struct store **store_out)
{
	const struct store_options options = {.is_read_only = true};
	enum error error = store_open(store_out, path, &options);

	if (error != ERR_NONE)
		ctl_complain_store(ctl, path, error);
	return error == ERR_NONE;
}

bool ctl_check_store(const struct ctl *ctl, const char *path,
		     struct store *store, struct verify_report *report)
{
	enum error error;

	*report = (struct verify_report){0};
	error = verify_laws(store, report);
	if (error != ERR_NONE)
		ctl_complain_store(ctl, path, error);
	if (report->problems > 0) {
		fwrite(report->text.data, 1, report->text.size, stderr);
		ctl_complain(ctl, "%s: %" PRIu64 " problems", path,
			     report->problems);
	}
	buffer_free(&report->text);
	return error == ERR_NONE && report->problems == 0;
}
