/*
 * daemon/ctl/ctl_export.c - templatectl: export, the templates of a site as a
 * file.
 */
#include "daemon/ctl/ctl.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "daemon/ctl/ctl_client.h"
#include "daemon/ctl/progress.h"
#include "template/bundle.h"

enum { KIB = 1024 };

/* A bundle that is being received. */
struct bundle_download {
	struct buffer bytes;
	struct progress progress;
};

static enum error bundle_download_append(void *context, struct slice bytes,
					 uint64_t total)
{
	struct bundle_download *arrival = context;

	if (bytes.size > BUNDLE_MAX_BYTES - arrival->bytes.size)
		return ERR_TOO_LARGE;
	buffer_append_slice(&arrival->bytes, bytes);
	progress_show(&arrival->progress, arrival->bytes.size / KIB,
		      total / KIB, "KiB");
	return ERR_NONE;
}

static enum ctl_status bundle_download_receive(const struct ctl *ctl,
					       const char *host,
					       struct buffer *bytes_out)
{
	struct bundle_download arrival = {.progress = progress_begin("export")};
	struct buffer target = {0};
	enum ctl_status status;

	buffer_append_text(&target, "/v1/sites/");
	client_append_escaped(&target, host);
	buffer_append_text(&target, "/bundle");
	progress_show(&arrival.progress, 0, 1, "the daemon creates the bundle");
	status = client_receive(ctl, &(struct socket_download){
					     .target = target.data,
					     .sink = bundle_download_append,
					     .context = &arrival,
				     });
	progress_clear(&arrival.progress);
	buffer_free(&target);
	if (status == CTL_DONE)
		*bytes_out = arrival.bytes;
	else
		buffer_free(&arrival.bytes);
	return status;
}

/*
 * Open the bundle with the default limits, as its users do, and print its
 * contents.
 */
static enum ctl_status bundle_download_print(const struct ctl *ctl,
					     const char *path,
					     struct slice bytes)
{
	char reason[BUNDLE_REASON_BYTES];
	struct bundle *bundle;
	struct buffer copy = {0};
	enum error error;
	json_t *answer;

	buffer_append_slice(&copy, bytes);
	error = bundle_open(&bundle, &copy, &bundle_limits_default, reason);
	if (error != ERR_NONE) {
		ctl_print_error(ctl, "%s", reason);
		return CTL_FAILED;
	}
	answer = json_pack("{s:s, s:s, s:I, s:I, s:I}", "file", path, "site",
			   bundle_site_of(bundle)->host, "size_bytes",
			   (json_int_t)bytes.size, "pages",
			   (json_int_t)bundle_page_count(bundle), "templates",
			   (json_int_t)bundle_template_count(bundle));
	client_print(ctl, answer);
	json_decref(answer);
	bundle_close(bundle);
	return CTL_DONE;
}

/* Write the bundle to the file of --out, to HOST.tpl, or to standard output. */
static enum ctl_status bundle_download_write(const struct ctl *ctl,
					     const char *host,
					     struct slice bytes)
{
	const char *path = option_text(ctl, "out");
	char default_value[MAX_HOST_BYTES + 8];
	enum error error;

	if (path != NULL && strcmp(path, "-") == 0)
		return fwrite(bytes.data, 1, bytes.size, stdout) == bytes.size
			       ? CTL_DONE
			       : CTL_FAILED;
	if (path == NULL) {
		snprintf(default_value, sizeof(default_value), "%s.tpl", host);
		path = default_value;
	}
	error = file_replace(path, bytes);
	if (error == ERR_NONE)
		return bundle_download_print(ctl, path, bytes);
	ctl_print_error(ctl, "%s: cannot write: %s", path,
			file_error_text(error));
	return CTL_FAILED;
}

static enum ctl_status run_export(const struct ctl *ctl)
{
	char host[MAX_HOST_BYTES + 1];
	struct buffer bytes = {0};
	enum ctl_status status = CTL_USAGE;

	if (client_host(ctl, ctl->operands[0], host)) {
		status = bundle_download_receive(ctl, host, &bytes);
		if (status == CTL_DONE)
			status = bundle_download_write(ctl, host,
						       buffer_slice(&bytes));
	}
	buffer_free(&bytes);
	return status;
}

static const struct verb_option export_options[] = {
	{.name = "out",
	 .letter = 'o',
	 .kind = OPTION_TEXT,
	 .value = "FILE",
	 .meaning = "write to FILE (default: HOST.tpl); -: standard output"},
	{.name = NULL},
};

const struct verb verb_export = {
	.name = "export",
	.group = VERBS_READ,
	.operands = "HOST",
	.min_operands = 1,
	.max_operands = 1,
	.summary = "Write a site's templates to a file, for `apply` and "
		   "libtemplated",
	.options = export_options,
	.run = run_export,
};
