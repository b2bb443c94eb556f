#include "daemon/ctl/ctl_store.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "daemon/engine/verify_laws.h"
#include "daemon/runtime/trial.h"

void ctl_print_store_error(const struct ctl *ctl, const char *path,
			   enum error error)
{
	const char *what = "it must be writable, on a local disk";

	if (error == ERR_BUSY)
		what = "another process uses it; stop the daemon first";
	else if (error == ERR_NOT_FOUND)
		what = "the folder has no store";
	else if (error == ERR_VERSION)
		what = "use the version that wrote it";
	else if (error == ERR_CORRUPT)
		what = "it is not a store, or it is damaged";
	else if (error == ERR_STORE_FULL)
		what = "the disk is too full for a copy";
	ctl_print_error(ctl, "%s: %s; %s", path, error_text(error), what);
}

bool ctl_open_store(const struct ctl *ctl, const char *path,
		    struct store **store_out)
{
	const struct store_options options = {.is_read_only = true};
	enum error error = store_open(store_out, path, &options);

	if (error != ERR_NONE)
		ctl_print_store_error(ctl, path, error);
	return error == ERR_NONE;
}

/* Runs in a child process; `out` gets the report and its text. */
static enum error ctl_store_verify_child(void *context,
					 struct child_work_position *place,
					 struct buffer *out)
{
	const struct store_options options = {.is_read_only = true};
	struct verify_report report = {0};
	struct store *store = NULL;
	enum error error = store_open(&store, context, &options);

	if (error == ERR_NONE)
		error = invariants_verify(store, place->text, &report);
	store_close(store);
	buffer_append(out, &report, sizeof(report));
	buffer_append(out, report.text.data, report.text.size);
	buffer_free(&report.text);
	return error;
}

static void read_report(const struct buffer *answer,
			struct verify_report *report_out)
{
	*report_out = (struct verify_report){0};
	if (answer->size < sizeof(*report_out))
		return;
	memcpy(report_out, answer->data, sizeof(*report_out));
	report_out->place = NULL;
	report_out->text = (struct buffer){0};
	buffer_append(&report_out->text, answer->data + sizeof(*report_out),
		      answer->size - sizeof(*report_out));
}

bool ctl_verify_store(const struct ctl *ctl, const char *path,
		      struct verify_report *report_out)
{
	uint64_t seconds = option_whole(ctl, "time", 0);
	const struct child_work trial = {
		.work = ctl_store_verify_child,
		.context = (void *)path,
		.limit_ms = seconds == 0 ? child_work_limit_ms(path)
					 : seconds * 1000,
	};
	struct buffer answer = {0};
	char why[CHILD_WORK_POSITION_BYTES];
	enum error error = run_in_child(&trial, &answer, why);

	read_report(&answer, report_out);
	buffer_free(&answer);
	if (error == ERR_STOPPED)
		ctl_print_error(ctl, "%s: %s; " STORE_ADVICE, path, why);
	else if (error != ERR_NONE)
		ctl_print_store_error(ctl, path, error);
	return error == ERR_NONE;
}

bool ctl_check_store(const struct ctl *ctl, const char *path,
		     struct verify_report *report)
{
	bool is_read = ctl_verify_store(ctl, path, report);

	if (report->problems > 0) {
		fwrite(report->text.data, 1, report->text.size, stderr);
		ctl_print_error(ctl, "%s: %" PRIu64 " problems", path,
				report->problems);
	}
	buffer_free(&report->text);
	return is_read && report->problems == 0;
}
