/* daemon/ctl/ctl_report.c - templatectl: report. */
#include "daemon/ctl/ctl_client.h"

#include <stdio.h>

#include "base/file.h"

/* computing the dendrogram of many pages is slow */
enum { REPORT_TIMEOUT_MS = 600000 };

/* Write the file atomically. */
static bool report_write_atomically(const struct ctl *ctl, const char *path,
				    struct slice page)
{
	enum error error = file_replace(path, page);

	if (error != ERR_NONE)
		ctl_print_error(ctl, "%s: cannot write: %s", path,
				file_error_text(error));
	return error == ERR_NONE;
}

static bool report_write(const struct ctl *ctl, const char *host,
			 struct slice page)
{
	const char *path = option_text(ctl, "out");
	struct buffer default_value = {0};
	bool is_done;

	if (path != NULL && path[0] == '-' && path[1] == '\0') {
		fwrite(page.data, 1, page.size, stdout);
		return true;
	}
	buffer_printf(&default_value, "%s.html", host);
	is_done = report_write_atomically(
		ctl, path == NULL ? default_value.data : path, page);
	if (is_done && path == NULL)
		printf("%s\n", default_value.data);
	buffer_free(&default_value);
	return is_done;
}

static enum ctl_status run_report(const struct ctl *ctl)
{
	char host[MAX_HOST_BYTES + 1];
	struct buffer target = {0};
	struct buffer page = {0};
	enum ctl_status status;

	if (!client_host(ctl, ctl->operands[0], host))
		return CTL_USAGE;
	buffer_append_text(&target, "/v1/sites/");
	client_append_escaped(&target, host);
	buffer_append_text(&target, "/report");
	status = client_ask(
		ctl,
		&(struct client_request){.target = target.data,
					 .timeout_ms = REPORT_TIMEOUT_MS},
		&page);
	if (status == CTL_DONE && !report_write(ctl, host, buffer_slice(&page)))
		status = CTL_FAILED;
	buffer_free(&page);
	buffer_free(&target);
	return status;
}

static const struct verb_option report_options[] = {
	{.name = "out",
	 .letter = 'o',
	 .kind = OPTION_TEXT,
	 .value = "FILE",
	 .meaning = "write to FILE (default: HOST.html); -: standard output"},
	{.name = NULL},
};

const struct verb verb_report = {
	.name = "report",
	.group = VERBS_LOOK,
	.operands = "HOST",
	.min_operands = 1,
	.max_operands = 1,
	.summary =
		"Draw a site's templates, history and changes as an HTML page",
	.options = report_options,
	.run = run_report,
};
