/* daemon/ctl/ctl_cuts.c - templatectl: cuts. */
#include "daemon/ctl/ctl_client.h"

#include "base/file.h"
#include "daemon/runtime/terminal.h"

/* computing the dendrogram of many pages is slow */
enum { TREE_TIMEOUT_MS = 600000 };

static enum ctl_status ask_cuts(const struct ctl *ctl, const char *host,
				const char *format, struct buffer *out)
{
	struct buffer target = {0};
	enum ctl_status status;

	buffer_append_text(&target, "/v1/sites/");
	client_append_escaped(&target, host);
	buffer_printf(&target, "/thresholds?format=%s", format);
	status = client_ask(
		ctl,
		&(struct client_request){.target = target.data,
					 .timeout_ms = TREE_TIMEOUT_MS},
		out);
	buffer_free(&target);
	return status;
}

static enum ctl_status thresholds_write_svg(const struct ctl *ctl,
					    const char *host, const char *path)
{
	struct buffer svg = {0};
	enum ctl_status status = ask_cuts(ctl, host, "svg", &svg);
	enum error error;

	if (status == CTL_DONE) {
		error = file_write(path, buffer_slice(&svg));
		if (error != ERR_NONE) {
			ctl_print_error(ctl, "%s: cannot write: %s", path,
					file_error_text(error));
			status = CTL_FAILED;
		}
	}
	buffer_free(&svg);
	return status;
}

static enum ctl_status run_cuts(const struct ctl *ctl)
{
	char host[MAX_HOST_BYTES + 1];
	struct buffer text = {0};
	enum ctl_status status;

	if (!client_host(ctl, ctl->operands[0], host))
		return CTL_USAGE;
	status = ask_cuts(ctl, host, ctl->is_json ? "json" : "txt", &text);
	if (status == CTL_DONE)
		terminal_print(buffer_slice(&text));
	buffer_free(&text);
	if (status == CTL_DONE && option_given(ctl, "svg"))
		status = thresholds_write_svg(ctl, host,
					      option_text(ctl, "svg"));
	return status;
}

static const struct verb_option cuts_options[] = {
	{.name = "svg",
	 .kind = OPTION_TEXT,
	 .value = "FILE",
	 .meaning = "also draw the thresholds, with the dendrogram"},
	{.name = NULL},
};

const struct verb verb_cuts = {
	.name = "cuts",
	.group = VERBS_LOOK,
	.operands = "HOST",
	.min_operands = 1,
	.max_operands = 1,
	.summary = "Show the results of other thresholds for a site, and "
		   "suggest one",
	.options = cuts_options,
	.run = run_cuts,
};
